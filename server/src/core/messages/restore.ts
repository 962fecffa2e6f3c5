import { randomUUID } from 'node:crypto'
import { CLOCK_SKEW_MS } from '@x-automated/contract/outreach/sending'
import { parseTemplate } from '@x-automated/contract/outreach/template'
import type { SkipReason } from '@x-automated/contract/reason'
import { type SQL, sql } from 'drizzle-orm'
import { alias } from 'drizzle-orm/pg-core'
import { one } from '../../db/one.ts'
import type { Db } from '../../db/open.ts'
import { reasonSql } from '../../db/reasons.ts'
import { transact } from '../../db/transact.ts'
import { X_KEEPS_DAYS } from '../../domains/platform/x-account/tables.ts'
import type { XConversationMessage } from '../../outside/x-schemas.ts'
import { completeIfDone, notifyOfCampaigns } from '../campaigns/run.ts'
import { use } from '../neighbors.ts'
import { identifySuppressions, SHOWN } from '../people/identity.ts'
import { countedLead, countLeads, setLeadStatus } from '../people/lead-counts.ts'
import { storePastContact } from '../people/past-contacts.ts'
import { endContacted, pauseUnknown } from '../replies/stop-answered.ts'
import { findSteps } from '../sequences/sequence.ts'
import { gotMessage, leads } from '../tables/leads.ts'
import { enrollments, isOpen } from '../tables/sequences.ts'
import { countedColumns, countMessages } from './counts.ts'
import { TIMING } from './deliver.ts'
import { findSentMessage, isSameText } from './find.ts'
import { lockEnrollmentsOfLead, lockLeads } from './locks.ts'
import { isOfMonth, lockEvent, OUTCOME_UNKNOWN, recordOutcome } from './record.ts'
import { resetLastClaims } from './release.ts'
import { renderedMessage } from './render.ts'
import { notifySenders } from './schedule.ts'
import { skipMessage } from './stop.ts'

const lead = alias(leads, 'l')
const enrollment = alias(enrollments, 'e')

/*
 * After a restore, X knows messages that the database lacks. Campaigns are paused, and each account
 * sends nothing until its messages are read from X, which restores caps, counts and history. The
 * same applies to an account that is connected for the first time after a restore.
 */

/** After this time, X lists every message that it had accepted before the restore. */
const QUIET_SECONDS = (TIMING.absentAfterMs + TIMING.absentAgainMs) / 1_000

const SENT_SINCE: SkipReason = { code: 'contacted', params: { how: 'backup' } }

export interface RestoreSummary {
  /** Campaigns that were active in the backup. */
  paused: number
  /** Queued messages whose conversations will be read from X. */
  toBeRead: number
  /** Queued messages that no X account can check. They failed with an unknown outcome. */
  unknown: number
}

/**
 * Makes a restored database safe to send from. Runs in the restoring transaction, after migrations.
 */
export async function pauseRestored(tx: Db, backedUpAt: Date): Promise<RestoreSummary> {
  const since = sql`${backedUpAt.toISOString()}::timestamptz`
  const { rows: clock } = await tx.execute<{ quietAt: string }>(
    sql`select clock_timestamp() + make_interval(secs => ${QUIET_SECONDS}) as "quietAt"`,
  )
  const quietAt = sql`${one(clock).quietAt}::timestamptz`
  await tx.execute(sql`
    update x_accounts set unread_since = least(unread_since, ${since}), unread_until = ${quietAt}, updated_at = now()`)
  await tx.execute(sql`
    insert into reply_watches (x_user_id, next_poll_at) select distinct x_user_id, ${quietAt} from x_accounts
    on conflict (x_user_id) do update set reading = null, next_poll_at = excluded.next_poll_at`)
  await tx.execute(sql`insert into restores (backed_up_at, unread_until) values (${since}, ${quietAt})`)
  await tx.execute(sql`
    update dms
    set tried_at = coalesce(tried_at, ${since}), attempts = greatest(attempts, 1), is_handed_over = true,
      updated_at = now()
    where status = 'queued'`)

  const isUnreadable = sql`(c.channel = 'extension' and not exists (
    select
    from x_accounts a
    where a.workspace_id = c.workspace_id and a.status <> 'disconnected' and coalesce(c.x_account_id, a.id) = a.id))`
  const { count: unknown } = await failUnread(tx, sql`c.status <> 'archived' and ${isUnreadable}`)
  await pauseDue(tx, sql`e.next_at <= ${quietAt} and c.status <> 'archived' and ${isUnreadable}`)
  const { rows } = await tx.execute<{ active: string[]; toBeRead: number }>(sql`
    select array(select id from campaigns where kind = 'campaign' and status = 'active') as active,
      (
        select count(*)::int
        from dms d
        join campaigns c on c.id = d.campaign_id
        where d.status = 'queued' and c.status <> 'archived'
      ) as "toBeRead"`)
  await tx.execute(sql`
    update campaigns c set status = 'paused', updated_at = now(),
      reason = ${reasonSql('restored', { backedUpAt: sql`${backedUpAt.toISOString()}::text`, isReadable: sql`not ${isUnreadable}` })},
      pause_reason = null
    where status in ('active', 'paused')`)
  const { active, toBeRead } = one(rows)
  await notifyOfCampaigns(tx, active)
  return { paused: active.length, toBeRead, unknown }
}

/**
 * Fails queued messages whose conversation cannot be read, so that a person decides about each of
 * them. @param which SQL condition on a message `d` and its campaign `c` @returns their number, and
 * the campaigns that may now be complete
 */
async function failUnread(tx: Db, which: SQL): Promise<{ count: number; campaignIds: string[] }> {
  const those = sql`from dms d join campaigns c on c.id = d.campaign_id where d.status = 'queued' and ${which}`
  await lockLeads(tx, sql`select d.lead_id ${those}`)
  const { rows } = await tx.execute<{ id: string; workspaceId: string; campaignId: string }>(sql`
    with unread as (
      select ${countedColumns()}
      from dms
      where id in (select d.id ${those}) and status = 'queued'
      order by id
      for no key update
    ), failed as (
      update dms
      set status = 'failed', error_message = ${OUTCOME_UNKNOWN}, outcome_unknown = true, lease_expires_at = null,
        updated_at = now()
      from unread
      where dms.id = unread.id
      returning lead_id, ${countedColumns()}
    ), ${countMessages({ before: 'unread', after: 'failed' })}, old as (
      select ${countedLead()}
      from leads
      where id in (select lead_id from failed) and dm_status = 'queued'
      order by id
      for no key update
    ), leads_failed as (
      update leads l
      set dm_status = case when ${gotMessage(lead)} then 'contacted' else 'failed_contact' end, updated_at = now()
      from old
      where l.id = old.id
      returning ${countedLead(lead)}
    ), ${countLeads({ before: 'old', after: 'leads_failed' }, 'counted_campaigns')}
    select id, workspace_id as "workspaceId", campaign_id as "campaignId" from failed`)
  const ids = sql`any(${sql.param(rows.map(({ id }) => id))}::uuid[])`
  for (const workspaceId of new Set(rows.map((row) => row.workspaceId)))
    await pauseUnknown(
      tx,
      workspaceId,
      sql`select lead_id from dms where id = ${ids}`,
      sql`${isOpen(enrollment)} and e.id in (select enrollment_id from dms where id = ${ids})`,
    )
  return { count: rows.length, campaignIds: [...new Set(rows.map(({ campaignId }) => campaignId))] }
}

/**
 * Pauses enrollments whose next step has come due since the backup, because the step may have been
 * sent.
 * @param which SQL condition on an enrollment `e` and its campaign `c`
 */
async function pauseDue(tx: Db, which: SQL): Promise<void> {
  const isDue = sql`e.state = 'active' and not e.is_unqueued and ${which}`
  const { rows } = await tx.execute<{ workspaceId: string; ids: string[]; leadIds: string[] }>(sql`
    select e.workspace_id as "workspaceId", array_agg(e.id::text) as ids, array_agg(e.lead_id::text) as "leadIds"
    from enrollments e
    join campaigns c on c.workspace_id = e.workspace_id and c.id = e.campaign_id
    where ${isDue}
    group by 1`)
  for (const { workspaceId, ids, leadIds } of rows)
    await pauseUnknown(
      tx,
      workspaceId,
      sql`select unnest(${sql.param(leadIds)}::uuid[])`,
      sql`e.id = any(${sql.param(ids)}::uuid[])`,
    )
}

/**
 * Records the messages that X lists for an unread account. Safe to repeat: known X ids are skipped.
 * @param findHandle asks X for the handle of a recipient, for $0.01; null: X has no such user
 */
export async function recordMessagesFromX(
  db: Db,
  xUserId: string,
  messages: readonly XConversationMessage[],
  findHandle: (xUserId: string) => Promise<string | null>,
): Promise<void> {
  const { rows } = await db.execute<{ since: string; until: string }>(sql`
    select min(unread_since) as since, max(unread_until) as until
    from x_accounts
    where x_user_id = ${xUserId} and unread_since is not null`)
  const [unread] = rows
  if (!unread?.since) return
  const since = new Date(unread.since)
  const [from, until] = [since.getTime() - CLOCK_SKEW_MS, new Date(unread.until).getTime() + CLOCK_SKEW_MS]
  const own = messages.filter(
    ({ senderId, at }) => senderId === xUserId && at.getTime() >= from && at.getTime() <= until,
  )
  const strangers = await findStrangers(db, xUserId, own)
  const handlesById = new Map<string, string | null>()
  for (const message of own) {
    const { recipientId } = message
    if (strangers.has(message.id) && !message.handles[recipientId] && !handlesById.has(recipientId))
      handlesById.set(recipientId, await findHandle(recipientId))
    const handle = handlesById.get(recipientId)
    const handles = handle ? { ...message.handles, [recipientId]: handle } : message.handles
    await transact(db, (tx) => recordMessageFromX(tx, { ...message, handles }, since))
  }
}

/** Finds new messages to people who are not known as leads, in workspaces with leads whose X id is unknown. */
async function findStrangers(
  db: Db,
  xUserId: string,
  messages: readonly XConversationMessage[],
): Promise<ReadonlySet<string>> {
  const { rows } = await db.execute<{ id: string }>(sql`
    select x.id
    from jsonb_to_recordset(
      ${JSON.stringify(messages.map(({ id, recipientId }) => ({ id, recipient: recipientId })))}::jsonb
    ) as x(id text, recipient text)
    where not exists (select from dms where x_event_id = x.id) and exists (
      select from x_accounts a where a.x_user_id = ${xUserId}
        and not exists (select from leads l where l.workspace_id = a.workspace_id and l.x_user_id = x.recipient)
        and exists (select from leads l where l.workspace_id = a.workspace_id and l.x_user_id is null))`)
  return new Set(rows.map(({ id }) => id))
}

type Party = { workspaceId: string; accountId: string; leadId: string | null }
type Row = {
  id: string
  status: string
  message: string
  eventId: string | null
  enrollmentId: string | null
  stepId: string | null
}

async function recordMessageFromX(tx: Db, message: XConversationMessage, since: Date): Promise<void> {
  const { id: eventId, senderId, recipientId, at, handles } = message
  // A process may still be reading the account after another one has taken over.
  await lockEvent(tx, eventId)
  const existing = await tx.execute(sql`select from dms where x_event_id = ${eventId} limit 1`)
  if (existing.rows.length > 0) return
  const { rows: parties } = await tx.execute<Party>(sql`
    select a.workspace_id as "workspaceId", a.id as "accountId", l.id as "leadId"
    from x_accounts a left join lateral (
      select id from leads where workspace_id = a.workspace_id
        and (
          x_user_id = ${recipientId}
          or (x_user_id is null and lower(twitter_handle) = lower(${handles[recipientId] ?? null}::text))
        )
      order by x_user_id nulls last limit 1
    ) l on true
    where a.x_user_id = ${senderId} order by l.id is null, a.status <> 'connected', a.created_at`)
  for (const { workspaceId, leadId, accountId } of parties) {
    if (!leadId) continue
    await lockEnrollmentsOfLead(tx, workspaceId, leadId)
    const own = await lockMessages(tx, leadId)
    const isSame = (row: Row) =>
      findSentMessage([message], { text: row.message, senderId, since }, new Set()) !== null && row.eventId === null
    const same =
      own.find((row) => isSame(row) && row.status === 'queued') ??
      own.find(isSame) ??
      (await stepOf(tx, { workspaceId, accountId, leadId }, message, own))
    if (!same) continue
    await recordSent(tx, same, { eventId, accountId, at })
    await tx.execute(sql`
      with shown as (
        update leads set x_user_id = ${recipientId}, x_user_checked_at = now(), updated_at = now()
        where id = ${leadId} and x_user_id is null
        returning ${SHOWN}
      )
      ${identifySuppressions(sql`shown`)}`)
    await resetLastClaims(tx, sql`select ${leadId}::uuid`)
    return
  }
  const [party] = parties
  if (party) await insertSent(tx, party, message)
}

/** Locks messages before their lead, as recording an outcome does. */
async function lockMessages(tx: Db, leadId: string): Promise<Row[]> {
  const { rows } = await tx.execute<Row>(sql`
    select id, status, message, x_event_id as "eventId", enrollment_id as "enrollmentId", step_id as "stepId"
    from dms
    where lead_id = ${leadId}
    order by created_at, id
    for no key update`)
  return rows
}

/**
 * Finds the step to which a message to a lead belongs: the first unsent step of their sequences
 * with the same text. If the backup had not queued that step, it is queued here. @param own the
 * lead's messages @returns null: the message belongs to no step
 */
async function stepOf(
  tx: Db,
  { workspaceId, accountId, leadId }: Party & { leadId: string },
  message: XConversationMessage,
  own: readonly Row[],
): Promise<Row | null> {
  const { rows: open } = await tx.execute<{ id: string; campaignId: string; version: number }>(sql`
    select e.id, e.campaign_id as "campaignId", e.version from enrollments e join campaigns c on c.id = e.campaign_id
    where e.workspace_id = ${workspaceId} and e.lead_id = ${leadId} and ${isOpen(enrollment)} and c.status <> 'archived'
      and coalesce(e.x_account_id, c.x_account_id, ${accountId}::uuid) = ${accountId} order by e.id`)
  for (const { id, campaignId, version } of open) {
    const steps = await findSteps(tx, { id: campaignId, workspaceId, version })
    for (const [index, step] of steps.entries()) {
      const theirs = own.find(({ enrollmentId, stepId }) => enrollmentId === id && stepId === step.id)
      if (theirs && theirs.status !== 'queued') continue
      for (const variant of step.variants) {
        const parsed = parseTemplate(variant.messageTemplate)
        if ('unknown' in parsed) continue
        const { rows } = await tx.execute<{ text: string }>(
          sql`select ${renderedMessage(lead, parsed.template, campaignId)} as text from leads l where l.id = ${leadId}`,
        )
        if (!isSameText(one(rows).text, message)) continue
        return (
          theirs ??
          queueLost(tx, workspaceId, id, { stepId: step.id, number: index + 1, variantId: variant.id }, message)
        )
      }
    }
  }
  return null
}

/** Queues a step whose row the restore lost, with the text shown by X. */
async function queueLost(
  tx: Db,
  workspaceId: string,
  enrollmentId: string,
  { stepId, number, variantId }: { stepId: string; number: number; variantId: string },
  { text, at }: XConversationMessage,
): Promise<Row> {
  const moment = sql`${at.toISOString()}::timestamptz`
  const { rows } = await tx.execute<Row & { counts: boolean }>(sql`
    with enrolled as (
      update enrollments
      set is_unqueued = false, updated_at = now()
      where workspace_id = ${workspaceId} and id = ${enrollmentId}
      returning *
    ), added as (
      insert into dms (workspace_id, user_id, lead_id, campaign_id, step, enrollment_id, step_id, step_number,
        variant_id, message, is_follow_up, attempts, tried_at, created_at)
      select e.workspace_id, c.user_id, e.lead_id, e.campaign_id,
        coalesce((select max(d.step) + 1 from dms d where d.lead_id = e.lead_id and d.campaign_id = e.campaign_id), 0),
        e.id, ${stepId}::uuid, ${number}, ${variantId}::uuid, ${text}, ${number > 1}, 1, ${moment}, ${moment}
      from enrolled e
      join campaigns c on c.id = e.campaign_id
      returning message, x_event_id, step_id, ${countedColumns()}
    ), ${countMessages({ after: 'added' })}
    select id, status, message, x_event_id as "eventId", enrollment_id as "enrollmentId", step_id as "stepId",
      ${isOfMonth(moment)} as counts
    from added`)
  const { counts, ...row } = one(rows)
  if (counts) await use(tx, workspaceId, 'dms', 1)
  return row
}

/** Links a stored message to the message at X. The stored one is queued or failed, or was sent without an X id. */
async function recordSent(
  tx: Db,
  row: Row,
  { eventId, accountId, at }: { eventId: string; accountId: string; at: Date },
): Promise<void> {
  const moment = sql`${at.toISOString()}::timestamptz`
  const isOpen = row.status === 'queued' || row.status === 'failed'
  const claimedAgain = sql`lease = ${randomUUID()}, holder = null, x_account_id = ${accountId}, claimed_at = ${moment},
    tried_at = least(tried_at, ${moment}), outcome_unknown = true`
  // Takes a new lease, so that no one else can record an outcome.
  const { rows } = await tx.execute<{ lease: string }>(sql`
    with old as (
      select ${countedColumns()} from dms where id = ${row.id} for no key update
    ), changed as (
      update dms set x_event_id = ${eventId}, updated_at = now(),
        ${isOpen ? claimedAgain : sql`lease = lease`}
      where id = (select id from old) returning lease, ${countedColumns()}
    ), ${countMessages({ before: 'old', after: 'changed' })}
    select lease from changed`)
  const [claimed] = rows
  if (isOpen && claimed)
    await recordOutcome(tx, { id: row.id, lease: claimed.lease }, { wasSent: true, eventId, sentAt: at })
}

/** Adds a message whose row the restore lost to the campaign 'Direct'. */
async function insertSent(
  tx: Db,
  { workspaceId, accountId, leadId }: Party,
  { id: eventId, recipientId, text, at }: XConversationMessage,
): Promise<void> {
  const moment = sql`${at.toISOString()}::timestamptz`
  // The message may have been the lead's next step, which must not be sent again.
  if (leadId) await endContacted(tx, workspaceId, leadId)
  if (leadId) await lockLeads(tx, sql`select ${leadId}::uuid`)
  await tx.execute(sql`
    insert into campaigns (workspace_id, kind, name, message_template, channel, status, x_account_id)
    values (${workspaceId}, 'direct', 'Direct', '', 'api', 'active', ${accountId})
    on conflict (workspace_id)
    where kind = 'direct' do nothing`)
  await tx.execute(sql`
    with added as (
      insert into dms (workspace_id, lead_id, campaign_id, step, message, status, claimed_at, tried_at, sent_at,
        x_account_id, attempts, x_event_id, created_at)
      select c.workspace_id, ${leadId}::uuid, c.id,
        coalesce((select max(d.step) + 1 from dms d where d.campaign_id = c.id and d.lead_id = ${leadId}::uuid), 0),
        ${text}, 'sent', ${moment}, ${moment}, ${moment}, ${accountId}::uuid, 1, ${eventId}, ${moment}
      from campaigns c
      where c.workspace_id = ${workspaceId} and c.kind = 'direct'
      returning ${countedColumns()}
    ), ${countMessages({ after: 'added' })}
    select from added`)
  const { rows } = await tx.execute<{ counts: boolean }>(sql`select ${isOfMonth(moment)} as counts`)
  if (leadId) {
    await resetLastClaims(tx, sql`select ${leadId}::uuid`)
    await setLeadStatus(tx, sql`id = ${leadId} and dm_status <> 'queued'`, 'contacted')
  } else await storePastContact(tx, workspaceId, recipientId, at)
  if (one(rows).counts) await use(tx, workspaceId, 'dms', 1)
}

/**
 * Ends the reading of an unread account: its queued messages may be sent, unless the lead got
 * another message. @returns false (still unread) if messages claimed in the backup are not settled
 */
export async function finishReading(db: Db, xUserId: string): Promise<boolean> {
  const unread = sql`(select * from x_accounts where x_user_id = ${xUserId} and unread_since is not null)`
  return transact(db, async (tx) => {
    const claimed = await tx.execute(
      sql`select from dms d join ${unread} a on a.id = d.x_account_id where d.lease_expires_at is not null limit 1`,
    )
    if (claimed.rows.length > 0) return false
    const { campaignIds } = await failUnread(
      tx,
      sql`d.lease_expires_at is null and d.attempts = 1 and exists (select from ${unread} a
        where a.id = c.x_account_id
          and d.tried_at = a.unread_since
          and a.unread_since < now() - make_interval(days => ${X_KEEPS_DAYS}))`,
    )
    for (const id of campaignIds.sort()) await completeIfDone(tx, id)
    await pauseDue(
      tx,
      sql`exists (select from ${unread} a where a.id = coalesce(e.x_account_id, c.x_account_id)
        and e.next_at <= a.unread_until and a.unread_since < now() - make_interval(days => ${X_KEEPS_DAYS}))`,
    )
    const { rows: repeated } = await tx.execute<{ id: string }>(sql`
      select d.id from ${unread} a
        join dms sent on sent.x_account_id = a.id
          and sent.claimed_at >= a.unread_since - make_interval(secs => ${CLOCK_SKEW_MS / 1_000})
          and sent.sent_at is not null
        join dms d on d.lead_id = sent.lead_id
          and d.id <> sent.id
          and d.status = 'queued'
          and d.lease_expires_at is null
        join campaigns c on c.id = d.campaign_id and not c.allow_repeat
      order by d.id`)
    for (const { id } of repeated) await skipMessage(tx, id, { reason: SENT_SINCE })
    // Without the lead's X id, `tried_at` stays, so the conversation is read right before the
    // message is sent.
    await tx.execute(sql`
      update dms d set tried_at = null, attempts = 0, updated_at = now() from campaigns c, ${unread} a, leads l
      where c.id = d.campaign_id and a.id = c.x_account_id and l.id = d.lead_id and l.x_user_id is not null
        and d.status = 'queued' and d.lease_expires_at is null and d.attempts = 1 and d.tried_at = a.unread_since`)
    await tx.execute(sql`
      update x_accounts set unread_since = null, unread_until = null, updated_at = now(),
        next_send_at = case when next_send_at is null then null else now() end
      where x_user_id = ${xUserId}`)
    await notifySenders(tx)
    return true
  })
}
