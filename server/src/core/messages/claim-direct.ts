import { randomUUID } from 'node:crypto'
import type { InputOf } from '@x-automated/contract/contract'
import { formatCount, formatNumber } from '@x-automated/contract/format'
import type { WaitReason } from '@x-automated/contract/outreach/sending-settings'
import { MESSAGE_MAX } from '@x-automated/contract/outreach/template'
import { refusalText, type SkipReason } from '@x-automated/contract/reason'
import { and, eq, sql } from 'drizzle-orm'
import { alias } from 'drizzle-orm/pg-core'
import type { Actor } from '../../actor.ts'
import type { Db } from '../../db/open.ts'
import { transact } from '../../db/transact.ts'
import { invalidField, Refusal } from '../../refusal.ts'
import { allowanceOf, beyondPlan, fundsRefusal, use } from '../neighbors.ts'
import { setLeadStatus } from '../people/lead-counts.ts'
import { deleteAppClaims } from '../tables/app-claims.ts'
import { campaigns } from '../tables/campaigns.ts'
import { leads, sampleReason } from '../tables/leads.ts'
import { dms, mayGoOut } from '../tables/messages.ts'
import { suppressionReason } from '../tables/suppressions.ts'
import type { Locked } from './account-lock.ts'
import { requireConnectedAccount } from './accounts.ts'
import { type Answer, claimedFrom, secondsOf } from './claim.ts'
import { countedColumns, countMessages } from './counts.ts'
import { openDirectCampaign } from './direct.ts'
import { lockLeads, lockQueueing } from './locks.ts'
import { resetLastClaims, resetLeadStatus } from './release.ts'
import { compileTemplate, readTemplate } from './render.ts'
import { manualSender } from './sender.ts'
import type { SendingEnv } from './sending-state.ts'
import { claimSendable } from './unsendable.ts'

const lead = alias(leads, 'l')

// By hand

/**
 * Creates an already claimed direct message, so no worker can take it. @param keep runs in the same
 * transaction @throws Refusal X_NOT_CONNECTED, LEAD_…, PLAN_LIMIT, RATE_LIMITED, INVALID_INPUT
 */
export async function claimDirect(
  db: Db,
  env: SendingEnv,
  actor: Actor,
  { leadId, message, templateVariables: { name, handle }, allowRepeat }: InputOf<'messages', 'send'>,
  holder: string,
  keep: (tx: Db, dmId: string) => Promise<void>,
) {
  const template = readTemplate('message', message)
  const { workspaceId } = actor
  return transact(db, async (tx) => {
    const { id: xAccountId } = await requireConnectedAccount(tx, workspaceId)
    await lockQueueing(tx, workspaceId)
    const rendered = compileTemplate(template, {
      name: sql`${name}::text`,
      firstName: sql`${leads.firstName}`,
      twitterHandle: sql`${handle}::text`,
      metadata: sql`${leads.metadata}`,
      opener: sql`null::text`,
    })
    const [lead] = await tx
      .select({ text: rendered })
      .from(leads)
      .where(and(eq(leads.id, leadId), eq(leads.workspaceId, workspaceId)))
      .for('no key update')
    if (!lead) throw new Refusal('LEAD_NOT_FOUND')
    const { text } = lead
    if (text.trim() === '') throw invalidField('message', 'Please enter a message to send')
    if (text.length > MESSAGE_MAX)
      throw invalidField(
        'message',
        `This message is longer than ${formatNumber(MESSAGE_MAX)} characters with the variables filled in.`,
      )
    const obstacle = await findObstacle(tx, env, leadId, allowRepeat)
    if (obstacle) throw new Refusal('LEAD_STATE', obstacle)
    const allowance = await allowanceOf(tx, workspaceId, 'dms')
    if (allowance.left < 1) throw beyondPlan(allowance, 'dms')
    const campaignId = await openDirectCampaign(tx, actor, xAccountId)
    const dmId = await queueOne(tx, actor, { campaignId, leadId, text })
    const scope = { campaign: { id: campaignId, workspaceId, xAccountId }, dmId }
    const result = await claimSendable(tx, env, manualSender(holder, false), scope)
    if (result.kind === 'wait') throw await beyondCap(tx, result)
    if (result.kind !== 'claimed') throw new Refusal('X_NOT_CONNECTED')
    await keep(tx, dmId)
    await use(tx, workspaceId, 'dms', 1)
    return claimedFrom(result)
  })
}

/** A member's answer in a conversation. */
interface AnswerMessage {
  leadId: string
  accountXUserId: string
  text: string
  /** Throws a refusal if the conversation has messages that the author has not seen. Runs with the lead locked. */
  check(tx: Db): Promise<void>
}

/**
 * Like `claimDirect`, for an answer in the inbox. @throws Refusal X_NOT_CONNECTED, LEAD_STATE,
 * RATE_LIMITED, and the refusals of `check`
 */
export async function claimAnswer(
  db: Db,
  env: SendingEnv,
  actor: Actor,
  { leadId, accountXUserId, text, check }: AnswerMessage,
  holder: string,
  keep: (tx: Db, dmId: string) => Promise<void>,
) {
  const { workspaceId } = actor
  return transact(db, async (tx) => {
    await lockLeads(tx, sql`select ${leadId}::uuid`)
    const { rows } = await tx.execute<{ reason: SkipReason | null; isSending: boolean; accountId: string | null }>(sql`
      select coalesce(${sampleReason(lead, env)}, ${suppressionReason(lead)}) as reason, exists (
          select from dms d where d.lead_id = l.id and d.status = 'queued' and d.lease_expires_at is not null
        ) as "isSending", (
          select a.id
          from x_accounts a
          where a.workspace_id = l.workspace_id and a.x_user_id = ${accountXUserId} and a.status = 'connected'
        ) as "accountId"
      from leads l where l.id = ${leadId} and l.workspace_id = ${workspaceId}`)
    const [row] = rows
    if (!row?.accountId) throw new Refusal('X_NOT_CONNECTED')
    await check(tx)
    if (row.reason) throw new Refusal('LEAD_STATE', refusalText(row.reason))
    if (row.isSending) throw new Refusal('LEAD_STATE', OBSTACLES.sending)
    const campaignId = await openDirectCampaign(tx, actor, row.accountId, { isAnswer: true })
    const dmId = await queueOne(tx, actor, { campaignId, leadId, text, isAnswer: true })
    const scope = { campaign: { id: campaignId, workspaceId, xAccountId: row.accountId }, dmId }
    const result = await claimSendable(tx, env, manualSender(holder, true), scope)
    if (result.kind === 'wait') throw await beyondCap(tx, result)
    if (result.kind !== 'claimed') throw new Refusal('X_NOT_CONNECTED')
    await keep(tx, dmId)
    return claimedFrom(result)
  })
}

/** Queues a direct message. Only this transaction sees it. */
async function queueOne(
  tx: Db,
  actor: Actor,
  {
    campaignId,
    leadId,
    text,
    isAnswer = false,
  }: { campaignId: string; leadId: string; text: string; isAnswer?: boolean },
): Promise<string> {
  const id = randomUUID()
  await tx.execute(sql`
    with added as (
      insert into dms (id, workspace_id, user_id, lead_id, campaign_id, step, message, is_filled, is_answer)
      select ${id}::uuid, ${actor.workspaceId}::uuid, ${actor.userId}::uuid, ${leadId}::uuid, ${campaignId}::uuid,
        coalesce(
          (select max(step) + 1 from dms where campaign_id = ${campaignId}::uuid and lead_id = ${leadId}::uuid), 0
        ),
        ${text}, true, ${isAnswer}::boolean
      returning ${countedColumns()}
    ), ${countMessages({ after: 'added' })}
    select from added`)
  await setLeadStatus(tx, sql`id = ${leadId}`, 'queued')
  return id
}

const OBSTACLES = {
  contacted: 'You have already messaged this lead.',
  queued: 'A message to this lead is already queued.',
  unknown: 'A message to this lead may have been sent. Check the conversation on X first.',
  sending: 'Another message to this person is being sent. Try again in a moment.',
}

/** Why the lead cannot get a direct message now, as a text; null if it can. */
async function findObstacle(tx: Db, env: SendingEnv, leadId: string, allowRepeat: boolean): Promise<string | null> {
  const { rows } = await tx.execute<{ reason: SkipReason | null; obstacle: keyof typeof OBSTACLES | null }>(sql`
    select coalesce(${sampleReason(lead, env)}, ${suppressionReason(lead)}) as reason, case
      when l.contacted_before_at is not null and not ${allowRepeat}::boolean then 'contacted'
      else (
        select case when d.outcome_unknown then 'unknown' when d.status = 'queued' then 'queued' else 'contacted' end
        from dms d join campaigns c on c.id = d.campaign_id
        where d.lead_id = l.id and (
          d.outcome_unknown
          or (d.status = 'queued' and ${mayGoOut(alias(dms, 'd'), alias(campaigns, 'c'))})
          or (d.sent_at is not null and not ${allowRepeat}::boolean))
        order by d.outcome_unknown desc, d.sent_at nulls first limit 1)
      end as obstacle
    from leads l where l.id = ${leadId}`)
  const [row] = rows
  if (row?.reason) return refusalText(row.reason)
  return row?.obstacle ? OBSTACLES[row.obstacle] : null
}

/**
 * The refusal if a direct message must wait. Direct messages ignore the interval and the sending
 * window, but not the daily cap and X's limits.
 */
async function beyondCap(tx: Db, { until, now, reason, locked }: Extract<Answer, { kind: 'wait' }>): Promise<Refusal> {
  if (reason === 'funds') return fundsRefusal(tx, locked.workspaceId)
  return new Refusal('RATE_LIMITED', beyondCapText(reason, locked), {
    retryAfterSeconds: Math.max(1, Math.ceil(secondsOf({ until, now }))),
  })
}

function beyondCapText(reason: WaitReason | null, { account, cap }: Locked): string {
  if (account?.unreadSince)
    return `A backup was restored. X-Automated is still checking X for messages that @${account.handle} has sent since. Try again in a minute.`
  if (reason === 'app') return APP_DAY_USED
  if (reason === 'x') return RATE_LIMITED_BY_X
  return `@${account?.handle} has reached its daily cap of ${formatCount(cap.cap, 'DM')}. Try again later.`
}

export const APP_DAY_USED = 'The X app has sent all messages that X allows it in 24 hours. Try again later.'
export const RATE_LIMITED_BY_X = 'X is limiting messages from this account. Try again later.'

/** Deletes a direct message that was not sent, and refunds it unless it is an answer. */
export async function withdrawDirect(
  tx: Db,
  dm: { id: string; lease: string; workspaceId: string; lead: { id: string } | null },
): Promise<void> {
  const isOwned = sql`id = ${dm.id} and lease = ${dm.lease} and status = 'queued' and not outcome_unknown`
  const { rowCount } = await tx.execute(sql`select from dms where ${isOwned} for update`)
  if (!rowCount || !dm.lead) return
  await lockLeads(tx, sql`select ${dm.lead.id}::uuid`)
  const { rows } = await tx.execute<{ isAnswer: boolean }>(
    sql`with withdrawn as (delete from dms where ${isOwned} returning is_answer, ${countedColumns()}),
        ${countMessages({ before: 'withdrawn' })},
        uncounted as (${deleteAppClaims(sql`select id from withdrawn`)})
      select is_answer as "isAnswer" from withdrawn`,
  )
  await resetLastClaims(tx, sql`select ${dm.lead.id}::uuid`)
  if (rows[0]?.isAnswer === false) await use(tx, dm.workspaceId, 'dms', -1)
  await resetLeadStatus(tx, sql`select ${dm.lead.id}::uuid`)
}
