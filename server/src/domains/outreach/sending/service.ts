import type { LeadFilter, LeadSelection } from '@x-automated/contract/leads/leads'
import type { Template } from '@x-automated/contract/outreach/template'
import { refusalText, type SkipReason } from '@x-automated/contract/reason'
import { and, eq, ne, type SQL, sql } from 'drizzle-orm'
import type { Actor } from '../../../actor.ts'
import { allowLongStatements } from '../../../db/long-statements.ts'
import type { Db } from '../../../db/open.ts'
import { reasonSql } from '../../../db/reasons.ts'
import { transact } from '../../../db/transact.ts'
import { Refusal } from '../../../refusal.ts'
import { choosePart, selectLeads } from '../../leads/leads/service.ts'
import { leads } from '../../leads/leads/tables.ts'
import { suppressionReason } from '../../leads/suppressions/tables.ts'
import { allowanceOf } from '../../platform/billing/service.ts'
import { requireConnectedAccount } from '../../platform/x-account/service.ts'
import { campaigns } from '../campaigns/tables.ts'
import { repliedReason } from '../replies/tables.ts'
import { isBasisRequired, type SendingEnv } from '../sending-settings/service.ts'
import { requireQuota, spend } from './service-allowance.ts'
import { openDirectCampaign } from './service-direct.ts'
import { lockLeads, lockQueueing } from './service-locks.ts'
import { dmAnswer, dmColumns } from './service-reading.ts'
import { wakeAccount } from './service-schedule.ts'
import { readTemplate, renderedMessage } from './service-templates.ts'
import { dms, mayGoOut } from './tables.ts'

/*
 * Queues messages. Claims are in service-claims.ts, outcomes in service-outcomes.ts, stopping in
 * service-stopping.ts and locks in service-locks.ts.
 */

export { findSentMessage } from './rules.ts'
export {
  type ClaimAnswer,
  claim,
  claimAny,
  claimFrom,
  expireLeases,
  renewClaim,
} from './service-claims.ts'
export { blockNewClaims, campaignGate, lockQueuedLeads, waitForInFlight } from './service-locks.ts'
export { LEAD_MISSING, recordOutcome, reportOutcome, SIMULATED_HOLDER } from './service-outcomes.ts'
export { dmAnswer, listDms } from './service-reading.ts'
export { finishReading, recordMessagesFromX } from './service-restored.ts'
export { endTurn, SENDING_CHANNEL, wakeAccount } from './service-schedule.ts'
export { findReasonToStop, releaseIfArchived, releaseLeads, skipMessage, stopMessages } from './service-stopping.ts'
export { readTemplate, renderedPart } from './service-templates.ts'
export { countInFlight } from './tables.ts'

const DEFAULT_DIRECT_MESSAGE = 'Hello! I noticed your profile and wanted to connect.'

type Campaign = typeof campaigns.$inferSelect

// Queueing

/**
 * Queues one message per lead in list order; excluded leads get a failed one with the reason.
 * @param filter of a smart list, else null @throws Refusal PLAN_LIMIT: not enough DMs left
 */
export async function queueList(
  tx: Db,
  limits: SendingEnv,
  campaign: Campaign,
  template: Template,
  filter: LeadFilter | null,
): Promise<{ queued: number; total: number }> {
  await lockQueueing(tx, campaign.workspaceId)
  const members = filter
    ? selectLeads(campaign, { filter })
    : sql`select lead_id from lead_list_items where lead_list_id = ${campaign.leadListId}`
  const basisRequired = await isBasisRequired(tx, limits, campaign.workspaceId)
  const skip = reasonToSkip(campaign, basisRequired)
  await allowLongStatements(tx)
  const allowance = await requireQuota(
    tx,
    campaign.workspaceId,
    sql`select from leads l left join lateral (${skip}) skip on true where l.id in (${members}) and skip.reason is null`,
  )
  await lockLeads(tx, members)
  const { rows } = await tx.execute<{ queued: number; total: number }>(sql`
    with added as (
      insert into dms (workspace_id, user_id, lead_id, campaign_id, message, status, reason)
      select l.workspace_id, ${campaign.userId}::uuid, l.id, ${campaign.id}::uuid, ${renderedMessage(template)},
        case when skip.reason is null then 'queued' else 'failed' end, skip.reason
      from leads l
      left join lead_list_items i on i.lead_list_id = ${campaign.leadListId} and i.lead_id = l.id
      left join lateral (${skip}) skip on true
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
  const counts = rows[0] ?? { queued: 0, total: 0 }
  await spend(tx, campaign.workspaceId, allowance, counts.queued)
  return counts
}

/** SQL over a campaign `c`: the params of a reason that names it. */
const SOURCE = { how: sql`c.kind`, campaign: sql`case c.kind when 'campaign' then c.name end` }

/**
 * SQL over a lead `l`: why this campaign must not message it; null if it may.
 * A campaign may allow repeats and people who replied, each separately, but never suppressed leads.
 */
function reasonToSkip(
  campaign: Pick<Campaign, 'id' | 'kind' | 'allowRepeat' | 'allowReplied'>,
  basisRequired: boolean,
): SQL {
  const isLimited = basisRequired && campaign.kind === 'campaign'
  return sql`select coalesce(${suppressionReason('l')}, case when ${isLimited}::boolean and l.basis = 'none' then ${reasonSql('no_basis')} end,
    ${repliedReason('l', sql`${campaign.allowReplied}::boolean`)},
    case when l.contacted_before_at is not null and not ${campaign.allowRepeat}::boolean
      then ${reasonSql('contacted', { how: sql`'earlier_lead'` })} end, (
    select case when d.status = 'queued' then ${reasonSql('queued_elsewhere', SOURCE)} else ${reasonSql('contacted', SOURCE)} end
    from dms d join campaigns c on c.id = d.campaign_id
    where not ${campaign.allowRepeat}::boolean and d.lead_id = l.id and d.campaign_id <> ${campaign.id}::uuid
      and (d.sent_at is not null or d.outcome_unknown or (d.status = 'queued' and ${mayGoOut}))
    order by d.sent_at nulls last limit 1)) as reason`
}

/**
 * Renders queued, never tried messages with a changed template. Requires `blockNewClaims`, because
 * it locks messages in no particular order.
 */
export async function rerenderQueued(tx: Db, campaignId: string, template: Template): Promise<void> {
  await allowLongStatements(tx)
  await tx.execute(sql`
    update dms set message = ${renderedMessage(template)}, updated_at = now()
    from leads l
    where dms.campaign_id = ${campaignId} and l.id = dms.lead_id and dms.status = 'queued'
      and dms.lease_expires_at is null and dms.tried_at is null`)
}

/**
 * Queues one direct message per lead, except those queued, suppressed or perhaps messaged.
 * @throws Refusal X_NOT_CONNECTED, INVALID_INPUT (placeholder), PLAN_LIMIT (earlier parts stay)
 */
export async function queueDirect(
  db: Db,
  actor: Actor,
  { message, ...selection }: LeadSelection & { message?: string },
): Promise<{ success: true; queued: number; cursor: string | null }> {
  const template = readTemplate('message', message || DEFAULT_DIRECT_MESSAGE)
  return transact(db, async (tx) => {
    const account = await requireConnectedAccount(tx, actor.workspaceId)
    await lockQueueing(tx, actor.workspaceId)
    // Lock leads before the campaign, as recording an outcome does.
    const { leads: chosen, cursor } = await choosePart(tx, actor, selection)
    const writable = sql`l.workspace_id = ${actor.workspaceId} and l.id in (${chosen})
          and l.dm_status not in ('queued', 'sent', 'contacted')
          and not exists (select from dms d where d.lead_id = l.id and (d.outcome_unknown or d.lease_expires_at is not null))
          and ${suppressionReason('l')} is null`
    const allowance = await requireQuota(tx, actor.workspaceId, sql`select from leads l where ${writable}`)
    await lockLeads(tx, chosen)
    const direct = await openDirectCampaign(tx, actor, account.id)
    const { rowCount } = await tx.execute(sql`
      with added as (
        insert into dms (workspace_id, user_id, lead_id, campaign_id, step, message)
        select l.workspace_id, ${actor.userId}::uuid, l.id, ${direct}::uuid,
          coalesce((select max(d.step) + 1 from dms d where d.campaign_id = ${direct}::uuid and d.lead_id = l.id), 0),
          ${renderedMessage(template)}
        from leads l
        where ${writable}
        order by l.created_at, l.id
        returning lead_id
      )
      update leads set dm_status = 'queued', updated_at = now() where id in (select lead_id from added)`)
    await wakeAccount(tx, account.id)
    await spend(tx, actor.workspaceId, allowance, rowCount ?? 0)
    return { success: true as const, queued: rowCount ?? 0, cursor }
  })
}

/**
 * Queues a failed message again and reactivates a completed campaign. Spends quota if never tried.
 * @throws Refusal DM_NOT_FOUND; DM_STATE: not failed, or the lead is excluded; PLAN_LIMIT
 */
export async function requeue(db: Db, limits: SendingEnv, actor: Actor, id: string) {
  return transact(db, async (tx) => {
    // Lock message, lead, campaign, in the same order as recording an outcome (db/transact.ts).
    const [found] = await tx
      .select({ dm: dms, campaign: campaigns })
      .from(dms)
      .innerJoin(campaigns, eq(campaigns.id, dms.campaignId))
      .where(and(eq(dms.id, id), eq(dms.workspaceId, actor.workspaceId)))
      .for('update', { of: dms })
    if (!found) throw new Refusal('DM_NOT_FOUND')
    const { dm, campaign } = found
    if (dm.status !== 'failed') throw new Refusal('DM_STATE', 'Only failed messages can be queued again.')
    if (!dm.leadId) throw new Refusal('DM_STATE', 'This message’s lead was deleted.')
    await lockQueueing(tx, actor.workspaceId)
    const basisRequired = await isBasisRequired(tx, limits, actor.workspaceId)
    const { rows } = await tx.execute<{ reason: SkipReason | null }>(
      sql`select skip.reason from leads l left join lateral (${reasonToSkip(campaign, basisRequired)}) skip on true where l.id = ${dm.leadId} for no key update of l`,
    )
    if (rows[0]?.reason) throw new Refusal('DM_STATE', refusalText(rows[0].reason))
    await tx
      .update(dms)
      .set({
        status: 'queued',
        reason: null,
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
    const requeuable = await tx
      .update(campaigns)
      .set({ status: sql`case when status = 'completed' then 'active' else status end`, updatedAt: sql`now()` })
      .where(and(eq(campaigns.id, campaign.id), ne(campaigns.status, 'archived')))
      .returning({ id: campaigns.id })
    if (requeuable.length === 0) throw new Refusal('DM_STATE', 'This message’s campaign is archived.')
    if (campaign.xAccountId) await wakeAccount(tx, campaign.xAccountId)
    if (dm.triedAt === null && dm.claimedAt === null)
      await spend(tx, actor.workspaceId, await allowanceOf(tx, actor.workspaceId, 'dms'), 1)
    const [row] = await tx.select(dmColumns).from(dms).leftJoin(leads, eq(leads.id, dms.leadId)).where(eq(dms.id, id))
    return dmAnswer(row as NonNullable<typeof row>)
  })
}
