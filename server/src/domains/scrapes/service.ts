import { SCRAPE_WAIT_MAX_RESULTS, Scrape } from '@x-automated/contract/scrapes'
import { and, desc, eq, inArray, type SQL, sql } from 'drizzle-orm'
import type { FastifyBaseLogger } from 'fastify'
import { type Actor, roleAllows } from '../../actor.ts'
import type { Db } from '../../db/open.ts'
import { transact } from '../../db/transact.ts'
import { livingWorkers, openLiveness } from '../../jobs/liveness.ts'
import { XError, type XUser } from '../../outside/x.ts'
import { invalidField, Refusal } from '../../refusal.ts'
import type { RequestContext, SignedInContext } from '../../requests/context.ts'
import { allowanceOf, beyondPlan, use } from '../billing/service.ts'
import { type IncomingLead, upsertLeads } from '../leads/service.ts'
import { leads } from '../leads/tables.ts'
import { accountInUse, CONNECTION_LOST, connectWithPassword, withAccount } from '../x-account/service.ts'
import {
  cents,
  estimate,
  type Failure,
  isHidden,
  isOver,
  isResumable,
  isWanted,
  noSuchAccount,
  pageSize,
  protectedAccount,
  secondsFor,
  type Verdict,
  verdict,
} from './rules.ts'
import { scrapeLeads, scrapes } from './tables.ts'

export type ScrapeRow = typeof scrapes.$inferSelect

/** Told, by its id, of every change of a scrape; and `connected:<workspace>` when an X account was connected (by a trigger). */
export const SCRAPES_CHANNEL = 'scrapes'
const CONNECTED = 'connected:'

interface ScrapeInput {
  twitterHandle: string
  type: 'followers' | 'following'
  minFollowers: number
  maxFollowers: number
  keywords: string[]
  maxResults: number
  xAccountId?: string
  credentials?: { username: string; password: string }
}

/** A scrape as the contract shows it. */
export function view(row: ScrapeRow) {
  const waitMs = row.resumesAt ? Math.max(0, row.resumesAt.getTime() - Date.now()) : 0
  return {
    ...row,
    estimate: estimate(row, row.status, waitMs / 1000),
    spentCents: cents(row, row.billed),
    isResumable: isResumable(row),
  }
}

/**
 * Starts a scrape as a job. With credentials the X account is connected first, which takes the role that connecting takes.
 * @throws Refusal X_SESSION_EXPIRED (the X account is not connected), X_ACCOUNT_NOT_FOUND, X_CREDENTIALS_REFUSED, X_UNAVAILABLE, FORBIDDEN, PLAN_LIMIT (nothing is left of this month)
 */
export async function create(context: SignedInContext, actor: Actor, input: ScrapeInput) {
  return view(await start(context, actor, input, (tx, row) => context.remember(tx, Scrape.parse(view(row)))))
}

/** @param keep what an Idempotency-Key remembers of it, in the transaction that makes it */
async function start(
  context: SignedInContext,
  actor: Actor,
  { credentials, xAccountId, ...input }: ScrapeInput,
  keep: (tx: Db, row: ScrapeRow) => Promise<void>,
): Promise<ScrapeRow> {
  if (!context.x) throw new Refusal('X_UNAVAILABLE', 'X is not configured on this server.')
  const { readPriceCents } = context.x
  if (credentials) {
    if (!roleAllows(actor.role, 'admin')) throw new Refusal('FORBIDDEN')
    await connectWithPassword(context, actor, credentials)
  }
  const account = await accountInUse(context.db, actor.workspaceId, xAccountId ?? null)
  if (account?.status !== 'connected') throw new Refusal('X_SESSION_EXPIRED')
  return context.db.transaction(async (tx) => {
    await requireAllowance(tx, actor.workspaceId)
    const [row] = await tx
      .insert(scrapes)
      .values({
        ...input,
        workspaceId: actor.workspaceId,
        userId: actor.userId,
        xAccountId: account.id,
        isAccountFixed: xAccountId !== undefined,
        readPriceCents,
      })
      .returning()
    if (!row) throw new Error('no scrape was made')
    await context.jobs.enqueue(tx, 'scrape', { scrapeId: row.id })
    await keep(tx, row)
    return row
  })
}

/** @throws Refusal PLAN_LIMIT: no further lead may be scraped this month */
async function requireAllowance(db: Db, workspaceId: string): Promise<void> {
  const allowance = await allowanceOf(db, workspaceId, 'scrapedLeads')
  if (allowance.left === 0) throw beyondPlan(allowance, 'scrapedLeads')
}

/**
 * What a scrape would take. It reads every profile unless it finds enough leads before.
 * @throws Refusal X_SESSION_EXPIRED, X_ACCOUNT_NOT_FOUND, X_UNAVAILABLE; INVALID_INPUT: a handle that cannot be scraped
 */
export async function estimateFor(
  context: SignedInContext,
  actor: Actor,
  { twitterHandle, type, xAccountId }: Pick<ScrapeInput, 'twitterHandle' | 'type' | 'xAccountId'>,
) {
  const { x, db } = context
  if (!x) throw new Refusal('X_UNAVAILABLE', 'X is not configured on this server.')
  const account = await accountInUse(db, actor.workspaceId, xAccountId ?? null)
  if (account?.status !== 'connected') throw new Refusal('X_SESSION_EXPIRED')
  const user = await withAccount(context, account.id, (api, token) => api.findUser(token, twitterHandle)).catch(
    (error: unknown) => {
      if (!(error instanceof XError)) throw error
      if (['unauthorized', 'credentials', 'account'].includes(error.kind)) throw new Refusal('X_SESSION_EXPIRED')
      throw new Refusal('X_UNAVAILABLE', undefined, { cause: error })
    },
  )
  if (!user) throw invalidField('twitterHandle', noSuchAccount(twitterHandle))
  if (isHidden(user, account)) throw invalidField('twitterHandle', protectedAccount(user.handle, type))
  const profiles = wholeCount(type === 'followers' ? user.followerCount : user.followingCount) ?? 0
  const [pace] = await db
    .select({ msEach: sql<number>`busy_ms::float / fetched` })
    .from(scrapes)
    .where(and(eq(scrapes.workspaceId, actor.workspaceId), sql`fetched > 0`))
    .orderBy(desc(scrapes.createdAt), desc(scrapes.id))
    .limit(1)
  const { left } = await allowanceOf(db, actor.workspaceId, 'scrapedLeads')
  return {
    twitterHandle: user.handle,
    profiles,
    seconds: secondsFor(profiles, pace?.msEach ?? null, x),
    costCents: cents(x, profiles),
    leadsLeft: Number.isFinite(left) ? left : null,
  }
}

/** How long POST /scrape/scrape waits for its scrape (domain rules, Leads and scraping). */
const WAIT_MS = 60_000

/**
 * Starts a scrape, waits for it, and answers with the leads it has by then; the job goes on.
 * @param signal the caller has gone
 * @throws Refusal as `create`; X_SESSION_EXPIRED also where X refused the connection meanwhile; INVALID_INPUT: a handle that cannot be scraped
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
  // Nobody reads what would be answered: who asks again with the same key waits on, for the whole of it.
  if (signal?.aborted) throw new Refusal('UNAVAILABLE')
  if (row.status === 'waiting' && row.resumesAt === null) {
    // The caller is asked for credentials and scrapes again with them.
    await end(context.database.db, actor, row.id, 'canceled').catch(ignoreRefusal)
    throw new Refusal('X_SESSION_EXPIRED')
  }
  if (row.status === 'failed') {
    if (row.sourceUserId === null && row.failures === 0)
      throw invalidField('twitterHandle', row.error ?? 'cannot be scraped')
    if (row.matched === 0) throw new Refusal('X_UNAVAILABLE', row.error ?? `Failed to scrape X ${row.type}`)
  }
  const found = await context.database.db
    .select({ lead: leads })
    .from(scrapeLeads)
    .innerJoin(leads, eq(leads.id, scrapeLeads.leadId))
    .where(eq(scrapeLeads.scrapeId, row.id))
    .orderBy(leads.id)
    .limit(SCRAPE_WAIT_MAX_RESULTS)
  return { success: true as const, leads: found.map((one) => one.lead), count: found.length }
}

/** The scrape that this call began when it was made before and died; one that failed meanwhile goes on. Null: it began none. */
async function findBegun({ db, jobs, progress }: SignedInContext, actor: Actor): Promise<ScrapeRow | null> {
  if (typeof progress?.begun !== 'string') return null
  const [row] = await db
    .select()
    .from(scrapes)
    .where(and(eq(scrapes.id, progress.begun), eq(scrapes.workspaceId, actor.workspaceId)))
  if (row?.status === 'failed') await resume({ db, jobs }, actor, row.id).catch(ignoreRefusal)
  return row ?? null
}

export async function list(db: Db, actor: Actor, { page, pageSize: size }: { page: number; pageSize: number }) {
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

/** Stops a scrape before its next page; what it has found stays. @throws Refusal SCRAPE_NOT_FOUND, SCRAPE_STATE (it is over) */
export async function cancel(db: Db, actor: Actor, id: string) {
  return view(await end(db, actor, id, 'canceled'))
}

/**
 * Goes on from where it was with a scrape that was canceled, failed or stopped at the plan's limit.
 * @throws Refusal SCRAPE_NOT_FOUND, SCRAPE_STATE, PLAN_LIMIT
 */
export async function resume({ db, jobs }: Pick<SignedInContext, 'db' | 'jobs'>, actor: Actor, id: string) {
  return db.transaction(async (tx) => {
    // Of those that are complete only one that stopped early has something to say.
    const isStopped = sql`(${scrapes.status} in ('canceled', 'failed') or (${scrapes.status} = 'completed' and ${scrapes.error} is not null))`
    const row = await change(tx, actor, id, isStopped, {
      status: 'queued',
      error: null,
      failures: 0,
    })
    await requireAllowance(tx, actor.workspaceId)
    await jobs.enqueue(tx, 'scrape', { scrapeId: id })
    return view(row)
  })
}

function end(db: Db, actor: Actor, id: string, status: 'canceled'): Promise<ScrapeRow> {
  return change(db, actor, id, inArray(scrapes.status, ['queued', 'running', 'waiting']), { status, error: null })
}

/** A change that a person asks for; whoever runs the scrape finds its next page refused. */
async function change(db: Db, actor: Actor, id: string, allowed: SQL, set: Partial<ScrapeRow>): Promise<ScrapeRow> {
  const [row] = await db
    .update(scrapes)
    .set({ ...set, resumesAt: null, workerId: null, ...CHANGED })
    .where(and(eq(scrapes.id, id), eq(scrapes.workspaceId, actor.workspaceId), allowed))
    .returning()
  if (!row) {
    await find(db, actor, id)
    throw new Refusal('SCRAPE_STATE')
  }
  await tell(db, id)
  return row
}

const CHANGED = { version: sql`${scrapes.version} + 1`, updatedAt: sql`now()` } as const

async function tell(db: Db, id: string): Promise<void> {
  await db.execute(sql`select pg_notify(${SCRAPES_CHANNEL}, ${id})`)
}

function ignoreRefusal(error: unknown): void {
  if (!(error instanceof Refusal)) throw error
}

/** Looks again after this time without a notice: one may be lost where a connection breaks. */
const LOOK_AGAIN_MS = 3_000

/**
 * The scrape as it stands, and again whenever it has changed, until it is over or `signal` says stop.
 * @throws Refusal SCRAPE_NOT_FOUND
 */
export async function* follow(
  { database, notices, isDraining }: Pick<RequestContext, 'database' | 'notices' | 'isDraining'>,
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
  const stop = notices.listen(SCRAPES_CHANNEL, (payload) => payload === id && look())
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
        const timer = setTimeout(resolve, LOOK_AGAIN_MS)
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

/** Scrapes that one process runs at a time. */
const CONCURRENCY = 4
/** How often a process looks for scrapes whose runner died, and for those that a lost notice left waiting. */
const SWEEP_MS = 10_000
/** After this long a scrape goes to the end of the queue, so that a long one does not keep short ones waiting. */
const TURN_MS = 15_000

type RunnerServices = Pick<RequestContext, 'database' | 'jobs' | 'x' | 'sealer' | 'onFault' | 'isDraining'>

/** What one process works with. */
interface Runner extends RunnerServices {
  workerId: number
  /** Scrapes that this process runs now, each with the version it was taken at. */
  running: Map<string, number>
  log: FastifyBaseLogger
}

/** Runs scrapes in this process, those of dead processes at once, until closed. */
export async function workOnScrapes(
  services: RunnerServices & Pick<RequestContext, 'notices'>,
  log: FastifyBaseLogger,
): Promise<{ close(): Promise<void> }> {
  const liveness = await openLiveness(services.database)
  const runner: Runner = { ...services, workerId: liveness.workerId, running: new Map(), log }
  const sweep = async () => {
    try {
      await takeOver(runner)
      await wakeConnected(runner, null)
    } catch (error) {
      log.warn({ err: error }, 'looking for scrapes to go on with failed')
    }
  }
  await sweep()
  const timer = setInterval(() => void sweep(), SWEEP_MS)
  const stopListening = services.notices.listen(SCRAPES_CHANNEL, (payload) => {
    if (!payload.startsWith(CONNECTED)) return
    wakeConnected(runner, payload.slice(CONNECTED.length)).catch((error: unknown) =>
      log.warn({ err: error }, 'waking scrapes failed'),
    )
  })
  await services.jobs.work('scrape', CONCURRENCY, ({ scrapeId }) => run(runner, scrapeId))
  return {
    async close() {
      clearInterval(timer)
      stopListening()
      await liveness.close()
    },
  }
}

/** Puts scrapes back into the queue that should be going on and are not: their process died, or their job was lost. */
async function takeOver({ database, jobs, workerId, running }: Runner): Promise<void> {
  await database.db.transaction(async (tx) => {
    const { rows } = await tx.execute<{ id: string }>(sql`
      update scrapes set worker_id = null, updated_at = now()
      where id in (
        select id from scrapes where status in ('queued', 'running', 'waiting') and case status
          when 'running' then
            case when worker_id is null then updated_at < now() - interval '30 seconds'
              when worker_id = ${workerId} then id <> all(${sql.param([...running.keys()])}::uuid[])
              else worker_id not in (${livingWorkers}) end
          when 'waiting' then resumes_at < now() - interval '5 seconds' and updated_at < now() - interval '15 seconds'
          else updated_at < now() - interval '2 minutes' end
        for update skip locked
      )
      returning id`)
    for (const { id } of rows) await jobs.enqueue(tx, 'scrape', { scrapeId: id })
  })
}

/** Goes on with scrapes that waited for an X account where one is connected now. @param workspaceId null: everywhere */
async function wakeConnected({ database, jobs }: Runner, workspaceId: string | null): Promise<void> {
  await database.db.transaction(async (tx) => {
    const { rows } = await tx.execute<{ id: string }>(sql`
      update scrapes s set status = 'queued', error = null, version = version + 1, updated_at = now()
      where s.status = 'waiting' and s.resumes_at is null ${workspaceId === null ? sql`` : sql`and s.workspace_id = ${workspaceId}`}
        and exists (
          select from x_accounts a where a.workspace_id = s.workspace_id and a.status = 'connected' and a.id = case
            when s.is_account_fixed then s.x_account_id
            else (select c.id from x_accounts c where c.workspace_id = s.workspace_id
              order by c.status = 'disconnected', c.chosen_at desc, c.id desc limit 1) end
        )
      returning s.id`)
    for (const { id } of rows) {
      await jobs.enqueue(tx, 'scrape', { scrapeId: id })
      await tell(tx, id)
    }
  })
}

/** Runs a scrape for one turn: page after page until it ends, must wait, is taken away, or its turn is over. */
async function run(runner: Runner, scrapeId: string): Promise<void> {
  let row = await claim(runner, scrapeId)
  if (!row) return
  const taken = row.version
  runner.running.set(scrapeId, taken)
  try {
    const turnEnds = Date.now() + TURN_MS
    while (row?.status === 'running') {
      if (runner.isDraining() || Date.now() > turnEnds) {
        await handBack(runner, row)
        return
      }
      row = await step(runner, row)
    }
  } finally {
    // Unless it was taken away and this process has it anew.
    if (runner.running.get(scrapeId) === taken) runner.running.delete(scrapeId)
  }
}

/** Makes this process the one that runs the scrape. Null: it is over, not yet due, or another living process has it. */
async function claim({ database, workerId, running }: Runner, scrapeId: string): Promise<ScrapeRow | null> {
  const [row] = await database.db
    .update(scrapes)
    .set({ status: 'running', workerId, resumesAt: null, error: null, ...CHANGED })
    .where(
      and(
        eq(scrapes.id, scrapeId),
        sql`case ${scrapes.status}
          when 'queued' then true
          when 'waiting' then ${scrapes.resumesAt} <= now() + interval '1 second'
          when 'running' then ${scrapes.workerId} is null or ${scrapes.workerId} not in (${livingWorkers})
            or (${scrapes.workerId} = ${workerId} and ${!running.has(scrapeId)})
          else false end`,
      ),
    )
    .returning()
  if (!row) return null
  await tell(database.db, scrapeId)
  return row
}

/** Lets whoever comes first go on with the scrape. */
async function handBack({ database, jobs }: Runner, row: ScrapeRow): Promise<void> {
  await database.db.transaction(async (tx) => {
    const [mine] = await tx
      .update(scrapes)
      .set({ workerId: null, updatedAt: sql`now()` })
      .where(stillOurs(row))
      .returning({ id: scrapes.id })
    if (mine) await jobs.enqueue(tx, 'scrape', { scrapeId: row.id })
  })
}

/** Nobody has canceled the scrape or taken it over since `row` was read. */
function stillOurs(row: ScrapeRow): SQL | undefined {
  return and(eq(scrapes.id, row.id), eq(scrapes.version, row.version), eq(scrapes.status, 'running'))
}

/** One page: read outside of any transaction, kept in one. The scrape afterwards; null where it was taken away. */
async function step(runner: Runner, row: ScrapeRow): Promise<ScrapeRow | null> {
  try {
    const { db } = runner.database
    const account = await accountInUse(db, row.workspaceId, row.isAccountFixed ? row.xAccountId : null)
    if (account?.status !== 'connected') {
      const error = account?.reason ?? 'No X account is connected. The scrape goes on once one is.'
      return settle(runner, row, { status: 'waiting', resumesAt: null, failures: 0, error })
    }
    if (row.sourceUserId === null) return await lookUp(runner, row, account)
    const began = Date.now()
    const { sourceUserId, cursor, type } = row
    const { left } = await allowanceOf(db, row.workspaceId, 'scrapedLeads')
    const size = pageSize({ ...row, maxResults: Math.min(row.maxResults, row.matched + left) })
    const page = await withAccount(runner, account.id, (x, token) =>
      x.listFollows(token, sourceUserId, type, { cursor, size }),
    )
    return await keepPage(runner, row, page, began)
  } catch (error) {
    if (error instanceof XError) {
      const { kind, retryAt } = error
      const message = kind === 'unauthorized' ? CONNECTION_LOST : error.message
      return settle(runner, row, verdict({ kind, message, retryAt }, row, new Date()))
    }
    // Tried again like X's own trouble. Where the database is what is down, writing that down throws too, and the queue tries again.
    const stopped = await settle(runner, row, verdict(FAULT, row, new Date()))
    runner.log.error({ err: error, scrapeId: row.id }, 'scrape failed')
    runner.onFault(error)
    return stopped
  }
}

const FAULT: Failure = { kind: 'fault', message: 'Something went wrong on our side.', retryAt: null }

/** Finds out who is to be scraped, and how many there are to read. */
async function lookUp(
  runner: Runner,
  row: ScrapeRow,
  account: { id: string; xUserId: string },
): Promise<ScrapeRow | null> {
  const user = await withAccount(runner, account.id, (x, token) => x.findUser(token, row.twitterHandle))
  if (!user) return settle(runner, row, { status: 'failed', failures: 0, error: noSuchAccount(row.twitterHandle) })
  if (isHidden(user, account))
    return settle(runner, row, { status: 'failed', failures: 0, error: protectedAccount(user.handle, row.type) })
  return save(runner.database.db, row, {
    sourceUserId: user.id,
    twitterHandle: user.handle,
    expected: wholeCount(row.type === 'followers' ? user.followerCount : user.followingCount),
    xAccountId: account.id,
    failures: 0,
  })
}

async function keepPage(
  runner: Runner,
  row: ScrapeRow,
  page: { users: XUser[]; next: string | null },
  began: number,
): Promise<ScrapeRow | null> {
  const wanted = new Map(page.users.filter((user) => isWanted(user, row)).map((user) => [user.id, user]))
  return transact(runner.database.db, async (tx) => {
    // First of all, so that a cancellation or another runner waits or is seen here.
    const [mine] = await tx.select({ id: scrapes.id }).from(scrapes).where(stillOurs(row)).for('update')
    if (!mine) return null
    // X's lists move while they are read, so a person can come twice.
    const known = await tx
      .select({ xUserId: leads.xUserId })
      .from(scrapeLeads)
      .innerJoin(leads, eq(leads.id, scrapeLeads.leadId))
      .where(
        and(eq(scrapeLeads.scrapeId, row.id), sql`${leads.xUserId} = any(${sql.param([...wanted.keys()])}::text[])`),
      )
    for (const { xUserId } of known) wanted.delete(xUserId ?? '')
    const { found, used, isCut, isUsedUp, words } = await withinPlan(
      tx,
      row,
      [...wanted.values()].slice(0, row.maxResults - row.matched),
    )
    let matched = row.matched
    if (found.length > 0) {
      const leadIds = await upsertLeads(
        tx,
        row,
        found.map((user) => leadOf(user, row)),
        'whole',
      )
      matched += leadIds.length
      // Whoever is on the suppression list became no lead, and counts as none.
      await use(tx, row.workspaceId, 'scrapedLeads', Math.max(0, used - (found.length - leadIds.length)))
      await tx.execute(sql`
        insert into scrape_leads (scrape_id, lead_id) select ${row.id}::uuid, unnest(${sql.param(leadIds)}::uuid[])
        on conflict do nothing`)
    }
    const isDone = !isCut && (matched >= row.maxResults || page.next === null)
    const isOut = isCut || (isUsedUp && !isDone)
    return save(tx, row, {
      fetched: row.fetched - row.cutReads + page.users.length,
      cutReads: isCut ? page.users.length : 0,
      billed: row.billed + page.users.length,
      matched,
      // A page of whom somebody was left out is read again when the scrape is resumed.
      cursor: isCut || page.next === null ? row.cursor : page.next,
      busyMs: row.busyMs + Date.now() - began,
      failures: 0,
      ...(isDone || isOut ? { status: 'completed' as const, workerId: null } : {}),
      ...(isOut ? { error: `${words} What was found is kept.` } : {}),
    })
  })
}

/**
 * Of those found, whom the plan still allows as a lead this month. Somebody whom a scrape has found this month already counts no second time.
 * @returns `used`: how many of them count · `isCut`: others are left out · `isUsedUp`: nothing is left of this month · `words`: the limit, and the plan that lifts it
 */
async function withinPlan(tx: Db, row: ScrapeRow, users: XUser[]) {
  const allowance = await allowanceOf(tx, row.workspaceId, 'scrapedLeads', { lock: true })
  const words = beyondPlan(allowance, 'scrapedLeads').message
  if (users.length === 0) return { found: users, used: 0, isCut: false, isUsedUp: false, words }
  const { rows } = await tx.execute<{ xUserId: string }>(sql`
    select l.x_user_id as "xUserId" from leads l
    where l.workspace_id = ${row.workspaceId} and l.x_user_id = any(${sql.param(users.map(({ id }) => id))}::text[])
      and exists (
        select from scrape_leads f where f.lead_id = l.id and f.found_at >= date_trunc('month', now() at time zone 'UTC') at time zone 'UTC'
      )`)
  const counted = new Set(rows.map(({ xUserId }) => xUserId))
  let used = 0
  const found = users.filter(({ id }) => {
    if (counted.has(id)) return true
    if (used >= allowance.left) return false
    used += 1
    return true
  })
  return { found, used, isCut: found.length < users.length, isUsedUp: used > 0 && used === allowance.left, words }
}

/** Writes down that a scrape waits or has failed; where it goes on by itself, its job is queued for then. */
async function settle(runner: Runner, row: ScrapeRow, outcome: Verdict): Promise<ScrapeRow | null> {
  runner.log.info({ scrapeId: row.id, status: outcome.status }, 'scrape stopped')
  return runner.database.db.transaction(async (tx) => {
    const saved = await save(tx, row, { ...outcome, workerId: null })
    if (saved && outcome.status === 'waiting' && outcome.resumesAt) {
      const startAfterSeconds = Math.max(1, Math.ceil((outcome.resumesAt.getTime() - Date.now()) / 1000))
      await runner.jobs.enqueue(tx, 'scrape', { scrapeId: row.id }, { startAfterSeconds })
    }
    return saved
  })
}

/** A change by whoever runs the scrape. Null: it was taken away. */
async function save(db: Db, row: ScrapeRow, set: Partial<ScrapeRow>): Promise<ScrapeRow | null> {
  const [saved] = await db
    .update(scrapes)
    .set({ ...set, ...CHANGED })
    .where(stillOurs(row))
    .returning()
  if (saved) await tell(db, row.id)
  return saved ?? null
}

function leadOf(user: XUser, { twitterHandle }: ScrapeRow): IncomingLead {
  return {
    xUserId: user.id,
    twitterHandle: user.handle,
    name: storable(user.name),
    bio: storable(user.bio),
    followerCount: wholeCount(user.followerCount),
    followingCount: wholeCount(user.followingCount),
    sourceProfile: twitterHandle,
    url: `https://x.com/${user.handle}`,
    profileImageUrl: storable(user.profileImageUrl),
    location: storable(user.location),
    website: storable(user.website),
    metadata: null,
  }
}

/** What PostgreSQL takes as text: no NUL, no half of a surrogate pair. */
function storable<T extends string | null>(text: T): T {
  return (text === null ? null : text.replaceAll('\u0000', '').toWellFormed()) as T
}

/** What fits PostgreSQL's integer; null where X gave no number. */
function wholeCount(count: number): number | null {
  return Number.isFinite(count) ? Math.min(Math.max(0, Math.trunc(count)), 2_147_483_647) : null
}
