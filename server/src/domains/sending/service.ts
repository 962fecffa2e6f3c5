import { setTimeout as sleep } from 'node:timers/promises'
import { DM_STATUSES, type DmStatus, LEASE_SECONDS, MESSAGE_MAX } from '@x-automated/contract/campaigns'
import { isId, isMoment } from '@x-automated/contract/fields'
import type { LeadFilter, LeadSelection } from '@x-automated/contract/leads'
import { parseTemplate, renderTemplate, type Template, type Vocabulary } from '@x-automated/contract/template'
import { and, asc, eq, gt, ne, or, type SQL, sql } from 'drizzle-orm'
import type { Actor } from '../../actor.ts'
import type { Db } from '../../db/open.ts'
import { transact } from '../../db/transact.ts'
import { livingWorkers } from '../../jobs/liveness.ts'
import { invalidField, Refusal } from '../../refusal.ts'
import { allowanceOf, beyondPlan, use } from '../billing/service.ts'
import { campaigns } from '../campaigns/tables.ts'
import { resolveSelection, selectLeads } from '../leads/service.ts'
import { leads } from '../leads/tables.ts'
import { answeredBecause } from '../replies/tables.ts'
import { findRest, isBasisRequired, type Pace, paceOf, pauseSecondsOf } from '../sending-settings/service.ts'
import { suppressedBecause } from '../suppressions/tables.ts'
import { findCurrentAccount, requireConnectedAccount } from '../x-account/service.ts'
import { xAccounts } from '../x-account/tables.ts'
import { compileTemplate, restSeconds } from './rules.ts'
import { dms } from './tables.ts'

export { findSentMessage } from './rules.ts'

/** NOTIFY channel that tells senders to look for work at once. */
export const SENDING_CHANNEL = 'sending'

export const OUTCOME_UNKNOWN = 'Outcome unknown: check the conversation before sending again'
/** Specification §4. */
export const LEAD_MISSING = 'Skipped: Lead data or Twitter handle missing during processing.'
const DEFAULT_FAILURE = 'Send failed via extension.'
const DEFAULT_DIRECT_MESSAGE = 'Hello! I noticed your profile and wanted to connect.'

type Campaign = typeof campaigns.$inferSelect

// Templates

/** A message template as it was typed. @throws Refusal INVALID_INPUT naming a placeholder that nothing fills */
export function readTemplate(field: string, source: string, vocabulary: Vocabulary = 'campaign'): Template {
  const parsed = parseTemplate(source, vocabulary)
  if ('template' in parsed) return parsed.template
  throw invalidField(
    field,
    `Unknown placeholder ${parsed.unknown}. Use ${vocabulary === 'messenger' ? '{{name}}, {{handle}}' : '{lead_name}, {twitter_handle}'}, or a column of your leads with a fallback, such as {company|your team}.`,
  )
}

const LEAD = { name: sql`l.name`, twitterHandle: sql`l.twitter_handle`, metadata: sql`l.metadata` }

/** Over a lead `l`: what it has for one part of a template. */
export function filledPart(part: Template[number]): SQL {
  return compileTemplate([part], LEAD)
}

// Queueing

/**
 * Makes one message for each lead of the campaign's list, in the list's order, in one statement whatever their number.
 * A lead that may not be written to gets a row too: `failed`, with why.
 * @param filter of a smart list: whoever matches at this moment; null: it is filled by hand
 */
export async function queueList(
  tx: Db,
  limits: Pace,
  campaign: Campaign,
  template: Template,
  filter: LeadFilter | null,
): Promise<{ queued: number; total: number }> {
  await lockQueueing(tx, campaign.workspaceId)
  const members = filter
    ? selectLeads(tx, campaign, { filter })
    : sql`select lead_id from lead_list_items where lead_list_id = ${campaign.leadListId}`
  await lockLeads(tx, members)
  const basisRequired = await isBasisRequired(tx, limits, campaign.workspaceId)
  const { rows } = await tx.execute<{ queued: number; total: number }>(sql`
    with added as (
      insert into dms (workspace_id, user_id, lead_id, campaign_id, message, status, error_message)
      select l.workspace_id, ${campaign.userId}::uuid, l.id, ${campaign.id}::uuid, ${compileTemplate(template, LEAD)},
        case when skip.reason is null then 'queued' else 'failed' end, skip.reason
      from leads l
      left join lead_list_items i on i.lead_list_id = ${campaign.leadListId} and i.lead_id = l.id
      left join lateral (${reasonToSkip(campaign, basisRequired)}) skip on true
      where l.id in (${members})
      order by coalesce(i.added_at, l.created_at), l.id
      on conflict (campaign_id, step, lead_id) do nothing
      returning lead_id, status
    ), marked as (
      update leads set dm_status = 'queued', updated_at = now()
      where id in (select lead_id from added where status = 'queued')
    )
    select count(*)::int as total, (count(*) filter (where status = 'queued'))::int as queued from added
  `)
  return rows[0] ?? { queued: 0, total: 0 }
}

const NO_BASIS =
  'Skipped: this lead has no contact basis. Say on the leads page how you know that they want to hear from you.'

/**
 * Over a lead `l`: why this campaign must not write to it; null where it may. Writing twice, and to those who have replied, can be allowed in a campaign;
 * writing to the suppressed cannot.
 */
function reasonToSkip(campaign: Pick<Campaign, 'id' | 'kind' | 'allowRepeat'>, basisRequired: boolean): SQL {
  const isLimited = basisRequired && campaign.kind === 'campaign'
  return sql`select coalesce(${suppressedBecause('l')}, case when ${isLimited}::boolean and l.basis = 'none' then ${NO_BASIS}::text end,
    case when l.replied_at is not null and not ${campaign.allowRepeat}::boolean then 'Skipped: this person has replied.' end, (
    select 'Skipped: ' || case when c.kind = 'direct' then 'a direct message' else 'the campaign “' || c.name || '”' end
      || case when d.status = 'queued' then ' is queued for this lead already.' else ' has gone to this lead already.' end
    from dms d join campaigns c on c.id = d.campaign_id
    where not ${campaign.allowRepeat}::boolean and d.lead_id = l.id and d.campaign_id <> ${campaign.id}::uuid
      and (d.sent_at is not null or d.outcome_unknown or (d.status = 'queued' and c.status <> 'archived'))
    order by d.sent_at nulls last limit 1)) as reason`
}

/** One queueing at a time in a workspace: each must see what the one before has queued, or both would write to one lead. */
async function lockQueueing(tx: Db, workspaceId: string): Promise<void> {
  await tx.execute(sql`select pg_advisory_xact_lock(hashtextextended('queueing:' || ${workspaceId}::text, 0))`)
}

/** A list may hold hundreds of thousands of leads: what changes them all in one statement may take longer than a request's query. */
async function allowLongStatements(tx: Db): Promise<void> {
  await tx.execute(sql`set local statement_timeout = '10min'`)
}

/** Whoever changes many leads locks them in the order of their ids, so that two who do never wait for each other. */
async function lockLeads(tx: Db, ids: SQL): Promise<void> {
  await allowLongStatements(tx)
  await tx.execute(sql`
    select count(*) from (select from leads where id in (${ids}) order by id for no key update) locked`)
}

/** Writes a changed template into what is still queued and was never in a sender's hands. Behind `shutGate`, as it locks messages in no order. */
export async function renderAgain(tx: Db, campaignId: string, template: Template): Promise<void> {
  await allowLongStatements(tx)
  await tx.execute(sql`
    update dms set message = ${compileTemplate(template, LEAD)}, updated_at = now()
    from leads l
    where dms.campaign_id = ${campaignId} and l.id = dms.lead_id and dms.status = 'queued'
      and dms.lease_expires_at is null and dms.tried_at is null`)
}

/** Before the campaign's own row, as whoever records an outcome does. */
export async function lockQueuedLeads(tx: Db, campaignId: string): Promise<void> {
  await lockLeads(tx, sql`select lead_id from dms where campaign_id = ${campaignId} and status = 'queued'`)
}

/** Lets go of the leads of an archived campaign: nothing it has queued is ever sent, so they may be written to by others. */
export async function releaseLeads(tx: Db, campaignId: string): Promise<void> {
  await settleLeads(tx, sql`select lead_id from dms where campaign_id = ${campaignId} and status = 'queued'`)
}

/** Gives leads whose queued message will not be sent the status that their other messages leave them in. */
async function settleLeads(tx: Db, leadIds: SQL): Promise<void> {
  await tx.execute(sql`
    with known as (
      select d.lead_id, bool_or(d.sent_at is not null) as contacted, bool_or(d.status = 'failed' and d.tried_at is not null) as failed,
        bool_or(d.status = 'queued' and c.status <> 'archived') as still_queued
      from dms d join campaigns c on c.id = d.campaign_id where d.lead_id in (${leadIds})
      group by d.lead_id
    )
    update leads l set updated_at = now(),
      dm_status = case when known.contacted then 'contacted' when known.failed then 'failed_contact' else 'not_sent' end
    from known where l.id = known.lead_id and l.dm_status = 'queued' and not known.still_queued`)
}

// Stopping

/** Over a lead `l` and a message `d`: why it must not go out; null where it may. */
const reasonToStop = sql`coalesce(${suppressedBecause('l')}, ${answeredBecause('l', 'd')})`

/**
 * Ends what waits for leads that are on the suppression list now, or in whose conversation something was said since it was queued: their messages fail, with why,
 * in every campaign, and a campaign with nothing left is complete.
 * What is in somebody's hands is passed over: senders look at the list themselves before they hand a message over, and so does who queues one again.
 * @param leadIds a query for them; others among them are left alone
 * @returns how many messages were stopped
 */
export async function stopMessages(tx: Db, workspaceId: string, leadIds: SQL): Promise<number> {
  // Whoever is just queueing a list holds its leads: their messages are seen here once that is done.
  await lockLeads(tx, leadIds)
  const waiting = sql`
    from dms d join leads l on l.id = d.lead_id
    where d.workspace_id = ${workspaceId} and d.lead_id in (${leadIds}) and d.status = 'queued' and d.lease_expires_at is null`
  // Campaigns before the messages, and no message is waited for: who holds one may wait for a lead.
  const { rows: held } = await tx.execute<{ id: string }>(sql`
    select id from campaigns where id in (select d.campaign_id ${waiting}) order by id for no key update`)
  if (held.length === 0) return 0
  const { rowCount } = await tx.execute(sql`
    update dms set status = 'failed', error_message = found.reason, updated_at = now()
    from (
      select d.id, ${reasonToStop} as reason ${waiting} and d.campaign_id = any(${sql.param(held.map(({ id }) => id))}::uuid[])
      for update of d skip locked
    ) found
    where dms.id = found.id and found.reason is not null`)
  await settleLeads(tx, leadIds)
  for (const { id } of held) await completeIfDone(tx, id)
  return rowCount ?? 0
}

/** Fails a queued message that is in nobody's hands because its lead was suppressed, or answered, after it was queued. It counts as never tried. */
export async function skipMessage(tx: Db, id: string, reason: string): Promise<void> {
  const { rows } = await tx.execute<{ campaignId: string; leadId: string }>(sql`
    select campaign_id as "campaignId", lead_id as "leadId" from dms
    where id = ${id} and status = 'queued' and lease_expires_at is null and lead_id is not null for update`)
  const [skipped] = rows
  if (!skipped) return
  const leadId = sql`select ${skipped.leadId}::uuid`
  // Before the campaign, which the message's count changes.
  await lockLeads(tx, leadId)
  await tx.execute(
    sql`update dms set status = 'failed', error_message = ${reason}, updated_at = now() where id = ${id}`,
  )
  await settleLeads(tx, leadId)
  await completeIfDone(tx, skipped.campaignId)
}

/** Why a message must not go out at this moment; null where it may. */
export async function findReasonToStop(db: Db, dmId: string): Promise<string | null> {
  const { rows } = await db.execute<{ reason: string | null }>(
    sql`select ${reasonToStop} as reason from dms d join leads l on l.id = d.lead_id where d.id = ${dmId}`,
  )
  return rows[0]?.reason ?? null
}

/**
 * Puts the account on the senders' schedule, where it is not, and tells them when the transaction commits.
 * A pause that the account is in the middle of stays: work that was overdue is paced like any other.
 */
export async function wakeAccount(tx: Db, accountId: string): Promise<void> {
  // Unconditional, so that the row is locked: a sender that is just taking the account off the schedule comes before or after, never between.
  await tx
    .update(xAccounts)
    .set({ nextSendAt: sql`coalesce(${xAccounts.nextSendAt}, now())` })
    .where(eq(xAccounts.id, accountId))
  await tx.execute(sql`select pg_notify(${SENDING_CHANNEL}, '')`)
}

/**
 * Queues one message a lead outside any campaign, in the workspace's built-in campaign 'Direct'. Leads that are queued, were written to or may have been, or are suppressed, are left out.
 * @throws Refusal X_NOT_CONNECTED, INVALID_INPUT (placeholder)
 */
export async function queueDirect(
  db: Db,
  actor: Actor,
  { message, ...selection }: LeadSelection & { message?: string },
): Promise<{ success: true; queued: number }> {
  const template = readTemplate('message', message || DEFAULT_DIRECT_MESSAGE)
  return transact(db, async (tx) => {
    const account = await requireConnectedAccount(tx, actor.workspaceId)
    await lockQueueing(tx, actor.workspaceId)
    // Leads before the campaign, as whoever records an outcome does.
    const chosen = selectLeads(tx, actor, await resolveSelection(tx, actor, selection))
    await lockLeads(tx, chosen)
    const direct = await openDirectCampaign(tx, actor, account.id)
    const { rowCount } = await tx.execute(sql`
      with added as (
        insert into dms (workspace_id, user_id, lead_id, campaign_id, step, message)
        select l.workspace_id, ${actor.userId}::uuid, l.id, ${direct}::uuid,
          coalesce((select max(d.step) + 1 from dms d where d.campaign_id = ${direct}::uuid and d.lead_id = l.id), 0),
          ${compileTemplate(template, LEAD)}
        from leads l
        where l.workspace_id = ${actor.workspaceId} and l.id in (${chosen})
          and l.dm_status not in ('queued', 'sent', 'contacted')
          and not exists (select from dms d where d.lead_id = l.id and d.outcome_unknown)
          and ${suppressedBecause('l')} is null
        order by l.created_at, l.id
        returning lead_id
      )
      update leads set dm_status = 'queued', updated_at = now() where id in (select lead_id from added)`)
    await wakeAccount(tx, account.id)
    return { success: true as const, queued: rowCount ?? 0 }
  })
}

async function openDirectCampaign(tx: Db, actor: Actor, xAccountId: string): Promise<string> {
  const [row] = await tx
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
    // The account of today sends what is queued; asking to send ends a pause that X caused.
    .onConflictDoUpdate({
      target: campaigns.workspaceId,
      targetWhere: sql`kind = 'direct'`,
      set: { xAccountId, status: 'active', pauseReason: null, updatedAt: sql`now()` },
    })
    .returning({ id: campaigns.id })
  return row?.id ?? ''
}

export interface DirectMessage {
  leadId: string
  /** A template of the messenger. */
  message: string
  templateVariables: { name: string; handle: string }
  /** Also to somebody who was written to before. */
  allowRepeat: boolean
}

/**
 * Makes one message of the campaign 'Direct' that is in this process's hands from the start, so that no sender takes it: what sending at once begins with.
 * @param keep what else belongs in the transaction
 * @throws Refusal X_NOT_CONNECTED, LEAD_NOT_FOUND, LEAD_STATE, PLAN_LIMIT, RATE_LIMITED (the account's cap, or X has told it to rest), INVALID_INPUT (placeholder)
 */
export async function claimDirect(
  db: Db,
  pace: Pace,
  actor: Actor,
  { leadId, message, templateVariables: { name, handle }, allowRepeat }: DirectMessage,
  holder: string,
  keep: (tx: Db, dmId: string) => Promise<void>,
) {
  const template = readTemplate('message', message, 'messenger')
  return transact(db, async (tx) => {
    const { id: accountId } = await requireConnectedAccount(tx, actor.workspaceId)
    await lockQueueing(tx, actor.workspaceId)
    const [lead] = await tx
      .select()
      .from(leads)
      .where(and(eq(leads.id, leadId), eq(leads.workspaceId, actor.workspaceId)))
      .for('no key update')
    if (!lead) throw new Refusal('LEAD_NOT_FOUND')
    const text = renderTemplate(template, { name, twitterHandle: handle, metadata: lead.metadata })
    if (text.trim() === '') throw invalidField('message', 'Please enter a message to send')
    if (text.length > MESSAGE_MAX)
      throw invalidField(
        'message',
        `The message becomes longer than ${MESSAGE_MAX.toLocaleString('en-US')} characters.`,
      )
    const obstacle = await findObstacle(tx, leadId, allowRepeat)
    if (obstacle) throw new Refusal('LEAD_STATE', obstacle)
    const allowance = await allowanceOf(tx, actor.workspaceId, 'dms', { lock: true })
    if (allowance.left < 1) throw beyondPlan(allowance, 'dms')
    await use(tx, actor.workspaceId, 'dms', 1)
    const campaignId = await openDirectCampaign(tx, actor, accountId)
    const account = await lockAccount(tx, accountId)
    await refuseBeyondCap(tx, pace, account)
    const { rows } = await tx.execute<{ id: string; lease: string }>(sql`
      with claimed as (
        insert into dms (workspace_id, user_id, lead_id, campaign_id, step, message, lease, holder, lease_expires_at, claimed_at, tried_at, x_account_id, attempts)
        select ${actor.workspaceId}::uuid, ${actor.userId}::uuid, ${leadId}::uuid, ${campaignId}::uuid,
          coalesce((select max(step) + 1 from dms where campaign_id = ${campaignId}::uuid and lead_id = ${leadId}::uuid), 0), ${text},
          gen_random_uuid(), ${holder}, clock_timestamp() + make_interval(secs => ${LEASE_SECONDS}), clock_timestamp(), clock_timestamp(), ${accountId}::uuid, 1
        returning id, lease
      ), marked as (
        update leads set dm_status = 'queued', updated_at = now() where id = ${leadId}
      ), moved as (
        -- What campaigns wait to send comes at its own distance.
        update x_accounts set next_send_at = greatest(next_send_at, clock_timestamp() + make_interval(secs => ${restSeconds(pace.sendIntervalSeconds, Math.random())}))
        where id = ${accountId} and next_send_at is not null
      )
      select id, lease from claimed`)
    const [row] = rows
    if (!row) throw new Error('no message was made')
    await keep(tx, row.id)
    return {
      ...row,
      campaignId,
      workspaceId: actor.workspaceId,
      message: text,
      accountId,
      senderId: account.xUserId,
      lead: { id: lead.id, handle: lead.twitterHandle, xUserId: lead.xUserId },
      suppressed: null,
      triedSince: null,
    }
  })
}

/** Why a lead gets no message by hand now; null where it may. */
async function findObstacle(tx: Db, leadId: string, allowRepeat: boolean): Promise<string | null> {
  const { rows } = await tx.execute<{ reason: string | null }>(sql`
    select coalesce(${suppressedBecause('l')}, (
      select case
        when d.outcome_unknown then 'A message to this lead may have been sent: check the conversation first.'
        when d.status = 'queued' then 'A message is queued for this lead already.'
        else 'This lead has been written to already.' end
      from dms d join campaigns c on c.id = d.campaign_id
      where d.lead_id = l.id and (
        d.outcome_unknown or (d.status = 'queued' and c.status <> 'archived') or (d.sent_at is not null and not ${allowRepeat}::boolean))
      order by d.outcome_unknown desc, d.sent_at nulls first limit 1)) as reason
    from leads l where l.id = ${leadId}`)
  return rows[0]?.reason?.replace(/^Skipped: this/, 'This') ?? null
}

async function lockAccount(tx: Db, id: string) {
  const [account] = await tx.select().from(xAccounts).where(eq(xAccounts.id, id)).for('no key update')
  if (account?.status !== 'connected') throw new Refusal('X_NOT_CONNECTED')
  await tx.execute(sql`select pg_advisory_xact_lock(${xUserLock(account.xUserId)})`)
  return account
}

/** The pause between campaign sends and working hours are not for somebody who writes by hand; the cap and what X asks for are. @throws Refusal RATE_LIMITED */
async function refuseBeyondCap(tx: Db, limits: Pace, account: typeof xAccounts.$inferSelect): Promise<void> {
  const { rest, cap, now } = await findRest(tx, limits, { workspaceId: account.workspaceId, account, byHand: true })
  if (!rest) return
  throw new Refusal(
    'RATE_LIMITED',
    rest.reason === 'x'
      ? X_ALLOWS_NO_MORE
      : `@${account.handle} has sent its ${cap.cap.toLocaleString('en-US')} DMs of the last 24 hours.`,
    { retryAfterSeconds: Math.max(1, Math.ceil((rest.until.getTime() - now.getTime()) / 1_000)) },
  )
}

export const X_ALLOWS_NO_MORE = 'X allows this account no more messages for now.'

/** Takes back a message that was certainly not sent, as if nobody had asked for it. */
export async function withdrawDirect(
  tx: Db,
  dm: { id: string; lease: string; workspaceId: string; lead: { id: string } | null },
): Promise<void> {
  const held = sql`id = ${dm.id} and lease = ${dm.lease} and status = 'queued' and not outcome_unknown`
  const { rowCount } = await tx.execute(sql`select from dms where ${held} for update`)
  if (!rowCount || !dm.lead) return
  await lockLeads(tx, sql`select ${dm.lead.id}::uuid`)
  await tx.execute(sql`delete from dms where ${held}`)
  await use(tx, dm.workspaceId, 'dms', -1)
  await tx.execute(sql`
    update leads l set updated_at = now(), dm_status = coalesce((
      select case when bool_or(d.sent_at is not null) then 'contacted' when bool_or(d.status = 'failed' and d.tried_at is not null) then 'failed_contact' end
      from dms d where d.lead_id = l.id), 'not_sent')
    where l.id = ${dm.lead.id} and l.dm_status = 'queued'
      and not exists (select from dms d join campaigns c on c.id = d.campaign_id where d.lead_id = l.id and d.status = 'queued' and c.status <> 'archived')`)
}

/**
 * Queues a failed message again; a completed campaign goes on for it.
 * @throws Refusal DM_NOT_FOUND; DM_STATE: not failed, or its lead may not be written to
 */
export async function requeue(db: Db, limits: Pace, actor: Actor, id: string) {
  return transact(db, async (tx) => {
    // Message, lead, campaign: in this order every outcome is recorded too (db/transact.ts).
    const [found] = await tx
      .select({ dm: dms, campaign: campaigns })
      .from(dms)
      .innerJoin(campaigns, eq(campaigns.id, dms.campaignId))
      .where(and(eq(dms.id, id), eq(dms.workspaceId, actor.workspaceId)))
      .for('update', { of: dms })
    if (!found) throw new Refusal('DM_NOT_FOUND')
    const { dm, campaign } = found
    if (dm.status !== 'failed') throw new Refusal('DM_STATE', 'Only a failed message can be queued again.')
    if (!dm.leadId) throw new Refusal('DM_STATE', 'Its lead was deleted.')
    await lockQueueing(tx, actor.workspaceId)
    const basisRequired = await isBasisRequired(tx, limits, actor.workspaceId)
    const { rows } = await tx.execute<{ reason: string | null }>(
      sql`select skip.reason from leads l left join lateral (${reasonToSkip(campaign, basisRequired)}) skip on true where l.id = ${dm.leadId} for no key update of l`,
    )
    if (rows[0]?.reason) throw new Refusal('DM_STATE', rows[0].reason)
    await tx
      .update(dms)
      .set({
        status: 'queued',
        errorMessage: null,
        outcomeUnknown: false,
        lease: null,
        holder: null,
        dueAt: sql`now()`,
        requeuedAt: sql`now()`,
        updatedAt: sql`now()`,
      })
      .where(eq(dms.id, id))
    await tx.update(leads).set({ dmStatus: 'queued', updatedAt: sql`now()` }).where(eq(leads.id, dm.leadId))
    const goesOn = await tx
      .update(campaigns)
      .set({ status: sql`case when status = 'completed' then 'active' else status end`, updatedAt: sql`now()` })
      .where(and(eq(campaigns.id, campaign.id), ne(campaigns.status, 'archived')))
      .returning({ id: campaigns.id })
    if (goesOn.length === 0) throw new Refusal('DM_STATE', 'Its campaign is archived.')
    if (campaign.xAccountId) await wakeAccount(tx, campaign.xAccountId)
    const [row] = await tx.select(dmColumns).from(dms).leftJoin(leads, eq(leads.id, dms.leadId)).where(eq(dms.id, id))
    return row as NonNullable<typeof row>
  })
}

// Pausing

/** A worker holds it, shared, while it has a message of the campaign in hand (engine.ts); pausing takes it alone. */
export function campaignLock(id: SQL): SQL {
  return sql`hashtextextended('campaign:' || ${id}, 0)`
}

/**
 * What a claim passes through: held, shared, for the claim's transaction only. Who has messages in hand already would get the campaign's lock again
 * however long a pause waits for it; the gate it does not.
 */
export function campaignGate(id: SQL): SQL {
  return sql`hashtextextended('gate of campaign:' || ${id}, 0)`
}

/** Longer than a message can be in a living worker's hands. */
const HOLD_SECONDS = 25

/**
 * Keeps workers from taking a message of this campaign until the transaction ends, and waits until none has one in its hands: what pausing and archiving begin with.
 * A process that hangs is not waited for longer than any send may take; when it wakes it finds its claim old, and the campaign paused.
 */
export async function holdCampaign(tx: Db, campaignId: string): Promise<void> {
  const id = sql`${campaignId}::text`
  const end = performance.now() + HOLD_SECONDS * 1000
  if (!(await lockInTime(tx, campaignGate(id))) || !(await lockInTime(tx, campaignLock(id)))) return
  // Where the connection that held the lock broke, a living worker may still have messages in hand: then their rows tell.
  while ((await isInHand(tx, campaignId)) && performance.now() < end) await sleep(LOOK_MS)
}

const LOOK_MS = 50

/** Keeps workers from taking a message of this campaign until the transaction ends; what they have in hand goes on. */
export async function shutGate(tx: Db, campaignId: string): Promise<void> {
  await lockInTime(tx, campaignGate(sql`${campaignId}::text`))
}

/** Whether a worker that lives has a message of the campaign in its hands. */
async function isInHand(tx: Db, campaignId: string): Promise<boolean> {
  const { rows } = await tx.execute(sql`
    select from dms where lease_expires_at is not null and campaign_id = ${campaignId} and status = 'queued' and not outcome_unknown
      and holder like 'worker:%' and substr(holder, 8)::bigint in (${livingWorkers}) limit 1`)
  return rows.length > 0
}

/** Takes a lock until the transaction ends. False: it was not to be had in HOLD_SECONDS. */
async function lockInTime(tx: Db, lock: SQL): Promise<boolean> {
  try {
    await tx.transaction(async (nested) => {
      await nested.execute(sql.raw(`set local lock_timeout = '${HOLD_SECONDS}s'`))
      await nested.execute(sql`select pg_advisory_xact_lock(${lock})`)
      await nested.execute(sql`set local lock_timeout = 0`)
    })
    return true
  } catch (error) {
    const { code, cause } = error as { code?: string; cause?: { code?: string } }
    if ((cause?.code ?? code) !== LOCK_NOT_AVAILABLE) throw error
    return false
  }
}

const LOCK_NOT_AVAILABLE = '55P03'

// Reading

const dmColumns = {
  id: dms.id,
  campaignId: dms.campaignId,
  status: dms.status,
  message: dms.message,
  sentAt: dms.sentAt,
  createdAt: dms.createdAt,
  updatedAt: dms.updatedAt,
  errorMessage: dms.errorMessage,
  outcomeUnknown: dms.outcomeUnknown,
  lead: { id: leads.id, name: leads.name, twitterHandle: leads.twitterHandle },
}

interface DmPage {
  status?: DmStatus
  page: number
  pageSize: number
  cursor?: string
}

/** Messages of a campaign in the order in which they were queued. `cursor` goes on behind an answer before, at the cost of one page however deep. */
export async function listDms(db: Db, campaign: Campaign, { status, page, pageSize, cursor }: DmPage) {
  const of = and(eq(dms.campaignId, campaign.id), status && eq(dms.status, status))
  const behind = cursor === undefined ? undefined : readCursor(cursor)
  // Which rows, from the index alone; only then what they hold.
  const shownIds = db
    .select({ id: dms.id })
    .from(dms)
    .where(and(of, behind))
    .orderBy(asc(dms.createdAt), asc(dms.id))
    .limit(pageSize + 1)
    .offset(behind ? 0 : (page - 1) * pageSize)
    .as('shown')
  const rows = await db
    .select(dmColumns)
    .from(shownIds)
    .innerJoin(dms, eq(dms.id, shownIds.id))
    .leftJoin(leads, eq(leads.id, dms.leadId))
    .orderBy(asc(dms.createdAt), asc(dms.id))
  const shown = rows.slice(0, pageSize)
  const last = rows.length > pageSize ? shown.at(-1) : undefined
  return {
    dms: shown,
    total: await countDms(db, campaign, status),
    page,
    pageSize,
    cursor: last ? Buffer.from(`${last.createdAt.toISOString()} ${last.id}`).toString('base64url') : null,
  }
}

/** Kept counts where there is one; messages that were read or answered are counted. */
async function countDms(db: Db, campaign: Campaign, status: DmStatus | undefined): Promise<number> {
  if (status === 'queued') return campaign.dmsQueuedCount
  if (status === 'failed') return campaign.dmsFailedCount
  if (status === undefined) return campaign.dmsQueuedCount + campaign.dmsSentCount + campaign.dmsFailedCount
  const others = DM_STATUSES.filter((one) => one !== status && one !== 'queued' && one !== 'failed')
  if (status !== 'sent') return db.$count(dms, and(eq(dms.campaignId, campaign.id), eq(dms.status, status)))
  const advanced = await Promise.all(
    others.map((one) => db.$count(dms, and(eq(dms.campaignId, campaign.id), eq(dms.status, one)))),
  )
  return campaign.dmsSentCount - advanced.reduce((sum, count) => sum + count, 0)
}

function readCursor(cursor: string) {
  const [at, id] = Buffer.from(cursor, 'base64url').toString().split(' ')
  if (!isMoment(at ?? '') || !isId(id ?? '')) throw invalidField('cursor', 'is not one of an answer before')
  const createdAt = new Date(at ?? '')
  return or(gt(dms.createdAt, createdAt), and(eq(dms.createdAt, createdAt), gt(dms.id, id as string)))
}

// Claims of the extension

export type ClaimAnswer =
  | {
      status: 200
      body: {
        dmId: string
        lease: string
        leadId: string
        twitterHandle: string
        message: string
        leaseExpiresAt: Date
      }
    }
  | { status: 204; headers?: Record<string, string> }

/**
 * Hands the next message of one campaign to an extension.
 * @throws Refusal CAMPAIGN_NOT_FOUND, CAMPAIGN_CHANNEL (ours to send), CAMPAIGN_STATE (not active)
 */
export async function claim(
  db: Db,
  pace: Pace,
  actor: Actor,
  { id, holder }: { id: string; holder: string },
): Promise<ClaimAnswer> {
  await expireLeases(db)
  return transact(db, async (tx) => {
    // Keeps a pause off: either it comes first and this sees it, or it waits for this to end.
    const [campaign] = await tx
      .select()
      .from(campaigns)
      .where(and(eq(campaigns.id, id), eq(campaigns.workspaceId, actor.workspaceId), eq(campaigns.kind, 'campaign')))
      .for('no key update')
    if (!campaign) throw new Refusal('CAMPAIGN_NOT_FOUND')
    if (campaign.channel === 'api') throw new Refusal('CAMPAIGN_CHANNEL')
    if (campaign.status !== 'active')
      throw new Refusal('CAMPAIGN_STATE', `The campaign is ${campaign.status}, so nothing is sent.`)
    return claimFrom(tx, pace, campaign, `extension:${holder}`)
  })
}

/** As `claim`, from the oldest active campaign that the extension sends and that has a message due. */
export async function claimAny(db: Db, pace: Pace, actor: Actor, holder: string): Promise<ClaimAnswer> {
  await expireLeases(db)
  return transact(db, async (tx) => {
    const active = await tx
      .select()
      .from(campaigns)
      .where(
        and(
          eq(campaigns.workspaceId, actor.workspaceId),
          eq(campaigns.kind, 'campaign'),
          eq(campaigns.status, 'active'),
          eq(campaigns.channel, 'extension'),
          gt(campaigns.dmsQueuedCount, 0),
        ),
      )
      .orderBy(asc(campaigns.createdAt), asc(campaigns.id))
      .for('no key update')
    let soonest = Number.POSITIVE_INFINITY
    for (const campaign of active) {
      const answer = await claimFrom(tx, pace, campaign, `extension:${holder}`)
      if (answer.status === 200) return answer
      soonest = Math.min(soonest, Number(answer.headers?.['retry-after'] ?? Number.POSITIVE_INFINITY))
    }
    return nothingDue(Number.isFinite(soonest) ? soonest : null)
  })
}

/** What the simulated queue holds messages as: it never sends them, so what it lets go of goes back into the queue. */
export const SIMULATED_HOLDER = 'simulated'

/**
 * Takes the next message of a campaign, whose row the caller has locked, at the pace and under the cap of its account.
 * @param holder who takes it, as `dms.holder` says it
 */
export async function claimFrom(tx: Db, pace: Pace, campaign: Campaign, holder: string): Promise<ClaimAnswer> {
  const account = await lockPace(tx, campaign)
  for (;;) {
    const [next] = await tx
      .select({
        dm: dms,
        lead: leads,
        stopped: sql<
          string | null
        >`(select ${reasonToStop} from leads l join dms d on d.id = ${dms.id} where l.id = ${dms.leadId})`,
        dueInSeconds: sql<number>`extract(epoch from ${dms.dueAt} - clock_timestamp())::float`,
      })
      .from(dms)
      .leftJoin(leads, eq(leads.id, dms.leadId))
      .where(and(eq(dms.campaignId, campaign.id), eq(dms.status, 'queued'), sql`${dms.leaseExpiresAt} is null`))
      .orderBy(asc(dms.dueAt), asc(dms.id))
      .limit(1)
      .for('update', { of: dms, skipLocked: true })
    if (!next) return nothingDue(null)
    if (next.stopped) {
      await skipMessage(tx, next.dm.id, next.stopped)
      continue
    }
    const waitSeconds = Math.max(next.dueInSeconds, await secondsToWait(tx, pace, campaign.workspaceId, account))
    if (waitSeconds > 0) return nothingDue(waitSeconds)
    const [row] = await tx
      .update(dms)
      .set({
        lease: sql`gen_random_uuid()`,
        holder,
        leaseExpiresAt: sql`clock_timestamp() + make_interval(secs => ${LEASE_SECONDS})`,
        claimedAt: sql`clock_timestamp()`,
        ...(holder === SIMULATED_HOLDER ? {} : { triedAt: sql`coalesce(${dms.triedAt}, now())` }),
        xAccountId: account?.id ?? null,
        attempts: sql`${dms.attempts} + 1`,
        updatedAt: sql`now()`,
      })
      .where(eq(dms.id, next.dm.id))
      .returning({ lease: dms.lease, leaseExpiresAt: dms.leaseExpiresAt })
    if (!row?.lease || !row.leaseExpiresAt) throw new Error('the claimed message has no lease')
    if (!next.lead) {
      await recordOutcome(tx, { id: next.dm.id, lease: row.lease }, { wasSent: false, errorMessage: LEAD_MISSING })
      continue
    }
    if (account) {
      const pauseSeconds = pauseSecondsOf(await paceOf(tx, pace, campaign.workspaceId, account.id), pace)
      await tx
        .update(xAccounts)
        .set({
          nextSendAt: sql`clock_timestamp() + make_interval(secs => ${restSeconds(pauseSeconds, Math.random())})`,
        })
        .where(eq(xAccounts.id, account.id))
    }
    return {
      status: 200,
      body: {
        dmId: next.dm.id,
        lease: row.lease,
        leadId: next.lead.id,
        twitterHandle: next.lead.twitterHandle,
        message: next.dm.message,
        leaseExpiresAt: row.leaseExpiresAt,
      },
    }
  }
}

type PacedAccount = typeof xAccounts.$inferSelect

/**
 * Taken for a claim, behind the row of the account: the pace and cap of an account of X are one for all workspaces that have connected it.
 * Senders only try for it (engine.ts), so nobody waits for them in a circle.
 */
export function xUserLock(xUserId: string): SQL {
  return sql`hashtextextended('x user:' || ${xUserId}::text, 0)`
}

/** Locks what paces the campaign: its X account in every workspace, or where the extension's account is not known to us, the workspace. */
async function lockPace(tx: Db, campaign: Campaign): Promise<PacedAccount | null> {
  const id = campaign.xAccountId ?? (await findCurrentAccount(tx, campaign.workspaceId))?.id
  if (!id) {
    await tx.execute(sql`select pg_advisory_xact_lock(hashtextextended('pace:' || ${campaign.workspaceId}::text, 0))`)
    return null
  }
  const [account] = await tx.select().from(xAccounts).where(eq(xAccounts.id, id)).for('update')
  if (account) await tx.execute(sql`select pg_advisory_xact_lock(${xUserLock(account.xUserId)})`)
  return account ?? null
}

/** Seconds until the account's pace and cap allow one more; 0 or less: now. By the clock, as this transaction may have waited for the one before. */
async function secondsToWait(tx: Db, pace: Pace, workspaceId: string, account: PacedAccount | null): Promise<number> {
  // What X asks of its API is kept by our workers alone; they have written it down as the account's next moment, too.
  const { rest, now } = await findRest(tx, pace, { workspaceId, account: account && { ...account, restsUntil: null } })
  const until = Math.max(rest?.until.getTime() ?? 0, account?.nextSendAt?.getTime() ?? 0)
  return (until - now.getTime()) / 1_000
}

function nothingDue(seconds: number | null): ClaimAnswer {
  return {
    status: 204,
    ...(seconds === null ? {} : { headers: { 'retry-after': String(Math.max(1, Math.ceil(seconds))) } }),
  }
}

// Outcomes

export interface Outcome {
  wasSent: boolean
  /** X's id of the sent message. */
  eventId?: string | null
  errorMessage?: string | null
  /** Failed without anybody knowing. */
  outcomeUnknown?: boolean
}

/**
 * Records what became of a claimed message, once: on the message, its lead, its place in the list, and its campaign.
 * @returns null where the lease is not the message's any more
 */
export async function recordOutcome(
  tx: Db,
  dm: { id: string; lease: string },
  { wasSent, eventId = null, errorMessage = null, outcomeUnknown = false }: Outcome,
): Promise<{ campaignCompleted: boolean } | null> {
  const { rows } = await tx.execute<{ campaignId: string }>(sql`
    with dm as (
      update dms set status = ${wasSent ? 'sent' : 'failed'}, sent_at = ${wasSent ? sql`now()` : null}, x_event_id = ${eventId},
        error_message = ${wasSent ? null : errorMessage}, outcome_unknown = ${outcomeUnknown}, lease_expires_at = null, updated_at = now()
      where id = ${dm.id} and lease = ${dm.lease} and (status = 'queued' or (status = 'failed' and outcome_unknown))
      returning campaign_id, lead_id
    ), list as (
      -- Its count of contacts changes in the end: locked before the lead and its place, as everyone does.
      select l.id from lead_lists l join campaigns c on c.lead_list_id = l.id join dm on dm.campaign_id = c.id
      where ${wasSent}::boolean and l.filter is null for no key update of l
    ), lead as (
      update leads l set dm_status = ${wasSent ? 'contacted' : 'failed_contact'}, updated_at = now()
      from dm left join list on true where l.id = dm.lead_id
    ), item as (
      update lead_list_items i set contact_status = 'contacted'
      from dm cross join list
      where i.lead_list_id = list.id and i.lead_id = dm.lead_id and i.contact_status <> 'contacted'
    )
    select campaign_id as "campaignId" from dm`)
  const campaignId = rows[0]?.campaignId
  if (!campaignId) return null
  if (wasSent) await catchUp(tx, dm.id)
  return { campaignCompleted: await completeIfDone(tx, campaignId) }
}

/** X may have told that a message was read or answered before we had written down that it was sent. A statement of its own, so that it sees what was told while this one waited. */
async function catchUp(tx: Db, id: string): Promise<void> {
  await tx.execute(sql`
    update dms d set status = case when told.replied_at is null then 'delivered' else 'replied' end,
      replied_at = told.replied_at, delivered_at = coalesce(told.read_at, told.replied_at)
    from dms m cross join lateral (
      select (select min(r.at) from replies r where r.dm_id = m.id and r.kind = 'reply') as replied_at,
        (select s.read_at from lead_reads s join x_accounts a on a.x_user_id = s.account_x_user_id
         where s.lead_id = m.lead_id and a.id = m.x_account_id and s.read_at >= m.claimed_at) as read_at
    ) told
    where m.id = ${id} and d.id = m.id and d.status = 'sent' and coalesce(told.replied_at, told.read_at) is not null`)
}

/** Completed when sent and failed reach the list's total (specification §4); also keeps when the campaign last ran. */
export async function completeIfDone(tx: Db, campaignId: string): Promise<boolean> {
  const done = sql`kind = 'campaign' and queued_at is not null and status not in ('completed', 'archived')
    and dms_sent_count + dms_failed_count >= total_leads_in_list`
  const [row] = await tx
    .update(campaigns)
    .set({
      lastRunAt: sql`now()`,
      updatedAt: sql`now()`,
      status: sql`case when ${done} then 'completed' else status end`,
      pauseReason: sql`case when ${done} then null else pause_reason end`,
    })
    .where(eq(campaigns.id, campaignId))
    .returning({ status: campaigns.status })
  return row?.status === 'completed'
}

/**
 * An extension says what became of a message. A late word under its own lease counts until the message is queued again, and the same word again changes nothing.
 * @throws Refusal DM_NOT_FOUND; LEASE_LOST: another's lease, or another outcome was recorded
 */
export async function reportOutcome(
  db: Db,
  actor: Actor,
  report: { id: string; lease: string; wasSent: boolean; errorMessage?: string; outcomeUnknown?: boolean },
) {
  const { id, lease, wasSent, errorMessage } = report
  const outcomeUnknown = !wasSent && report.outcomeUnknown === true
  return transact(db, async (tx) => {
    const [dm] = await tx
      .select()
      .from(dms)
      .where(and(eq(dms.id, id), eq(dms.workspaceId, actor.workspaceId)))
      .for('update')
    if (!dm) throw new Refusal('DM_NOT_FOUND')
    if (dm.lease !== lease.toLowerCase() || !dm.holder?.startsWith('extension:')) throw new Refusal('LEASE_LOST')
    const recorded = await recordOutcome(
      tx,
      { id, lease: dm.lease },
      { wasSent, errorMessage: errorMessage || (outcomeUnknown ? OUTCOME_UNKNOWN : DEFAULT_FAILURE), outcomeUnknown },
    )
    if (recorded) return { success: true as const, ...recorded }
    if (wasSent !== (dm.sentAt !== null))
      throw new Refusal('LEASE_LOST', 'Another outcome of this message was recorded already.')
    const [campaign] = await tx
      .select({ status: campaigns.status })
      .from(campaigns)
      .where(eq(campaigns.id, dm.campaignId))
    return { success: true as const, campaignCompleted: campaign?.status === 'completed' }
  })
}

/**
 * Messages that an extension took and never reported: nobody knows whether they were sent, so they fail until a person has looked.
 * What a simulation has dropped was certainly not sent, and waits again.
 */
export async function expireLeases(db: Db): Promise<void> {
  await db.execute(sql`
    update dms set lease = null, holder = null, lease_expires_at = null, claimed_at = null, updated_at = now()
    where lease_expires_at < now() and holder = ${SIMULATED_HOLDER} and status = 'queued'`)
  const { rows } = await db.execute<{ id: string; lease: string }>(
    sql`select id, lease from dms where lease_expires_at < now() and holder like 'extension:%' limit 500`,
  )
  for (const dm of rows) {
    await transact(db, (tx) =>
      recordOutcome(tx, dm, { wasSent: false, errorMessage: OUTCOME_UNKNOWN, outcomeUnknown: true }),
    )
  }
}
