import { type SQL, sql } from 'drizzle-orm'
import type { Db } from '../../db/open.ts'
import { transact } from '../../db/transact.ts'
import type { XConversationMessage } from '../../outside/x.ts'
import { use } from '../billing/service.ts'
import { rememberContact } from '../leads/service.ts'
import { X_KEEPS_DAYS } from '../x-account/tables.ts'
import { TIMING } from './engine.ts'
import { CLOCK_SKEW_MS, findSentMessage } from './rules.ts'
import { lockLeads } from './service-locks.ts'
import { OUTCOME_UNKNOWN, recordOutcome } from './service-outcomes.ts'
import { tellSenders } from './service-schedule.ts'
import { skipMessage } from './service-stopping.ts'

/*
 * A restored database is older than what has happened at X. `holdRestored` pauses every campaign and marks every X account as unread; an account that is
 * connected for the first time after that is marked too. Nothing is sent from an unread account until its messages at X were read back to the backup
 * (replies/engine.ts). Each message found there is recorded here, as the outcome of the message that was
 * waiting, or, if the restore lost its row, as a direct message: so caps, figures and the rule against writing twice hold again.
 */

const SENT_SINCE = 'Skipped: a message has gone to this person already, after the backup that was restored.'

export interface Held {
  /** Campaigns that were active at the backup. */
  paused: number
  /** Messages that were queued at the backup, and that X will tell about. */
  toBeRead: number
  /** Those that no X account can tell about: failed with an unknown outcome. */
  unknown: number
}

/** Makes a restored database safe to send from, in the transaction that restores it. Its tables are the newest. */
export async function holdRestored(tx: Db, backedUpAt: Date): Promise<Held> {
  const since = sql`${backedUpAt.toISOString()}::timestamptz`
  const quietAt = sql`clock_timestamp() + make_interval(secs => ${TIMING.settleAfterMs / 1_000})`
  await tx.execute(sql`
    update x_accounts set unread_since = least(unread_since, ${since}), unread_until = ${quietAt}, updated_at = now()`)
  await tx.execute(sql`
    insert into reply_watches (x_user_id, next_poll_at) select distinct x_user_id, ${quietAt} from x_accounts
    on conflict (x_user_id) do update set page_token = null, page_newest_id = null, next_poll_at = excluded.next_poll_at`)
  await tx.execute(sql`insert into restores (backed_up_at, unread_until) values (${since}, ${quietAt})`)
  await tx.execute(sql`
    update dms set tried_at = coalesce(tried_at, ${since}), attempts = greatest(attempts, 1), updated_at = now() where status = 'queued'`)

  const isUnreadable = sql`c.channel = 'extension' and not exists (
    select from x_accounts a where a.workspace_id = c.workspace_id and a.status <> 'disconnected' and coalesce(c.x_account_id, a.id) = a.id)`
  const unknown = await failUnread(tx, sql`c.status <> 'archived' and ${isUnreadable}`)
  const { rows } = await tx.execute<{ paused: number; toBeRead: number }>(sql`
    select (select count(*)::int from campaigns where kind = 'campaign' and status = 'active') as paused,
      (select count(*)::int from dms d join campaigns c on c.id = d.campaign_id where d.status = 'queued' and c.status <> 'archived') as "toBeRead"`)
  await tx.execute(sql`
    update campaigns c set status = 'paused', updated_at = now(),
      pause_reason = case when ${isUnreadable} then ${pauseReason(backedUpAt, false)} else ${pauseReason(backedUpAt, true)} end
    where status in ('active', 'paused')`)
  const { paused = 0, toBeRead = 0 } = rows[0] ?? {}
  return { paused, toBeRead, unknown }
}

function pauseReason(backedUpAt: Date, isReadable: boolean): string {
  const moment = new Intl.DateTimeFormat('en-GB', { dateStyle: 'long', timeStyle: 'short', timeZone: 'UTC' })
  const restored = `Restored from the backup of ${moment.format(backedUpAt)} UTC.`
  return isReadable
    ? `${restored} X-Automated first reads from X what was sent since, so nobody gets a message twice. Check this campaign, then resume it.`
    : `${restored} No connected X account can show what was sent since. Check the conversation of each failed message before you queue it again.`
}

/**
 * Fails queued messages whose conversation nobody can read, so that a person decides about each.
 * @param which over a message `d` and its campaign `c`
 */
async function failUnread(tx: Db, which: SQL): Promise<number> {
  const those = sql`from dms d join campaigns c on c.id = d.campaign_id where d.status = 'queued' and ${which}`
  await lockLeads(tx, sql`select d.lead_id ${those}`)
  const { rowCount } = await tx.execute(sql`
    with failed as (
      update dms set status = 'failed', error_message = ${OUTCOME_UNKNOWN}, outcome_unknown = true, lease_expires_at = null, updated_at = now()
      where id in (select d.id ${those}) returning lead_id
    ), leads_failed as (
      update leads set dm_status = 'failed_contact', updated_at = now() where id in (select lead_id from failed) and dm_status = 'queued'
    )
    select from failed`)
  return rowCount ?? 0
}

/** Records what an unread account has sent, by what X lists of it. Safe to repeat: X's ids of messages that are recorded are passed over. */
export async function keepSent(db: Db, xUserId: string, messages: readonly XConversationMessage[]): Promise<void> {
  const { rows } = await db.execute<{ since: string; until: string }>(sql`
    select min(unread_since) as since, max(unread_until) as until from x_accounts where x_user_id = ${xUserId} and unread_since is not null`)
  const [unread] = rows
  if (!unread?.since) return
  const since = new Date(unread.since)
  const [from, until] = [since.getTime() - CLOCK_SKEW_MS, new Date(unread.until).getTime() + CLOCK_SKEW_MS]
  const own = messages.filter(
    ({ senderId, at }) => senderId === xUserId && at.getTime() >= from && at.getTime() <= until,
  )
  for (const message of own) await transact(db, (tx) => keepOne(tx, message, since))
}

type Party = { workspaceId: string; accountId: string; leadId: string | null }
type Row = {
  id: string
  status: string
  message: string
  eventId: string | null
}

async function keepOne(tx: Db, message: XConversationMessage, since: Date): Promise<void> {
  const { id: eventId, senderId, recipientId, at, handles } = message
  const known = await tx.execute(sql`select from dms where x_event_id = ${eventId} limit 1`)
  if (known.rows.length > 0) return
  const { rows: parties } = await tx.execute<Party>(sql`
    select a.workspace_id as "workspaceId", a.id as "accountId", l.id as "leadId"
    from x_accounts a left join lateral (
      select id from leads where workspace_id = a.workspace_id
        and (x_user_id = ${recipientId} or (x_user_id is null and lower(twitter_handle) = lower(${handles[recipientId] ?? null}::text)))
      order by x_user_id nulls last limit 1
    ) l on true
    where a.x_user_id = ${senderId} order by l.id is null, a.status <> 'connected', a.created_at`)
  for (const { leadId, accountId } of parties) {
    if (!leadId) continue
    const own = await lockMessages(tx, leadId)
    const isSame = (row: Row) =>
      findSentMessage([message], { text: row.message, senderId, since }, new Set()) !== null && row.eventId === null
    const same = own.find((row) => isSame(row) && row.status === 'queued') ?? own.find(isSame)
    if (!same) continue
    await recordSent(tx, same, { eventId, accountId, at })
    return
  }
  const [party] = parties
  if (party) await addSent(tx, party, message)
}

/** Messages are locked before their lead, as when an outcome is recorded. */
async function lockMessages(tx: Db, leadId: string): Promise<Row[]> {
  const { rows } = await tx.execute<Row>(sql`
    select id, status, message, x_event_id as "eventId" from dms where lead_id = ${leadId} order by created_at, id for no key update`)
  return rows
}

/** A message that was waiting, or had failed, or whose extension gave no id, is this one at X. */
async function recordSent(
  tx: Db,
  row: Row,
  { eventId, accountId, at }: { eventId: string; accountId: string; at: Date },
): Promise<void> {
  const moment = sql`${at.toISOString()}::timestamptz`
  const isOpen = row.status === 'queued' || row.status === 'failed'
  // Under a lease of ours, so that no one else records it.
  const { rows } = await tx.execute<{ lease: string }>(sql`
    update dms set x_event_id = ${eventId}, updated_at = now(),
      ${isOpen ? sql`lease = gen_random_uuid(), x_account_id = ${accountId}, claimed_at = ${moment}, tried_at = least(tried_at, ${moment}), outcome_unknown = true` : sql`lease = lease`}
    where id = ${row.id} returning lease`)
  const [held] = rows
  if (isOpen && held) await recordOutcome(tx, { id: row.id, lease: held.lease }, { wasSent: true, eventId, sentAt: at })
}

/** The restore lost the row of a message that X has: it becomes one of the campaign 'Direct'. */
async function addSent(
  tx: Db,
  { workspaceId, accountId, leadId }: Party,
  { id: eventId, recipientId, text, at }: XConversationMessage,
): Promise<void> {
  const moment = sql`${at.toISOString()}::timestamptz`
  if (leadId) await lockLeads(tx, sql`select ${leadId}::uuid`)
  await tx.execute(sql`
    insert into campaigns (workspace_id, kind, name, message_template, channel, status, x_account_id)
    values (${workspaceId}, 'direct', 'Direct', '', 'api', 'active', ${accountId}) on conflict (workspace_id) where kind = 'direct' do nothing`)
  await tx.execute(sql`
    insert into dms (workspace_id, lead_id, campaign_id, step, message, status, claimed_at, tried_at, sent_at, x_account_id, attempts, x_event_id, created_at)
    select c.workspace_id, ${leadId}::uuid, c.id,
      coalesce((select max(d.step) + 1 from dms d where d.campaign_id = c.id and d.lead_id = ${leadId}::uuid), 0),
      ${text}, 'sent', ${moment}, ${moment}, ${moment}, ${accountId}::uuid, 1, ${eventId}, ${moment}
    from campaigns c where c.workspace_id = ${workspaceId} and c.kind = 'direct'`)
  const { rows } = await tx.execute<{ counts: boolean }>(
    sql`select ${moment} >= date_trunc('month', now() at time zone 'UTC') at time zone 'UTC' as counts`,
  )
  if (leadId)
    await tx.execute(
      sql`update leads set dm_status = 'contacted', updated_at = now() where id = ${leadId} and dm_status <> 'queued'`,
    )
  else await rememberContact(tx, workspaceId, recipientId, at)
  if (rows[0]?.counts) await use(tx, workspaceId, 'dms', 1)
}

/**
 * An account's messages were read back to the backup: what is still queued was not sent, and unless its lead got another message the account may send it.
 * @returns false: what was in a sender's hands at the backup is not settled yet, so the account stays unread
 */
export async function endReading(db: Db, xUserId: string): Promise<boolean> {
  const unread = sql`(select * from x_accounts where x_user_id = ${xUserId} and unread_since is not null)`
  return transact(db, async (tx) => {
    const held = await tx.execute(
      sql`select from dms d join ${unread} a on a.id = d.x_account_id where d.lease_expires_at is not null limit 1`,
    )
    if (held.rows.length > 0) return false
    await failUnread(
      tx,
      sql`d.lease_expires_at is null and d.attempts = 1 and exists (select from ${unread} a
        where a.id = c.x_account_id and d.tried_at = a.unread_since and a.unread_since < now() - make_interval(days => ${X_KEEPS_DAYS}))`,
    )
    const { rows: second } = await tx.execute<{ id: string }>(sql`
      select d.id from ${unread} a
        join dms sent on sent.x_account_id = a.id and sent.claimed_at >= a.unread_since - make_interval(secs => ${CLOCK_SKEW_MS / 1_000}) and sent.sent_at is not null
        join dms d on d.lead_id = sent.lead_id and d.id <> sent.id and d.status = 'queued' and d.lease_expires_at is null
        join campaigns c on c.id = d.campaign_id and not c.allow_repeat
      order by d.id`)
    for (const { id } of second) await skipMessage(tx, id, SENT_SINCE)
    // The conversation of a lead whose id at X is not known is read right before its message goes out.
    await tx.execute(sql`
      update dms d set tried_at = null, attempts = 0, updated_at = now() from campaigns c, ${unread} a, leads l
      where c.id = d.campaign_id and a.id = c.x_account_id and l.id = d.lead_id and l.x_user_id is not null
        and d.status = 'queued' and d.lease_expires_at is null and d.attempts = 1 and d.tried_at = a.unread_since`)
    await tx.execute(sql`
      update x_accounts set unread_since = null, unread_until = null, updated_at = now(),
        next_send_at = case when next_send_at is null then null else now() end
      where x_user_id = ${xUserId}`)
    await tellSenders(tx)
    return true
  })
}
