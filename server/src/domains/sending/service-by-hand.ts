import { LEASE_SECONDS, MESSAGE_MAX } from '@x-automated/contract/campaigns'
import { renderTemplate } from '@x-automated/contract/template'
import { and, eq, sql } from 'drizzle-orm'
import type { Actor } from '../../actor.ts'
import type { Db } from '../../db/open.ts'
import { transact } from '../../db/transact.ts'
import { invalidField, Refusal } from '../../refusal.ts'
import { allowanceOf, beyondPlan, use } from '../billing/service.ts'
import { campaigns } from '../campaigns/tables.ts'
import { leads } from '../leads/tables.ts'
import { findRest, type SendingEnv } from '../sending-settings/service.ts'
import { suppressedBecause } from '../suppressions/tables.ts'
import { requireConnectedAccount } from '../x-account/service.ts'
import { xAccounts } from '../x-account/tables.ts'
import { restSeconds } from './rules.ts'
import { lockLeads, lockQueueing, xUserLock } from './service-locks.ts'
import { readTemplate } from './service-templates.ts'
import { mayGoOut, wasTried } from './tables.ts'

/** The workspace's built-in campaign 'Direct', which holds what is sent without a campaign. */
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
  pace: SendingEnv,
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
    const allowance = await allowanceOf(tx, actor.workspaceId, 'dms')
    if (allowance.left < 1) throw beyondPlan(allowance, 'dms')
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
      pauseSeconds: pace.sendIntervalSeconds,
      triedSince: null,
    }
  })
}

/** Why a lead gets no message by hand now; null where it may. */
async function findObstacle(tx: Db, leadId: string, allowRepeat: boolean): Promise<string | null> {
  const { rows } = await tx.execute<{ reason: string | null }>(sql`
    select coalesce(${suppressedBecause('l')},
      case when l.contacted_before_at is not null and not ${allowRepeat}::boolean then 'This lead has been written to already.' end, (
      select case
        when d.outcome_unknown then 'A message to this lead may have been sent: check the conversation first.'
        when d.status = 'queued' then 'A message is queued for this lead already.'
        else 'This lead has been written to already.' end
      from dms d join campaigns c on c.id = d.campaign_id
      where d.lead_id = l.id and (
        d.outcome_unknown or (d.status = 'queued' and ${mayGoOut}) or (d.sent_at is not null and not ${allowRepeat}::boolean))
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
async function refuseBeyondCap(tx: Db, limits: SendingEnv, account: typeof xAccounts.$inferSelect): Promise<void> {
  const { rest, cap, now } = await findRest(tx, limits, { workspaceId: account.workspaceId, account, byHand: true })
  if (!rest) return
  throw new Refusal(
    'RATE_LIMITED',
    account.unreadSince
      ? `A backup was restored. X-Automated is still reading from X what @${account.handle} has sent since. Try again in a minute.`
      : rest.reason === 'x'
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
      select case when bool_or(d.sent_at is not null) then 'contacted' when bool_or(d.status = 'failed' and ${wasTried}) then 'failed_contact' end
      from dms d where d.lead_id = l.id), 'not_sent')
    where l.id = ${dm.lead.id} and l.dm_status = 'queued'
      and not exists (select from dms d join campaigns c on c.id = d.campaign_id where d.lead_id = l.id and d.status = 'queued' and ${mayGoOut})`)
}
