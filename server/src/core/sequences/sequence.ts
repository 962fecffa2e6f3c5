import { randomUUID } from 'node:crypto'
import type { InputOf } from '@x-automated/contract/contract'
import { type SequenceLimits, sequenceLimits } from '@x-automated/contract/outreach/sequence-limits'
import { parseTemplate } from '@x-automated/contract/outreach/template'
import type { PlanLevel } from '@x-automated/contract/platform/plans'
import { and, eq, sql } from 'drizzle-orm'
import { alias } from 'drizzle-orm/pg-core'
import type { Actor } from '../../actor.ts'
import { one } from '../../db/one.ts'
import type { Db } from '../../db/open.ts'
import { Refusal } from '../../refusal.ts'
import type { XAccount } from '../messages/accounts.ts'
import type { QueuedStep } from '../messages/queue.ts'
import { readTemplate, renderedMessage, rerender } from '../messages/render.ts'
import { factsOf } from '../neighbors.ts'
import { campaigns } from '../tables/campaigns.ts'
import { leads } from '../tables/leads.ts'
import { dms } from '../tables/messages.ts'
import {
  enrollments,
  isEnrollmentOf,
  sequenceVersions,
  type VariantShare,
  type VersionStep,
  versionOf,
} from '../tables/sequences.ts'
import { beyondPlan, firstMessage, newSteps, ONE_STEP, reengagementOf, stepsOf } from './steps.ts'
import { findTests, startTests } from './tests.ts'
import { variantOf } from './variants.ts'
import type { Ids } from './versions.ts'

const lead = alias(leads, 'l')
const enrollment = alias(enrollments, 'e')

export type Campaign = typeof campaigns.$inferSelect

/** Reads a campaign's sequence. @throws Refusal CAMPAIGN_NOT_FOUND */
export async function find(db: Db, actor: Actor, id: string) {
  return answerOf(db, await findCampaign(db, actor, id))
}

/** Reads a campaign that has a sequence. @throws Refusal CAMPAIGN_NOT_FOUND */
export async function findCampaign(db: Db, actor: Actor, id: string): Promise<Campaign> {
  const [campaign] = await db.select().from(campaigns).where(isCampaign(actor, id))
  if (!campaign) throw new Refusal('CAMPAIGN_NOT_FOUND')
  return campaign
}

/** Condition on campaigns: a campaign of the workspace that has a sequence. */
export const isCampaign = ({ workspaceId }: Actor, id: string) =>
  and(eq(campaigns.id, id), eq(campaigns.workspaceId, workspaceId), eq(campaigns.kind, 'campaign'))

/** The sequence of a campaign, as operations return it. */
export async function answerOf(db: Db, campaign: Pick<Campaign, 'id' | 'workspaceId' | 'version'>) {
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

/** The steps of a campaign's version `version`, which need not be the current one. */
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

/**
 * The variants with an outcome or a message being sent, and whether the text of each is frozen,
 * because a message with it was sent or is being sent.
 */
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
export async function findIds(db: Db, campaignId: string): Promise<Ids> {
  const used = await findUsed(db, campaignId)
  return { isUsed: (id) => used.has(id), isFrozen: (id) => used.get(id) === true, newId: randomUUID }
}

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

/** Copies the current steps of a campaign for another campaign: active variants, with new ids. */
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
export function readTemplates(steps: readonly VersionStep[], field: string): void {
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

/** Checks that the plan allows a change of the steps. @throws Refusal PLAN_LIMIT */
export async function requirePlan(
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
    message: renderedMessage(lead, read(messageTemplate), campaignId),
  }))
  if (!first) throw new Error('A step needs an active variant.')
  const cases = others.map(({ id, message }) => sql`when ${id}::uuid then ${message}`)
  const message =
    cases.length === 0 ? first.message : sql`case ${variantId} ${sql.join(cases, sql` `)} else ${first.message} end`
  return { id: step.id, number, variantId, message }
}

/**
 * Finds the first placeholder in an active variant that nothing can fill; null: there is none.
 * Earlier versions of the product accepted such placeholders.
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
    join enrollments e on ${isEnrollmentOf(enrollment, dms)}
    where ${isUntried}`)
  for (const { version, stepId } of rows) {
    const steps = await findSteps(tx, { id, workspaceId, version })
    const step = steps.find((candidate) => candidate.id === stepId)
    if (!step) continue
    const isTheirs = sql`
      ${isUntried}
      and dms.step_id = ${stepId}
      and exists (select from enrollments e where ${isEnrollmentOf(enrollment, dms)} and e.version = ${version})`
    await rerender(tx, queuedStep(id, step, steps.indexOf(step) + 1, tests.get(stepId)?.shares), isTheirs)
  }
}

/** Condition on sequence_versions: the versions of a campaign. */
export const isVersionOf = ({ id, workspaceId }: Pick<Campaign, 'id' | 'workspaceId'>) =>
  and(eq(sequenceVersions.workspaceId, workspaceId), eq(sequenceVersions.campaignId, id))

/** Stores the version that a locked enrollment follows. Call it when the enrollment continues. @returns the version */
export async function storeFollowed(
  tx: Db,
  { workspaceId, id }: Pick<typeof enrollments.$inferSelect, 'workspaceId' | 'id'>,
): Promise<number | null> {
  const { rows } = await tx.execute<{ version: number }>(sql`
    update enrollments e
    set version = ${versionOf(enrollment)}
    where e.workspace_id = ${workspaceId} and e.id = ${id}
    returning e.version`)
  return rows[0]?.version ?? null
}

/**
 * Renders a message that is to be queued again, in the version that its enrollment follows, because
 * an edit may have changed the text.
 */
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
