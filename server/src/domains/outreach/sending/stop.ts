import { setTimeout as sleep } from 'node:timers/promises'
import type { ReplyLabel } from '@x-automated/contract/leads/leads'
import type { PauseReason, SkipReason } from '@x-automated/contract/reason'
import { DAY_MS } from '@x-automated/contract/time'
import { type SQL, sql } from 'drizzle-orm'
import type { Actor } from '../../../actor.ts'
import { allowLongStatements } from '../../../db/long-statements.ts'
import { one } from '../../../db/one.ts'
import type { Db } from '../../../db/open.ts'
import { reasonSql, reasonValue } from '../../../db/reasons.ts'
import { lockRows, transact } from '../../../db/transact.ts'
import type { JobQueue } from '../../../ports.ts'
import { mayGoOut, wasTried } from '../../leads/leads/tables.ts'
import { suppressionReason } from '../../leads/suppressions/tables.ts'
import { publishEvents } from '../../platform/events/service.ts'
import { deleteAppClaims } from '../../platform/x-apps/tables.ts'
import { answeredReason, repliedReason } from '../replies/tables.ts'
import { findProtection } from '../sending-settings/service.ts'
import { followingStep, isEnrollmentOf, isOpen } from '../sequences/tables.ts'
import { campaignLock, endTurn, SIMULATED_HOLDER, wakeAccount } from './limits.ts'
import { lockEnrollmentsOf, lockEnrollmentsOfLead, lockLeads, lockQueuedLeads, refund } from './queue.ts'
import { countInFlight, type dms, isInQueue } from './tables.ts'

/** Why a message was skipped, or in words why it failed. */
export type Failure = { reason: SkipReason; errorMessage?: never } | { errorMessage: string; reason?: never }

/**
 * SQL over the aliases of a lead and a message: another campaign messaged the lead, or claimed first.
 * Queueing checks it too, but leads may be merged later. Ignores direct messages and follow-ups.
 */
function duplicateReason(lead: string, message: string): SQL {
  const [l, d] = [sql.raw(lead), sql.raw(message)]
  return sql`(
  select ${reasonSql('duplicate')} from campaigns c
  where c.id = ${d}.campaign_id and c.kind = 'campaign' and not c.allow_repeat and not ${d}.is_follow_up and (
    ${l}.contacted_before_at is not null or exists (
      select from dms o join campaigns other on other.id = o.campaign_id
      where o.lead_id = ${l}.id and o.id <> ${d}.id and not other.allow_repeat and (o.sent_at is not null or o.outcome_unknown
        or (o.lease_expires_at is not null and (${d}.claimed_at is null or (o.claimed_at, o.id) < (${d}.claimed_at, ${d}.id)))))))`
}

/**
 * SQL over the aliases of a message and its campaign: another claim on the person came later, but
 * before this one was visible, so it may not know that it must yield. @param seenForSeconds time since then
 */
export function isContested(message: string, campaign: string, seenForSeconds: number): SQL<boolean> {
  const [d, c] = [sql.raw(message), sql.raw(campaign)]
  return sql`(${c}.kind = 'campaign' and not ${c}.allow_repeat and not ${d}.is_follow_up and exists (
    select from dms o join campaigns other on other.id = o.campaign_id
    where o.lead_id = ${d}.lead_id and o.id <> ${d}.id and not other.allow_repeat and o.lease_expires_at is not null
      and (o.claimed_at, o.id) > (${d}.claimed_at, ${d}.id) and o.claimed_at < now() - make_interval(secs => ${seenForSeconds})))`
}

/** SQL over dms that are not claimed: archiving their campaign has not refunded them yet. */
const isNotRefunded = sql`exists (select from campaigns c where c.id = dms.campaign_id and c.status <> 'archived')`

/** SQL over a campaign's alias: it includes people who have replied. Direct messages always do. */
export function includesReplied(campaign: string): SQL {
  return sql`(${sql.raw(campaign)}.allow_replied or ${sql.raw(campaign)}.kind = 'direct')`
}

/**
 * SQL over the aliases of a lead and a message: they replied and the campaign excludes such people.
 * Queueing checks it too, but replies may arrive later. A reply to a sequence ends or pauses it.
 */
function repliedBefore(lead: string, message: string): SQL {
  const isContinued = sql`exists (select from enrollments e where ${isEnrollmentOf('e', message)} and e.resumed_at >= ${sql.raw(lead)}.replied_at)`
  return sql`(select ${repliedReason(lead, sql`(${includesReplied('c')} or ${isContinued})`)} from campaigns c
    where c.id = ${sql.raw(message)}.campaign_id and not ${sql.raw(message)}.is_follow_up)`
}

/** SQL over a message's alias: its lead's way through the campaign has ended. */
function stoppedReason(message: string): SQL {
  return sql`(
  select case when e.state = 'stopped' and e.reason ->> 'code' = 'person' then ${reasonSql('person')}
      when e.state = 'replied' and e.reason ->> 'code' = 'written_by_hand' then ${reasonSql('written_by_hand')}
      when e.state in ('replied', 'opted_out') then ${reasonSql('replied')} end
  from enrollments e where ${isEnrollmentOf('e', message)})`
}

/** SQL over the aliases of a lead and a message: why it must not be sent; null if it may. */
export function reasonToStop(lead: string, message: string): SQL {
  return sql`coalesce(${suppressionReason(lead)}, ${stoppedReason(message)}, ${answeredReason(lead, message)},
    ${repliedBefore(lead, message)}, ${duplicateReason(lead, message)})`
}

/**
 * Fails unclaimed messages to leads who were suppressed or replied. Completes finished campaigns.
 * @param leadIds a query; leads without a reason are not affected @returns number of messages
 */
export async function stopMessages(tx: Db, workspaceId: string, leadIds: SQL): Promise<number> {
  const ended = await endEnrollments(tx, workspaceId, leadIds, SUPPRESSED)
  // Queueing a list locks its leads, so this waits for it and sees its messages.
  await lockLeads(tx, leadIds)
  const waiting = sql`
    from dms d join leads l on l.id = d.lead_id
    where d.workspace_id = ${workspaceId} and d.lead_id in (${leadIds}) and d.status = 'queued' and d.lease_expires_at is null
      and not (d.is_held and exists (select from enrollments e where ${isEnrollmentOf('e', 'd')} and e.state = 'paused'))`
  // Lock campaigns before messages, and skip locked messages: their owner may be waiting for a
  // lead.
  const { rows: locked } = await tx.execute<{ id: string }>(sql`
    select id from campaigns where id in (select d.campaign_id ${waiting} union all select unnest(${sql.param(ended)}::uuid[])) order by id for no key update`)
  if (locked.length === 0) return 0
  const { rows: stopped } = await tx.execute<{ id: string }>(sql`
    update dms set status = 'failed', reason = found.reason, updated_at = now()
    from (
      select d.id, ${reasonToStop('l', 'd')} as reason ${waiting} and d.campaign_id = any(${sql.param(locked.map(({ id }) => id))}::uuid[])
      for update of d skip locked
    ) found
    where dms.id = found.id and found.reason is not null
    returning dms.id`)
  await resetLeadStatus(tx, leadIds)
  await endEnrollmentsOf(
    tx,
    workspaceId,
    stopped.map(({ id }) => id),
  )
  for (const { id } of locked) await completeIfDone(tx, id)
  await refund(tx, sql`id = any(${sql.param(stopped.map(({ id }) => id))}::uuid[]) and ${isNotRefunded}`)
  return stopped.length
}

/** What becomes of an enrollment. */
interface End {
  /** SQL over an enrollment `e` and its lead `l`: whether it is affected. */
  which: SQL
  /** SQL over the same: the new state, and why. */
  state: SQL
  reason: SQL
  /** SQL: until when it is paused; left out: without a date. */
  until?: SQL
  /** SQL: the step with which it continues after the pause; left out: its next one. */
  next?: SQL
}

/** Suppressed people leave every sequence. */
const SUPPRESSED: End = {
  which: sql`(${isOpen('e')} or e.state = 'finished') and ${suppressionReason('l')} is not null`,
  state: sql`case when ${suppressionReason('l')} -> 'params' ->> 'reason' in ('opted_out', 'replied_stop') then 'opted_out' else 'stopped' end`,
  reason: sql`case when ${suppressionReason('l')} -> 'params' ->> 'reason' in ('opted_out', 'replied_stop') then ${reasonSql('opt_out')}
    else ${reasonSql('skipped', { skip: sql`'suppressed'` })} end`,
}

/**
 * Ends or pauses enrollments of these leads, and holds the queued messages of those it pauses.
 * Call it before locking messages. @returns the campaigns that may now be completed
 */
async function endEnrollments(tx: Db, workspaceId: string, leadIds: SQL, end: End): Promise<string[]> {
  const { rows } = await tx.execute<{ campaignId: string }>(sql`
    with old as materialized (
      select e.*, ${end.state} as to_state, ${end.reason} as to_reason, ${end.next ?? sql`null::int`} as to_number
      from enrollments e join leads l on l.id = e.lead_id
      where e.workspace_id = ${workspaceId} and e.lead_id in (${leadIds}) and ${end.which}
      order by e.id for no key update of e
    ), changed as (
      update enrollments e set state = old.to_state, reason = old.to_reason, updated_at = now(),
        next_step_number = case when old.to_state = 'paused' then coalesce(old.to_number, e.next_step_number) end,
        paused_until = case when old.to_state = 'paused' then ${end.until ?? sql`null::timestamptz`} end,
        next_at = case when old.to_state = 'paused' then ${end.until ?? sql`null::timestamptz`} end
      from old where e.workspace_id = ${workspaceId} and e.id = old.id
      returning e.*, ${isOpen('old')}::int - ${isOpen('e')}::int as closed
    ), held as (
      update dms d set is_held = true, updated_at = now() from changed e
      where e.state = 'paused' and d.lead_id = e.lead_id and ${isEnrollmentOf('e', 'd')} and d.status = 'queued' and d.lease_expires_at is null
    )
    update campaigns c set open_enrollments = c.open_enrollments - d.closed, follow_up_due_at = least(c.follow_up_due_at, d.next_at)
    from (select campaign_id, sum(closed)::int as closed, min(next_at) as next_at from changed group by 1) d where c.id = d.campaign_id
    returning c.id as "campaignId"`)
  return rows.map(({ campaignId }) => campaignId)
}

/** Ends the open enrollments of messages that failed in this transaction, for the same reason. */
export async function endEnrollmentsOf(tx: Db, workspaceId: string, dmIds: readonly string[]): Promise<void> {
  const message = sql`(select d.reason ->> 'code' from dms d where d.enrollment_id = e.id and d.id = any(${sql.param([...dmIds])}::uuid[]) limit 1)`
  await endEnrollments(tx, workspaceId, sql`select lead_id from dms where id = any(${sql.param([...dmIds])}::uuid[])`, {
    which: sql`${isOpen('e')} and e.id in (select enrollment_id from dms where id = any(${sql.param([...dmIds])}::uuid[]))`,
    state: sql`case when ${message} in ('replied', 'written_by_hand') then 'replied' when ${message} is null then 'failed' else 'stopped' end`,
    reason: sql`case ${message} when 'replied' then ${reasonSql('reply')} when 'written_by_hand' then ${reasonSql('written_by_hand')}
      else case when ${message} is not null then ${reasonSql('skipped', { skip: message })} end end`,
  })
}

/**
 * Pauses enrollments `e` whose next message may have been sent, or ends them if it was the last step.
 * @returns the campaigns that may now be completed
 */
export async function pauseUnknown(tx: Db, workspaceId: string, leadIds: SQL, which: SQL): Promise<string[]> {
  const next = sql`(select following.number from dms d cross join lateral (${followingStep('e', 'd')}) following
    where d.lead_id = e.lead_id and ${isEnrollmentOf('e', 'd')} and d.outcome_unknown and d.step_number = e.next_step_number limit 1)`
  return endEnrollments(tx, workspaceId, leadIds, {
    which,
    state: sql`case when ${next} is not null or e.next_at is not null then 'paused' else 'failed' end`,
    reason: sql`case when ${next} is not null or e.next_at is not null then ${reasonSql('outcome_unknown')} end`,
    next,
  })
}

/** What was said in a lead's conversation. */
export interface Said {
  /** The lead said it, not the account's owner. */
  isReply: boolean
  /** Null: any other. */
  label: 'auto_reply' | 'later' | 'opted_out' | null
  /** When they are back, or want to hear more; null: no date. */
  until: Date | null
  at: Date
}

/** What an opt-out makes of an enrollment. */
const OPTED_OUT = { state: sql`'opted_out'`, reason: reasonSql('opt_out') }

/** An automatic reply without a date pauses for this long. */
const AWAY_MS = 14 * DAY_MS

/** SQL over an enrollment's alias: the number of a re-engagement step that it was not sent; null if none. */
function reengagementNumber(enrollment: string): SQL<number | null> {
  const e = sql.raw(enrollment)
  return sql`(
  select s.number::int from sequence_versions v cross join lateral jsonb_array_elements(v.steps) with ordinality s(step, number)
  where v.workspace_id = ${e}.workspace_id and v.campaign_id = ${e}.campaign_id and v.version = ${e}.version and s.step ->> 'kind' = 'reengagement'
    and ${e}.last_step_id <> (s.step ->> 'id')::uuid)`
}

/**
 * Ends or pauses what leads' conversations end: a reply, or a message that the account's owner
 * wrote. Also ends those who are through, so that no later step reaches them.
 */
export async function endAnswered(tx: Db, workspaceId: string, leadIds: readonly string[], said: Said): Promise<void> {
  const chosen = sql`select unnest(${sql.param([...leadIds])}::uuid[])`
  const ended = await endEnrollments(tx, workspaceId, chosen, endOf(said))
  for (const id of ended.sort()) await completeIfDone(tx, id)
}

/**
 * Pauses the lead's sequence until then, when it continues with its re-engagement message: that of
 * the campaign, or else the latest one of the account. @returns the enrollment before, for
 * `undoReengagement`; null: there is none
 */
export async function pauseForReengagement(
  tx: Db,
  workspaceId: string,
  { leadId, accountXUserId, campaignId }: { leadId: string; accountXUserId: string; campaignId: string | null },
  until: Date,
): Promise<{ id: string } | null> {
  await lockEnrollmentsOfLead(tx, workspaceId, leadId)
  const { rows } = await tx.execute<{ before: { id: string } }>(sql`
    select to_jsonb(e) as before from enrollments e join campaigns c on c.id = e.campaign_id and c.status <> 'archived'
      join x_accounts a on a.id = e.x_account_id and a.x_user_id = ${accountXUserId} join leads l on l.id = e.lead_id
    where e.workspace_id = ${workspaceId} and e.lead_id = ${leadId} and e.state in ('active', 'paused', 'replied', 'finished')
      and ${reengagementNumber('e')} is not null and ${suppressionReason('l')} is null
    order by e.campaign_id = ${campaignId}::uuid desc nulls last, e.last_sent_at desc limit 1`)
  const before = rows[0]?.before
  if (!before) return null
  await lockRows(tx, 'dms', sql`lead_id = ${leadId}`)
  const changed = await endEnrollments(tx, workspaceId, sql`select ${leadId}::uuid`, {
    which: sql`e.id = ${before.id}`,
    state: sql`'paused'`,
    reason: reasonSql('later'),
    until: sql`${until.toISOString()}::timestamptz`,
    next: reengagementNumber('e'),
  })
  await tx.execute(sql`
    update campaigns set status = 'active', updated_at = now() where id = any(${sql.param(changed)}::uuid[]) and status = 'completed'`)
  return before
}

/**
 * Undoes `pauseForReengagement` for enrollments that have not changed since. The caller has locked
 * them and their messages. @param paused a query: each `enrollment` before, and the time `at` of its pause
 */
export async function undoReengagement(tx: Db, workspaceId: string, paused: SQL): Promise<void> {
  const { rows } = await tx.execute<{ campaignIds: string[]; accountIds: string[] }>(sql`
    with restored as (
      update enrollments e set state = before.state, reason = before.reason, next_step_number = before.next_step_number,
        paused_until = before.paused_until, next_at = before.next_at, updated_at = now()
      from (${paused}) p cross join lateral jsonb_populate_record(null::enrollments, p.enrollment) before
      where e.workspace_id = ${workspaceId} and e.id = before.id and e.state = 'paused' and e.updated_at = p.at
      returning e.*, p.at, ${isOpen('e')}::int - 1 as opened
    ), released as (
      update dms d set is_held = false, updated_at = now() from restored e
      where e.state = 'active' and d.lead_id = e.lead_id and ${isEnrollmentOf('e', 'd')} and d.status = 'queued' and d.is_held and d.updated_at = e.at
      returning d.x_account_id
    ), counted as (
      update campaigns c set open_enrollments = c.open_enrollments + d.opened, follow_up_due_at = least(c.follow_up_due_at, d.next_at)
      from (select campaign_id, sum(opened)::int as opened, min(next_at) as next_at from restored group by 1) d where c.id = d.campaign_id
      returning c.id
    )
    select array(select id from counted order by id) as "campaignIds",
      array(select distinct x_account_id from released where x_account_id is not null order by 1) as "accountIds"`)
  const { campaignIds, accountIds } = one(rows)
  for (const id of campaignIds) await completeIfDone(tx, id)
  for (const id of accountIds) await wakeAccount(tx, id)
}

/** Ends the sequences of a lead that X shows a message to which the database does not have. */
export async function endContacted(tx: Db, workspaceId: string, leadId: string): Promise<void> {
  const ended = await endEnrollments(tx, workspaceId, sql`select ${leadId}::uuid`, {
    which: sql`(${isOpen('e')} or e.state = 'finished')`,
    state: sql`'stopped'`,
    reason: reasonSql('skipped', { skip: sql`'contacted'` }),
  })
  for (const id of ended.sort()) await completeIfDone(tx, id)
}

/**
 * Ends the enrollments that the former labels of these leads' replies kept open, and stops what is
 * queued. Does nothing for a label after which a sequence continues.
 */
export async function endRelabelled(tx: Db, workspaceId: string, leadIds: SQL, label: ReplyLabel): Promise<void> {
  if (label === 'auto_reply' || label === 'later') return
  const isPaused = sql`e.state = 'paused' and e.reason ->> 'code' in ('auto_reply', 'later')`
  const end: End =
    label === 'opted_out'
      ? { which: sql`(${isOpen('e')} or e.state = 'finished')`, ...OPTED_OUT }
      : { which: isPaused, state: sql`'replied'`, reason: reasonSql('reply') }
  const ended = await endEnrollments(tx, workspaceId, leadIds, end)
  await stopMessages(tx, workspaceId, leadIds)
  for (const id of ended.sort()) await completeIfDone(tx, id)
}

function endOf({ isReply, label, until, at }: Said): End {
  const date = (moment: Date) => sql`${moment.toISOString()}::timestamptz`
  if (label === 'auto_reply') {
    const back = until ?? new Date(at.getTime() + AWAY_MS)
    return {
      which: sql`e.state = 'active'`,
      state: sql`'paused'`,
      reason: reasonSql('auto_reply'),
      until: date(back),
    }
  }
  const which = sql`(${isOpen('e')} or e.state = 'finished')`
  const reason = isReply ? reasonSql('reply') : reasonSql('written_by_hand')
  if (label === 'opted_out') return { which, ...OPTED_OUT }
  if (label !== 'later' || !until) return { which, state: sql`'replied'`, reason }
  const continues = sql`${isOpen('e')} and ${reengagementNumber('e')} is not null`
  return {
    which,
    state: sql`case when ${continues} then 'paused' else 'replied' end`,
    reason: sql`case when ${continues} then ${reasonSql('later')} else ${reason} end`,
    until: date(until),
    next: reengagementNumber('e'),
  }
}

/**
 * Fails an unclaimed queued message, for example if its lead replied since. It counts as never
 * tried.
 */
export async function skipMessage(tx: Db, id: string, { reason, errorMessage }: Failure): Promise<void> {
  await lockEnrollmentsOf(tx, sql`select ${id}::uuid`)
  const { rows } = await tx.execute<{ workspaceId: string; campaignId: string; leadId: string }>(sql`
    select workspace_id as "workspaceId", campaign_id as "campaignId", lead_id as "leadId" from dms
    where id = ${id} and status = 'queued' and lease_expires_at is null and lead_id is not null for update`)
  const [skipped] = rows
  if (!skipped) return
  // It was claimed when its person was paused until a date, for example by an automatic reply.
  const { rowCount: held } = await tx.execute(sql`
    update dms d set is_held = true, updated_at = now() from enrollments e
    where d.id = ${id} and ${reason?.code === 'replied'}::boolean and ${isEnrollmentOf('e', 'd')} and e.state = 'paused' and e.paused_until is not null`)
  if (held) return
  const leadId = sql`select ${skipped.leadId}::uuid`
  // Lock the lead before the campaign, whose counts the update changes.
  await lockLeads(tx, leadId)
  await tx.execute(
    sql`update dms set status = 'failed', reason = ${reasonValue(reason ?? null)}, error_message = ${errorMessage ?? null}, updated_at = now() where id = ${id}`,
  )
  await resetLeadStatus(tx, leadId)
  await endEnrollments(tx, skipped.workspaceId, leadId, {
    which: sql`${isOpen('e')} and e.campaign_id = ${skipped.campaignId}`,
    state: sql`case when ${reason?.code ?? ''} in ('replied', 'written_by_hand') then 'replied' when ${reason?.code ?? ''} = '' then 'failed' else 'stopped' end`,
    reason: sql`case ${reason?.code ?? ''} when 'replied' then ${reasonSql('reply')} when 'written_by_hand' then ${reasonSql('written_by_hand')}
      when 'person' then ${reasonSql('person')} when '' then null else ${reasonSql('skipped', { skip: sql`${reason?.code ?? null}::text` })} end`,
  })
  await completeIfDone(tx, skipped.campaignId)
  await refund(tx, sql`id = ${id} and ${isNotRefunded}`)
}

/** Why a message must not be sent now; null if it may. */
export async function findReasonToStop(db: Db, dmId: string): Promise<SkipReason | null> {
  const { rows } = await db.execute<{ reason: SkipReason | null }>(
    sql`select ${reasonToStop('l', 'd')} as reason from dms d join leads l on l.id = d.lead_id where d.id = ${dmId}`,
  )
  return rows[0]?.reason ?? null
}

/**
 * Releases the leads of an archived campaign and refunds its queued messages, which are never sent.
 */
export async function releaseLeads(tx: Db, campaignId: string): Promise<void> {
  // The caller locked most of them before the campaign. A message may have been queued since.
  await lockQueuedLeads(tx, campaignId)
  await resetLeadStatus(tx, sql`select lead_id from dms where campaign_id = ${campaignId} and status = 'queued'`)
  await refund(tx, sql`campaign_id = ${campaignId} and status = 'queued'`)
  await tx.execute(sql`
    with ended as (
      update enrollments e set state = 'stopped', reason = ${reasonSql('archived')}, next_step_number = null, next_at = null,
        paused_until = null, updated_at = now()
      where e.workspace_id = (select workspace_id from campaigns where id = ${campaignId}) and e.campaign_id = ${campaignId} and ${isOpen('e')}
      returning e.id
    )
    update campaigns set open_enrollments = open_enrollments - (select count(*) from ended), follow_up_due_at = null where id = ${campaignId}`)
}

/**
 * Returns claimed messages, which were certainly not sent, to the queue. They do not count toward the
 * cap. @param which condition on dms @param change locks campaigns, before the X accounts are woken
 */
export async function release(
  tx: Db,
  which: SQL,
  change?: (isReleased: boolean) => Promise<unknown>,
): Promise<{ id: string }[]> {
  // An earlier attempt may have gone through. A simulation attempts nothing.
  const { rows } = await tx.execute<{ id: string }>(sql`
    with released as (
      update dms set lease = null, holder = null, lease_expires_at = null, claimed_at = null, updated_at = now(),
        attempts = attempts - case when holder = ${SIMULATED_HOLDER} then 0 else 1 end,
        tried_at = case when holder = ${SIMULATED_HOLDER} or attempts > 1 then tried_at end
      where status = 'queued' and ${which}
      returning id
    ), uncounted as (${deleteAppClaims(sql`select id from released`)})
    select id from released`)
  const isReleased = rows.length > 0
  const dmIds = sql`select unnest(${sql.param(rows.map(({ id }) => id))}::uuid[])`
  if (isReleased) await afterRelease(tx, dmIds)
  await change?.(isReleased)
  if (isReleased) await wakeReleased(tx, dmIds)
  return rows
}

/**
 * Their claims no longer delay others. If their campaign was archived meanwhile, like `releaseLeads`.
 * @param dmIds messages released in this transaction
 */
export async function afterRelease(tx: Db, dmIds: SQL): Promise<void> {
  // Archiving a campaign and queueing lock the leads too, so this waits and sees what they did.
  const leadIds = sql`select lead_id from dms where id in (${dmIds})`
  await lockLeads(tx, leadIds)
  await resetLastClaims(tx, leadIds)
  const isReleased = sql`id in (${dmIds}) and status = 'queued'
    and exists (select from campaigns c where c.id = dms.campaign_id and not ${mayGoOut('dms', 'c')})`
  await resetLeadStatus(tx, sql`select lead_id from dms where ${isReleased}`)
  await refund(tx, isReleased)
}

/**
 * Wakes accounts of released messages. While these were claimed, their account and a campaign's new
 * one may have found nothing to send and left the schedule.
 */
export async function wakeReleased(tx: Db, dmIds: SQL): Promise<void> {
  const { rows } = await tx.execute<{ id: string }>(sql`
    select distinct a.id from dms d join campaigns c on c.id = d.campaign_id join x_accounts a on a.id in (c.x_account_id, d.x_account_id)
    where d.id in (${dmIds}) and d.status = 'queued' order by 1`)
  for (const { id } of rows) await wakeAccount(tx, id)
}

/** Restores when locked leads were last claimed, after claims that were not sent. */
export async function resetLastClaims(tx: Db, leadIds: SQL): Promise<void> {
  await tx.execute(sql`
    update leads l set last_claimed_at = last.claimed_at, last_claimed_campaign_id = last.campaign_id
    from leads own left join lateral (
      select claimed_at, campaign_id from dms where lead_id = own.id and claimed_at is not null and not is_answer order by claimed_at desc limit 1
    ) last on true
    where own.id in (${leadIds}) and l.id = own.id and l.last_claimed_at is distinct from last.claimed_at`)
}

/**
 * Sets the status of leads whose queued message will not be sent, based on their other messages.
 * The caller has locked the leads, so that each transaction sees what an earlier one ended.
 */
export async function resetLeadStatus(tx: Db, leadIds: SQL): Promise<void> {
  await tx.execute(sql`
    with known as (
      select o.id, bool_or(d.sent_at is not null) as contacted, bool_or(d.status = 'failed' and ${wasTried('d')}) as failed,
        coalesce(bool_or(d.status = 'queued' and ${mayGoOut('d', 'c')}), false) as still_queued
      from leads o left join dms d on d.lead_id = o.id left join campaigns c on c.id = d.campaign_id where o.id in (${leadIds})
      group by o.id
    )
    update leads l set updated_at = now(),
      dm_status = case when known.contacted or l.contacted_before_at is not null then 'contacted' when known.failed then 'failed_contact' else 'not_sent' end
    from known where l.id = known.id and l.dm_status = 'queued' and not known.still_queued`)
}

/** SQL: the update of a campaign that ran, which completes when nothing is open or queued. */
export function campaignRun(campaignId: string, opened: number, nextAt: string | null): SQL {
  const done = sql`kind = 'campaign' and queued_at is not null and status not in ('completed', 'archived')
    and dms_queued_count = 0 and open_enrollments + ${opened}::int = 0`
  return sql`
    update campaigns set open_enrollments = open_enrollments + ${opened}::int, follow_up_due_at = least(follow_up_due_at, ${nextAt}::timestamptz),
      last_run_at = now(), updated_at = now(), status = case when ${done} then 'completed' else status end,
      reason = case when ${done} then null else reason end, pause_reason = case when ${done} then null else pause_reason end
    where id = ${campaignId} returning status, x_account_id as "xAccountId"`
}

/** A campaign after `campaignRun`. */
export type CampaignRun = { status: string; xAccountId: string | null }

/** Lets the next campaign on the account send if this one is completed. @returns whether it is */
export async function endRun(tx: Db, run: CampaignRun | undefined): Promise<boolean> {
  if (run?.status !== 'completed') return false
  await endTurn(tx, run.xAccountId)
  return true
}

/**
 * Completes a campaign when no enrollment is open and no message is queued.
 * @param opened by how much the number of its open enrollments grows
 */
export async function completeIfDone(tx: Db, campaignId: string, opened = 0): Promise<boolean> {
  const { rows } = await tx.execute<CampaignRun>(campaignRun(campaignId, opened, null))
  return endRun(tx, rows[0])
}

// Pausing

/** Why campaigns are paused, with what X said. */
export interface Pause {
  reason: PauseReason
  xMessage: string | null
}

/**
 * Pauses the account's campaigns and shows why; also another campaign that has its follow-ups. Direct
 * messages wait until more are queued or the account is reconnected.
 */
export async function pauseCampaignsOf(
  tx: Db,
  { accountId, campaignId }: { accountId: string; campaignId: string },
  { reason, xMessage }: Pause,
): Promise<void> {
  const { rows } = await tx.execute<{ id: string; workspaceId: string }>(sql`
    update campaigns set status = 'paused', reason = ${reasonValue(reason)}, pause_reason = ${xMessage}, updated_at = now()
    where id in (select id from campaigns where (x_account_id = ${accountId} or id = ${campaignId}) and status = 'active' and channel = 'api' order by id for update)
    returning id, workspace_id as "workspaceId"`)
  const [first] = rows
  const ids = rows.map(({ id }) => id)
  if (first) await publishEvents(tx, first.workspaceId, 'campaign', ids)
}

/*
 * A campaign pauses itself when X or people reject too many of its messages. Only bad news is a
 * reason to look, so a message that goes well costs nothing.
 */

export type XRefusal = NonNullable<(typeof dms.$inferSelect)['refusal']>

const REFUSALS_OF = 50
/** Requests that X rejects for the same reason. */
const ALIKE_MAX = 3
const FORBIDDEN_OF = 20
const FORBIDDEN_MAX = 5
const OPT_OUTS_OF = 100
/** Opt-outs of fewer messages say little. */
const OPT_OUTS_FROM = 50
/** Claims of the account to look through for those of one campaign. */
const CLAIMS_CHECKED = 1_000

/** Stores why X did not take a failed message, and pauses its campaign after too many refusals. */
export async function recordRefusal(tx: Db, dmId: string, refusal: XRefusal): Promise<void> {
  await tx.execute(sql`update dms set refusal = ${refusal} where id = ${dmId}`)
  if (refusal === 'closed') return
  const countRefused = (which: SQL) => countLast(tx, campaignOf(dmId), REFUSALS_OF, sql`status <> 'queued'`, which)
  const last = await countRefused(sql`refusal <> 'closed'`)
  if (!last) return
  const isAlike = sql`refusal = 'invalid' and error_message = (select error_message from dms where id = ${dmId})`
  const alike = refusal === 'invalid' ? ((await countRefused(isAlike))?.matching ?? 0) : 0
  const { refusalPercent } = await findProtection(tx, last.workspaceId)
  if (alike < ALIKE_MAX && last.matching * 100 < refusalPercent * REFUSALS_OF) return
  await pauseItself(tx, last, { code: 'refusals', params: { refused: last.matching, of: last.total } })
}

/**
 * Pauses the account's campaigns after X has forbidden too many of its last messages: X may mean the
 * account and not the people. Its own transaction, because it locks other campaigns.
 * @param xMessage what X said
 */
export async function checkForbidden(
  tx: Db,
  { id, accountId, campaignId }: { id: string; accountId: string; campaignId: string },
  xMessage: string | null,
): Promise<void> {
  const { rows } = await tx.execute<{ refused: number; of: number }>(sql`
    select (count(*) filter (where refusal = 'forbidden'))::int as refused, count(*)::int as of from (
      select d.refusal from dms d, (select watched_from from campaigns where id = ${campaignId}) c
      where d.x_account_id = (select x_account_id from dms where id = ${id}) and d.claimed_at is not null and d.status <> 'queued'
        and d.claimed_at >= coalesce(c.watched_from, '-infinity')
      order by d.claimed_at desc limit ${FORBIDDEN_OF}
    ) recent`)
  const { refused, of } = one(rows)
  if (refused < FORBIDDEN_MAX) return
  await pauseCampaignsOf(
    tx,
    { accountId, campaignId },
    { reason: { code: 'refusals', params: { refused, of } }, xMessage },
  )
}

/** Pauses the campaign of a message that led to an opt-out, after too many of them. */
export async function checkOptOuts(tx: Db, dmId: string): Promise<void> {
  const isOptOut = sql`exists (select from replies r where r.dm_id = recent.id and r.opted_out)`
  const last = await countLast(tx, campaignOf(dmId), OPT_OUTS_OF, sql`sent_at is not null`, isOptOut)
  if (!last || last.total < OPT_OUTS_FROM) return
  const { optOutsPerHundred } = await findProtection(tx, last.workspaceId)
  if (last.matching < optOutsPerHundred) return
  await pauseItself(tx, last, { code: 'opt_outs', params: { optOuts: last.matching, of: last.total } })
}

/** Whether most of a campaign's last messages from an account met a closed inbox. */
export async function hasClosedInboxes(
  db: Db,
  workspaceId: string,
  campaignId: string,
  xAccountId: string | null,
): Promise<boolean> {
  const which = sql`select ${campaignId}::uuid as id, ${xAccountId}::uuid as x_account_id`
  const last = await countLast(db, which, REFUSALS_OF, sql`status <> 'queued'`, sql`refusal = 'closed'`)
  if (!last) return false
  const { closedInboxPercent } = await findProtection(db, workspaceId)
  return last.matching * 100 >= closedInboxPercent * REFUSALS_OF
}

type Last = { campaignId: string; workspaceId: string; xAccountId: string; total: number; matching: number }

/** SQL of the campaign of a message, and of the account that sent it. */
const campaignOf = (dmId: string) => sql`select campaign_id as id, x_account_id from dms where id = ${dmId}`

/** Counts the last messages of a campaign from an account since it was activated; null: it is 'Direct'. */
async function countLast(db: Db, campaign: SQL, most: number, which: SQL, matching: SQL): Promise<Last | null> {
  const { rows } = await db.execute<Last>(sql`
    select c.id as "campaignId", c.workspace_id as "workspaceId", looked.x_account_id as "xAccountId", counted.*
    from (${campaign}) looked join campaigns c on c.id = looked.id cross join lateral (
      select count(*)::int as total, (count(*) filter (where ${matching}))::int as matching from (
        select * from (
          select * from dms where x_account_id = looked.x_account_id and claimed_at is not null order by claimed_at desc limit ${CLAIMS_CHECKED}
        ) claimed
        where campaign_id = c.id and claimed_at >= coalesce(c.watched_from, '-infinity') and ${which} order by claimed_at desc limit ${most}
      ) recent
    ) counted
    where c.kind = 'campaign'`)
  return rows[0] ?? null
}

/** Pauses a campaign before a message goes out that would show a variable. @param written the variable */
export async function pauseForPlaceholder(
  tx: Db,
  campaign: { workspaceId: string; campaignId: string; xAccountId: string | null },
  written: string,
): Promise<void> {
  await pauseItself(tx, campaign, { code: 'placeholder', params: { written: shownLeftover(written) } })
}

/** An unfilled variable as a reason names it. */
export const shownLeftover = (written: string) => written.slice(0, 100).toWellFormed()

async function pauseItself(
  tx: Db,
  { workspaceId, campaignId, xAccountId }: { workspaceId: string; campaignId: string; xAccountId: string | null },
  reason: PauseReason,
): Promise<void> {
  const { rowCount } = await tx.execute(sql`
    update campaigns set status = 'paused', reason = ${reasonValue(reason)}, pause_reason = null, updated_at = now()
    where id = ${campaignId} and status = 'active'`)
  if (!rowCount) return
  await endTurn(tx, xAccountId)
  await publishEvents(tx, workspaceId, 'campaign', [campaignId])
}

/**
 * A claim takes milliseconds. A hung worker is not waited for: it checks the campaign again before
 * it sends.
 */
const CLAIM_WAIT_SECONDS = 2

/**
 * Keeps workers from claiming messages of this campaign until the transaction ends. Claimed
 * messages are not affected.
 */
export async function blockNewClaims(tx: Db, campaignId: string): Promise<void> {
  try {
    await tx.transaction(async (nested) => {
      await nested.execute(sql.raw(`set local lock_timeout = '${CLAIM_WAIT_SECONDS}s'`))
      await nested.execute(sql`select pg_advisory_xact_lock(${campaignLock(sql`${campaignId}::text`)})`)
      await nested.execute(sql`set local lock_timeout = 0`)
    })
  } catch (error) {
    const { code, cause } = error as { code?: string; cause?: { code?: string } }
    if ((cause?.code ?? code) !== LOCK_NOT_AVAILABLE) throw error
  }
}

const LOCK_NOT_AVAILABLE = '55P03'

const IN_FLIGHT_CHECK_MS = 100

/**
 * Waits until no sender owns a message of the campaign. @param deadline by performance.now()
 * @param db a pool, never a transaction: no lock may be held while waiting
 */
export async function waitForInFlight(
  db: Db,
  campaignId: string,
  deadline: number,
  signal?: AbortSignal,
): Promise<void> {
  while (performance.now() < deadline && !signal?.aborted) {
    const { rows } = await db.execute<{ count: number }>(
      sql`select ${countInFlight(sql`${campaignId}::uuid`)} as count`,
    )
    if (one(rows).count === 0) return
    await sleep(IN_FLIGHT_CHECK_MS, undefined, { signal }).catch(() => {})
  }
}

// Undoing

/*
 * A launch may hold its messages for a few seconds: they are due later. Until a sender claims one,
 * the launch can be undone.
 */

/** Makes held messages due and ends the undo. @param which SQL over a campaign `c` */
export async function endHolds(tx: Db, which: SQL): Promise<void> {
  const { rows } = await tx.execute<{ id: string; xAccountId: string | null }>(sql`
    select id, x_account_id as "xAccountId" from campaigns c where ${which} and undo_until > now() order by id`)
  for (const { id, xAccountId } of rows) {
    await allowLongStatements(tx)
    await tx.execute(sql`
      update dms set due_at = now(), updated_at = now()
      where campaign_id = ${id} and ${isInQueue} and due_at > now() and due_at <= (select undo_until from campaigns where id = ${id})`)
    await tx.execute(sql`update campaigns set undo_until = null where id = ${id}`)
    await endTurn(tx, xAccountId)
  }
}

/** Deletes what a launch queued. The caller has locked the campaign and the leads of its messages. */
export async function unqueue(tx: Db, workspaceId: string, campaignId: string): Promise<void> {
  const enrolled = sql`from enrollments where workspace_id = ${workspaceId} and campaign_id = ${campaignId}`
  await allowLongStatements(tx)
  await refund(tx, sql`campaign_id = ${campaignId} and status = 'queued'`)
  await tx.execute(sql`delete from dms where campaign_id = ${campaignId}`)
  await resetLeadStatus(tx, sql`select lead_id ${enrolled}`)
  await tx.execute(sql`delete ${enrolled}`)
}

/** Deletes direct messages that nobody has claimed. @param undoId as their caller chose it */
export async function undoQueue(db: Db, actor: Actor, undoId: string) {
  return transact(db, async (tx) => {
    const undone = await deleteUnclaimed(tx, actor.workspaceId, sql`undo_id = ${undoId}`)
    return { success: true as const, undone }
  })
}

/** Deletes direct messages that nobody has claimed. @param which SQL over dms @returns their number */
export async function deleteUnclaimed(tx: Db, workspaceId: string, which: SQL): Promise<number> {
  await allowLongStatements(tx)
  const { rows } = await tx.execute<{ id: string; leadId: string }>(sql`
    select id, lead_id as "leadId" from dms
    where workspace_id = ${workspaceId} and ${which} and status = 'queued' and claimed_at is null and tried_at is null
    order by id for update`)
  const undone = sql`any(${sql.param(rows.map(({ id }) => id))}::uuid[])`
  const leadIds = sql`select unnest(${sql.param(rows.map(({ leadId }) => leadId))}::uuid[])`
  await lockLeads(tx, leadIds)
  await refund(tx, sql`id = ${undone}`)
  await tx.execute(sql`delete from dms where id = ${undone}`)
  await resetLeadStatus(tx, leadIds)
  return rows.length
}

/**
 * Queues the messages again that failed because their leads were deleted, and continues with these
 * people. The caller has locked enrollments, messages and campaigns, and has restored the leads.
 */
export async function requeueRestored(
  { db: tx, jobs }: { db: Db; jobs: JobQueue },
  workspaceId: string,
  leadIds: SQL,
): Promise<void> {
  const { rows } = await tx.execute<{ id: string; campaignId: string }>(sql`
    with queued as (
      update dms d set status = 'queued', reason = null, updated_at = now() from campaigns c
      where d.lead_id in (${leadIds}) and d.status = 'failed' and d.reason ->> 'code' = 'lead_missing' and c.id = d.campaign_id and c.status <> 'archived'
      returning d.*
    ), marked as (
      -- Anyone who gets a follow-up has been contacted.
      update leads l set dm_status = 'queued', updated_at = now() from queued d where l.id = d.lead_id and not d.is_follow_up
    )
    select id, campaign_id as "campaignId" from queued`)
  // What came due meanwhile is due now.
  await tx.execute(sql`
    update campaigns c set follow_up_due_at = least(c.follow_up_due_at, waiting.next_at)
    from (
      select campaign_id, min(next_at) as next_at from enrollments where workspace_id = ${workspaceId} and lead_id in (${leadIds}) group by 1
    ) waiting where c.id = waiting.campaign_id and waiting.next_at <= now()`)
  // The part of a launch that they are in may have been queued meanwhile.
  const { rowCount: areWaiting } = await tx.execute(sql`
    select from enrollments e where e.workspace_id = ${workspaceId} and e.lead_id in (${leadIds}) and e.is_unqueued and e.state = 'active'
      and (select c.status = 'active' and c.next_part_at <= now() from campaigns c where c.id = e.campaign_id) limit 1`)
  if (areWaiting) await jobs.enqueue(tx, 'launch-parts', {}, { key: workspaceId })
  if (rows.length === 0) return
  const ids = sql`any(${sql.param(rows.map(({ id }) => id))}::uuid[])`
  await release(tx, sql`id = ${ids}`)
  await tx.execute(sql`
    with continued as (
      update enrollments e set state = 'active', next_step_number = d.step_number, updated_at = now() from dms d
      where d.id = ${ids} and e.workspace_id = ${workspaceId} and ${isEnrollmentOf('e', 'd')} and e.state = 'failed'
      returning e.campaign_id
    )
    update campaigns c set status = case when status = 'completed' then 'active' else status end, updated_at = now(),
      open_enrollments = open_enrollments + (select count(*) from continued where campaign_id = c.id)
    where id = any(${sql.param(rows.map(({ campaignId }) => campaignId))}::uuid[])`)
}

/** Makes held messages due at this time, unless they are due sooner, and wakes their accounts. */
export async function setDue(tx: Db, workspaceId: string, ids: readonly string[], at: Date): Promise<void> {
  const due = sql`${at.toISOString()}::timestamptz`
  await lockRows(
    tx,
    'dms',
    sql`id = any(${sql.param(ids)}::uuid[]) and workspace_id = ${workspaceId} and ${isInQueue} and due_at > ${due}`,
  )
  const { rows } = await tx.execute<{ xAccountId: string | null }>(sql`
    with changed as (
      update dms set due_at = ${due}, updated_at = now()
      where id = any(${sql.param(ids)}::uuid[]) and workspace_id = ${workspaceId} and ${isInQueue} and due_at > ${due}
      returning campaign_id
    )
    select distinct x_account_id as "xAccountId" from campaigns where id in (select campaign_id from changed)`)
  for (const { xAccountId } of rows) if (xAccountId) await wakeAccount(tx, xAccountId)
}
