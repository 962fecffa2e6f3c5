import type { InputOf } from '@x-automated/contract/contract'
import { BAD_CURSOR, isId, NO_ID } from '@x-automated/contract/fields'
import { ENROLLMENTS_COUNTED_MAX } from '@x-automated/contract/outreach/sequence-limits'
import { ENROLLMENT_STATES, type Outcome } from '@x-automated/contract/outreach/sequences'
import { refusalText, type SkipReason } from '@x-automated/contract/reason'
import { and, desc, eq, gt, inArray, type SQL, sql } from 'drizzle-orm'
import { alias } from 'drizzle-orm/pg-core'
import type { Actor } from '../../actor.ts'
import { one } from '../../db/one.ts'
import type { Db } from '../../db/open.ts'
import { reasonSql } from '../../db/reasons.ts'
import { transact } from '../../db/transact.ts'
import { invalidField, Refusal } from '../../refusal.ts'
import { completeIfDone } from '../campaigns/run.ts'
import { deleteMessages, updateMessages } from '../messages/counts.ts'
import { reasonToSkip } from '../messages/eligibility.ts'
import { lockQueueing } from '../messages/locks.ts'
import { spend } from '../messages/quota.ts'
import { DUE_NOW } from '../messages/requeue.ts'
import { wakeAccount } from '../messages/schedule.ts'
import { isBasisRequired, type SendingEnv } from '../messages/sending-state.ts'
import { skipMessage } from '../messages/stop.ts'
import { type Allowance, allowanceOf, beyondPlan } from '../neighbors.ts'
import { setLeadStatus } from '../people/lead-counts.ts'
import { campaigns } from '../tables/campaigns.ts'
import { leads } from '../tables/leads.ts'
import { ANSWERS, dms } from '../tables/messages.ts'
import { enrollments, versionOf } from '../tables/sequences.ts'
import { UNIT_MS } from './delays.ts'
import { findCampaign, findSteps, renderAgain, storeFollowed } from './sequence.ts'
import { continuesWith } from './versions.ts'

type Enrollment = typeof enrollments.$inferSelect
type State = Enrollment['state']

// Reading

const columns = {
  id: enrollments.id,
  campaignId: enrollments.campaignId,
  state: enrollments.state,
  version: sql<number>`${versionOf(enrollments)}`,
  stepNumber: enrollments.nextStepNumber,
  nextAt: sql<Date | null>`case ${enrollments.state} when 'active' then coalesce(${enrollments.nextAt}, (
    select d.due_at
    from dms d
    where d.lead_id = ${enrollments.leadId} and d.enrollment_id = ${enrollments.id} and d.status = 'queued'
    limit 1
  ), case when ${enrollments.isUnqueued} then (select c.next_part_at
  from campaigns c
  where c.id = ${enrollments.campaignId}) end) when 'paused' then ${enrollments.pausedUntil} end`.mapWith(
    enrollments.nextAt,
  ),
  pausedUntil: enrollments.pausedUntil,
  reason: enrollments.reason,
  lead: { id: leads.id, name: leads.name, twitterHandle: leads.twitterHandle, profileImageUrl: leads.profileImageUrl },
}

function readRows(db: Db, { workspaceId }: Pick<Actor, 'workspaceId'>, ids: string[]) {
  return db
    .select(columns)
    .from(enrollments)
    .leftJoin(leads, and(eq(leads.id, enrollments.leadId), eq(leads.workspaceId, workspaceId)))
    .where(and(eq(enrollments.workspaceId, workspaceId), inArray(enrollments.id, ids)))
}

/** The messages with an outcome: their statuses, and the meaning of the replies. */
const MESSAGES: Record<Outcome, { statuses: string[]; answer?: number; reason?: 'none' | 'any' }> = {
  sent: { statuses: ['sent', 'delivered', 'replied'] },
  read: { statuses: ['delivered', 'replied'] },
  replied: { statuses: ['replied'], answer: ANSWERS.replied },
  positive: { statuses: ['replied'], answer: ANSWERS.positive },
  optedOut: { statuses: ['replied'], answer: ANSWERS.optedOut },
  // Skipped messages have a reason; failed ones do not.
  failed: { statuses: ['failed'], reason: 'none' },
  skipped: { statuses: ['failed'], reason: 'any' },
}
const ANY = { statuses: ['queued', ...MESSAGES.sent.statuses, 'failed'], answer: undefined, reason: undefined }

/** The values of `dms.answers` that include `flag`. */
function sumsWith(flag: number): number[] {
  const all = ANSWERS.replied + ANSWERS.positive + ANSWERS.optedOut
  return Array.from({ length: all }, (_, index) => index + 1).filter((sum) => (sum & flag) > 0)
}

/**
 * Lists the people of a campaign, or those with a message of this outcome, by id. Every page costs
 * the same. @throws Refusal CAMPAIGN_NOT_FOUND, INVALID_INPUT: invalid cursor
 */
export async function list(
  db: Db,
  actor: Actor,
  { id, state, stepNumber, variantId, outcome, pageSize, cursor }: InputOf<'enrollments', 'list'>,
) {
  if (cursor !== undefined && !isId(cursor)) throw invalidField('cursor', BAD_CURSOR)
  const campaign = await findCampaign(db, actor, id)
  const isAnyStep = stepNumber === undefined && variantId === undefined
  const people =
    isAnyStep && (outcome === undefined || outcome === 'sent')
      ? peopleIn(campaign, state ? [state] : ENROLLMENT_STATES, { areMessaged: outcome === 'sent' })
      : peopleWith(campaign, {
          state,
          outcome,
          variantIds: (await findSteps(db, campaign))
            .filter((_, index) => stepNumber === undefined || index === stepNumber - 1)
            .flatMap(({ variants }) => variants.map((variant) => variant.id))
            .filter((candidate) => variantId === undefined || candidate === variantId),
        })
  const { total, ids } = await readPage(db, people, cursor ?? NO_ID, pageSize + 1)
  const pageIds = ids.slice(0, pageSize)
  const rowsById = new Map((await readRows(db, actor, pageIds)).map((row) => [row.id, row]))
  const isAll = isAnyStep && state === undefined && outcome === undefined
  return {
    enrollments: pageIds.flatMap((enrollmentId) => rowsById.get(enrollmentId) ?? []),
    total: isAll ? campaign.totalLeadsInList : total,
    cursor: ids.length > pageSize ? (pageIds.at(-1) ?? null) : null,
  }
}

/** SQL: the first ids after `after`, in order. */
type People = (after: string, limit: number) => SQL

async function readPage(db: Db, people: People, after: string, limit: number) {
  return db.transaction(async (tx) => {
    // An index has each part of the union in order, so PostgreSQL can merge the parts and stop at the
    // limit. Its estimates would make it read all rows first, or take minutes with old statistics.
    await tx.execute(sql`
      select set_config('enable_' || name, 'off', true)
      from unnest('{gathermerge,hashagg,hashjoin,nestloop,sort}'::text[]) name`)
    const { rows } = await tx.execute<{ total: number; ids: string[] }>(sql`
      select count(*)::int as total,
        coalesce((array_agg(id order by id) filter (where id > ${after}))[:${limit}::int], '{}') as ids
      from (${people(NO_ID, ENROLLMENTS_COUNTED_MAX)}) found`)
    const first = one(rows)
    if (first.total < ENROLLMENTS_COUNTED_MAX || first.ids.length === limit) return first
    const next = await tx.execute<{ id: string }>(people(after, limit))
    return { total: first.total, ids: next.rows.map((row) => row.id) }
  })
}

/** Enrollments in these states. `areMessaged`: only those of people who were sent a message. */
function peopleIn({ workspaceId, id }: Campaign, states: readonly State[], { areMessaged = false } = {}): People {
  const isMessaged = areMessaged ? sql`and last_step_number is not null` : sql``
  const inState = (state: State, after: string) => sql`
    select id from enrollments
    where workspace_id = ${workspaceId} and campaign_id = ${id} and state = ${state} and id > ${after} ${isMessaged}
    order by id`
  return (after, limit) => sql`
    select id from (${union(states.map((state) => inState(state, after)))}) e order by id limit ${limit}`
}

interface Messages {
  state: State | undefined
  outcome: Outcome | undefined
  variantIds: string[]
}

/** Enrollments with a message of this outcome. An index has each part of the union in order. */
function peopleWith({ workspaceId, id }: Campaign, { state, outcome, variantIds }: Messages): People {
  const { statuses, answer: flag, reason } = outcome ? MESSAGES[outcome] : ANY
  const isSuch = flag
    ? // Few messages have an answer, so these have their own index.
      sumsWith(flag).map((sum) => sql`status = 'replied' and answers <> 0 and answers = ${sum}`)
    : statuses.map((status) => sql`status = ${status}`)
  const hasReason = reason ? sql`and reason is ${reason === 'none' ? sql`null` : sql`not null`}` : sql``
  const messages = (after: string) =>
    variantIds.flatMap((variantId) =>
      isSuch.map(
        (such) => sql`
          select enrollment_id as id from dms
          where campaign_id = ${id} and variant_id = ${variantId} and ${such} ${hasReason} and enrollment_id > ${after}
          order by enrollment_id`,
      ),
    )
  return (after, limit) => {
    if (variantIds.length === 0) return sql`select null::uuid as id where false`
    const matches = sql`(select distinct id from (${union(messages(after))}) d order by id)`
    return state
      ? sql`
          select e.id from enrollments e join ${matches} m on m.id = e.id
          where e.workspace_id = ${workspaceId} and e.campaign_id = ${id} and e.state = ${state} and e.id > ${after}
          order by e.id
          limit ${limit}`
      : sql`select id from ${matches} m order by id limit ${limit}`
  }
}

/** Joins parts with `union all`. PostgreSQL merges them only if each part has an `order by`. */
function union(parts: SQL[]): SQL {
  return sql.join(
    parts.map((part) => sql`(${part})`),
    sql` union all `,
  )
}

type Campaign = Pick<typeof campaigns.$inferSelect, 'id' | 'workspaceId'>

async function read(db: Db, actor: Actor, id: string) {
  return one(await readRows(db, actor, [id]))
}

// Changing

/** Pauses a person until a date, or until someone resumes them. @throws Refusal as the contract declares */
export async function pause(db: Db, actor: Actor, { id, until }: InputOf<'enrollments', 'pause'>) {
  if (until !== undefined && new Date(until) <= new Date()) throw invalidField('until', 'must be in the future')
  return transact(db, async (tx) => {
    const enrollment = await lock(tx, actor, id, ['active'])
    await updateMessages(tx, isQueuedMessageOf(enrollment), sql`is_held = true, updated_at = now()`)
    const next = until === undefined ? sql`null::timestamptz` : sql`${until}::timestamptz`
    await tx.execute(sql`
      with paused as (
        update enrollments
        set state = 'paused', reason = ${reasonSql('person')}, paused_until = ${next}, next_at = ${next},
          updated_at = now()
        where workspace_id = ${actor.workspaceId} and id = ${id} returning next_at
      )
      update campaigns
      set follow_up_due_at = least(follow_up_due_at, paused.next_at)
      from paused
      where id = ${enrollment.campaignId}`)
    return read(tx, actor, id)
  })
}

/** Stops a person. A message that is being sent may still arrive. @throws Refusal as the contract declares */
export async function stop(db: Db, actor: Actor, { id }: InputOf<'enrollments', 'stop'>) {
  return transact(db, async (tx) => {
    const { campaignId, ...enrollment } = await lock(tx, actor, id, ['active', 'paused'])
    const [queued] = await tx
      .select({ id: dms.id })
      .from(dms)
      .where(sql`${isQueuedMessageOf(enrollment)} and lease_expires_at is null`)
      .for('update')
    if (queued) await skipMessage(tx, queued.id, { reason: STOPPED })
    else {
      await tx.execute(sql`
        with stopped as (
          update enrollments
          set state = 'stopped', reason = ${reasonSql('person')}, next_step_number = null, next_at = null,
            paused_until = null, updated_at = now()
          where workspace_id = ${actor.workspaceId} and id = ${id} returning id
        )
        update campaigns
        set open_enrollments = open_enrollments - (select count(*) from stopped)
        where id = ${campaignId}`)
      await completeIfDone(tx, campaignId)
    }
    return read(tx, actor, id)
  })
}

const STOPPED: SkipReason = { code: 'person', params: {} }

/** Continues a person's enrollment. @throws Refusal as the contract declares */
export async function resume(db: Db, env: SendingEnv, actor: Actor, { id }: InputOf<'enrollments', 'resume'>) {
  return transact(db, async (tx) => {
    const locked = await lock(tx, actor, id, ['paused', 'replied', 'stopped', 'opted_out'])
    const message = await lockNextMessage(tx, locked)
    const enrollment = { ...locked, version: (await storeFollowed(tx, locked)) ?? locked.version }
    const isSkipped = message?.status === 'failed' && message.triedAt === null && message.claimedAt === null
    const isQueuedAgain = isSkipped && !message.isFollowUp
    // In the lock order, the lock on queueing comes before leads.
    if (isQueuedAgain) await lockQueueing(tx, actor.workspaceId)
    await requireMessageable(tx, env, enrollment, { isFirst: isQueuedAgain })
    const allowance = isQueuedAgain ? await requireDm(tx, actor.workspaceId) : null
    if (message && (isQueuedAgain || message.status === 'queued')) {
      await release(tx, message)
      if (isQueuedAgain) await renderAgain(tx, message)
      const stepNumber = isQueuedAgain ? 1 : message.stepNumber
      await openAgain(tx, enrollment, { stepNumber, at: null, assumed: null })
      await wakeSender(tx, message)
      if (allowance) await spend(tx, actor.workspaceId, allowance, 1)
    } else {
      // The due job queues the follow-up again when it is due, if the plan has room then.
      if (isSkipped) await deleteMessages(tx, sql`id = ${message.id}`)
      await openAgain(tx, enrollment, await followingOf(tx, enrollment, message?.outcomeUnknown ? message : null))
    }
    return read(tx, actor, id)
  })
}

type Message = typeof dms.$inferSelect

/** How a resumed enrollment continues. */
interface Next {
  /** Null: no step follows. */
  stepNumber: number | null
  /** When the due job checks the enrollment; null: its message is queued, or nothing follows. */
  at: Date | null
  /** The message that is treated as sent; null: there is none. */
  assumed: Message | null
}

/** Locks the message that follows the last sent one. */
async function lockNextMessage(tx: Db, { id, leadId, lastOrdinal }: Enrollment): Promise<Message | undefined> {
  const [message] = await tx
    .select()
    .from(dms)
    .where(and(eq(dms.leadId, leadId), eq(dms.enrollmentId, id), gt(dms.step, lastOrdinal ?? -1)))
    .orderBy(desc(dms.step))
    .limit(1)
    .for('update')
  return message
}

/** Returns a held or skipped message to the queue. */
async function release(tx: Db, { id, status, leadId }: Message): Promise<void> {
  const queued = sql`status = 'queued', reason = null, error_message = null, due_at = ${DUE_NOW}, requeued_at = now()`
  await updateMessages(
    tx,
    sql`id = ${id}`,
    sql`${status === 'queued' ? sql`` : sql`${queued}, `}is_held = false, updated_at = now()`,
  )
  if (status !== 'queued' && leadId) await setLeadStatus(tx, sql`id = ${leadId}`, 'queued')
}

/** Returns the plan's allowance of DMs. @throws Refusal ENROLLMENT_STATE: the plan has no DMs left */
async function requireDm(tx: Db, workspaceId: string): Promise<Allowance> {
  const allowance = await allowanceOf(tx, workspaceId, 'dms')
  if (allowance.left < 1) throw new Refusal('ENROLLMENT_STATE', beyondPlan(allowance, 'dms').message)
  return allowance
}

/** How an enrollment continues after its last message, in its version. */
async function followingOf(tx: Db, enrollment: Enrollment, assumed: Next['assumed']): Promise<Next> {
  if (enrollment.isUnqueued) return { stepNumber: 1, at: null, assumed: null }
  const { campaignId, workspaceId, version, leadId, lastStepId, lastStepNumber, skippedStepId, skippedStepNumber } =
    enrollment
  const steps = await findSteps(tx, { id: campaignId, workspaceId, version })
  const sent = await tx
    .select({ id: dms.stepId })
    .from(dms)
    .where(sql`${dms.leadId} = ${leadId} and ${dms.enrollmentId} = ${enrollment.id} and ${dms.sentAt} is not null`)
  const last = assumed ? { id: assumed.stepId, number: assumed.stepNumber } : { id: lastStepId, number: lastStepNumber }
  const reference = (id: string | null, number: number | null) => (id && number ? { id, number } : null)
  const step = continuesWith(steps, {
    lastSent: reference(last.id, last.number),
    lastSkipped: reference(skippedStepId, skippedStepNumber),
    sentStepIds: new Set([...sent.map(({ id }) => id ?? ''), assumed?.stepId ?? '']),
  })
  if (!step) return { stepNumber: null, at: null, assumed }
  const since = Math.max(
    (assumed?.claimedAt ?? enrollment.lastSentAt)?.getTime() ?? 0,
    enrollment.skippedAt?.getTime() ?? 0,
  )
  const delayMs = step.delay ? step.delay.amount * UNIT_MS[step.delay.unit] : 0
  return { stepNumber: steps.indexOf(step) + 1, at: new Date(Math.max(since + delayMs, Date.now())), assumed }
}

/** Reopens the enrollment and its campaign. @throws Refusal ENROLLMENT_STATE: the campaign is archived */
async function openAgain(tx: Db, enrollment: Enrollment, { stepNumber, at, assumed }: Next): Promise<void> {
  const { campaignId, workspaceId, id } = enrollment
  const isOpen = stepNumber !== null
  const wasOpen = enrollment.state === 'paused'
  await tx
    .update(enrollments)
    .set({
      state: isOpen ? 'active' : 'finished',
      nextStepNumber: stepNumber,
      nextAt: at,
      pausedUntil: null,
      reason: null,
      resumedAt: sql`now()`,
      updatedAt: sql`now()`,
      ...(assumed && {
        lastStepId: assumed.stepId,
        lastStepNumber: assumed.stepNumber,
        lastOrdinal: assumed.step,
        lastSentAt: assumed.claimedAt ?? assumed.updatedAt,
        xAccountId: enrollment.xAccountId ?? assumed.xAccountId,
      }),
    })
    .where(and(eq(enrollments.workspaceId, workspaceId), eq(enrollments.id, id)))
  const { rowCount } = await tx.execute(sql`
    update campaigns
    set open_enrollments = open_enrollments + ${Number(isOpen) - Number(wasOpen)}::int, updated_at = now(),
      status = case when ${isOpen}::boolean and status = 'completed' then 'active' else status end,
      follow_up_due_at = least(follow_up_due_at, ${at?.toISOString() ?? null}::timestamptz)
    where id = ${campaignId} and status <> 'archived'`)
  if (!rowCount) throw new Refusal('ENROLLMENT_STATE', ARCHIVED)
  if (!isOpen) await completeIfDone(tx, campaignId)
}

const ARCHIVED = "This person's campaign is archived."

async function wakeSender(tx: Db, { isFollowUp, xAccountId, campaignId }: Message): Promise<void> {
  const [campaign] = await tx
    .select({ xAccountId: campaigns.xAccountId })
    .from(campaigns)
    .where(eq(campaigns.id, campaignId))
  const accountId = isFollowUp ? xAccountId : campaign?.xAccountId
  if (accountId) await wakeAccount(tx, accountId)
}

/**
 * Locks the lead. Resuming overrides an earlier contact or reply, but nothing else. @param isFirst
 * the first message is to be queued @throws Refusal LEAD_STATE: suppressed, deleted, sample data,
 * or a first message without a contact basis
 */
async function requireMessageable(
  tx: Db,
  env: SendingEnv,
  { workspaceId, leadId, campaignId: id }: Enrollment,
  { isFirst }: { isFirst: boolean },
): Promise<void> {
  const basisRequired = isFirst && (await isBasisRequired(tx, env, workspaceId))
  const allowed = { id, kind: 'campaign', xAccountId: null, allowRepeat: true, allowReplied: true } as const
  const { rows } = await tx.execute<{ reason: SkipReason | null }>(sql`
    select skip.reason
    from leads l
    left join lateral (${reasonToSkip(alias(leads, 'l'), allowed, basisRequired, env)}) skip on true
    where l.workspace_id = ${workspaceId} and l.id = ${leadId} for no key update of l`)
  const [lead] = rows
  if (!lead) throw new Refusal('LEAD_STATE', 'This lead was deleted.')
  if (lead.reason) throw new Refusal('LEAD_STATE', refusalText(lead.reason))
}

/**
 * Locks an enrollment. @throws Refusal ENROLLMENT_NOT_FOUND; ENROLLMENT_STATE: the enrollment is in
 * another state, or its campaign is archived
 */
async function lock(tx: Db, { workspaceId }: Actor, id: string, states: readonly State[]): Promise<Enrollment> {
  const [enrollment] = await tx
    .select()
    .from(enrollments)
    .where(and(eq(enrollments.workspaceId, workspaceId), eq(enrollments.id, id)))
    .for('no key update')
  if (!enrollment) throw new Refusal('ENROLLMENT_NOT_FOUND')
  if (!states.includes(enrollment.state)) throw new Refusal('ENROLLMENT_STATE')
  const [campaign] = await tx
    .select({ status: campaigns.status })
    .from(campaigns)
    .where(eq(campaigns.id, enrollment.campaignId))
  if (campaign?.status === 'archived') throw new Refusal('ENROLLMENT_STATE', ARCHIVED)
  return enrollment
}

/** Condition on dms: the queued message of an enrollment. */
function isQueuedMessageOf({ id, leadId }: Pick<Enrollment, 'id' | 'leadId'>): SQL {
  return sql`lead_id = ${leadId} and enrollment_id = ${id} and status = 'queued'`
}
