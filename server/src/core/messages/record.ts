import type { InputOf } from '@x-automated/contract/contract'
import type { SkipReason } from '@x-automated/contract/reason'
import { and, eq, type SQL, sql } from 'drizzle-orm'
import { alias } from 'drizzle-orm/pg-core'
import type { Actor } from '../../actor.ts'
import type { Db } from '../../db/open.ts'
import { executePrepared } from '../../db/prepared.ts'
import { reasonSql, reasonValue } from '../../db/reasons.ts'
import { transact } from '../../db/transact.ts'
import type { XDayLimits } from '../../outside/x-limits.ts'
import { Refusal } from '../../refusal.ts'
import { checkForbidden, type Pause, pauseCampaignsOf, recordRefusal, type XRefusal } from '../campaigns/pause.ts'
import { type CampaignRun, campaignRun, endRun } from '../campaigns/run.ts'
import { countConversations } from '../conversations/of-leads.ts'
import { chargeMessage, saveDay, use } from '../neighbors.ts'
import { countEntries } from '../people/counts.ts'
import { countedLead, countLeads, setLeadStatus } from '../people/lead-counts.ts'
import { campaigns } from '../tables/campaigns.ts'
import { gotMessage, leads } from '../tables/leads.ts'
import { dms, mayGoOut } from '../tables/messages.ts'
import { enrollments, followingStep, isEnrollmentOf } from '../tables/sequences.ts'
import type { AccountApp } from './account-lock.ts'
import { countActivity, countedColumns, deleteMessages, sumMessages } from './counts.ts'
import { lockEnrollmentsOf } from './locks.ts'
import { backoffSeconds } from './pace.ts'
import { release, resetLastClaims } from './release.ts'
import { type Failure, skipMessage } from './stop.ts'

const lead = alias(leads, 'l')
const enrollment = alias(enrollments, 'e')
const message = alias(dms, 'd')
const campaign = alias(campaigns, 'c')

export const OUTCOME_UNKNOWN = 'Outcome unknown: check the conversation before sending again'
export const LEAD_MISSING: SkipReason = { code: 'lead_missing', params: {} }
const DEFAULT_FAILURE = 'Send failed via extension.'

interface Outcome {
  wasSent: boolean
  /** The X id of the sent message. */
  eventId?: string | null
  reason?: SkipReason | undefined
  errorMessage?: string | undefined
  /** The message counts as failed, but may have been sent. */
  outcomeUnknown?: boolean
  /** When the message was sent; now by default. */
  sentAt?: Date | null
  /** What X charges for the message, in thousandths of a dollar; null: it was not sent through X's API. */
  mills?: number | null
}

/** SQL over `dms`: the account lacks consent to store texts of conversations. */
const isUnstored = sql`
  not coalesce((select a.stores_conversations from x_accounts a where a.id = dms.x_account_id), false)`

/** The effects of a recorded outcome on its campaign. */
type Recorded = {
  campaignId: string
  /** The message before the change, as JSON. */
  before: string
  /** The message's lead before the change, as JSON; null if the lead was deleted. */
  leadBefore: string | null
  /** The change of the number of open enrollments. */
  opened: number
  /** When the next step of the enrollment may be due; null: no step follows. */
  nextAt: string | null
}

/**
 * Records the outcome of a claimed message once: on the message, its enrollment, its lead, its list
 * item and its campaign. @returns null if the lease is no longer valid
 */
export async function recordOutcome(
  tx: Db,
  dm: { id: string; lease: string },
  { wasSent, eventId = null, reason, errorMessage, outcomeUnknown = false, sentAt = null, mills = null }: Outcome,
): Promise<{ campaignCompleted: boolean } | null> {
  const { rows } = await executePrepared<Recorded>(
    tx,
    sql`
    with enrolled as materialized (
      -- Lock the enrollment before the message, as a reply does.
      select e.* from dms d join enrollments e on ${isEnrollmentOf(enrollment, message)} where d.id = ${dm.id} for no key update of e
    ), old as (
      select ${countedColumns()}
      from dms
      where id = ${dm.id} and (select count(*) from enrolled) >= 0
      for no key update
    ), dm as (
      update dms
      set status = ${wasSent ? 'sent' : 'failed'},
        sent_at = ${wasSent ? sql`coalesce(${sentAt?.toISOString() ?? null}::timestamptz, now())` : null},
        x_event_id = ${eventId},
        -- After a restore, the message may have been sent under a later claim than the stored one.
        claimed_at = greatest(claimed_at, ${sentAt?.toISOString() ?? null}::timestamptz),
        reason = ${reasonValue((!wasSent && reason) || null)}, error_message = ${(!wasSent && errorMessage) || null},
        outcome_unknown = ${outcomeUnknown}, lease_expires_at = null, updated_at = now(),
        message = case when is_answer and ${wasSent}::boolean and ${isUnstored} then '' else message end
      where id = (select id from old) and lease = ${dm.lease}
        and (status = 'queued' or (status = 'failed' and outcome_unknown))
      returning *
    ), following as (
      select e.id, next.number, dm.sent_at + next.delay as due_at, case
          when e.state not in ('active', 'paused', 'failed') then e.state
          when ${wasSent}::boolean and next.number is null then 'finished'
          when ${wasSent}::boolean and e.state = 'paused' and e.reason ->> 'code' <> 'outcome_unknown' then 'paused'
          when ${wasSent}::boolean then 'active'
          when ${outcomeUnknown}::boolean and next.number is not null then 'paused'
          else 'failed' end as state
      from enrolled e cross join dm left join lateral (${followingStep(enrollment, alias(dms, 'dm'))}) next on true
    ), moved as (
      update enrollments e set state = f.state, updated_at = now(),
        x_account_id = case
          when ${wasSent}::boolean then coalesce(e.x_account_id, dm.x_account_id)
          else e.x_account_id end,
        last_step_id = case when ${wasSent}::boolean then dm.step_id else e.last_step_id end,
        last_step_number = case when ${wasSent}::boolean then dm.step_number else e.last_step_number end,
        last_ordinal = case when ${wasSent}::boolean then dm.step else e.last_ordinal end,
        last_sent_at = case when ${wasSent}::boolean then dm.sent_at else e.last_sent_at end,
        next_step_number = case when f.state in ('active', 'paused') then f.number end,
        next_at = case f.state
          when 'active' then f.due_at
          when 'paused' then case when not ${outcomeUnknown}::boolean then e.next_at end
        end,
        paused_until = case when f.state = 'paused' and not ${outcomeUnknown}::boolean then e.paused_until end,
        reason = case when ${outcomeUnknown}::boolean and f.state = 'paused' then ${reasonSql('outcome_unknown')}
          when f.state in ('active', 'finished', 'failed') then null else e.reason end
      -- After a restore, X lists the newest message first, so an earlier step moves nothing.
      from following f, dm where e.workspace_id = dm.workspace_id and e.id = f.id
        and (${sentAt === null}::boolean or coalesce(e.last_sent_at <= dm.sent_at, true))
      returning e.id, e.state, e.next_at
    ), list as (
      -- The list's contact count changes last. The lock order is list, lead, list item.
      select l.id from lead_lists l join campaigns c on c.lead_list_id = l.id join dm on dm.campaign_id = c.id
      where ${wasSent}::boolean and l.filter is null for no key update of l
    ), old_lead as (
      select ${countedLead(lead)}
      from dm
      left join list on true
      join leads l on l.id = dm.lead_id
      for no key update of l
    ), lead as (
      -- Anyone who got a follow-up has been contacted before.
      update leads l set updated_at = now(), dm_status = case
        when ${wasSent}::boolean or dm.is_follow_up or ${gotMessage(lead)} then 'contacted' else 'failed_contact' end
      from dm, old_lead where l.id = old_lead.id
    ), item as (
      update lead_list_items i set contact_status = 'contacted'
      from dm cross join list
      where i.lead_list_id = list.id and i.lead_id = dm.lead_id and i.contact_status <> 'contacted'
      returning i.lead_list_id, 0 as n, 1 as contacted
    ), counted as (${countEntries(sql`item`)})
    select dm.campaign_id as "campaignId", m.next_at as "nextAt", (select to_jsonb(old) from old)::text as before,
      (select to_jsonb(old_lead) from old_lead)::text as "leadBefore",
      coalesce((m.state in ('active', 'paused'))::int - (e.state in ('active', 'paused'))::int, 0) as opened
    from dm left join moved m on true left join enrolled e on true`,
  )
  const [row] = rows
  if (!row) return null
  const run = await applyOutcome(tx, { id: dm.id, wasSent, mills }, row)
  if (!wasSent) await keepQueued(tx, dm.id)
  return { campaignCompleted: await endRun(tx, run) }
}

/** Marks the lead of a failed message as queued if another message to them is still queued. */
async function keepQueued(tx: Db, failedId: string): Promise<void> {
  const isStillQueued = sql`exists (
    select
    from dms d
    join campaigns c on c.id = d.campaign_id
    where d.lead_id = leads.id and d.status = 'queued' and ${mayGoOut(message, campaign)})`
  const ofFailed = sql`(select lead_id from dms where id = ${failedId})`
  await setLeadStatus(tx, sql`id = ${ofFailed} and dm_status = 'failed_contact' and ${isStillQueued}`, 'queued')
}

/**
 * Applies a recorded outcome to its campaign and to the lead's conversation. Also applies reads and
 * replies that arrived before the outcome. As a separate statement, this sees events that were
 * stored while recording waited. @param mills what X charges for the message, in thousandths of a
 * dollar
 */
async function applyOutcome(
  tx: Db,
  { id, wasSent, mills }: { id: string; wasSent: boolean; mills: number | null },
  { campaignId, opened, nextAt, before, leadBefore }: Recorded,
): Promise<CampaignRun | undefined> {
  const sentId = wasSent ? id : null
  const { rows } = await executePrepared<CampaignRun>(
    tx,
    sql`
    with before as (
      select ${countedColumns(alias(dms, 'b'))} from jsonb_populate_record(null::dms, ${before}::jsonb) b
    ), early as (
      update dms d set status = case when event.replied_at is null then 'delivered' else 'replied' end,
        replied_at = event.replied_at, delivered_at = coalesce(event.read_at, event.replied_at)
      from dms m cross join lateral (
        select (select min(r.at) from replies r where r.dm_id = m.id and r.kind = 'reply') as replied_at,
          (select s.read_at from lead_reads s join x_accounts a on a.x_user_id = s.account_x_user_id
           where s.lead_id = m.lead_id and a.id = m.x_account_id and s.read_at >= m.claimed_at) as read_at
      ) event
      where m.id = ${sentId}::uuid
        and d.id = m.id
        and d.status = 'sent'
        and coalesce(event.replied_at, event.read_at) is not null
      returning ${countedColumns(message)}
    ), after as (
      select * from early
      union all
      select ${countedColumns(message)} from dms d where d.id = ${id}::uuid and not exists (select from early)
    ), ${sumMessages({ before: 'before', after: 'after' })}, campaign as (
      ${campaignRun(campaignId, opened, nextAt, 'campaign_changes')}
    ), activity as (${countActivity('campaign')}
    ), lead_before as (
      select ${countedLead(lead)}
      from jsonb_to_record(${leadBefore}::jsonb)
        as l(id uuid, workspace_id uuid, dm_status text, created_at timestamptz)
      where l.id is not null
    ), lead as (
      select ${countedLead()} from leads where id in (select id from lead_before)
    ), ${countLeads({ before: 'lead_before', after: 'lead' }, 'campaign')}, old as materialized (
      select c.workspace_id, c.id, c.status, d.claimed_at from dms d join x_accounts a on a.id = d.x_account_id
        join conversations c on c.workspace_id = d.workspace_id
          and c.lead_id = d.lead_id
          and c.account_x_user_id = a.x_user_id
      where d.id = ${sentId}::uuid and d.claimed_at > c.last_message_at and (select count(*) from campaign) >= 0
      for no key update of c
    ), conversation as (
      update conversations c
      set status = 'open', snoozed_until = null, sort_at = old.claimed_at, last_message_id = ${sentId}::uuid,
        last_message_at = old.claimed_at, is_last_ours = true, updated_at = now()
      from old where c.workspace_id = old.workspace_id and c.id = old.id
      returning c.workspace_id, old.status as was_status, c.is_unread as was_unread, c.status, c.is_unread
    ), counted as (${countConversations(sql`conversation`)}
    ),
    charged as (
      ${chargeMessage(sql`dms d where d.id = ${sentId}::uuid and (select count(*) from campaign) >= 0`, mills)}
    )
    select * from campaign`,
  )
  return rows[0]
}

/**
 * Records the outcome that an extension reports, once. A late report counts unless the message was
 * queued again. @throws Refusal DM_NOT_FOUND; LEASE_LOST: another lease, or a different outcome is
 * recorded
 */
export async function reportOutcome(db: Db, actor: Actor, report: InputOf<'campaigns', 'recordOutcome'>) {
  const { id, lease, wasSent } = report
  const outcomeUnknown = !wasSent && report.outcomeUnknown
  const errorMessage = report.errorMessage || (outcomeUnknown ? OUTCOME_UNKNOWN : DEFAULT_FAILURE)
  return transact(db, async (tx) => {
    await lockEnrollmentsOf(tx, sql`select ${id}::uuid`)
    const [dm] = await tx
      .select()
      .from(dms)
      .where(and(eq(dms.id, id), eq(dms.workspaceId, actor.workspaceId)))
      .for('update')
    if (!dm) throw new Refusal('DM_NOT_FOUND')
    const success = async () => ({ success: true as const, campaignCompleted: await isCompleted(tx, dm.campaignId) })
    const isSkipped = dm.status === 'failed' && dm.reason !== null && dm.reason.code === report.reason?.code
    if (!wasSent && isSkipped) return success()
    if (dm.lease !== lease.toLowerCase() || !dm.holder?.startsWith('extension:')) throw new Refusal('LEASE_LOST')
    const reason = report.reason && (await reportedReason(tx, dm.leadId, report.reason.code))
    if (reason && reason.code !== 'lead_missing' && dm.status === 'queued' && !wasSent) {
      await release(tx, sql`id = ${id} and not outcome_unknown`, () => skipMessage(tx, id, { reason }))
      return success()
    }
    const recorded = await recordOutcome(
      tx,
      { id, lease: dm.lease },
      { wasSent, ...(reason ? { reason } : { errorMessage }), outcomeUnknown },
    )
    if (recorded) return { success: true as const, ...recorded }
    if (wasSent !== (dm.sentAt !== null))
      throw new Refusal('LEASE_LOST', 'A different outcome is already recorded for this message.')
    return success()
  })
}

async function isCompleted(tx: Db, campaignId: string): Promise<boolean> {
  const [campaign] = await tx.select({ status: campaigns.status }).from(campaigns).where(eq(campaigns.id, campaignId))
  return campaign?.status === 'completed'
}

/** The reason that an extension reported, completed with the lead's data. */
async function reportedReason(
  tx: Db,
  leadId: string | null,
  code: 'lead_missing' | 'identity' | 'replied',
): Promise<SkipReason> {
  if (code === 'replied') return { code, params: { how: 'request' } }
  if (code === 'lead_missing' || leadId === null) return LEAD_MISSING
  const [lead] = await tx
    .select({ handle: leads.twitterHandle, xUserId: leads.xUserId })
    .from(leads)
    .where(eq(leads.id, leadId))
  return lead ? { code, params: lead } : LEAD_MISSING
}

/**
 * Links a claimed message to the sent message that X shows. If a restore stored the latter without a
 * lead, deletes that row. @returns false: the lease is no longer valid, or the message at X belongs
 * to another row
 */
export async function recordFound(
  tx: Db,
  dm: { id: string; lease: string },
  { eventId, at, mills }: { eventId: string; at: Date; mills: number },
): Promise<boolean> {
  await lockEvent(tx, eventId)
  const { rows: others } = await tx.execute<{ id: string; isLost: boolean; workspaceId: string; counts: boolean }>(sql`
    select id, lead_id is null as "isLost", workspace_id as "workspaceId", ${isOfMonth(sql`sent_at`)} as counts
    from dms where x_event_id = ${eventId} and id <> ${dm.id}`)
  if (others.some(({ isLost }) => !isLost)) return false
  if (!(await recordOutcome(tx, dm, { wasSent: true, eventId, sentAt: at, mills }))) return false
  for (const { id, workspaceId, counts } of others) {
    await deleteMessages(tx, sql`id = ${id}`)
    if (counts) await use(tx, workspaceId, 'dms', -1)
  }
  await resetLastClaims(tx, sql`select lead_id from dms where id = ${dm.id}`)
  return true
}

/** Serializes the recording of one message at X across processes, until the transaction ends. */
export async function lockEvent(tx: Db, eventId: string): Promise<void> {
  await tx.execute(sql`select pg_advisory_xact_lock(hashtextextended('message from X ' || ${eventId}, 0))`)
}

/** SQL: whether a message of this time counts toward the current month of the plan. */
export const isOfMonth = (at: SQL) =>
  sql<boolean>`(${at} >= date_trunc('month', now() at time zone 'UTC') at time zone 'UTC')`

/** The result of trying to send a claimed message. */
export type Verdict =
  /**
   * `mills`: what X charges for it, in thousandths of a dollar. `days`: X's 24-hour limits, from its
   * headers.
   */
  | { kind: 'sent'; eventId: string; mills: number; days?: XDayLimits }
  /** An earlier attempt succeeded: the conversation shows the message. */
  | { kind: 'found'; eventId: string; at: Date; mills: number }
  | ({ kind: 'failed'; refusal?: XRefusal } & Failure)
  /** Not sent: the lead may no longer be messaged. */
  | { kind: 'skipped'; reason: SkipReason }
  /** Not sent: X's rate limit is reached, the app has no credits, or the workspace's spending limit is reached. */
  | { kind: 'wait'; until: Date; reason: 'x' | 'app' | 'funds'; text?: string }
  /** Not sent: X cannot be reached. */
  | { kind: 'later' }
  /** Not sent: X has blocked the account. */
  | ({ kind: 'stop' } & Pause)
  /** Not sent: its campaign was paused. */
  | { kind: 'paused' }
  /** Not sent: the claim was too old, and the account's limits do not allow a new one yet. */
  | { kind: 'late'; until: Date }
  /**
   * It may have been sent. `mayBeDelivered`: X refused it, but such messages have arrived, so
   * absence proves nothing.
   */
  | { kind: 'unknown'; mayBeDelivered?: boolean }
  /** Not sent: the conversation does not show for certain whether an earlier attempt succeeded. */
  | { kind: 'unread' }
  /** The lease was lost: another process owns the message. */
  | { kind: 'lost' }

/** The fields of a claimed message that recording needs. */
interface Held {
  id: string
  lease: string
  campaignId: string
  accountId: string
  app: AccountApp
}

/** A verdict to record. `failures` counts the account's consecutive failures, which set the delay after `later`. */
export interface Done {
  claimed: Held
  verdict: Verdict
  failures: number
}

/** How soon a conversation is read again if it did not show whether the message arrived. */
export const READ_AGAIN_SECONDS = 30

/** Records verdicts of one campaign. Verdicts of several campaigns could deadlock two processes. */
export async function record(db: Db, done: readonly Done[]): Promise<void> {
  const isOutcome = ({ verdict }: Done) => ['sent', 'found', 'failed'].includes(verdict.kind)
  const outcomes = done.filter(isOutcome)
  // Other verdicts can lock the X account, which comes late in the lock order, so each has its own transaction.
  const others = done.filter((entry) => !isOutcome(entry)).map((entry) => [entry])
  for (const group of [outcomes, ...others])
    if (group.length > 0)
      await transact(db, async (tx) => {
        for (const entry of group) await recordOne(tx, entry)
      })
  for (const { claimed, verdict } of outcomes) {
    if (verdict.kind === 'sent') await saveDays(db, claimed, verdict)
    if (verdict.kind === 'failed' && verdict.refusal === 'forbidden')
      await transact(db, (tx) => checkForbidden(tx, claimed, verdict.errorMessage ?? null))
  }
}

async function recordOne(tx: Db, { claimed, verdict, failures }: Done): Promise<void> {
  switch (verdict.kind) {
    case 'sent':
      await recordOutcome(tx, claimed, { wasSent: true, eventId: verdict.eventId, mills: verdict.mills })
      return
    case 'found':
      if (!(await recordFound(tx, claimed, verdict))) await readAgain(tx, claimed)
      return
    case 'failed': {
      const { reason, errorMessage, refusal } = verdict
      const recorded = await recordOutcome(tx, claimed, { wasSent: false, reason, errorMessage })
      if (recorded && refusal) await recordRefusal(tx, claimed.id, refusal)
      return
    }
    case 'skipped':
      await lockEnrollmentsOf(tx, sql`select ${claimed.id}::uuid`)
      await release(tx, isHeld(claimed), () => skipMessage(tx, claimed.id, { reason: verdict.reason }))
      return
    case 'wait':
      await release(tx, isHeld(claimed))
      await waitForX(tx, claimed, verdict)
      return
    case 'later':
      await release(tx, isHeld(claimed))
      await delayAccount(tx, claimed.accountId, {
        until: sql`now() + make_interval(secs => ${backoffSeconds(failures)})`,
        reason: 'x',
      })
      return
    case 'paused':
    case 'late':
      await release(tx, isHeld(claimed))
      return
    case 'stop':
      await release(tx, isHeld(claimed), () => pauseCampaignsOf(tx, claimed, verdict))
      return
    case 'unknown':
      await tx.execute(sql`
        update dms set outcome_unknown = true, due_at = now(), absent_at = null, unreadable_since = null,
          may_resend = may_resend and not ${verdict.mayBeDelivered ?? false}::boolean, updated_at = now()
        where id = ${claimed.id} and lease = ${claimed.lease} and status = 'queued'`)
      return
    case 'unread':
      await readAgain(tx, claimed)
      return
    case 'lost':
      return
  }
}

/** Leaves a message unsettled, so that its conversation is read again. The last claim does not count as an attempt. */
async function readAgain(tx: Db, claimed: Held): Promise<void> {
  await tx.execute(sql`
    update dms
    set outcome_unknown = true, attempts = attempts - 1, absent_at = null,
      due_at = now() + make_interval(secs => ${READ_AGAIN_SECONDS}), updated_at = now()
    where ${isHeld(claimed)} and status = 'queued'`)
}

/** Condition on dms: this lease is still valid, and the message was certainly not sent. */
const isHeld = ({ id, lease }: Held) => sql`id = ${id} and lease = ${lease} and not outcome_unknown`

/** Keeps the account from sending before `until`. For `funds`, only its schedule changes. */
async function delayAccount(
  tx: Db,
  accountId: string,
  { until, reason }: { until: SQL | Date; reason: 'x' | 'funds' },
): Promise<void> {
  const time = until instanceof Date ? sql`${until.toISOString()}::timestamptz` : until
  await tx.execute(sql`
    update x_accounts
    set ${reason === 'x' ? sql`rests_until = greatest(rests_until, ${time}),` : sql``} next_send_at = greatest(next_send_at, ${time})
    where id = ${accountId}`)
}

/** Keeps the account, or its whole X app, from sending until the time in the verdict. */
export async function waitForX(
  tx: Db,
  { accountId, app }: Pick<Held, 'accountId' | 'app'>,
  { until, reason }: Extract<Verdict, { kind: 'wait' }>,
): Promise<void> {
  if (reason === 'app') await saveDay(tx, app, { limit: null, remaining: 0, resetAt: until })
  else await delayAccount(tx, accountId, { until, reason })
}

/** Stores X's 24-hour limits from the headers of a sent message, if none are left or the app's limit changed. */
export async function saveDays(
  db: Db,
  { accountId, app }: Pick<Held, 'accountId' | 'app'>,
  { days }: Extract<Verdict, { kind: 'sent' }>,
): Promise<void> {
  if (days?.app) await saveDay(db, app, days.app)
  if (days?.account?.remaining === 0) await delayAccount(db, accountId, { until: days.account.resetAt, reason: 'x' })
}
