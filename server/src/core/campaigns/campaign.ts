import type { InputOf } from '@x-automated/contract/contract'
import type { LeadFilter } from '@x-automated/contract/leads/leads'
import { pauseText } from '@x-automated/contract/reason'
import { and, eq, sql } from 'drizzle-orm'
import { alias } from 'drizzle-orm/pg-core'
import type { Actor } from '../../actor.ts'
import { one } from '../../db/one.ts'
import type { Db } from '../../db/open.ts'
import { transact } from '../../db/transact.ts'
import { leadLists } from '../../domains/leads/lists/tables.ts'
import { Refusal } from '../../refusal.ts'
import {
  findAccount,
  findLinkedAccount,
  linkedAccountOf,
  requireConnectedAccount,
  type XAccount,
} from '../messages/accounts.ts'
import { lockQueuedLeads } from '../messages/locks.ts'
import { type LaunchOptions, type QueuedStep, queueList } from '../messages/queue.ts'
import { endHolds, releaseLeads, unqueue } from '../messages/release.ts'
import { readOpenersAgain, readTemplate } from '../messages/render.ts'
import { endTurn, wakeAccount, wakeCampaign } from '../messages/schedule.ts'
import type { SendingEnv } from '../messages/sending-state.ts'
import { editFirstMessage, launchSteps, lockForEdit, restoreSteps } from '../sequences/changes.ts'
import {
  createSequence,
  findSteps,
  queuedStep,
  renderQueued,
  requireReplyDetection,
  summaryOf,
} from '../sequences/sequence.ts'
import { campaigns, isUndoable, olderOf, WITHOUT_REASON, waitsForOlder } from '../tables/campaigns.ts'
import { countInFlight } from '../tables/messages.ts'
import type { VersionStep } from '../tables/sequences.ts'
import { nextPart } from './parts.ts'
import { blockNewClaims } from './pause.ts'
import { notifyOfCampaigns } from './run.ts'
import { mayBeEdited, refusalOf, transition } from './states.ts'

type Row = typeof campaigns.$inferSelect

const LIST_DELETED = 'Could not fetch leads for the campaign list. It was deleted: create a campaign with another list.'

/** The columns of a campaign in responses, with the name of its list. */
export const columns = {
  id: campaigns.id,
  name: campaigns.name,
  leadListId: campaigns.leadListId,
  leadListName: leadLists.name,
  messageTemplate: campaigns.messageTemplate,
  templateId: campaigns.templateId,
  channel: campaigns.channel,
  xAccountId: campaigns.xAccountId,
  allowRepeat: campaigns.allowRepeat,
  allowReplied: campaigns.allowReplied,
  status: campaigns.status,
  totalLeadsInList: campaigns.totalLeadsInList,
  dmsQueuedCount: campaigns.dmsQueuedCount,
  dmsSentCount: campaigns.dmsSentCount,
  dmsFailedCount: campaigns.dmsFailedCount,
  dmsSkippedCount: campaigns.dmsSkippedCount,
  dmsDeliveredCount: campaigns.dmsDeliveredCount,
  dmsRepliedCount: campaigns.dmsRepliedCount,
  peopleMessaged: campaigns.peopleMessaged,
  peopleSkipped: campaigns.peopleSkipped,
  peopleReplied: campaigns.peopleReplied,
  peoplePositive: campaigns.peoplePositive,
  stepCount: campaigns.stepCount,
  openEnrollments: campaigns.openEnrollments,
  nextFollowUpAt: campaigns.followUpDueAt,
  undoUntil: sql<Date | null>`case when ${isUndoable} then undo_until end`.mapWith(campaigns.undoUntil),
  nextPartAt: campaigns.nextPartAt,
  lastRunAt: campaigns.lastRunAt,
  isSample: campaigns.isSample,
  createdAt: campaigns.createdAt,
  updatedAt: campaigns.updatedAt,
  pauseReason: campaigns.pauseReason,
  reason: campaigns.reason,
  messagesInFlight: countInFlight(sql`campaigns.id`),
  /** Whether an older campaign on the same X account sends its first messages first. Follow-ups do not wait. */
  waiting: sql<boolean>`
    (${campaigns.status} = 'active' and ${campaigns.firstsQueuedCount} > 0 and ${waitsForOlder(campaigns)})`,
  waitsBehind: sql<{ id: string; name: string } | null>`case
    when ${campaigns.status} = 'active' and ${campaigns.firstsQueuedCount} > 0 then ${olderOf(campaigns)}
    when ${campaigns.status} = 'paused' then (
      select ${olderOf(alias(campaigns, 'resumed'))} from (
        select campaigns.id, campaigns.kind, campaigns.workspace_id, campaigns.created_at,
          coalesce(campaigns.x_account_id, ${linkedAccountOf(sql`campaigns.workspace_id`)}) as x_account_id
      ) resumed
    ) end`,
}

/** SQL: the campaigns of a workspace, except the one for direct messages. */
export const ofWorkspace = (actor: Actor) =>
  and(eq(campaigns.workspaceId, actor.workspaceId), eq(campaigns.kind, 'campaign'))

/** Reads a campaign for a response. @throws Refusal CAMPAIGN_NOT_FOUND */
export async function find(db: Db, actor: Actor, id: string) {
  const [row] = await db
    .select(columns)
    .from(campaigns)
    .leftJoin(leadLists, eq(leadLists.id, campaigns.leadListId))
    .where(and(eq(campaigns.id, id), ofWorkspace(actor)))
  if (!row) throw new Refusal('CAMPAIGN_NOT_FOUND')
  return campaignAnswer(row)
}

/** Renders the reason of an automatic pause as the campaign's `pauseReason`. */
export function campaignAnswer<Answer extends Pick<Row, 'reason' | 'pauseReason'>>(row: Answer): Answer {
  return row.reason ? { ...row, pauseReason: pauseText(row.reason, row.pauseReason) } : row
}

type NewCampaign = Omit<typeof campaigns.$inferInsert, 'workspaceId' | 'messageTemplate' | 'stepCount'>

/** Creates a campaign with its steps. @returns its id */
export async function insert(db: Db, actor: Actor, input: NewCampaign, steps: readonly VersionStep[]): Promise<string> {
  return db.transaction(async (tx) => {
    const row = { ...input, ...summaryOf(steps), workspaceId: actor.workspaceId, userId: actor.userId }
    const campaign = one(await tx.insert(campaigns).values(row).returning())
    await createSequence(tx, campaign, steps)
    return campaign.id
  })
}

export type Changes = InputOf<'campaigns', 'update'>

/**
 * Edits a campaign and changes its status, in the caller's transaction. @throws those of
 * `campaigns.update` in the contract
 */
export async function applyChanges(tx: Db, env: SendingEnv, actor: Actor, changes: Changes): Promise<void> {
  await lockBeforeCampaign(tx, actor, changes)
  const before = await lock(tx, actor, changes.id)
  const { status } = changes
  const step = status ? transition(before.status, status) : 'same'
  if (status && step === 'forbidden') throw new Refusal('CAMPAIGN_STATE', refusalOf(before.status, status))
  const edited = await edit(tx, actor, before, changes)
  if (edited.status === 'active' && (changes.channel || changes.xAccountId)) await requireSender(tx, edited)
  if (step === 'changes' && status === 'active') await activate(tx, env, actor, edited)
  if (step === 'changes' && status === 'paused') await pause(tx, edited)
  if (step === 'changes' && status === 'archived') await archive(tx, edited)
  if (edited.xAccountId !== before.xAccountId) await endTurn(tx, before.xAccountId)
}

/**
 * Takes the locks that precede a campaign's row in the lock order, because senders record outcomes
 * at the same time.
 */
async function lockBeforeCampaign(tx: Db, actor: Actor, { id, status, messageTemplate }: Changes): Promise<void> {
  if (messageTemplate !== undefined) readTemplate('messageTemplate', messageTemplate)
  if (status === 'archived' || messageTemplate !== undefined)
    await lockForEdit(tx, actor.workspaceId, (await find(tx, actor, id)).id)
  else if (status === 'paused') await blockNewClaims(tx, (await find(tx, actor, id)).id)
  if (status === 'archived') await lockQueuedLeads(tx, id)
  if (status === 'active') {
    await lockToRender(tx, actor, id)
    await endHolds(tx, sql`c.id = ${id} and c.workspace_id = ${actor.workspaceId} and c.status = 'active'`)
    await lockList(tx, actor, id)
  }
}

/** Changes the name, recipients, channel, account or first message. @throws Refusal CAMPAIGN_STATE */
async function edit(tx: Db, actor: Actor, before: Row, changes: Changes): Promise<Row> {
  const { id, status, messageTemplate, ...columns } = changes
  const hasColumns = Object.values(columns).some((value) => value !== undefined)
  if (!hasColumns && messageTemplate === undefined) return before
  if (!mayBeEdited(before.status))
    throw new Refusal('CAMPAIGN_STATE', `A campaign that is ${before.status} can't be edited.`)
  if ((columns.allowRepeat !== undefined || columns.allowReplied !== undefined) && before.queuedAt !== null)
    throw new Refusal('CAMPAIGN_STATE', "Recipients can't be changed after the launch.")
  if (columns.xAccountId) await requireAccountChange(tx, actor, before, columns.xAccountId)
  const set = { ...columns, updatedAt: sql`now()` }
  const edited = hasColumns ? one(await tx.update(campaigns).set(set).where(eq(campaigns.id, id)).returning()) : before
  return messageTemplate === undefined ? edited : editFirstMessage(tx, edited, messageTemplate)
}

async function pause(tx: Db, campaign: Row): Promise<void> {
  await setStatus(tx, campaign, 'paused')
  await endTurn(tx, campaign.xAccountId)
}

/** Archives a campaign and releases its leads, so that other campaigns can message them. */
async function archive(tx: Db, campaign: Row): Promise<void> {
  await setStatus(tx, campaign, 'archived')
  await releaseLeads(tx, campaign.id)
  await endTurn(tx, campaign.xAccountId)
}

async function setStatus(tx: Db, { id }: Row, status: 'paused' | 'archived'): Promise<void> {
  await tx
    .update(campaigns)
    .set({ status, ...WITHOUT_REASON, updatedAt: sql`now()` })
    .where(eq(campaigns.id, id))
}

/**
 * Checks that a campaign may switch to another account. @throws Refusal X_ACCOUNT_NOT_FOUND;
 * CAMPAIGN_STATE: after a restore, only the former account can show what was sent
 */
async function requireAccountChange(tx: Db, actor: Actor, { xAccountId }: Row, newId: string): Promise<void> {
  await findAccount(tx, actor.workspaceId, newId)
  if (xAccountId === null || xAccountId === newId) return
  const { unreadSince, handle } = await findAccount(tx, actor.workspaceId, xAccountId)
  if (unreadSince)
    throw new Refusal(
      'CAMPAIGN_STATE',
      `A backup was restored, and we don't know yet what @${handle} has sent since. Connect @${handle} again, or try again in a minute.`,
    )
}

/** Launches or resumes a campaign. @throws Refusal CAMPAIGN_NOT_FOUND, CAMPAIGN_STATE, X_NOT_CONNECTED, PLAN_LIMIT */
export async function queue(db: Db, env: SendingEnv, actor: Actor, { id, ...options }: { id: string } & LaunchOptions) {
  return transact(db, async (tx) => {
    await lockToRender(tx, actor, id)
    await lockList(tx, actor, id)
    const campaign = await lock(tx, actor, id)
    const step = transition(campaign.status, 'active')
    if (step === 'forbidden') throw new Refusal('CAMPAIGN_STATE', refusalOf(campaign.status, 'active'))
    // The second of two concurrent requests finds the campaign active and returns the same response.
    if (step === 'changes') await activate(tx, env, actor, campaign, options)
    const { dmsQueuedCount, totalLeadsInList } = await find(tx, actor, id)
    return { success: true as const, dmsQueued: dmsQueuedCount, totalLeads: totalLeadsInList }
  })
}

/**
 * Undoes a launch and restores the campaign as it was before. @throws Refusal CAMPAIGN_NOT_FOUND;
 * CAMPAIGN_STATE: the launch was not held, the undo period is over, or a message was claimed
 */
export async function undoLaunch(db: Db, actor: Actor, id: string) {
  await transact(db, async (tx) => {
    await find(tx, actor, id)
    // Take these locks before any row lock, because senders record outcomes at the same time.
    await lockForEdit(tx, actor.workspaceId, id)
    await lockQueuedLeads(tx, id)
    const campaign = await lock(tx, actor, id)
    const { rows } = await tx.execute(sql`
      select from campaigns where id = ${id} and ${isUndoable}
        and not exists (select from dms where campaign_id = ${id} and (claimed_at is not null or tried_at is not null))`)
    if (rows.length === 0) throw new Refusal('CAMPAIGN_STATE', 'This launch can no longer be undone.')
    await unqueue(tx, actor.workspaceId, id)
    await restoreSteps(tx, campaign)
    await tx
      .update(campaigns)
      .set({
        status: campaign.launchedFrom ?? 'paused',
        ...WITHOUT_REASON,
        queuedAt: null,
        undoUntil: null,
        launchedVersion: null,
        nextPartAt: null,
        totalLeadsInList: 0,
        openEnrollments: 0,
        followUpDueAt: null,
        updatedAt: sql`now()`,
      })
      .where(eq(campaigns.id, id))
    await endTurn(tx, campaign.xAccountId)
  })
  return find(db, actor, id)
}

/**
 * Prevents deletion of the campaign's list until the transaction ends. Call it before locking the
 * campaign, because deleting a list locks in the same order.
 */
async function lockList(tx: Db, actor: Actor, id: string): Promise<void> {
  const [campaign] = await tx
    .select({ leadListId: campaigns.leadListId })
    .from(campaigns)
    .where(and(eq(campaigns.id, id), ofWorkspace(actor)))
  if (campaign?.leadListId)
    await tx.select({ id: leadLists.id }).from(leadLists).where(eq(leadLists.id, campaign.leadListId)).for('key share')
}

/** Locks the campaign. @throws Refusal CAMPAIGN_NOT_FOUND */
async function lock(tx: Db, actor: Actor, id: string): Promise<Row> {
  const [row] = await tx
    .select()
    .from(campaigns)
    .where(and(eq(campaigns.id, id), ofWorkspace(actor)))
    .for('no key update')
  if (!row) throw new Refusal('CAMPAIGN_NOT_FOUND')
  return row
}

/**
 * Activates a draft or paused campaign and queues its messages. A campaign with an empty list
 * completes immediately.
 */
async function activate(
  tx: Db,
  env: SendingEnv,
  actor: Actor,
  stored: Row,
  options: LaunchOptions = {},
): Promise<void> {
  let campaign = stored
  let totals: Partial<Row> = {}
  let isDone = false
  let filter: LeadFilter | null = null
  let step: QueuedStep | null = null
  if (campaign.queuedAt === null) {
    const leadList = await requireList(tx, campaign)
    filter = leadList.filter
    // A smart list is evaluated when the campaign is queued.
    if (!filter && leadList.leadCount === 0) {
      await tx
        .update(campaigns)
        .set({ status: 'completed', ...WITHOUT_REASON, queuedAt: sql`now()`, updatedAt: sql`now()` })
        .where(eq(campaigns.id, campaign.id))
      await notifyOfCampaigns(tx, [campaign.id])
      return
    }
  }
  const account = await accountFor(tx, campaign)
  if (campaign.queuedAt === null) {
    const launched = await launchSteps(tx, campaign)
    requireReplyDetection(campaign, account, launched.steps)
    campaign = { ...launched.campaign, xAccountId: account?.id ?? launched.campaign.xAccountId }
    const [first] = launched.steps
    if (!first) throw new Error('A sequence has a first step.')
    step = queuedStep(campaign.id, first, 1)
    const { queued, open, total, undoUntil } = await queueList(tx, env, campaign, step, filter, options)
    totals = {
      totalLeadsInList: total,
      queuedAt: new Date(),
      openEnrollments: open,
      undoUntil,
      launchedFrom: campaign.status,
      launchedVersion: launched.campaign.version === stored.version ? null : stored.version,
      ...(open > queued ? await nextPart(tx, campaign) : {}),
    }
    isDone = open === 0
  } else {
    isDone = campaign.dmsQueuedCount === 0 && campaign.openEnrollments === 0
    if (campaign.reason?.code === 'placeholder') await renderQueued(tx, campaign)
  }
  await tx
    .update(campaigns)
    .set({
      ...totals,
      status: isDone ? 'completed' : 'active',
      ...WITHOUT_REASON,
      watchedFrom: sql`now()`,
      xAccountId: account?.id ?? campaign.xAccountId,
      updatedAt: sql`now()`,
    })
    .where(eq(campaigns.id, campaign.id))
  if (isDone) await notifyOfCampaigns(tx, [campaign.id])
  // An extension polls for messages, so it needs no waking, and its activity says nothing about X's
  // API limits.
  if (account && campaign.channel !== 'extension') {
    await resumeDirect(tx, actor, account.id)
    await wakeCampaign(tx, campaign.id, account.id)
  }
  if (step) await readOpenersAgain(tx, campaign, step)
}

/** If resuming the campaign will render messages again, locks them before any other lock. */
async function lockToRender(tx: Db, actor: Actor, id: string): Promise<void> {
  const { reason } = await find(tx, actor, id)
  if (reason?.code === 'placeholder') await lockForEdit(tx, actor.workspaceId, id)
}

/** Returns the lead count and filter of a campaign's list. @throws Refusal CAMPAIGN_STATE if the list was deleted */
async function requireList(tx: Db, { leadListId }: Row) {
  const [leadList] = leadListId
    ? await tx
        .select({ leadCount: leadLists.leadCount, filter: leadLists.filter })
        .from(leadLists)
        .where(eq(leadLists.id, leadListId))
    : []
  if (!leadList) throw new Refusal('CAMPAIGN_STATE', LIST_DELETED)
  return leadList
}

/** Resumes an account's direct messages if X's errors had paused them. */
async function resumeDirect(tx: Db, actor: Actor, accountId: string): Promise<void> {
  await tx
    .update(campaigns)
    .set({ status: 'active', ...WITHOUT_REASON, updatedAt: sql`now()` })
    .where(
      and(
        eq(campaigns.workspaceId, actor.workspaceId),
        eq(campaigns.kind, 'direct'),
        eq(campaigns.status, 'paused'),
        eq(campaigns.xAccountId, accountId),
      ),
    )
}

/**
 * Returns the account from which the campaign will send; null if the extension's account is
 * unknown. Replaces a disconnected account only if the campaign has sent nothing. @throws Refusal
 * X_NOT_CONNECTED
 */
async function accountFor(tx: Db, campaign: Row): Promise<XAccount | null> {
  const fixed = campaign.xAccountId ? await findAccount(tx, campaign.workspaceId, campaign.xAccountId) : null
  if (campaign.channel === 'extension') return fixed ?? (await findLinkedAccount(tx, campaign.workspaceId))
  if (fixed?.status === 'connected') return fixed
  if (fixed && campaign.dmsSentCount > 0)
    throw new Refusal(
      'X_NOT_CONNECTED',
      `This campaign sends from @${fixed.handle}, which is not connected. Reconnect it or choose another account for the campaign.`,
    )
  return requireConnectedAccount(tx, campaign.workspaceId)
}

/**
 * Checks that an active campaign's new channel or account can send, and wakes the account. @throws
 * Refusal X_NOT_CONNECTED
 */
async function requireSender(tx: Db, campaign: Row): Promise<void> {
  const account = await accountFor(tx, campaign)
  const steps = await findSteps(tx, campaign)
  requireReplyDetection(campaign, account, steps)
  if (!account) return
  if (campaign.xAccountId !== account.id)
    await tx.update(campaigns).set({ xAccountId: account.id }).where(eq(campaigns.id, campaign.id))
  await wakeAccount(tx, account.id)
}
