import { formatCount, formatNumber } from '@x-automated/contract/format'
import { LEASE_SECONDS, MESSAGE_MAX } from '@x-automated/contract/outreach/campaigns'
import { renderTemplate } from '@x-automated/contract/outreach/template'
import { refusalText, type SkipReason } from '@x-automated/contract/reason'
import { and, eq, sql } from 'drizzle-orm'
import type { Actor } from '../../../actor.ts'
import type { Db } from '../../../db/open.ts'
import { transact } from '../../../db/transact.ts'
import { invalidField, Refusal } from '../../../refusal.ts'
import { leads } from '../../leads/leads/tables.ts'
import { suppressionReason } from '../../leads/suppressions/tables.ts'
import { allowanceOf, beyondPlan, use } from '../../platform/billing/service.ts'
import { requireConnectedAccount } from '../../platform/x-account/service.ts'
import { xAccounts } from '../../platform/x-account/tables.ts'
import { campaigns, WITHOUT_REASON } from '../campaigns/tables.ts'
import { findRest, type SendingEnv } from '../sending-settings/service.ts'
import { withJitter } from './rules.ts'
import { lockLeads, lockQueueing, xUserLock } from './service-locks.ts'
import { readTemplate } from './service-templates.ts'
import { mayGoOut, wasTried } from './tables.ts'

/**
 * Returns the workspace's built-in campaign 'Direct', which holds messages sent without a campaign.
 * Creates it if needed.
 */
export async function openDirectCampaign(tx: Db, actor: Actor, xAccountId: string): Promise<string> {
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
    // Queued messages switch to the current account. A new message ends a pause that X caused.
    .onConflictDoUpdate({
      target: campaigns.workspaceId,
      targetWhere: sql`kind = 'direct'`,
      set: { xAccountId, status: 'active', ...WITHOUT_REASON, updatedAt: sql`now()` },
    })
    .returning({ id: campaigns.id })
  return row?.id ?? ''
}

export interface DirectMessage {
  leadId: string
  /** A template with the messenger's placeholders. */
  message: string
  templateVariables: { name: string; handle: string }
  /** Send even if the lead was messaged before. */
  allowRepeat: boolean
}

/**
 * Creates an already claimed direct message, so no worker can take it. @param keep runs in the same
 * transaction @throws Refusal X_NOT_CONNECTED, LEAD_…, PLAN_LIMIT, RATE_LIMITED, INVALID_INPUT
 */
export async function claimDirect(
  db: Db,
  env: SendingEnv,
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
        `This message is longer than ${formatNumber(MESSAGE_MAX)} characters with the variables filled in.`,
      )
    const obstacle = await findObstacle(tx, leadId, allowRepeat)
    if (obstacle) throw new Refusal('LEAD_STATE', obstacle)
    const allowance = await allowanceOf(tx, actor.workspaceId, 'dms')
    if (allowance.left < 1) throw beyondPlan(allowance, 'dms')
    const campaignId = await openDirectCampaign(tx, actor, accountId)
    const account = await lockAccount(tx, accountId)
    await refuseBeyondCap(tx, env, account)
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
        -- Keep the interval to the next campaign message.
        update x_accounts set next_send_at = greatest(next_send_at, clock_timestamp() + make_interval(secs => ${withJitter(env.sendIntervalSeconds, Math.random())}))
        where id = ${accountId} and next_send_at is not null
      )
      select id, lease from claimed`)
    const [row] = rows
    if (!row) throw new Error('the direct message was not inserted')
    await keep(tx, row.id)
    await use(tx, actor.workspaceId, 'dms', 1)
    return {
      ...row,
      campaignId,
      workspaceId: actor.workspaceId,
      message: text,
      accountId,
      senderId: account.xUserId,
      lead: { id: lead.id, handle: lead.twitterHandle, xUserId: lead.xUserId },
      suppressed: null,
      pauseSeconds: env.sendIntervalSeconds,
      triedSince: null,
    }
  })
}

const OBSTACLES = {
  contacted: 'You have already messaged this lead.',
  queued: 'A message to this lead is already queued.',
  unknown: 'A message to this lead may have been sent. Check the conversation on X first.',
}

/** Why the lead cannot be sent a direct message now, as a text; null if it can. */
async function findObstacle(tx: Db, leadId: string, allowRepeat: boolean): Promise<string | null> {
  const { rows } = await tx.execute<{ reason: SkipReason | null; obstacle: keyof typeof OBSTACLES | null }>(sql`
    select ${suppressionReason('l')} as reason, case
      when l.contacted_before_at is not null and not ${allowRepeat}::boolean then 'contacted'
      else (
        select case when d.outcome_unknown then 'unknown' when d.status = 'queued' then 'queued' else 'contacted' end
        from dms d join campaigns c on c.id = d.campaign_id
        where d.lead_id = l.id and (
          d.outcome_unknown or (d.status = 'queued' and ${mayGoOut}) or (d.sent_at is not null and not ${allowRepeat}::boolean))
        order by d.outcome_unknown desc, d.sent_at nulls first limit 1)
      end as obstacle
    from leads l where l.id = ${leadId}`)
  const [found] = rows
  if (found?.reason) return refusalText(found.reason)
  return found?.obstacle ? OBSTACLES[found.obstacle] : null
}

async function lockAccount(tx: Db, id: string) {
  const [account] = await tx.select().from(xAccounts).where(eq(xAccounts.id, id)).for('no key update')
  if (account?.status !== 'connected') throw new Refusal('X_NOT_CONNECTED')
  await tx.execute(sql`select pg_advisory_xact_lock(${xUserLock(account.xUserId)})`)
  return account
}

/**
 * Direct messages ignore the interval and the sending window, but not the daily cap and X's limits.
 * @throws Refusal RATE_LIMITED
 */
async function refuseBeyondCap(tx: Db, limits: SendingEnv, account: typeof xAccounts.$inferSelect): Promise<void> {
  const { rest, cap, now } = await findRest(tx, limits, { workspaceId: account.workspaceId, account, byHand: true })
  if (!rest) return
  throw new Refusal(
    'RATE_LIMITED',
    account.unreadSince
      ? `A backup was restored. X-Automated is still checking X for messages that @${account.handle} has sent since. Try again in a minute.`
      : rest.reason === 'x'
        ? RATE_LIMITED_BY_X
        : `@${account.handle} has reached its daily cap of ${formatCount(cap.cap, 'DM')}. Try again later.`,
    { retryAfterSeconds: Math.max(1, Math.ceil((rest.until.getTime() - now.getTime()) / 1_000)) },
  )
}

export const RATE_LIMITED_BY_X = 'X is limiting messages from this account. Try again later.'

/** Deletes a direct message that was not sent, and refunds it. */
export async function withdrawDirect(
  tx: Db,
  dm: { id: string; lease: string; workspaceId: string; lead: { id: string } | null },
): Promise<void> {
  const isOwned = sql`id = ${dm.id} and lease = ${dm.lease} and status = 'queued' and not outcome_unknown`
  const { rowCount } = await tx.execute(sql`select from dms where ${isOwned} for update`)
  if (!rowCount || !dm.lead) return
  await lockLeads(tx, sql`select ${dm.lead.id}::uuid`)
  await tx.execute(sql`delete from dms where ${isOwned}`)
  await use(tx, dm.workspaceId, 'dms', -1)
  await tx.execute(sql`
    update leads l set updated_at = now(), dm_status = coalesce((
      select case when bool_or(d.sent_at is not null) then 'contacted' when bool_or(d.status = 'failed' and ${wasTried}) then 'failed_contact' end
      from dms d where d.lead_id = l.id), 'not_sent')
    where l.id = ${dm.lead.id} and l.dm_status = 'queued'
      and not exists (select from dms d join campaigns c on c.id = d.campaign_id where d.lead_id = l.id and d.status = 'queued' and ${mayGoOut})`)
}
