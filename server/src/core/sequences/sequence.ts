import { randomUUID } from 'node:crypto'
import type { InputOf } from '@x-automated/contract/contract'
import { type SequenceLimits, sequenceLimits } from '@x-automated/contract/outreach/sequence-limits'
import { parseTemplate } from '@x-automated/contract/outreach/template'
import type { PlanLevel } from '@x-automated/contract/platform/plans'
import { and, eq, type SQL, sql } from 'drizzle-orm'
import type { Actor } from '../../actor.ts'
import { allowLongStatements } from '../../db/long-statements.ts'
import { one } from '../../db/one.ts'
import type { Db } from '../../db/open.ts'
import { transact } from '../../db/transact.ts'
import { Refusal } from '../../refusal.ts'
import { blockNewClaims } from '../campaigns/pause.ts'
import { resolveAccount, type XAccount } from '../messages/accounts.ts'
import { lockEnrollmentsOfCampaign } from '../messages/locks.ts'
import type { QueuedStep } from '../messages/queue.ts'
import { refund } from '../messages/quota.ts'
import { readTemplate, renderedMessage, rerender, rerenderRemoved } from '../messages/render.ts'
import { wakeAccount } from '../messages/schedule.ts'
import { factsOf } from '../neighbors.ts'
import { campaigns } from '../tables/campaigns.ts'
import type { dms } from '../tables/messages.ts'
import {
  type enrollments,
  isEnrollmentOf,
  isUnsent,
  isWritten,
  sequenceVersions,
  type VariantShare,
  type VersionStep,
  versionOf,
} from '../tables/sequences.ts'
import {
  allowedBy,
  beyondPlan,
  editSteps,
  firstMessage,
  newSteps,
  ONE_STEP,
  reengagementOf,
  stepsOf,
  withFirstMessage,
} from './steps.ts'
import { findTests, startTests } from './tests.ts'
import { variantOf } from './variants.ts'
import { type ApplyTo, continuesWith, firstChangedStep, type Ids, isAffected, type StepReference } from './versions.ts'

type Campaign = typeof campaigns.$inferSelect

// Reading

/** @throws Refusal CAMPAIGN_NOT_FOUND */
export async function find(db: Db, actor: Actor, id: string) {
  return answerOf(db, await findCampaign(db, actor, id))
}

/** @throws Refusal CAMPAIGN_NOT_FOUND */
export async function findCampaign(db: Db, actor: Actor, id: string): Promise<Campaign> {
  const [campaign] = await db.select().from(campaigns).where(isCampaign(actor, id))
  if (!campaign) throw new Refusal('CAMPAIGN_NOT_FOUND')
  return campaign
}

const isCampaign = ({ workspaceId }: Actor, id: string) =>
  and(eq(campaigns.id, id), eq(campaigns.workspaceId, workspaceId), eq(campaigns.kind, 'campaign'))

async function answerOf(db: Db, campaign: Pick<Campaign, 'id' | 'workspaceId' | 'version'>) {
  const steps = await findSteps(db, campaign)
  const used = await findUsed(db, campaign.id)
  const last = reengagementOf(steps)
  return {
    version: campaign.version,
    steps: stepsOf(steps).map((step, index) => ({
      ...step,
      number: index + 1,
      variants: step.variants.map((variant) => ({ ...variant, isFrozen: used.get(variant.id) === true })),
    })),
    reengagement: last && {
      id: last.id,
      afterDays: last.delay?.amount ?? 0,
      messageTemplate: firstMessage([last]),
    },
  }
}

/** The steps of a campaign's current version, or of another one. */
export async function findSteps(
  db: Db,
  campaign: Pick<Campaign, 'id' | 'workspaceId' | 'version'>,
): Promise<readonly VersionStep[]> {
  const rows = await db
    .select({ steps: sequenceVersions.steps })
    .from(sequenceVersions)
    .where(and(isVersionOf(campaign), eq(sequenceVersions.version, campaign.version)))
  return one(rows).steps
}

/** The variants with an outcome or a message being sent. True: a message was sent, so the text is frozen. */
async function findUsed(db: Db, campaignId: string): Promise<Map<string, boolean>> {
  const { rows } = await db.execute<{ id: string; isFrozen: boolean }>(sql`
    select id, bool_or(is_frozen) as "isFrozen" from (
      select variant_id as id, sum(sent) > 0 as is_frozen from dm_activity
      where campaign_id = ${campaignId} group by 1 having sum(sent + failed) > 0
      union all
      select variant_id, true
      from dms
      where campaign_id = ${campaignId} and lease_expires_at is not null and variant_id is not null
    ) used group by 1`)
  return new Map(rows.map(({ id, isFrozen }) => [id, isFrozen]))
}

/** How an edit of this campaign treats its variants. */
async function findIds(db: Db, campaignId: string): Promise<Ids> {
  const used = await findUsed(db, campaignId)
  return { isUsed: (id) => used.has(id), isFrozen: (id) => used.get(id) === true, newId: randomUUID }
}

// Creating

/**
 * The steps of a new campaign. @throws Refusal PLAN_LIMIT, INVALID_INPUT (placeholder)
 */
export async function planSteps(
  db: Db,
  actor: Actor,
  {
    messageTemplate,
    steps,
    reengagement,
  }: Pick<InputOf<'campaigns', 'create'>, 'messageTemplate' | 'steps' | 'reengagement'>,
): Promise<VersionStep[]> {
  const inputs = steps ?? [
    { ...ONE_STEP, variants: [{ messageTemplate: messageTemplate ?? '', weight: 1, isActive: true }] },
  ]
  const planned = newSteps({ steps: inputs, reengagement })
  readTemplates(planned, steps ? 'steps' : 'messageTemplate')
  await requirePlan(db, actor, [], planned)
  return planned
}

/** The current steps of a campaign, copied for another one: active variants, with new ids. */
export async function copySteps(db: Db, actor: Actor, id: string): Promise<VersionStep[]> {
  const campaign = one(await db.select().from(campaigns).where(isCampaign(actor, id)))
  return (await findSteps(db, campaign)).map((step) => ({
    ...step,
    id: randomUUID(),
    variants: step.variants.filter(({ isActive }) => isActive).map((variant) => ({ ...variant, id: randomUUID() })),
  }))
}

/** Stores the first version of a campaign. */
export async function createSequence(
  tx: Db,
  { id, workspaceId }: Pick<Campaign, 'id' | 'workspaceId'>,
  steps: readonly VersionStep[],
): Promise<void> {
  await tx.insert(sequenceVersions).values({ workspaceId, campaignId: id, version: 1, steps })
  await startTests(tx, { id, workspaceId }, [], steps)
}

/** The columns of `campaigns` that summarize its steps. */
export function summaryOf(steps: readonly VersionStep[]) {
  return { messageTemplate: firstMessage(steps), stepCount: stepsOf(steps).length }
}

/**
 * Checks that every template can be parsed and filled, so that no message has a gap. @throws
 * Refusal INVALID_INPUT
 */
function readTemplates(steps: readonly VersionStep[], field: string): void {
  for (const [index, { kind, variants }] of steps.entries())
    for (const [variantIndex, { messageTemplate, isActive }] of variants.entries()) {
      if (!isActive) continue
      const path =
        kind === 'step' ? `steps.${index}.variants.${variantIndex}.messageTemplate` : 'reengagement.messageTemplate'
      readTemplate(field === 'messageTemplate' && kind === 'step' ? field : path, messageTemplate)
    }
}

/** The sequence limits of a workspace, from its plan and its owner's rewards. */
export async function limitsOf(db: Db, workspaceId: string): Promise<{ plan: PlanLevel; limits: SequenceLimits }> {
  const { plan, achievements } = await factsOf(db, workspaceId)
  return { plan, limits: sequenceLimits(plan, achievements) }
}

async function requirePlan(
  db: Db,
  { workspaceId }: Pick<Actor, 'workspaceId'>,
  before: readonly VersionStep[],
  after: readonly VersionStep[],
): Promise<void> {
  const { plan, limits } = await limitsOf(db, workspaceId)
  const excess = beyondPlan(plan, limits, before, after)
  if (excess)
    throw new Refusal('PLAN_LIMIT', excess.text, { details: { limit: excess.limit, used: excess.used, plan } })
}

/**
 * The steps to launch. If a plan has ended, these are only the ones that the current plan allows;
 * they are stored as a new version, and `restoreSteps` can restore the old one.
 */
export async function launchSteps(
  tx: Db,
  campaign: Campaign,
): Promise<{ campaign: Campaign; steps: readonly VersionStep[] }> {
  const steps = await findSteps(tx, campaign)
  const { limits } = await limitsOf(tx, campaign.workspaceId)
  const allowed = allowedBy(limits, steps)
  if (firstChangedStep(steps, allowed) === null) return { campaign, steps }
  return { campaign: await storeVersion(tx, campaign, steps, allowed), steps: allowed }
}

/** After an undone launch, gives the campaign the steps back that the launch left out, unless it was edited since. */
export async function restoreSteps(tx: Db, campaign: Campaign): Promise<void> {
  const { launchedVersion, version } = campaign
  if (launchedVersion === null || version !== launchedVersion + 1) return
  const launched = await findSteps(tx, campaign)
  const before = await findSteps(tx, { ...campaign, version: launchedVersion })
  await storeVersion(tx, campaign, launched, before)
}

/**
 * Requires an account through which X reports replies: an extension cannot see them, and follow-ups
 * need them. @param account the account that sends @throws Refusal X_NOT_CONNECTED
 */
export function requireReplyDetection(
  { channel }: Pick<Campaign, 'channel'>,
  account: Pick<XAccount, 'status'> | null,
  steps: readonly VersionStep[],
): void {
  if (channel === 'extension' && steps.length > 1 && account?.status !== 'connected')
    throw new Refusal(
      'X_NOT_CONNECTED',
      'Follow-ups stop when someone replies. Connect the X account that the extension uses, so that replies are detected.',
    )
}

/**
 * A step as SQL over a lead `l`, for statements that queue it. @param chosen shares of the running
 * test. If null or for other variants, the weights decide
 */
export function queuedStep(
  campaignId: string,
  step: VersionStep,
  number: number,
  chosen: readonly VariantShare[] | null = null,
  read = (text: string) => readTemplate('messageTemplate', text),
): QueuedStep {
  const active = step.variants.filter(({ isActive }) => isActive)
  const isChosen = chosen?.every((share) => active.some(({ id }) => id === share.id))
  const shares = isChosen && chosen ? chosen : active.map(({ id, weight }) => ({ id, share: weight }))
  const to = { campaignId: sql`${campaignId}::text`, stepId: sql`${step.id}::text`, leadId: sql`l.id` }
  const variantId = sql`(${variantOf(to, shares)})::uuid`
  const [first, ...others] = active.map(({ id, messageTemplate }) => ({
    id,
    message: renderedMessage('l', read(messageTemplate), campaignId),
  }))
  if (!first) throw new Error('A step needs an active variant.')
  const cases = others.map(({ id, message }) => sql`when ${id}::uuid then ${message}`)
  const message =
    cases.length === 0 ? first.message : sql`case ${variantId} ${sql.join(cases, sql` `)} else ${first.message} end`
  return { id: step.id, number, variantId, message }
}

/**
 * Placeholders in active variants that nothing can fill, which earlier versions of the product
 * accepted; null: there are none.
 */
export function unreadableIn(steps: readonly VersionStep[]): string | null {
  for (const { variants } of steps)
    for (const { isActive, messageTemplate } of variants) {
      const parsed = parseTemplate(messageTemplate)
      if (isActive && 'unknown' in parsed) return parsed.unknown.written
    }
  return null
}

/** Renders a campaign's queued messages that were never tried, after `lockForEdit`. @throws Refusal INVALID_INPUT */
export async function renderQueued(tx: Db, campaign: Campaign): Promise<void> {
  const { id, workspaceId } = campaign
  readTemplates(await findSteps(tx, campaign), 'steps')
  const tests = await findTests(tx, campaign)
  const isUntried = sql`
    dms.campaign_id = ${id} and dms.status = 'queued' and dms.lease_expires_at is null and dms.tried_at is null`
  const { rows } = await tx.execute<{ version: number; stepId: string }>(sql`
    select distinct e.version, dms.step_id as "stepId"
    from dms
    join enrollments e on ${isEnrollmentOf('e', 'dms')}
    where ${isUntried}`)
  for (const { version, stepId } of rows) {
    const steps = await findSteps(tx, { id, workspaceId, version })
    const step = steps.find((candidate) => candidate.id === stepId)
    if (!step) continue
    const isTheirs = sql`
      ${isUntried}
      and dms.step_id = ${stepId}
      and exists (select from enrollments e where ${isEnrollmentOf('e', 'dms')} and e.version = ${version})`
    await rerender(tx, queuedStep(id, step, steps.indexOf(step) + 1, tests.get(stepId)?.shares), isTheirs)
  }
}

// Changing

/**
 * Saves a changed sequence as a new version, and applies it to the people it affects. @throws
 * Refusal CAMPAIGN_NOT_FOUND, CAMPAIGN_STATE, SEQUENCE_CHANGED, PLAN_LIMIT, INVALID_INPUT,
 * X_NOT_CONNECTED
 */
export async function save(db: Db, actor: Actor, { id, version, applyTo, ...edit }: InputOf<'sequences', 'save'>) {
  return transact(db, async (tx) => {
    const [existing] = await tx.select({ id: campaigns.id }).from(campaigns).where(isCampaign(actor, id))
    if (!existing) throw new Refusal('CAMPAIGN_NOT_FOUND')
    await lockForEdit(tx, actor.workspaceId, id)
    const campaign = one(await tx.select().from(campaigns).where(isCampaign(actor, id)).for('no key update'))
    if (campaign.status === 'archived' || campaign.status === 'completed')
      throw new Refusal('CAMPAIGN_STATE', `A campaign that is ${campaign.status} can't be edited.`)
    if (campaign.version !== version) throw new Refusal('SEQUENCE_CHANGED')
    const before = await findSteps(tx, campaign)
    const after = editSteps(before, edit, await findIds(tx, id))
    readTemplates(after, 'steps')
    await requirePlan(tx, actor, before, after)
    if (campaign.queuedAt !== null) {
      const { workspaceId, xAccountId } = campaign
      requireReplyDetection(campaign, await resolveAccount(tx, workspaceId, xAccountId), after)
    }
    return answerOf(tx, await applyVersion(tx, campaign, before, after, applyTo))
  })
}

/** Keeps senders and the due job away from a campaign's people. Call it before locking the campaign. */
export async function lockForEdit(tx: Db, workspaceId: string, campaignId: string): Promise<void> {
  await blockNewClaims(tx, campaignId)
  await lockEnrollmentsOfCampaign(tx, workspaceId, campaignId)
}

/** Changes the first message of a locked campaign, after `lockForEdit`. */
export async function editFirstMessage(tx: Db, campaign: Campaign, messageTemplate: string): Promise<Campaign> {
  const before = await findSteps(tx, campaign)
  const after = withFirstMessage(before, messageTemplate, await findIds(tx, campaign.id))
  return applyVersion(tx, campaign, before, after, 'unpassed')
}

async function applyVersion(
  tx: Db,
  campaign: Campaign,
  before: readonly VersionStep[],
  after: readonly VersionStep[],
  applyTo: ApplyTo,
): Promise<Campaign> {
  const firstChanged = firstChangedStep(before, after)
  if (firstChanged === null) return campaign
  // Nobody follows an earlier version before the launch.
  if (campaign.queuedAt === null) await tx.delete(sequenceVersions).where(isVersionOf(campaign))
  const changed = await storeVersion(tx, campaign, before, after)
  if (campaign.queuedAt === null) return changed
  await allowLongStatements(tx)
  for (const group of await findGroups(tx, campaign)) {
    const lastSent =
      group.lastStepId && group.lastStepNumber ? { id: group.lastStepId, number: group.lastStepNumber } : null
    if (!isAffected(before, firstChanged, { lastSent }, applyTo)) continue
    const lastSkipped: StepReference | null =
      group.skippedStepId && group.skippedStepNumber
        ? { id: group.skippedStepId, number: group.skippedStepNumber }
        : null
    const next = continuesWith(after, { lastSent, lastSkipped, sentStepIds: new Set(group.sentStepIds) })
    await moveEnrollments(tx, changed, group, next && { step: next, number: after.indexOf(next) + 1 })
  }
  return changed
}

const isVersionOf = ({ id, workspaceId }: Pick<Campaign, 'id' | 'workspaceId'>) =>
  and(eq(sequenceVersions.workspaceId, workspaceId), eq(sequenceVersions.campaignId, id))

async function storeVersion(
  tx: Db,
  campaign: Campaign,
  before: readonly VersionStep[],
  steps: readonly VersionStep[],
): Promise<Campaign> {
  const { id, workspaceId } = campaign
  const version = campaign.version + 1
  await tx.insert(sequenceVersions).values({ workspaceId, campaignId: id, version, steps })
  await startTests(tx, campaign, before, steps)
  return one(
    await tx
      .update(campaigns)
      .set({ ...summaryOf(steps), version, updatedAt: sql`now()` })
      .where(eq(campaigns.id, id))
      .returning(),
  )
}

type Group = {
  ids: string[]
  /** People who continue only if someone resumes them. */
  endedIds: string[]
  lastStepId: string | null
  lastStepNumber: number | null
  skippedStepId: string | null
  skippedStepNumber: number | null
  sentStepIds: string[]
}

/** SQL over an enrollment `e`: it continues with a new version even if nobody resumes it. */
const isFollowing = sql`e.state in ('active', 'paused', 'finished')`

/**
 * Groups the people whose version an edit may change by their progress. A message being sent counts
 * as sent. People who ended before their first message are left out, because there can be any
 * number of them: see `versionOf`.
 */
async function findGroups(tx: Db, { id, workspaceId }: Campaign): Promise<Group[]> {
  const { rows } = await tx.execute<Group>(sql`
    with written as (
      select enrollment_id, array_agg(distinct step_id order by step_id) as step_ids,
        (array_agg(step_id order by step desc))[1] as last_id,
        (array_agg(step_number order by step desc))[1] as last_number
      from dms where campaign_id = ${id} and enrollment_id is not null and ${isWritten('dms')}
      group by 1
    )
    select coalesce(array_agg(e.id) filter (where ${isFollowing}), '{}') as ids,
      coalesce(array_agg(e.id) filter (where not ${isFollowing}), '{}') as "endedIds", w.last_id as "lastStepId",
      w.last_number as "lastStepNumber", e.skipped_step_id as "skippedStepId",
      e.skipped_step_number as "skippedStepNumber", coalesce(w.step_ids, '{}') as "sentStepIds"
    from enrollments e left join written w on w.enrollment_id = e.id
    where e.workspace_id = ${workspaceId} and e.campaign_id = ${id} and (w.last_id is not null or not ${isUnsent('e')})
    group by 3, 4, 5, 6, 7`)
  return rows
}

/** Stores the version that a locked enrollment follows, because it continues. @returns the version */
export async function storeFollowed(
  tx: Db,
  { workspaceId, id }: Pick<typeof enrollments.$inferSelect, 'workspaceId' | 'id'>,
): Promise<number | null> {
  const { rows } = await tx.execute<{ version: number }>(sql`
    update enrollments e
    set version = ${versionOf('e')}
    where e.workspace_id = ${workspaceId} and e.id = ${id}
    returning e.version`)
  return rows[0]?.version ?? null
}

/** Gives a message to queue again the text of its person's version, which an edit may have changed. */
export async function renderAgain(tx: Db, dm: typeof dms.$inferSelect): Promise<void> {
  const { campaignId: id, workspaceId, enrollmentId } = dm
  if (!enrollmentId) return
  const version = await storeFollowed(tx, { workspaceId, id: enrollmentId })
  if (version === null) return
  const steps = await findSteps(tx, { id, workspaceId, version })
  const step = dm.isFollowUp ? steps.find((candidate) => candidate.id === dm.stepId) : steps[0]
  if (!step) return
  const shares = (await findTests(tx, { id, workspaceId })).get(step.id)?.shares
  await rerender(tx, queuedStep(id, step, steps.indexOf(step) + 1, shares), sql`dms.id = ${dm.id}`)
}

/** Moves people to the campaign's version: their queued messages change, or are created again when due. */
async function moveEnrollments(
  tx: Db,
  campaign: Campaign,
  { ids, endedIds }: Group,
  next: { step: VersionStep; number: number } | null,
): Promise<void> {
  await tx.execute(sql`
    update enrollments set version = ${campaign.version}, updated_at = now()
    where workspace_id = ${campaign.workspaceId} and id = any(${sql.param(endedIds)}::uuid[])`)
  const isUntried = sql`
    campaign_id = ${campaign.id} and status = 'queued' and lease_expires_at is null and tried_at is null`
  const isTheirs = sql`enrollment_id = any(${sql.param(ids)}::uuid[]) and ${isUntried}`
  const isRemoved: SQL = next ? sql`is_follow_up` : sql`true`
  const { rows: removed } = await tx.execute<{ enrollmentId: string }>(sql`
    select enrollment_id as "enrollmentId" from dms where ${isTheirs} and ${isRemoved}`)
  if (removed.length > 0) {
    await refund(tx, sql`${isTheirs} and ${isRemoved}`)
    await tx.execute(sql`delete from dms where ${isTheirs} and ${isRemoved}`)
  }
  if (next) {
    const shares = (await findTests(tx, campaign)).get(next.step.id)?.shares
    const step = queuedStep(campaign.id, next.step, next.number, shares)
    await rerender(tx, step, isTheirs)
    // Messages that came due meanwhile have failed.
    const isUnsent = sql`((${isUntried}) or (campaign_id = ${campaign.id} and reason ->> 'code' = 'lead_missing'))`
    const everyone = sql.param([...ids, ...endedIds])
    await rerenderRemoved(tx, step, sql`enrollment_id = any(${everyone}::uuid[]) and ${isUnsent}`)
  }
  await tx.execute(sql`
    with old as (
      select e.id, e.state, d.id is not null as is_queued, d.step_number
      from enrollments e
      left join dms d on d.lead_id = e.lead_id and ${isEnrollmentOf('e', 'd')} and d.status = 'queued'
      where e.workspace_id = ${campaign.workspaceId} and e.id = any(${sql.param(ids)}::uuid[])
    ), changed as (
      update enrollments e set version = ${campaign.version}, updated_at = now(),
        next_step_number = coalesce(old.step_number, ${next?.number ?? null}::int),
        paused_until = case when ${next !== null}::boolean or old.is_queued then e.paused_until end,
        reason = case when ${next !== null}::boolean or old.is_queued then e.reason end,
        state = case
          when old.is_queued then e.state
          when ${next !== null}::boolean then case e.state
          when 'paused' then 'paused'
          else 'active' end
          else 'finished' end,
        next_at = case
          when e.state = 'paused' and ${next !== null}::boolean then e.next_at
          when ${next !== null}::boolean and not old.is_queued and not e.is_unqueued then now() end
      from old where e.workspace_id = ${campaign.workspaceId} and e.id = old.id
      returning e.next_at, (e.state in ('active', 'paused'))::int - (old.state in ('active', 'paused'))::int as opened
    ), total as (select coalesce(sum(opened), 0)::int as opened, min(next_at) as next_at from changed)
    update campaigns
    set open_enrollments = open_enrollments + total.opened, follow_up_due_at = least(follow_up_due_at, total.next_at)
    from total where id = ${campaign.id}`)
  if (next && campaign.xAccountId) await wakeAccount(tx, campaign.xAccountId)
}
