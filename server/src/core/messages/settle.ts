import { randomUUID } from 'node:crypto'
import { DAY_MS } from '@x-automated/contract/time'
import { sql } from 'drizzle-orm'
import { livingWorkers } from '../../db/liveness.ts'
import { one } from '../../db/one.ts'
import type { Db } from '../../db/open.ts'
import { transact } from '../../db/transact.ts'
import { X_KEEPS_DAYS } from '../../domains/platform/x-account/tables.ts'
import { XError } from '../../outside/x-errors.ts'
import { pauseCampaignsOf } from '../campaigns/pause.ts'
import { publishEvents } from '../neighbors.ts'
import { deleteAppClaims } from '../tables/app-claims.ts'
import { type Needs, type Timing, verdictOf } from './deliver.ts'
import { findInConversation, type Reading } from './find.ts'
import { lookUp } from './recipient.ts'
import { OUTCOME_UNKNOWN, READ_AGAIN_SECONDS, recordFound, recordOutcome } from './record.ts'
import { afterRelease, release, wakeReleased } from './release.ts'
import { wakeAccount } from './schedule.ts'
import { SIMULATED_HOLDER } from './sender.ts'

/**
 * Ends expired leases. An extension's message fails with an unknown outcome, for a person to check.
 * A simulated one was not sent, so it is queued again.
 */
export async function expireLeases(db: Db): Promise<void> {
  await transact(db, async (tx) => {
    const released = await release(tx, sql`lease_expires_at < now() and holder = ${SIMULATED_HOLDER}`)
    await publishMessages(tx, released)
  })
  const { rows } = await db.execute<{ id: string; lease: string }>(
    sql`select id, lease from dms where lease_expires_at < now() and holder like 'extension:%' limit 500`,
  )
  for (const dm of rows) {
    await transact(db, async (tx) => {
      await recordOutcome(tx, dm, { wasSent: false, errorMessage: OUTCOME_UNKNOWN, outcomeUnknown: true })
      await publishMessages(tx, [dm])
    })
  }
}

/** Publishes changes of messages: of their campaigns, and of the conversations that may contain them. */
async function publishMessages(db: Db, messages: readonly { id: string }[]): Promise<void> {
  if (messages.length === 0) return
  const { rows } = await db.execute<{ workspaceId: string; campaignIds: string[] }>(sql`
    select workspace_id as "workspaceId", array_agg(distinct campaign_id::text) as "campaignIds" from dms
    where id = any(${sql.param(messages.map(({ id }) => id))}::uuid[]) group by 1`)
  for (const { workspaceId, campaignIds } of rows) {
    await publishEvents(db, workspaceId, 'campaign', campaignIds)
    await publishEvents(db, workspaceId, 'conversation', [])
  }
}

/**
 * Takes over the messages of dead workers and expired leases, whose reports no longer count: leaves
 * those that X may have received to `settle`, fails unsent answers and releases the others. Resumes
 * direct messages of reconnected accounts.
 */
export async function takeOver(db: Db): Promise<void> {
  const isLost = sql`
    lease_expires_at is not null and status = 'queued' and not outcome_unknown and holder like 'worker:%'
    and (lease_expires_at < now() or substr(holder, 8)::bigint not in (${livingWorkers}))`
  const { rows: unsettled } = await db.execute<{ id: string }>(sql`
    update dms
    set outcome_unknown = true, absent_at = null, unreadable_since = null, due_at = now(), lease = ${randomUUID()},
      updated_at = now()
    where ${isLost} and is_handed_over returning id`)
  await publishMessages(db, unsettled)
  const released = await transact(db, (tx) => release(tx, sql`${isLost} and not is_handed_over and not is_answer`))
  await publishMessages(db, released)
  const { rows: unsentAnswers } = await db.execute<{ id: string; lease: string }>(
    sql`select id, lease from dms where ${isLost} and not is_handed_over and is_answer`,
  )
  for (const message of unsentAnswers)
    await transact(db, (tx) => recordOutcome(tx, message, { wasSent: false, errorMessage: NOT_SENT }))
  await publishMessages(db, unsentAnswers)
  await transact(db, async (tx) => {
    const { rows } = await tx.execute<{ accountId: string; id: string; workspaceId: string }>(sql`
      update campaigns set status = 'active', reason = null, pause_reason = null, updated_at = now()
      where id in (
        select c.id from campaigns c join x_accounts a on a.id = c.x_account_id
        where c.kind = 'direct'
          and c.status = 'paused'
          and c.reason is not null
          and a.status = 'connected'
          and a.last_connected_at > c.updated_at
        order by c.id for no key update of c)
      returning x_account_id as "accountId", id, workspace_id as "workspaceId"`)
    for (const { workspaceId, id } of rows) await publishEvents(tx, workspaceId, 'campaign', [id])
    for (const id of [...new Set(rows.map(({ accountId }) => accountId))].sort()) await wakeAccount(tx, id)
  })
}

const SETTLE_BATCH = 8
/** How long a process owns a message that it settles. */
const SETTLE_SECONDS = 60

/**
 * Settles messages with an unknown outcome by reading their conversations. @returns milliseconds
 * until the next is due; null if no unsettled message is left
 */
export async function settle(needs: Needs, timing: Timing): Promise<number | null> {
  const { db } = needs.database
  // After a restore, a message may still be in flight before `unread_until`, so its absence counts only after that.
  const { rows } = await db.execute<Unsettled>(sql`
    with taken as (
      update dms set due_at = now() + make_interval(secs => ${SETTLE_SECONDS}), lease = ${randomUUID()}
      where id in (
        select id
        from dms
        where lease_expires_at is not null and outcome_unknown and status = 'queued' and due_at <= now()
        order by due_at limit ${SETTLE_BATCH} for update skip locked
      )
      returning *
    )
    select t.id, t.lease, t.is_answer as "isAnswer", t.campaign_id as "campaignId", t.message, t.tried_at as "triedAt",
      (
        extract(
          epoch
          from now() - greatest(t.claimed_at, a.unread_until - make_interval(secs => ${timing.absentAfterMs / 1_000}))
        ) * 1000
      )::float as "ageMs",
      a.id as "accountId", a.x_user_id as "senderId", l.twitter_handle as handle, l.x_user_id as "leadXUserId"
    from taken t left join x_accounts a on a.id = t.x_account_id left join leads l on l.id = t.lead_id`)
  await Promise.all(
    rows.map(async (dm) => {
      if (await settleOne(needs, timing, dm)) await publishMessages(db, [dm])
    }),
  )
  const { rows: waiting } = await db.execute<{ ms: number | null }>(
    sql`
      select (extract(epoch from min(due_at) - now()) * 1000)::float as ms
      from dms
      where lease_expires_at is not null and outcome_unknown and status = 'queued'`,
  )
  return one(waiting).ms
}

type Unsettled = {
  id: string
  lease: string
  isAnswer: boolean
  campaignId: string
  message: string
  triedAt: string
  /** Time since the last attempt. */
  ageMs: number
  accountId: string | null
  senderId: string
  handle: string | null
  leadXUserId: string | null
}

/** Tries to settle a message. @returns whether it is settled */
async function settleOne(needs: Needs, timing: Timing, dm: Unsettled): Promise<boolean> {
  const { db } = needs.database
  const { accountId, handle } = dm
  if (!accountId || !handle) return giveUp(db, dm)
  let reading: Reading
  try {
    const recipientId = dm.leadXUserId ?? (await lookUp(needs, accountId, handle))
    if (!recipientId) return giveUp(db, dm)
    reading = await findInConversation(needs, { ...dm, accountId, recipientId, since: new Date(dm.triedAt) })
  } catch (error) {
    if (!(error instanceof XError)) throw error
    return waitForX(db, timing, { ...dm, accountId, handle }, error)
  }
  if (reading.kind === 'uncertain') return waitReadable(db, timing, dm)
  if (reading.kind === 'absent') return settleAbsent(db, timing, dm)
  const match = { eventId: reading.id, at: reading.at, mills: needs.xMeters.messageMills }
  return transact(db, (tx) => recordFound(tx, dm, match))
}

/** Errors with which X refuses to show a conversation. */
const REFUSED: ReadonlySet<XError['kind']> = new Set(['recipient', 'premium', 'encrypted', 'forbidden', 'not-found'])
/** How soon a conversation is read again if X has blocked the account or there are no funds. */
const BLOCKED_SECONDS = 60

async function waitForX(
  db: Db,
  timing: Timing,
  dm: Unsettled & { accountId: string; handle: string },
  error: XError,
): Promise<boolean> {
  if (REFUSED.has(error.kind)) return giveUp(db, dm)
  const verdict = verdictOf(error, dm.handle)
  if (verdict.kind === 'stop') {
    await transact(db, (tx) => pauseCampaignsOf(tx, dm, verdict))
    return checkLater(db, dm, BLOCKED_SECONDS)
  }
  if (error.kind === 'funds') return checkLater(db, dm, BLOCKED_SECONDS)
  if (verdict.kind === 'wait') return checkLater(db, dm, (verdict.until.getTime() - Date.now()) / 1_000)
  return waitReadable(db, timing, dm)
}

/** If a conversation shows nothing certain for this long, a person decides. */
const UNREADABLE_SECONDS = 24 * 3_600
const READ_AGAIN_MAX_SECONDS = 3_600

async function waitReadable(db: Db, timing: Timing, dm: Unsettled): Promise<boolean> {
  const soon = Math.min(READ_AGAIN_SECONDS, timing.absentAgainMs / 2_000)
  const { rows } = await db.execute<{ isOver: boolean }>(sql`
    update dms set unreadable_since = coalesce(unreadable_since, now()),
      due_at = now() + least(
        make_interval(secs => ${READ_AGAIN_MAX_SECONDS}),
        greatest(make_interval(secs => ${soon}), (now() - unreadable_since) / 2)
      )
    where ${isUnsettled(dm)}
    returning unreadable_since < now() - make_interval(secs => ${UNREADABLE_SECONDS}) as "isOver"`)
  return rows[0]?.isOver ? giveUp(db, dm) : false
}

/**
 * Settles a message that is not in its conversation. Two such readings, some time after the
 * attempt, prove that the message did not arrive. Then it is sent again, once.
 */
async function settleAbsent(db: Db, { absentAfterMs, absentAgainMs }: Timing, dm: Unsettled): Promise<boolean> {
  if (dm.ageMs < absentAfterMs) return checkLater(db, dm, (absentAfterMs - dm.ageMs) / 1_000)
  // X may have accepted the message and no longer list it.
  if (dm.ageMs > X_KEEPS_DAYS * DAY_MS) return giveUp(db, dm)
  const { rows } = await db.execute<{ isConfirmed: boolean; mayResend: boolean }>(sql`
    update dms set absent_at = coalesce(absent_at, now()), unreadable_since = null,
      due_at = coalesce(absent_at, now()) + make_interval(secs => ${absentAgainMs / 1_000})
    where ${isUnsettled(dm)} returning due_at <= now() as "isConfirmed", may_resend and attempts < 2 as "mayResend"`)
  const [absent] = rows
  if (!absent?.isConfirmed) return false
  // Messages that arrived in the meantime may need another answer, so the author decides.
  if (dm.isAnswer) return fail(db, dm, { wasSent: false, errorMessage: NOT_SENT })
  if (!absent.mayResend) return giveUp(db, dm)
  return transact(db, async (tx) => {
    const { rowCount } = await tx.execute(sql`
      update dms
      set lease = null, holder = null, lease_expires_at = null, claimed_at = null, outcome_unknown = false,
        absent_at = null, due_at = now(), updated_at = now()
      where ${isUnsettled(dm)}`)
    if (!rowCount) return false
    await tx.execute(deleteAppClaims(sql`${dm.id}`))
    await afterRelease(tx, sql`${dm.id}`)
    await wakeReleased(tx, sql`${dm.id}`)
    return true
  })
}

const NOT_SENT = 'X did not send this message.'

/** Fails the message with an unknown outcome, for a person to check. */
const giveUp = (db: Db, dm: Owned) =>
  fail(db, dm, { wasSent: false, errorMessage: OUTCOME_UNKNOWN, outcomeUnknown: true })

async function fail(db: Db, dm: Owned, outcome: Parameters<typeof recordOutcome>[2]): Promise<boolean> {
  return (await transact(db, (tx) => recordOutcome(tx, dm, outcome))) !== null
}

async function checkLater(db: Db, dm: Owned, seconds: number): Promise<false> {
  await db.execute(
    sql`update dms set due_at = now() + make_interval(secs => ${Math.max(0, seconds)}) where ${isUnsettled(dm)}`,
  )
  return false
}

type Owned = Pick<Unsettled, 'id' | 'lease'>
/** Condition on dms: this process is settling it. */
const isUnsettled = ({ id, lease }: Owned) =>
  sql`id = ${id} and lease = ${lease} and outcome_unknown and status = 'queued'`
