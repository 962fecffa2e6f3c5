import type { InputOf } from '@x-automated/contract/contract'
import { HISTOGRAM_BOUNDS } from '@x-automated/contract/leads/scrape-limits'
import { priceOf } from '@x-automated/contract/leads/scrape-prices'
import { SCRAPE_WAIT_MAX_RESULTS, Scrape, SOURCE_FIELDS } from '@x-automated/contract/leads/scrapes'
import { and, desc, eq, inArray, type SQL, sql } from 'drizzle-orm'
import type { Actor } from '../../../actor.ts'
import { resolveAccount } from '../../../core/messages/accounts.ts'
import { leads } from '../../../core/tables/leads.ts'
import { scrapeLeads } from '../../../core/tables/scrape-leads.ts'
import { one } from '../../../db/one.ts'
import type { Db } from '../../../db/open.ts'
import type { XApi } from '../../../outside/x.ts'
import { XError } from '../../../outside/x-errors.ts'
import { invalidField, Refusal } from '../../../refusal.ts'
import type { RequestContext, SignedInContext } from '../../../requests/context.ts'
import { allowanceOf, beyondPlan } from '../../platform/billing/plan.ts'
import { connectWithPassword, unavailable } from '../../platform/x-account/connecting.ts'
import { withAccount } from '../../platform/x-account/tokens.ts'
import { CHANGED, notifyScrapeChanged, SCRAPES_CHANNEL, type ScrapeRow } from './changes.ts'
import { cents, estimate, isOver, isResumable, readsFor, secondsFor } from './rules.ts'
import { findSource } from './sources.ts'
import { scrapes } from './tables.ts'
import { frequentWords } from './words.ts'

type ScrapeInput = InputOf<'scrapes', 'create'>

/** A scrape as the contract defines it. */
export function view(row: ScrapeRow) {
  const waitMs = row.resumesAt ? Math.max(0, row.resumesAt.getTime() - Date.now()) : 0
  return {
    ...row,
    estimate: estimate(row, row.status, waitMs / 1000),
    spentCents: cents(row, row.billed),
    isResumable: isResumable(row),
  }
}

/** Starts a scrape as a job. Credentials connect the X account first. */
export async function create(context: SignedInContext, actor: Actor, input: ScrapeInput) {
  return view(await start(context, actor, input, (tx, row) => context.remember(tx, Scrape.parse(view(row)))))
}

/** @param keep stores an Idempotency-Key's progress in the transaction that creates the scrape */
async function start(
  context: SignedInContext,
  actor: Actor,
  { credentials, xAccountId, ...input }: ScrapeInput,
  keep: (tx: Db, row: ScrapeRow) => Promise<void>,
): Promise<ScrapeRow> {
  if (!context.x) throw new Refusal('X_UNAVAILABLE', 'X is not configured on this server.')
  requireOffered(context.x, input.type)
  const readPriceCents = priceOf(input.type, context.x)
  if (credentials) await connectWithPassword(context, actor, credentials)
  const account = await resolveAccount(context.db, actor.workspaceId, xAccountId ?? null)
  if (account?.status !== 'connected') throw new Refusal('X_SESSION_EXPIRED')
  return context.db.transaction(async (tx) => {
    await requireAllowance(tx, actor.workspaceId)
    const { workspaceId, userId } = actor
    const isAccountFixed = xAccountId !== undefined
    const begun = {
      ...input,
      handles: distinct(input.handles),
      workspaceId,
      userId,
      xAccountId: account.id,
      isAccountFixed,
      readPriceCents,
    }
    const row = one(await tx.insert(scrapes).values(begun).returning())
    await context.jobs.enqueue(tx, 'scrape', { scrapeId: row.id })
    await keep(tx, row)
    await notifyScrapeChanged(tx, row)
    return row
  })
}

/** @throws Refusal INVALID_INPUT if the configured X does not offer this type of scrape */
export function requireOffered({ sources }: XApi, type: ScrapeInput['type']): void {
  if (!sources.includes(type)) throw invalidField('type', 'is not offered by X')
}

/** Limits lookups of sources, which X charges for although they may show nobody. @throws Refusal RATE_LIMITED */
export async function limitLookUps({ limits }: SignedInContext, { workspaceId }: Actor): Promise<void> {
  await limits.consume('lookUpByWorkspace', `${workspaceId} sources`)
}

/** The handles without duplicates, ignoring case. */
export function distinct(handles: readonly string[] | undefined): string[] | null {
  return handles ? [...new Map(handles.map((handle) => [handle.toLowerCase(), handle])).values()] : null
}

/** @throws Refusal PLAN_LIMIT if no scraped leads are left this month */
async function requireAllowance(db: Db, workspaceId: string): Promise<void> {
  const allowance = await allowanceOf(db, workspaceId, 'scrapedLeads')
  if (allowance.left === 0) throw beyondPlan(allowance, 'scrapedLeads')
}

/** Estimates a scrape, both for reading every profile and for reading only as many as probably suffice. */
export async function estimateFor(
  context: SignedInContext,
  actor: Actor,
  { xAccountId, maxResults, ...input }: InputOf<'scrapes', 'estimate'>,
) {
  const { x, db } = context
  if (!x) throw new Refusal('X_UNAVAILABLE', 'X is not configured on this server.')
  requireOffered(x, input.type)
  const account = await resolveAccount(db, actor.workspaceId, xAccountId ?? null)
  if (account?.status !== 'connected') throw new Refusal('X_SESSION_EXPIRED')
  await limitLookUps(context, actor)
  const { type, twitterHandle = null, postUrl = null, listUrl = null } = input
  const source = { type, twitterHandle, postUrl, listUrl, handles: distinct(input.handles) }
  const lookup = await withAccount(context, account.id, (api, token) => findSource(api, token, source, account)).catch(
    (error: unknown) => {
      if (!(error instanceof XError)) throw error
      if (['unauthorized', 'credentials', 'account'].includes(error.kind)) throw new Refusal('X_SESSION_EXPIRED')
      throw unavailable(error)
    },
  )
  if ('problem' in lookup) throw invalidField(SOURCE_FIELDS[type], lookup.problem)
  const profiles = lookup.expected ?? 0
  const [earlier] = await db
    .select({ msEach: sql<number>`busy_ms::float / fetched`, fetched: scrapes.fetched, matched: scrapes.matched })
    .from(scrapes)
    .where(and(eq(scrapes.workspaceId, actor.workspaceId), sql`fetched > 0`))
    .orderBy(desc(scrapes.createdAt), desc(scrapes.id))
    .limit(1)
  const { left } = await allowanceOf(db, actor.workspaceId, 'scrapedLeads')
  const price = { type, readPriceCents: priceOf(type, x) }
  const costOf = (reads: number) => ({
    profiles: reads,
    seconds: secondsFor(reads, earlier?.msEach ?? null, price),
    costCents: cents(price, reads),
  })
  const reads = readsFor(Math.min(maxResults, left), earlier ?? { fetched: 0, matched: 0 })
  return {
    twitterHandle: lookup.twitterHandle,
    ...costOf(profiles),
    likely: costOf(Math.min(profiles, reads)),
    leadsLeft: Number.isFinite(left) ? left : null,
  }
}

/**
 * The follower counts of all profiles that a scrape has read, and the frequent words of its leads'
 * bios. @throws Refusal SCRAPE_NOT_FOUND
 */
export async function histogram(db: Db, actor: Actor, id: string) {
  const { bins, cutBins, words } = await find(db, actor, id)
  return {
    bins: HISTOGRAM_BOUNDS.map((from, index) => ({
      from,
      to: HISTOGRAM_BOUNDS[index + 1] ?? null,
      count: (bins[index] ?? 0) + (cutBins[index] ?? 0),
    })),
    words: frequentWords(words),
  }
}

/** How long POST /scrape/scrape waits for its scrape. */
const WAIT_MS = 60_000

/**
 * Starts a scrape, waits up to a minute for its end, and returns the leads found by then. The job
 * continues. @throws Refusal X_UNAVAILABLE, X_SESSION_EXPIRED, PLAN_LIMIT, INVALID_INPUT;
 * UNAVAILABLE: `signal` was aborted
 */
export async function scrape(context: SignedInContext, actor: Actor, input: ScrapeInput, signal?: AbortSignal) {
  const started =
    (await findBegun(context, actor)) ??
    (await start(context, actor, input, async (tx, row) => context.progress?.keep(tx, row.id)))
  const deadline = Date.now() + WAIT_MS
  const waited = AbortSignal.any([AbortSignal.timeout(WAIT_MS), ...(signal ? [signal] : [])])
  let row: ScrapeRow = started
  for await (const changed of follow(context, actor, started.id, waited)) {
    row = changed
    if (row.status === 'waiting' && (row.resumesAt === null || row.resumesAt.getTime() > deadline)) break
  }
  // The client has disconnected. A retry with the same key waits again.
  if (signal?.aborted) throw new Refusal('UNAVAILABLE')
  if (row.status === 'waiting' && row.resumesAt === null) {
    // The caller then asks for credentials and starts the scrape again.
    await end(context.database.db, actor, row.id).catch(ignoreRefusal)
    throw new Refusal('X_SESSION_EXPIRED')
  }
  if (row.status === 'failed') {
    if (row.sourceUserId === null && row.failures === 0)
      throw invalidField('twitterHandle', row.error ?? 'cannot be scraped')
    if (row.matched === 0) throw new Refusal('X_UNAVAILABLE', row.error ?? `Failed to scrape X ${row.type}`)
  }
  const rows = await context.database.db
    .select({ lead: leads })
    .from(scrapeLeads)
    .innerJoin(leads, eq(leads.id, scrapeLeads.leadId))
    .where(eq(scrapeLeads.scrapeId, row.id))
    .orderBy(leads.id)
    .limit(SCRAPE_WAIT_MAX_RESULTS)
  return {
    success: true as const,
    leads: rows.map((entry) => entry.lead),
    count: rows.length,
    stoppedBy: row.stoppedBy,
  }
}

/** Finds the scrape that an earlier attempt started, and resumes it if it failed. @returns null if there is none */
async function findBegun({ db, jobs, progress }: SignedInContext, actor: Actor): Promise<ScrapeRow | null> {
  if (typeof progress?.begun !== 'string') return null
  const [row] = await db
    .select()
    .from(scrapes)
    .where(and(eq(scrapes.id, progress.begun), eq(scrapes.workspaceId, actor.workspaceId)))
  if (row?.status === 'failed') await resume({ db, jobs }, actor, row.id).catch(ignoreRefusal)
  return row ?? null
}

export async function list(db: Db, actor: Actor, { page, pageSize: size }: InputOf<'scrapes', 'list'>) {
  const own = eq(scrapes.workspaceId, actor.workspaceId)
  const [rows, total] = await Promise.all([
    db
      .select()
      .from(scrapes)
      .where(own)
      .orderBy(desc(scrapes.createdAt), desc(scrapes.id))
      .limit(size)
      .offset((page - 1) * size),
    db.$count(scrapes, own),
  ])
  return { scrapes: rows.map(view), total, page, pageSize: size }
}

/** @throws Refusal SCRAPE_NOT_FOUND */
export async function find(db: Db, actor: Actor, id: string): Promise<ScrapeRow> {
  const [row] = await db
    .select()
    .from(scrapes)
    .where(and(eq(scrapes.id, id), eq(scrapes.workspaceId, actor.workspaceId)))
  if (!row) throw new Refusal('SCRAPE_NOT_FOUND')
  return row
}

/** Cancels a scrape and keeps its leads. @throws Refusal SCRAPE_NOT_FOUND, SCRAPE_STATE (it is over) */
export async function cancel(db: Db, actor: Actor, id: string) {
  return view(await end(db, actor, id))
}

/** Resumes a scrape (`isResumable`) from its cursor. */
export async function resume({ db, jobs }: Pick<SignedInContext, 'db' | 'jobs'>, actor: Actor, id: string) {
  return db.transaction(async (tx) => {
    const [stopped] = await tx
      .select()
      .from(scrapes)
      .where(and(eq(scrapes.id, id), eq(scrapes.workspaceId, actor.workspaceId)))
      .for('update')
    if (!stopped) throw new Refusal('SCRAPE_NOT_FOUND')
    if (!isResumable(stopped)) throw new Refusal('SCRAPE_STATE')
    const row = await change(tx, actor, id, eq(scrapes.status, stopped.status), {
      status: 'queued',
      error: null,
      failures: 0,
    })
    await requireAllowance(tx, actor.workspaceId)
    await jobs.enqueue(tx, 'scrape', { scrapeId: id })
    return view(row)
  })
}

function end(db: Db, actor: Actor, id: string): Promise<ScrapeRow> {
  const isOpen = inArray(scrapes.status, ['queued', 'running', 'waiting'])
  return change(db, actor, id, isOpen, { status: 'canceled', error: null })
}

/**
 * Applies a user's change, which makes the running process lose its claim. @throws Refusal
 * SCRAPE_NOT_FOUND, SCRAPE_STATE
 */
async function change(db: Db, actor: Actor, id: string, allowed: SQL, set: Partial<ScrapeRow>): Promise<ScrapeRow> {
  const [row] = await db
    .update(scrapes)
    .set({ ...set, stoppedBy: null, resumesAt: null, workerId: null, ...CHANGED })
    .where(and(eq(scrapes.id, id), eq(scrapes.workspaceId, actor.workspaceId), allowed))
    .returning()
  if (!row) {
    await find(db, actor, id)
    throw new Refusal('SCRAPE_STATE')
  }
  await notifyScrapeChanged(db, row)
  return row
}

function ignoreRefusal(error: unknown): void {
  if (!(error instanceof Refusal)) throw error
}

/** How often to poll, because notifications may be lost when a connection breaks. */
const POLL_MS = 3_000

/** Yields the scrape now and after each change, until it is over or aborted. */
export async function* follow(
  { database, channels, isDraining }: Pick<RequestContext, 'database' | 'channels' | 'isDraining'>,
  actor: Actor,
  id: string,
  signal: AbortSignal,
): AsyncGenerator<ScrapeRow> {
  let wake = () => {}
  let isDue = false
  const look = () => {
    isDue = true
    wake()
  }
  const stop = channels.subscribe(SCRAPES_CHANNEL, (payload) => payload === id && look())
  signal.addEventListener('abort', look)
  try {
    let seen = -1
    while (!signal.aborted && !isDraining()) {
      isDue = false
      const row = await find(database.db, actor, id)
      if (row.version !== seen) yield row
      seen = row.version
      if (isOver(row.status)) return
      if (isDue) continue
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, POLL_MS)
        wake = () => {
          clearTimeout(timer)
          resolve()
        }
      })
    }
  } finally {
    stop()
    signal.removeEventListener('abort', look)
  }
}
