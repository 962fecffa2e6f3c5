import { isWanted } from '@x-automated/contract/leads/profile-filter'
import { and, eq, type SQL, sql } from 'drizzle-orm'
import type { FastifyBaseLogger } from 'fastify'
import { resolveAccount } from '../../../core/messages/accounts.ts'
import type { IncomingLead } from '../../../core/people/columns.ts'
import { learnHandles } from '../../../core/people/handles.ts'
import { linkScraped, storeClosed } from '../../../core/people/scraped.ts'
import { upsertLeads } from '../../../core/people/stage.ts'
import { leads } from '../../../core/tables/leads.ts'
import { scrapeLeads } from '../../../core/tables/scrape-leads.ts'
import { livingWorkers, openLiveness } from '../../../db/liveness.ts'
import type { Db } from '../../../db/open.ts'
import { storable } from '../../../db/storable.ts'
import { transact } from '../../../db/transact.ts'
import { retryWhileUnavailable } from '../../../db/unavailable.ts'
import { XError } from '../../../outside/x-errors.ts'
import type { XUser } from '../../../outside/x-schemas.ts'
import { Refusal } from '../../../refusal.ts'
import type { RequestContext } from '../../../requests/context.ts'
import { allowanceOf, beyondPlan, use } from '../../platform/billing/plan.ts'
import { withAccount } from '../../platform/x-account/tokens.ts'
import { CHANGED, CONNECTED, notifyScrapeChanged, SCRAPES_CHANNEL, type ScrapeRow } from './changes.ts'
import { addToBins, type Failure, pageSize, type Verdict, verdict, wholeCount } from './rules.ts'
import { findSource, readSource } from './sources.ts'
import { scrapes } from './tables.ts'
import { addWords } from './words.ts'

// Runs scrapes in a process: claims one, reads page after page, saves the leads, waits, and
// releases it.

/** Scrapes per process. */
const CONCURRENCY = 4
/** How often a process looks for scrapes of dead processes, and for lost notifications. */
const SWEEP_MS = 10_000
/** After this time a scrape goes to the end of the queue, so that short ones do not wait for long ones. */
const TURN_MS = 15_000

type RunnerServices = Pick<RequestContext, 'database' | 'jobs' | 'x' | 'xApps' | 'xMeters' | 'sealer' | 'isDraining'>

/** The context of a process that runs scrapes. */
interface Runner extends RunnerServices {
  workerId: number
  /** Scrapes that run in this process, each with the version at which it was claimed. */
  running: Map<string, number>
  log: FastifyBaseLogger
}

/** Runs scrapes in this process until it is closed, including those of dead processes. */
export async function runScrapes(
  services: RunnerServices & Pick<RequestContext, 'channels'>,
  log: FastifyBaseLogger,
): Promise<{ close(): Promise<void> }> {
  const liveness = await retryWhileUnavailable(() => openLiveness(services.database))
  const runner: Runner = { ...services, workerId: liveness.workerId, running: new Map(), log }
  const sweep = async () => {
    try {
      await takeOver(runner)
      await wakeConnected(runner, null)
    } catch (error) {
      log.warn({ err: error }, 'looking for interrupted scrapes failed')
    }
  }
  await sweep()
  const timer = setInterval(() => void sweep(), SWEEP_MS)
  const stopListening = services.channels.subscribe(SCRAPES_CHANNEL, (payload) => {
    if (!payload.startsWith(CONNECTED)) return
    wakeConnected(runner, payload.slice(CONNECTED.length)).catch((error: unknown) =>
      log.warn({ err: error }, 'resuming waiting scrapes failed'),
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

/** Requeues interrupted scrapes: their process died, or their job was lost. */
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

/** Resumes scrapes that waited for an X account. @param workspaceId null: in all workspaces */
async function wakeConnected({ database, jobs }: Runner, workspaceId: string | null): Promise<void> {
  await database.db.transaction(async (tx) => {
    const { rows } = await tx.execute<{ id: string; workspaceId: string }>(sql`
      update scrapes s set status = 'queued', error = null, version = version + 1, updated_at = now()
      where s.status = 'waiting'
        and s.resumes_at is null ${workspaceId === null ? sql`` : sql`and s.workspace_id = ${workspaceId}`}
        and exists (
          select from x_accounts a where a.workspace_id = s.workspace_id and a.status = 'connected' and a.id = case
            when s.is_account_fixed then s.x_account_id
            else (select c.id from x_accounts c where c.workspace_id = s.workspace_id
              order by c.status = 'disconnected', c.chosen_at desc, c.id desc limit 1) end
        )
      returning s.id, s.workspace_id as "workspaceId"`)
    for (const row of rows) {
      await jobs.enqueue(tx, 'scrape', { scrapeId: row.id })
      await notifyScrapeChanged(tx, row)
    }
  })
}

/** Runs a scrape for one turn: until it ends, must wait, or its turn is over. */
async function run(runner: Runner, scrapeId: string): Promise<void> {
  let row = await claim(runner, scrapeId)
  if (!row) return
  const claimedVersion = row.version
  runner.running.set(scrapeId, claimedVersion)
  try {
    const turnEnds = Date.now() + TURN_MS
    while (row?.status === 'running') {
      if (runner.isDraining() || Date.now() > turnEnds) {
        await release(runner, row)
        return
      }
      row = await step(runner, row)
    }
  } finally {
    // Keep the entry if this process has claimed the scrape again.
    if (runner.running.get(scrapeId) === claimedVersion) runner.running.delete(scrapeId)
  }
}

/** Claims the scrape. Null if it is over, not due, or claimed by another process. */
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
  await notifyScrapeChanged(database.db, row)
  return row
}

/** Releases the scrape to any process. */
async function release({ database, jobs }: Runner, row: ScrapeRow): Promise<void> {
  await database.db.transaction(async (tx) => {
    const [mine] = await tx
      .update(scrapes)
      .set({ workerId: null, updatedAt: sql`now()` })
      .where(isStillClaimed(row))
      .returning({ id: scrapes.id })
    if (mine) await jobs.enqueue(tx, 'scrape', { scrapeId: row.id })
  })
}

/** SQL: nobody has canceled or claimed the scrape since `row` was read. */
function isStillClaimed(row: ScrapeRow): SQL | undefined {
  return and(eq(scrapes.id, row.id), eq(scrapes.version, row.version), eq(scrapes.status, 'running'))
}

/** Reads one page, then saves it in a transaction. Null if the claim was lost. */
async function step(runner: Runner, row: ScrapeRow): Promise<ScrapeRow | null> {
  try {
    const { db } = runner.database
    const account = await resolveAccount(db, row.workspaceId, row.isAccountFixed ? row.xAccountId : null)
    if (account?.status !== 'connected') {
      const error = account?.reason ?? 'No X account is connected. The scrape continues once one is.'
      return settle(runner, row, { status: 'waiting', resumesAt: null, failures: 0, error })
    }
    if (row.sourceUserId === null) return await lookUp(runner, row, account)
    const began = Date.now()
    const { sourceUserId } = row
    const { left } = await allowanceOf(db, row.workspaceId, 'scrapedLeads')
    const size = pageSize({ ...row, maxResults: Math.min(row.maxResults, row.matched + left) })
    const page = await withAccount(runner, account.id, (x, token) => readSource(x, token, row, sourceUserId, size), {
      purpose: 'scrape',
    })
    return await savePage(runner, row, page, began)
  } catch (error) {
    if (error instanceof XError) {
      const { kind, message, retryAt, isSuspended } = error
      return settle(runner, row, verdict({ kind, message, retryAt, isSuspended }, row, new Date()))
    }
    if (error instanceof Refusal && error.code === 'TOO_MANY')
      return settle(runner, row, { status: 'failed', failures: 0, error: error.message })
    // A bug is retried like a failure of X. If the database is down, this write fails too, and the
    // queue retries.
    const stopped = await settle(runner, row, verdict(FAULT, row, new Date()))
    runner.log.error({ err: error, scrapeId: row.id }, 'scrape failed')
    return stopped
  }
}

const FAULT: Failure = { kind: 'fault', message: 'Something went wrong on our side.', retryAt: null }

/** Looks up the source of a scrape and its number of profiles. */
async function lookUp(
  runner: Runner,
  row: ScrapeRow,
  account: { id: string; xUserId: string },
): Promise<ScrapeRow | null> {
  const source = await withAccount(runner, account.id, (x, token) => findSource(x, token, row, account), {
    purpose: 'scrape',
  })
  if ('problem' in source) return settle(runner, row, { status: 'failed', failures: 0, error: source.problem })
  const { id, twitterHandle: handle } = source
  if (handle) await learnHandles(runner.database.db, row.workspaceId, [{ id, handle }])
  return save(runner.database.db, row, {
    sourceUserId: source.id,
    twitterHandle: source.twitterHandle,
    expected: source.expected,
    xAccountId: account.id,
    failures: 0,
  })
}

async function savePage(
  runner: Runner,
  row: ScrapeRow,
  page: { users: XUser[]; next: string | null },
  began: number,
): Promise<ScrapeRow | null> {
  const wanted = new Map(page.users.filter((user) => isWanted(user, row)).map((user) => [user.id, user]))
  return transact(runner.database.db, async (tx) => {
    // This statement comes first, so that it waits for, or detects, a cancellation or another process.
    const [mine] = await tx.select({ id: scrapes.id }).from(scrapes).where(isStillClaimed(row)).for('update')
    if (!mine) return null
    // X's lists change while they are read, so a person can appear twice.
    const existing = await tx
      .select({ xUserId: leads.xUserId })
      .from(scrapeLeads)
      .innerJoin(leads, eq(leads.id, scrapeLeads.leadId))
      .where(
        and(eq(scrapeLeads.scrapeId, row.id), sql`${leads.xUserId} = any(${sql.param([...wanted.keys()])}::text[])`),
      )
    for (const { xUserId } of existing) wanted.delete(xUserId ?? '')
    const {
      found: allowed,
      used,
      isCut,
      isUsedUp,
      reason,
    } = await withinPlan(tx, row, [...wanted.values()].slice(0, row.maxResults - row.matched))
    let { matched, words } = row
    if (allowed.length > 0) {
      const leadIds = await upsertLeads(
        tx,
        row,
        allowed.map((user) => leadOf(user, row)),
        'whole',
      )
      matched += leadIds.length
      words = addWords(
        words,
        allowed.map(({ bio }) => bio),
      )
      await storeClosed(tx, row, allowed)
      // Suppressed people do not become leads and do not count.
      await use(tx, row.workspaceId, 'scrapedLeads', Math.max(0, used - (allowed.length - leadIds.length)))
      await linkScraped(tx, row.id, leadIds)
    }
    await learnHandles(tx, row.workspaceId, page.users)
    const isDone = !isCut && (matched >= row.maxResults || page.next === null)
    const isOut = isCut || (isUsedUp && !isDone)
    const counts = page.users.map(({ followerCount }) => followerCount)
    return save(tx, row, {
      bins: isCut ? row.bins : addToBins(row.bins, counts),
      cutBins: isCut ? addToBins([], counts) : [],
      fetched: row.fetched - row.cutReads + page.users.length,
      cutReads: isCut ? page.users.length : 0,
      billed: row.billed + page.users.length,
      matched,
      words,
      // A page that the plan cut is read again when the scrape is resumed.
      cursor: isCut || page.next === null ? row.cursor : page.next,
      busyMs: row.busyMs + Date.now() - began,
      failures: 0,
      ...(isDone || isOut ? { status: 'completed' as const, workerId: null } : {}),
      ...(isOut ? { error: `${reason} We kept the leads found so far.`, stoppedBy: 'PLAN_LIMIT' as const } : {}),
    })
  })
}

/**
 * The users whom the plan still allows as leads. A person counts once a month. @returns `used`: how
 * many count · `isCut`: some were left out · `isUsedUp`: nothing is left this month · `reason`: why
 */
async function withinPlan(tx: Db, row: ScrapeRow, users: XUser[]) {
  const allowance = await allowanceOf(tx, row.workspaceId, 'scrapedLeads', { lock: true })
  const reason = beyondPlan(allowance, 'scrapedLeads').message
  if (users.length === 0) return { found: users, used: 0, isCut: false, isUsedUp: false, reason }
  const { rows } = await tx.execute<{ xUserId: string }>(sql`
    select l.x_user_id as "xUserId" from leads l
    where l.workspace_id = ${row.workspaceId} and l.x_user_id = any(${sql.param(users.map(({ id }) => id))}::text[])
      and exists (
        select
        from scrape_leads f
        where f.lead_id = l.id and f.found_at >= date_trunc('month', now() at time zone 'UTC') at time zone 'UTC'
      )`)
  const counted = new Set(rows.map(({ xUserId }) => xUserId))
  let used = 0
  const allowed = users.filter(({ id }) => {
    if (counted.has(id)) return true
    if (used >= allowance.left) return false
    used += 1
    return true
  })
  return {
    found: allowed,
    used,
    isCut: allowed.length < users.length,
    isUsedUp: used > 0 && used === allowance.left,
    reason,
  }
}

/** Records that a scrape waits or failed, and queues its next job. */
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

/** Updates the scrape. Null if the claim was lost. */
async function save(db: Db, row: ScrapeRow, set: Partial<ScrapeRow>): Promise<ScrapeRow | null> {
  const [saved] = await db
    .update(scrapes)
    .set({ ...set, ...CHANGED })
    .where(isStillClaimed(row))
    .returning()
  if (saved) await notifyScrapeChanged(db, saved)
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
