import type { InputOf } from '@x-automated/contract/contract'
import { DEFAULT_MESSAGE } from '@x-automated/contract/leads/lead-limits'
import type { DmStatus, LeadFilter, ReplyLabel } from '@x-automated/contract/leads/leads'
import { BLANKS, parseTemplate, type Template, unknownText } from '@x-automated/contract/outreach/template'
import { type DmWaitReason, refusalText, type SkipReason, skipText } from '@x-automated/contract/reason'
import { and, asc, desc, eq, gt, isNotNull, lt, or, type SQL, sql } from 'drizzle-orm'
import { type Actor, type Author, roleAllows } from '../../../actor.ts'
import { allowLongStatements } from '../../../db/long-statements.ts'
import { one } from '../../../db/one.ts'
import type { Db } from '../../../db/open.ts'
import { type Place, readCursor, writeCursor } from '../../../db/paging.ts'
import { reasonSql } from '../../../db/reasons.ts'
import { lockRows, transact } from '../../../db/transact.ts'
import { invalidField, Refusal } from '../../../refusal.ts'
import { choosePart, selectLeads } from '../../leads/leads/service.ts'
import { leads, mayGoOut, sampleReason, wasTried } from '../../leads/leads/tables.ts'
import { suppressionReason } from '../../leads/suppressions/tables.ts'
import { type Allowance, allowanceOf, beyondPlan, use } from '../../platform/billing/service.ts'
import { requireConnectedAccount } from '../../platform/x-account/service.ts'
import { campaigns, WITHOUT_REASON, waitsForOlder } from '../campaigns/tables.ts'
import { approvedOpener, lockOpeners } from '../openers/tables.ts'
import { repliedReason, waitsForRead } from '../replies/tables.ts'
import { findCooldowns, holdOf, isBasisRequired, type SendingEnv } from '../sending-settings/service.ts'
import { isEnrollmentOf, isOpen, variantNameOf } from '../sequences/tables.ts'
import { wakeAccount } from './limits.ts'
import { dms } from './tables.ts'

type Campaign = typeof campaigns.$inferSelect
type Message = typeof dms.$inferSelect

// Queueing

/** A step of a sequence. The variant's id and the message are SQL over a lead `l`. */
export interface QueuedStep {
  id: string
  number: number
  variantId: SQL
  message: SQL
}

export interface LaunchOptions {
  /** No sender claims before; 0: none. */
  holdSeconds?: number
  /** How many people get a message now. The others are enrolled without one. */
  limit?: number | undefined
}

/**
 * Enrolls each lead of the list in its order and queues the first step; excluded leads get a failed
 * message with the reason. @param filter of a smart list, else null
 * @throws Refusal PLAN_LIMIT: not enough DMs left
 */
export async function queueList(
  tx: Db,
  env: SendingEnv,
  campaign: Campaign,
  first: QueuedStep,
  filter: LeadFilter | null,
  { holdSeconds = 0, limit }: LaunchOptions = {},
): Promise<{ queued: number; open: number; total: number; undoUntil: Date | null }> {
  await lockQueueing(tx, campaign.workspaceId)
  const members = filter
    ? selectLeads(campaign, { filter })
    : sql`select lead_id from lead_list_items where lead_list_id = ${campaign.leadListId}`
  const basisRequired = await isBasisRequired(tx, env, campaign.workspaceId)
  const skip = reasonToSkip('l', campaign, basisRequired, env)
  await allowLongStatements(tx)
  const allowance = await requireQuota(
    tx,
    campaign.workspaceId,
    sql`select from leads l left join lateral (${skip}) skip on true where l.id in (${members}) and skip.reason is null`,
    limit,
  )
  await lockLeads(tx, members)
  const isLater =
    limit === undefined
      ? sql`false`
      : sql`reason is null and count(*) filter (where reason is null) over (rows unbounded preceding) > ${limit}`
  const { rows } = await tx.execute<{ queued: number; open: number; total: number; undoUntil: string }>(sql`
    with chosen as materialized (
      select new_id() as enrollment_id, ${isLater} as is_later, ordered.* from (
        select l.id as lead_id, skip.reason, ${first.variantId} as variant_id, ${first.message} as message
        from leads l
        left join lead_list_items i on i.lead_list_id = ${campaign.leadListId} and i.lead_id = l.id
        left join lateral (${skip}) skip on true
        where l.id in (${members})
        order by coalesce(i.added_at, l.created_at), l.id
      ) ordered
    ), enrolled as (
      insert into enrollments (workspace_id, id, campaign_id, lead_id, version, state, reason, next_step_number, is_unqueued)
      select ${campaign.workspaceId}::uuid, enrollment_id, ${campaign.id}::uuid, lead_id, ${campaign.version}::int,
        case when reason is null then 'active' else 'stopped' end,
        case when reason is not null then ${reasonSql('skipped', { skip: sql`reason ->> 'code'` })} end,
        case when reason is null then 1 end, is_later
      from chosen
    ), added as (
      insert into dms (workspace_id, user_id, lead_id, campaign_id, enrollment_id, step_id, step_number, variant_id, message, is_filled, status, reason, due_at)
      select ${campaign.workspaceId}::uuid, ${campaign.userId}::uuid, lead_id, ${campaign.id}::uuid, enrollment_id,
        ${first.id}::uuid, 1, variant_id, message, true, case when reason is null then 'queued' else 'failed' end, reason,
        ${dueAfterHold(holdSeconds, sql`(select count(*) from chosen)`)}
      from chosen where not is_later
      returning lead_id, status, due_at
    ), marked as (
      update leads set dm_status = 'queued', updated_at = now()
      where id in (select lead_id from added where status = 'queued')
    )
    select (select count(*)::int from chosen) as total, (select count(*)::int from chosen where reason is null) as open,
      (count(*) filter (where status = 'queued'))::int as queued, coalesce(max(due_at) filter (where status = 'queued'), ${dueAfterHold(holdSeconds, sql`0`)}) as "undoUntil"
    from added
  `)
  const { total, open, queued, undoUntil } = one(rows)
  await spend(tx, campaign.workspaceId, allowance, queued)
  return { total, open, queued, undoUntil: holdSeconds > 0 && open > 0 ? new Date(undoUntil) : null }
}

/** Queueing takes time, too: it inserts about this number of messages in a second. */
const QUEUED_PER_SECOND = 10_000

/** SQL: when a message is due that is queued among `count` others, after a hold of these seconds. */
function dueAfterHold(holdSeconds: number, count: SQL): SQL {
  if (holdSeconds === 0) return sql`now()`
  return sql`clock_timestamp() + make_interval(secs => ${holdSeconds}::float + ${count} / ${QUEUED_PER_SECOND}::float)`
}

/** SQL over a campaign `c`: the params of a reason that names it. */
const SOURCE = { how: sql`c.kind`, campaign: sql`case c.kind when 'campaign' then c.name end` }

/**
 * SQL over a lead's alias: why this campaign must not message it; null if it may.
 * A campaign may allow repeats and people who replied, each separately, but never suppressed leads.
 * @param dmId a message that is queued again: the lead's other direct messages count, too
 */
export function reasonToSkip(
  lead: string,
  campaign: Pick<Campaign, 'id' | 'kind' | 'xAccountId' | 'allowRepeat' | 'allowReplied'>,
  basisRequired: boolean,
  env: Pick<SendingEnv, 'isRealX'>,
  dmId: string | null = null,
): SQL {
  const isLimited = basisRequired && campaign.kind === 'campaign'
  const l = sql.raw(lead)
  return sql`select coalesce(${sampleReason(lead, env)}, ${suppressionReason(lead)}, case when ${isLimited}::boolean and ${l}.basis = 'none' then ${reasonSql('no_basis')} end,
    ${repliedReason(lead, sql`${campaign.allowReplied}::boolean`)},
    case when ${l}.closed_to is not null and ${l}.closed_to = (select x_user_id from x_accounts where id = ${campaign.xAccountId}::uuid)
      then ${reasonSql('closed_inbox')} end,
    case when ${l}.contacted_before_at is not null and not ${campaign.allowRepeat}::boolean
      then ${reasonSql('contacted', { how: sql`'earlier_lead'` })} end, (
    select case when d.status = 'queued' then ${reasonSql('queued_elsewhere', SOURCE)} else ${reasonSql('contacted', SOURCE)} end
    from dms d join campaigns c on c.id = d.campaign_id
    where not ${campaign.allowRepeat}::boolean and d.lead_id = ${l}.id
      and (d.campaign_id <> ${campaign.id}::uuid or (c.kind = 'direct' and d.id <> ${dmId}::uuid))
      and (d.sent_at is not null or d.outcome_unknown or (d.status = 'queued' and ${mayGoOut('d', 'c')}))
    order by d.sent_at nulls last limit 1)) as reason`
}

/** SQL over a message and its lead `l`: the assignments that render it with a step. */
const renderedWith = ({ id, number, variantId, message }: QueuedStep) =>
  sql`message = ${message}, is_filled = true, variant_id = ${variantId}, step_id = ${id}, step_number = ${number}, updated_at = now()`

/**
 * Renders queued messages with a changed step. For more than one, it requires `blockNewClaims`,
 * because it locks them in no particular order. @param which SQL over dms
 */
export async function rerender(tx: Db, step: QueuedStep, which: SQL): Promise<void> {
  await tx.execute(sql`update dms set ${renderedWith(step)} from leads l where ${which} and l.id = dms.lead_id`)
}

/** Renders messages of deleted leads with a changed step, in case the deletion is undone. @param which SQL over dms */
export async function rerenderRemoved(tx: Db, step: QueuedStep, which: SQL): Promise<void> {
  // `approvedOpener` reads the kept openers instead of the table.
  const message = sql`(with openers as (select * from jsonb_populate_recordset(null::openers, removed.openers)) select ${step.message})`
  // A deletion can contain a million leads, so start from the messages.
  await tx.execute(sql`
    with theirs as materialized (
      select d.id, e.lead_id from (select * from dms where lead_id is null and ${which}) d join enrollments e on ${isEnrollmentOf('e', 'd')}
    )
    update dms set ${renderedWith({ ...step, message })}
    from theirs join removed_leads removed on removed.lead_id = theirs.lead_id
      cross join lateral jsonb_populate_record(null::leads, removed.lead) l
    where dms.id = theirs.id`)
}

/**
 * Gives the first messages that this transaction queued the openers as they are now, and keeps
 * these until it ends. Others cannot see the messages of a launch. @param which SQL over dms
 */
export async function readOpenersAgain(
  tx: Db,
  { id, workspaceId }: Pick<Campaign, 'id' | 'workspaceId'>,
  step: QueuedStep,
  which = sql`true`,
): Promise<void> {
  await tx.execute(lockOpeners(workspaceId, id))
  const hasOpener = sql`exists (select from openers o where o.workspace_id = ${workspaceId} and o.campaign_id = ${id} and o.lead_id = dms.lead_id)`
  await rerender(
    tx,
    step,
    sql`dms.campaign_id = ${id} and dms.status = 'queued' and not dms.is_follow_up and ${which} and ${hasOpener} and dms.message <> ${step.message}`,
  )
}

/**
 * Queues one direct message per lead, except those queued, suppressed or perhaps messaged.
 * @throws Refusal X_NOT_CONNECTED, INVALID_INPUT (placeholder), PLAN_LIMIT (earlier parts stay)
 */
export async function queueDirect(
  db: Db,
  actor: Actor,
  { message, holdSeconds = 0, undoId, ...selection }: Partial<InputOf<'leads', 'queue'>>,
): Promise<{ success: true; queued: number; cursor: string | null }> {
  const template = readTemplate('message', message || DEFAULT_MESSAGE)
  return transact(db, async (tx) => {
    await requireConnectedAccount(tx, actor.workspaceId)
    await lockQueueing(tx, actor.workspaceId)
    const { leads: chosen, cursor } = await choosePart(tx, actor, selection)
    const order = { template, undoId, dueAt: dueAfterHold(holdSeconds, sql`0`) }
    const { queued, campaignId } = await queueChosen(tx, actor, chosen, order)
    if (holdSeconds > 0)
      await tx
        .update(campaigns)
        .set({ undoUntil: dueAfterHold(holdSeconds, sql`0`) })
        .where(eq(campaigns.id, campaignId))
    return { success: true as const, queued: queued.length, cursor }
  })
}

/** SQL: the chosen leads `l` that may get a direct message. */
function writable(workspaceId: string, chosen: SQL): SQL {
  return sql`from leads l where l.workspace_id = ${workspaceId} and l.id in (${chosen})
    and l.dm_status not in ('queued', 'sent', 'contacted')
    and not exists (
      select from dms d join campaigns c on c.id = d.campaign_id
      where d.lead_id = l.id and (d.outcome_unknown or d.lease_expires_at is not null or (d.status = 'queued' and ${mayGoOut('d', 'c')})))
    and ${suppressionReason('l')} is null`
}

/**
 * Checks that an X account is connected, and that the plan allows a direct message to each lead.
 * @param chosen subquery of lead ids @throws Refusal X_NOT_CONNECTED, PLAN_LIMIT
 */
export async function requireQueueable(tx: Db, workspaceId: string, chosen: SQL): Promise<void> {
  await requireConnectedAccount(tx, workspaceId)
  await requireQuota(tx, workspaceId, sql`select ${writable(workspaceId, chosen)}`)
}

interface ChosenOrder {
  template: Template
  dueAt: SQL
  undoId?: string | undefined
}

/**
 * Queues a direct message to each chosen lead. The caller holds `lockQueueing`.
 * @returns the messages' ids @throws Refusal X_NOT_CONNECTED, PLAN_LIMIT
 */
export async function queueChosen(
  tx: Db,
  actor: Author,
  chosen: SQL,
  { template, dueAt, undoId }: ChosenOrder,
): Promise<{ queued: string[]; campaignId: string }> {
  const account = await requireConnectedAccount(tx, actor.workspaceId)
  const allowance = await requireQuota(tx, actor.workspaceId, sql`select ${writable(actor.workspaceId, chosen)}`)
  // Lock leads before the campaign, as recording an outcome does.
  await lockLeads(tx, chosen)
  const campaignId = await openDirectCampaign(tx, actor, account.id)
  const { rows } = await tx.execute<{ id: string }>(sql`
    with added as (
      insert into dms (workspace_id, user_id, lead_id, campaign_id, step, message, is_filled, undo_id, due_at)
      select l.workspace_id, ${actor.userId}::uuid, l.id, ${campaignId}::uuid,
        coalesce((select max(d.step) + 1 from dms d where d.campaign_id = ${campaignId}::uuid and d.lead_id = l.id), 0),
        ${renderedMessage('l', template, null)}, true, ${undoId ?? null}::uuid, ${dueAt}
      ${writable(actor.workspaceId, chosen)}
      order by l.created_at, l.id
      returning id, lead_id
    ), marked as (
      update leads set dm_status = 'queued', updated_at = now() where id in (select lead_id from added)
    )
    select id from added`)
  await wakeAccount(tx, account.id)
  await spend(tx, actor.workspaceId, allowance, rows.length)
  return { queued: rows.map(({ id }) => id), campaignId }
}

/** SQL over dms: now, or when a launch that is held can no longer be undone. */
export const DUE_NOW = sql`greatest(now(), (select c.undo_until from campaigns c where c.id = dms.campaign_id))`

/**
 * Queues a failed message again and reactivates a completed campaign. Spends quota if never tried.
 * @param renderAgain gives it its current text
 * @throws Refusal DM_NOT_FOUND; DM_STATE: not failed, or the lead is excluded; PLAN_LIMIT
 */
export async function requeue(
  db: Db,
  env: SendingEnv,
  actor: Actor,
  id: string,
  renderAgain: (tx: Db, dm: Message) => Promise<void>,
) {
  return transact(db, async (tx) => {
    // Lock enrollment, message, lead, campaign, as recording an outcome does.
    await lockEnrollmentsOf(tx, sql`select ${id}::uuid`)
    const [found] = await tx
      .select({ dm: dms, campaign: campaigns })
      .from(dms)
      .innerJoin(campaigns, eq(campaigns.id, dms.campaignId))
      .where(and(eq(dms.id, id), eq(dms.workspaceId, actor.workspaceId)))
      .for('update', { of: dms })
    if (!found) throw new Refusal('DM_NOT_FOUND')
    const { dm, campaign } = found
    const leadId = await requireRequeuable(tx, env, dm, campaign)
    // What may have been sent keeps its text.
    if (!dm.outcomeUnknown) await renderAgain(tx, dm)
    await tx
      .update(dms)
      .set({
        status: 'queued',
        reason: null,
        errorMessage: null,
        refusal: null,
        outcomeUnknown: false,
        isHeld: false,
        lease: null,
        holder: null,
        dueAt: DUE_NOW,
        requeuedAt: sql`now()`,
        updatedAt: sql`now()`,
      })
      .where(eq(dms.id, id))
    await tx.update(leads).set({ dmStatus: 'queued', updatedAt: sql`now()` }).where(eq(leads.id, leadId))
    await reopenEnrollment(tx, dm)
    const accountId = dm.isFollowUp ? dm.xAccountId : campaign.xAccountId
    if (accountId) await wakeAccount(tx, accountId)
    if (dm.triedAt === null && dm.claimedAt === null)
      await spend(tx, actor.workspaceId, await allowanceOf(tx, actor.workspaceId, 'dms'), 1)
    const shown = await tx
      .select(dmColumns)
      .from(dms)
      .innerJoin(campaigns, eq(campaigns.id, dms.campaignId))
      .leftJoin(leads, eq(leads.id, dms.leadId))
      .where(eq(dms.id, id))
    return one(await shownTo(tx, env, actor, shown))
  })
}

/** Locks the lead of a message that may be queued again, and returns its id. @throws Refusal DM_STATE */
async function requireRequeuable(tx: Db, env: SendingEnv, dm: Message, campaign: Campaign): Promise<string> {
  if (dm.status !== 'failed') throw new Refusal('DM_STATE', 'Only failed messages can be queued again.')
  if (dm.isAnswer) throw new Refusal('DM_STATE', 'Answer this person in the inbox again.')
  if (!dm.leadId) throw new Refusal('DM_STATE', "This message's lead was deleted.")
  if (await isPassed(tx, dm)) throw new Refusal('DM_STATE', 'A later message was already sent to this person.')
  await lockQueueing(tx, dm.workspaceId)
  const basisRequired = await isBasisRequired(tx, env, dm.workspaceId)
  // A person who queues it again may know better than X's last word about the inbox.
  const { rows } = await tx.execute<{ reason: SkipReason | null }>(
    sql`select skip.reason from leads l left join lateral (${reasonToSkip('l', { ...campaign, xAccountId: null }, basisRequired, env, dm.id)}) skip on true where l.id = ${dm.leadId} for no key update of l`,
  )
  if (rows[0]?.reason) throw new Refusal('DM_STATE', refusalText(rows[0].reason))
  return dm.leadId
}

/** Continues the enrollment and the completed campaign of a message. @throws Refusal DM_STATE: archived */
async function reopenEnrollment(tx: Db, { id, workspaceId, campaignId }: Message): Promise<void> {
  const { rowCount } = await tx.execute(sql`
    with old as (
      select e.id, d.step_number, ${isOpen('e')} as was_open from dms d join enrollments e on ${isEnrollmentOf('e', 'd')} where d.id = ${id}
    ), changed as (
      update enrollments e set state = 'active', reason = null, paused_until = null, next_at = null,
        next_step_number = old.step_number, resumed_at = now(), updated_at = now()
      from old where e.workspace_id = ${workspaceId} and e.id = old.id
    )
    update campaigns set status = case when status = 'completed' then 'active' else status end, updated_at = now(),
      open_enrollments = open_enrollments + (select count(*) from old where not was_open)
    where id = ${campaignId} and status <> 'archived'`)
  if (!rowCount) throw new Refusal('DM_STATE', "This message's campaign is archived.")
}

/** Whether a later message of its sequence was sent. */
async function isPassed(tx: Db, dm: Message): Promise<boolean> {
  const { rows } = await tx.execute(sql`
    select from enrollments e where e.workspace_id = ${dm.workspaceId} and e.id = ${dm.enrollmentId} and e.last_ordinal > ${dm.step}`)
  return rows.length > 0
}

// Locks

/**
 * Queues one batch at a time per workspace: each must see what the previous one queued, or both
 * could message the same lead.
 */
export async function lockQueueing(tx: Db, workspaceId: string): Promise<void> {
  await tx.execute(sql`select pg_advisory_xact_lock(hashtextextended('queueing:' || ${workspaceId}::text, 0))`)
}

/** Locks the enrollments of messages. Call it before locking the messages, as a reply does. */
export async function lockEnrollmentsOf(tx: Db, dmIds: SQL): Promise<void> {
  await tx.execute(sql`
    select count(*) from (
      select from enrollments e
      where (e.workspace_id, e.id) in (select workspace_id, enrollment_id from dms where id in (${dmIds}))
      order by e.id for no key update
    ) locked`)
}

/** Locks the enrollments of leads, before their messages. @param leadIds a query */
export async function lockEnrollmentsOfLeads(tx: Db, workspaceId: string, leadIds: SQL): Promise<void> {
  await tx.execute(sql`
    select count(*) from (
      select from enrollments where workspace_id = ${workspaceId} and lead_id in (${leadIds}) order by id for no key update
    ) locked`)
}

/** Locks a lead's enrollments, before their messages. */
export async function lockEnrollmentsOfLead(tx: Db, workspaceId: string, leadId: string): Promise<void> {
  await lockEnrollmentsOfLeads(tx, workspaceId, sql`select ${leadId}::uuid`)
}

/** Locks a campaign's enrollments, before its messages, leads and the campaign itself. */
export async function lockEnrollmentsOfCampaign(tx: Db, workspaceId: string, campaignId: string): Promise<void> {
  await allowLongStatements(tx)
  await lockRows(tx, 'enrollments', sql`workspace_id = ${workspaceId} and campaign_id = ${campaignId}`)
}

/** Locks leads in id order, so that two transactions never deadlock. */
export async function lockLeads(tx: Db, ids: SQL): Promise<void> {
  await allowLongStatements(tx)
  await tx.execute(sql`
    select count(*) from (select from leads where id in (${ids}) order by id for no key update) locked`)
}

/** Locks the lead, then its campaigns in id order, so that two transactions never deadlock. */
export async function lockLeadAndCampaigns(tx: Db, leadId: string): Promise<void> {
  await tx.execute(sql`select from leads where id = ${leadId} for no key update`)
  await tx.execute(sql`
    select from campaigns where id in (select campaign_id from dms where lead_id = ${leadId}) order by id for no key update`)
}

/**
 * Locks the leads of a campaign's queued messages. Call it before locking the campaign, as
 * recording an outcome does.
 */
export async function lockQueuedLeads(tx: Db, campaignId: string): Promise<void> {
  await lockLeads(tx, sql`select lead_id from dms where campaign_id = ${campaignId} and status = 'queued'`)
}

// The plan's quota

/*
 * Queueing a message spends one of the plan's DMs per month. Queued messages stay queued if the
 * plan changes. A message that leaves the queue permanently without an attempt is refunded.
 */

/**
 * Returns this month's remaining quota. The caller holds `lockQueueing`, so others can only refund.
 * @param writable a query with one row per message to queue @param limit queue at most this number
 * @throws Refusal PLAN_LIMIT
 */
async function requireQuota(
  tx: Db,
  workspaceId: string,
  writable: SQL,
  limit = Number.POSITIVE_INFINITY,
): Promise<Allowance> {
  const allowance = await allowanceOf(tx, workspaceId, 'dms')
  if (!Number.isFinite(allowance.left)) return allowance
  const { rows } = await tx.execute<{ count: number }>(
    sql`select count(*)::int as count from (${writable} limit ${Math.min(limit, allowance.left + 1)}) few`,
  )
  if (one(rows).count > allowance.left) throw beyondPlan(allowance, 'dms')
  return allowance
}

/**
 * Spends quota for the queued messages.
 * @throws Refusal PLAN_LIMIT: more leads became eligible since `requireQuota`
 */
export async function spend(tx: Db, workspaceId: string, allowance: Allowance, count: number): Promise<void> {
  if (count > allowance.left) throw beyondPlan(allowance, 'dms')
  if (count > 0) await use(tx, workspaceId, 'dms', count)
}

/** Refunds messages that were queued this month and never tried. @param which SQL over dms */
export async function refund(tx: Db, which: SQL): Promise<void> {
  const { rows } = await tx.execute<{ workspaceId: string; count: number }>(sql`
    select workspace_id as "workspaceId", count(*)::int as count from dms
    where ${which} and not ${wasTried('dms')}
      and greatest(created_at, requeued_at) >= date_trunc('month', now() at time zone 'UTC') at time zone 'UTC'
    group by workspace_id`)
  for (const { workspaceId, count } of rows) await use(tx, workspaceId, 'dms', -count)
}

// Templates

/** Parses a message template. @throws Refusal INVALID_INPUT naming an unknown variable */
export function readTemplate(field: string, source: string): Template {
  const parsed = parseTemplate(source)
  if ('template' in parsed) return parsed.template
  throw invalidField(field, unknownText(parsed.unknown))
}

/** SQL over a lead's alias: its message. @param campaignId null: outside campaigns, without openers */
export function renderedMessage(lead: string, template: Template, campaignId: string | null): SQL<string> {
  const l = sql.raw(lead)
  return compileTemplate(template, {
    name: sql`${l}.name`,
    twitterHandle: sql`${l}.twitter_handle`,
    metadata: sql`${l}.metadata`,
    opener: approvedOpener(lead, campaignId),
  })
}

/**
 * Compiles a template to one SQL expression over a row of leads, which agrees with `fillSegment`.
 * Text is passed as parameters, never as SQL.
 */
export function compileTemplate(
  template: Template,
  lead: { name: SQL; twitterHandle: SQL; metadata: SQL; opener: SQL },
): SQL<string> {
  const parts = template.map((segment) => {
    if (segment.kind === 'words') return sql`${segment.words}::text`
    if (segment.kind === 'handle') return sql`'@' || ltrim(${lead.twitterHandle}, '@')`
    if (segment.kind === 'name')
      return sql`coalesce(nullif(${withoutBraces(trimmed(lead.name))}, ''), ${segment.fallback}::text)`
    if (segment.kind === 'opener') return sql`coalesce(${lead.opener}, ${segment.fallback}::text)`
    return sql`coalesce((
      select ${withoutBraces(trimmed(sql`v.value #>> '{}'`))}
      from jsonb_each(case when jsonb_typeof(${lead.metadata}) = 'object' then ${lead.metadata} else '{}' end) v
      where jsonb_typeof(v.value) = 'string' and ${lowered(sql`v.key`)} = ${segment.key}::text
        and ${trimmed(sql`v.value #>> '{}'`)} <> ''
      order by v.key collate "C" limit 1
    ), ${segment.fallback}::text)`
  })
  return sql<string>`array_to_string(array[${sql.join([sql`''::text`, ...parts], sql`, `)}], '')`
}

function trimmed(text: SQL): SQL {
  return sql`btrim(${text}, ${BLANKS}::text)`
}

/** Values that were stored before imports replaced braces may contain some. */
function withoutBraces(text: SQL): SQL {
  return sql`translate(${text}, '{}', '()')`
}

/** Lowercases only A to Z, so that PostgreSQL and JavaScript agree in every locale. */
function lowered(text: SQL): SQL {
  return sql`translate(${text}, 'ABCDEFGHIJKLMNOPQRSTUVWXYZ', 'abcdefghijklmnopqrstuvwxyz')`
}

/**
 * Returns the workspace's built-in campaign 'Direct', which holds messages sent without a campaign.
 * Creates it if needed.
 */
export async function openDirectCampaign(
  tx: Db,
  actor: Author,
  xAccountId: string,
  { isAnswer = false } = {},
): Promise<string> {
  const rows = await tx
    .insert(campaigns)
    .values({
      workspaceId: actor.workspaceId,
      userId: actor.userId,
      kind: 'direct',
      name: 'Direct',
      messageTemplate: '',
      channel: 'api',
      status: 'active',
      xAccountId,
    })
    // Queued messages switch to the current account. A new message ends a pause that X caused. An
    // answer does neither, because it may have another account.
    .onConflictDoUpdate({
      target: campaigns.workspaceId,
      targetWhere: sql`kind = 'direct'`,
      set: { ...(!isAnswer && { xAccountId, status: 'active', ...WITHOUT_REASON }), updatedAt: sql`now()` },
    })
    .returning({ id: campaigns.id })
  return one(rows).id
}

// Reading

interface StoredReply {
  text: string | null
  at: string
  label: ReplyLabel | null
}

interface OwnWait {
  reason: DmWaitReason
  until: string | null
}
const ownWait = (reason: SQL, until = sql`null::timestamptz`) =>
  sql`jsonb_build_object('reason', ${reason}, 'until', ${until})`

/** SQL over messages and their campaigns: the X account that sends it; null: the current one. */
const senderId = sql<string | null>`case when dms.is_follow_up then dms.x_account_id else campaigns.x_account_id end`

/**
 * SQL over a queued message that no sender has: what it waits for, of its own. Null: nothing, or something
 * that its campaign shows comes first: it is paused, its account is not connected, an older one sends.
 */
const wait = sql<OwnWait | null>`case
  when dms.status = 'queued' and dms.outcome_unknown then ${ownWait(reasonSql('settling'))}
  when dms.status <> 'queued' or dms.lease_expires_at is not null or dms.is_held or campaigns.status <> 'active' then null
  when campaigns.channel = 'api' and not exists (select from x_accounts a where a.id = ${senderId} and a.status = 'connected') then null
  when not dms.is_follow_up and ${waitsForOlder('campaigns')} then null
  when leads.last_claimed_at > now() - interval '1 day'
    and (campaigns.kind = 'direct' or leads.last_claimed_campaign_id is distinct from dms.campaign_id)
    then ${ownWait(reasonSql('day_apart', { at: sql`leads.last_claimed_at` }), sql`leads.last_claimed_at + interval '1 day'`)}
  when dms.inbox_unclear_until > now() then ${ownWait(reasonSql('inbox_unclear'), sql`dms.inbox_unclear_until`)}
  when dms.is_follow_up and ${waitsForRead('dms')} then ${ownWait(reasonSql('detection'))} end`

/** Over messages joined with their campaigns and leads. */
const dmColumns = {
  id: dms.id,
  campaignId: dms.campaignId,
  status: dms.status,
  message: dms.message,
  sentAt: dms.sentAt,
  createdAt: dms.createdAt,
  updatedAt: dms.updatedAt,
  errorMessage: dms.errorMessage,
  reason: dms.reason,
  wait,
  senderId,
  channel: campaigns.channel,
  stepNumber: dms.stepNumber,
  variant: variantNameOf('dms', 'campaigns'),
  dueAt: sql<Date | null>`case ${dms.status} when 'queued' then ${dms.dueAt} end`.mapWith(dms.dueAt),
  reply: sql<StoredReply | null>`(select jsonb_build_object('text', r.text, 'at', r.at, 'label', r.label)
    from replies r where r.dm_id = ${dms.id} and r.kind = 'reply' order by r.at desc limit 1)`,
  outcomeUnknown: dms.outcomeUnknown,
  lead: { id: leads.id, name: leads.name, twitterHandle: leads.twitterHandle, profileImageUrl: leads.profileImageUrl },
}

/** Renders the reason of a skipped message as its `errorMessage`. */
export function dmAnswer<Row extends Pick<typeof dms.$inferSelect, 'reason' | 'errorMessage'>>(row: Row): Row {
  return row.reason ? { ...row, errorMessage: skipText(row.reason) } : row
}

type Shown = Pick<typeof dms.$inferSelect, 'reason' | 'errorMessage'> &
  Pick<Campaign, 'channel'> & { wait: OwnWait | null; senderId: string | null; reply: StoredReply | null }

/** Messages as they are returned, with what holds each apart from its campaign. Viewers can't read replies. */
async function shownTo<Row extends Shown>(
  db: Db,
  env: SendingEnv,
  actor: Pick<Actor, 'role' | 'workspaceId'>,
  rows: readonly Row[],
) {
  const senderOf = ({ channel, senderId: xAccountId }: Shown) => ({ channel, xAccountId })
  const waiting = rows.filter(({ wait }) => wait && wait.reason.code !== 'settling')
  const limitsOf = await findCooldowns({ db, env, actor }, waiting.map(senderOf))
  const isMember = roleAllows(actor.role, 'member')
  return rows.map(({ wait, senderId, channel, ...row }) => {
    const own = wait && { reason: wait.reason, until: wait.until === null ? null : new Date(wait.until) }
    const limits = own?.reason.code === 'settling' ? null : limitsOf({ channel, xAccountId: senderId })
    const { reply } = row
    return {
      ...dmAnswer(row),
      reason: row.reason ?? (own && holdOf(limits, own) === own ? own.reason : null),
      reply: reply && { ...reply, text: isMember ? reply.text : null, at: new Date(reply.at) },
    }
  })
}

/** Like `listDms`. @throws Refusal CAMPAIGN_NOT_FOUND */
export async function listMessages(
  db: Db,
  env: SendingEnv,
  actor: Actor,
  { id, ...page }: InputOf<'campaigns', 'dms'>,
) {
  const [campaign] = await db
    .select()
    .from(campaigns)
    .where(and(eq(campaigns.id, id), eq(campaigns.workspaceId, actor.workspaceId), eq(campaigns.kind, 'campaign')))
  if (!campaign) throw new Refusal('CAMPAIGN_NOT_FOUND')
  return listDms(db, env, actor, campaign, page)
}

/**
 * Lists a campaign's messages in the order they were queued; those with status `replied`, whose
 * lead replied last comes first. With `cursor`, every page costs the same.
 */
export async function listDms(
  db: Db,
  env: SendingEnv,
  actor: Pick<Actor, 'role' | 'workspaceId'>,
  campaign: Campaign,
  { status, page, pageSize, cursor }: Omit<InputOf<'campaigns', 'dms'>, 'id'>,
) {
  const { time, order, isAfter } = status === 'replied' ? BY_REPLY : BY_QUEUE
  const matches = and(eq(dms.campaignId, campaign.id), status && eq(dms.status, status), isNotNull(time))
  const after = cursor === undefined ? undefined : isAfter(readCursor(cursor))
  // Selects ids from the index first, then loads only these rows.
  const shownIds = db
    .select({ id: dms.id })
    .from(dms)
    .where(and(matches, after))
    .orderBy(...order)
    .limit(pageSize + 1)
    .offset(after ? 0 : (page - 1) * pageSize)
    .as('shown')
  const rows = await db
    .select({ ...dmColumns, repliedAt: dms.repliedAt })
    .from(shownIds)
    .innerJoin(dms, eq(dms.id, shownIds.id))
    .innerJoin(campaigns, eq(campaigns.id, dms.campaignId))
    .leftJoin(leads, eq(leads.id, dms.leadId))
    .orderBy(...order)
  const shown = rows.slice(0, pageSize)
  const last = rows.length > pageSize ? shown.at(-1) : undefined
  const lastAt = status === 'replied' ? last?.repliedAt : last?.createdAt
  return {
    dms: await shownTo(
      db,
      env,
      actor,
      shown.map(({ repliedAt: _, ...row }) => row),
    ),
    total: countDms(campaign, status),
    page,
    pageSize,
    cursor: last && lastAt ? writeCursor({ at: lastAt, id: last.id }) : null,
  }
}

/** The orders of a campaign's messages. */
const BY_QUEUE = {
  time: dms.createdAt,
  order: [asc(dms.createdAt), asc(dms.id)],
  isAfter: ({ at, id }: Place) => or(gt(dms.createdAt, at), and(eq(dms.createdAt, at), gt(dms.id, id))),
}
const BY_REPLY = {
  time: dms.repliedAt,
  order: [desc(dms.repliedAt), desc(dms.id)],
  isAfter: ({ at, id }: Place) => or(lt(dms.repliedAt, at), and(eq(dms.repliedAt, at), lt(dms.id, id))),
}

/**
 * Uses the counts that triggers maintain. Sent includes delivered, and delivered includes replied.
 */
function countDms(campaign: Campaign, status: DmStatus | undefined): number {
  const { dmsQueuedCount, dmsSentCount, dmsFailedCount, dmsDeliveredCount, dmsRepliedCount } = campaign
  switch (status) {
    case undefined:
      return dmsQueuedCount + dmsSentCount + dmsFailedCount
    case 'queued':
      return dmsQueuedCount
    case 'sent':
      return dmsSentCount - dmsDeliveredCount
    case 'delivered':
      return dmsDeliveredCount - dmsRepliedCount
    case 'replied':
      return dmsRepliedCount
    case 'failed':
      return dmsFailedCount
  }
}
