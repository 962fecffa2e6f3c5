import { eq, type SQL, sql } from 'drizzle-orm'
import { alias } from 'drizzle-orm/pg-core'
import type { AliasOf } from '../../db/columns.ts'
import { one } from '../../db/one.ts'
import type { Db } from '../../db/open.ts'
import { parseTime } from '../../db/parse-time.ts'
import { xAccounts } from '../../domains/platform/x-account/tables.ts'
import type { JobQueue } from '../../ports.ts'
import { campaigns, waitsForOlder } from '../tables/campaigns.ts'
import { isFirstInQueue, isFollowUpOf, isInQueue } from '../tables/messages.ts'
import { isRead } from '../tables/replies.ts'
import { latest } from './limits.ts'
import { BLIND_SECONDS, CLAIM_KNOWN_SECONDS } from './sender.ts'
import type { SendingState } from './sending-state.ts'

const account = alias(xAccounts, 'a')

/**
 * SQL over an X account's alias: the first queued follow-up of each campaign, longest due first.
 * Reads one index entry per campaign that has follow-ups.
 */
export function followUps(account: AliasOf<typeof xAccounts>): SQL {
  const isTheirs = isFollowUpOf(account.id)
  return sql`(
  with recursive head as (
    (select campaign_id, due_at, id from dms where ${isTheirs} order by campaign_id, due_at, id limit 1)
    union all
    select later.* from head cross join lateral (
      select campaign_id, due_at, id from dms where ${isTheirs} and campaign_id > head.campaign_id
      order by campaign_id, due_at, id limit 1
    ) later
  )
  select c.id, head.due_at from head join campaigns c on c.id = head.campaign_id
  where c.status = 'active' and c.channel = 'api' order by head.due_at, head.id)`
}

// The schedule

/** NOTIFY channel that makes workers look for due messages. */
export const SENDING_CHANNEL = 'sending'

/** Accounts scheduled more than this far ahead are made due now. The claim itself checks longer intervals. */
const FAR = sql`interval '2 minutes'`

/**
 * Schedules the account if it is not scheduled soon, and notifies workers when the transaction
 * commits. A nearer time is kept, so overdue messages respect the interval.
 */
export async function wakeAccount(tx: Db, accountId: string): Promise<void> {
  // The update is unconditional, to lock the row: a worker that unschedules the account runs before
  // or after it, never in between.
  await tx
    .update(xAccounts)
    .set({
      nextSendAt: sql`case when ${xAccounts.nextSendAt} <= now() + ${FAR} then ${xAccounts.nextSendAt} else now() end`,
    })
    .where(eq(xAccounts.id, accountId))
  await notifySenders(tx)
}

/** Schedules the account of a campaign, and those that send its queued follow-ups. */
export async function wakeCampaign(tx: Db, campaignId: string, accountId: string): Promise<void> {
  const { rows } = await tx.execute<{ id: string }>(sql`
    select ${accountId}::uuid as id
    union select x_account_id from dms where campaign_id = ${campaignId} and ${isInQueue} and is_follow_up order by 1`)
  for (const { id } of rows) await wakeAccount(tx, id)
}

/**
 * Seconds until a campaign that waits for its turn is checked again. Usually `endTurn` wakes it
 * earlier.
 */
export const TURN_SECONDS = 15

/**
 * Makes the account due now, because one of its campaigns stopped and the next may send. Never
 * waits for a lock: a locked account is checked again after TURN_SECONDS.
 */
export async function endTurn(tx: Db, accountId: string | null): Promise<void> {
  if (accountId === null) return
  const { rowCount } = await tx.execute(sql`
    update x_accounts set next_send_at = now()
    where id = (select id from x_accounts where id = ${accountId} for update skip locked) and next_send_at > now()`)
  if (rowCount) await notifySenders(tx)
}

/** Wakes the senders of all processes, once the transaction commits. */
export async function notifySenders(tx: Db): Promise<void> {
  await tx.execute(sql`select pg_notify(${SENDING_CHANNEL}, '')`)
}

/**
 * Requests a read of an account, as soon as X allows one, because a follow-up waits for the read.
 * Never call it in a claim's transaction.
 */
export async function requestRead(
  { db, jobs }: { db: Db; jobs: Pick<JobQueue, 'reschedule'> },
  xUserId: string,
): Promise<void> {
  const { rows } = await db.execute<{ restsUntil: string | null }>(sql`
    update reply_watches set next_poll_at = greatest(now(), rests_until)
    where x_user_id = ${xUserId} and next_poll_at > greatest(now(), rests_until)
    returning case when rests_until > now() then rests_until end as "restsUntil"`)
  for (const { restsUntil } of rows) {
    const later = restsUntil ? { at: new Date(restsUntil) } : {}
    await jobs.reschedule(db, 'watch-replies', { xUserId }, { key: xUserId, group: xUserId, ...later })
  }
}

/** Makes an account due in every workspace, once its follow-ups may be sent. */
export async function wakeFollowUps(db: Db, xUserId: string): Promise<void> {
  const { rows } = await db.execute<{ id: string }>(
    sql`select id from x_accounts where x_user_id = ${xUserId} and status = 'connected' and next_send_at > now()`,
  )
  // This update waits for a claim that has just found the account unread.
  for (const { id } of rows)
    await db.execute(sql`update x_accounts set next_send_at = now() where id = ${id} and next_send_at > now()`)
  if (rows.length > 0) await notifySenders(db)
}

/** How soon to retry if a campaign is being paused or edited, or a message is locked. */
export const RETRY_MS = 50

/**
 * SQL over `x_accounts a`: when the next queued message of the account's active campaigns is due,
 * but at least RETRY_MS after `now`; null: nothing is queued.
 */
function nextDue(now: Date): SQL {
  const soon = new Date(now.getTime() + RETRY_MS).toISOString()
  const turn = new Date(now.getTime() + TURN_SECONDS * 1_000).toISOString()
  const blind = new Date(now.getTime() + BLIND_SECONDS * 1_000).toISOString()
  return sql`(
    select least((
      select min(
        case
          when ${waitsForOlder(alias(campaigns, 'c'))} then ${turn}::timestamptz
          else greatest(d.due_at, ${soon}::timestamptz) end
      )
      from campaigns c cross join lateral (
        select due_at from dms where campaign_id = c.id and ${isFirstInQueue} order by due_at, id limit 1
      ) d
      where c.x_account_id = ${account.id} and c.status = 'active' and c.channel = 'api' and c.dms_queued_count > 0
    ), (
      select greatest(due_at, case when ${isRead(account.xUserId, CLAIM_KNOWN_SECONDS)} then ${soon}::timestamptz
          else greatest(
            ${blind}::timestamptz, (select rests_until from reply_watches w where w.x_user_id = ${account.xUserId})
          ) end)
      from ${followUps(account)} f limit 1
    )))`
}

/** Sets when a locked account is due again: at `until` or, if that is null, when its next message is. */
export async function reschedule(tx: Db, accountId: string, now: Date, until: Date | null): Promise<void> {
  const next = until
    ? sql`${(until > now ? until : new Date(now.getTime() + RETRY_MS)).toISOString()}::timestamptz`
    : nextDue(now)
  await tx.execute(sql`update x_accounts a set next_send_at = ${next} where id = ${accountId}`)
}

/**
 * When a connected account sends next, if its queue and its limits stay as they are; null: nothing
 * is queued. The account's schedule alone can be too early, because it is made before anything is
 * due.
 */
export async function findNextSend(
  db: Db,
  account: { id: string; nextSendAt: Date | null },
  { cooldown, now }: SendingState,
): Promise<Date | null> {
  if (!account.nextSendAt) return null
  const { rows } = await db.execute<{ dueAt: string | null }>(
    sql`select ${nextDue(now)} as "dueAt" from x_accounts a where id = ${account.id}`,
  )
  const dueAt = parseTime(one(rows).dueAt)
  return dueAt && latest(latest(dueAt, account.nextSendAt), cooldown?.until ?? null)
}

/**
 * On start, makes every delayed account due again: limits may have changed. X's own limits
 * (`rests_until`) still apply.
 */
export async function resetSchedules(db: Db): Promise<void> {
  await db.execute(sql`update x_accounts set next_send_at = now() where next_send_at > now() and status = 'connected'`)
}

/** Unknown outcomes are settled within this time, unless X or its bill causes a delay. */
const SETTLED_WITHIN = sql`interval '2 minutes'`

/** When X's bill no longer delays a workspace, makes its accounts and its unsettled messages due. */
export async function resumeSending(tx: Db, workspaceId: string): Promise<void> {
  await tx.execute(sql`
    update dms set due_at = now() where id in (
      select d.id
      from dms d
      where d.workspace_id = ${workspaceId} and d.lease_expires_at is not null and d.outcome_unknown
        and d.due_at > now() + ${SETTLED_WITHIN} order by d.id for no key update)`)
  await tx.execute(sql`
    update x_accounts set next_send_at = now() where id in (
      select id
      from x_accounts
      where workspace_id = ${workspaceId} and next_send_at > now()
      order by id
      for no key update)`)
  await notifySenders(tx)
}

/** Milliseconds until the next account is due; null if no account has anything to send. */
export async function nextDueInMs(db: Db): Promise<number | null> {
  const { rows } = await db.execute<{ ms: number | null }>(
    sql`
      select (extract(epoch from min(next_send_at) - now()) * 1000)::float as ms
      from x_accounts
      where next_send_at is not null and status = 'connected'`,
  )
  return one(rows).ms
}
