import type { InputOf } from '@x-automated/contract/contract'
import { eq, type SQL, sql } from 'drizzle-orm'
import { alias } from 'drizzle-orm/pg-core'
import type { Actor } from '../../actor.ts'
import { allowLongStatements } from '../../db/long-statements.ts'
import { one } from '../../db/one.ts'
import type { Db } from '../../db/open.ts'
import { transact } from '../../db/transact.ts'
import { Refusal } from '../../refusal.ts'
import { blockNewClaims } from '../campaigns/pause.ts'
import { resolveAccount } from '../messages/accounts.ts'
import { deleteMessages } from '../messages/counts.ts'
import { lockEnrollmentsOfCampaign } from '../messages/locks.ts'
import { refund } from '../messages/quota.ts'
import { rerender, rerenderRemoved } from '../messages/render.ts'
import { wakeAccount } from '../messages/schedule.ts'
import { campaigns } from '../tables/campaigns.ts'
import { dms } from '../tables/messages.ts'
import {
  enrollments,
  isEnrollmentOf,
  isUnsent,
  isWritten,
  sequenceVersions,
  type VersionStep,
} from '../tables/sequences.ts'
import {
  answerOf,
  type Campaign,
  findIds,
  findSteps,
  isCampaign,
  isVersionOf,
  limitsOf,
  queuedStep,
  readTemplates,
  requirePlan,
  requireReplyDetection,
  summaryOf,
} from './sequence.ts'
import { allowedBy, editSteps, withFirstMessage } from './steps.ts'
import { findTests, startTests } from './tests.ts'
import { type ApplyTo, continuesWith, firstChangedStep, isAffected, type StepReference } from './versions.ts'

const enrollment = alias(enrollments, 'e')
const message = alias(dms, 'd')

/**
 * Returns the steps to launch. If the plan no longer allows all of them, stores the allowed ones as
 * a new version, and `restoreSteps` can restore the old one.
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

/** After an undone launch, restores the steps that the launch left out, unless the campaign was edited since. */
export async function restoreSteps(tx: Db, campaign: Campaign): Promise<void> {
  const { launchedVersion, version } = campaign
  if (launchedVersion === null || version !== launchedVersion + 1) return
  const launched = await findSteps(tx, campaign)
  const before = await findSteps(tx, { ...campaign, version: launchedVersion })
  await storeVersion(tx, campaign, launched, before)
}

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
 * Groups people by progress: those whose version an edit may change. A message being sent counts as
 * sent. People who ended before their first message are left out, because there can be any number of
 * them: see `versionOf`.
 */
async function findGroups(tx: Db, { id, workspaceId }: Campaign): Promise<Group[]> {
  const { rows } = await tx.execute<Group>(sql`
    with written as (
      select enrollment_id, array_agg(distinct step_id order by step_id) as step_ids,
        (array_agg(step_id order by step desc))[1] as last_id,
        (array_agg(step_number order by step desc))[1] as last_number
      from dms where campaign_id = ${id} and enrollment_id is not null and ${isWritten(dms)}
      group by 1
    )
    select coalesce(array_agg(e.id) filter (where ${isFollowing}), '{}') as ids,
      coalesce(array_agg(e.id) filter (where not ${isFollowing}), '{}') as "endedIds", w.last_id as "lastStepId",
      w.last_number as "lastStepNumber", e.skipped_step_id as "skippedStepId",
      e.skipped_step_number as "skippedStepNumber", coalesce(w.step_ids, '{}') as "sentStepIds"
    from enrollments e left join written w on w.enrollment_id = e.id
    where e.workspace_id = ${workspaceId} and e.campaign_id = ${id}
      and (w.last_id is not null or not ${isUnsent(enrollment)})
    group by 3, 4, 5, 6, 7`)
  return rows
}

/**
 * Moves people to the campaign's current version: renders queued first messages again, and deletes
 * queued follow-ups, which are queued again when due. If no step follows, deletes both.
 */
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
    await deleteMessages(tx, sql`${isTheirs} and ${isRemoved}`)
  }
  if (next) {
    const shares = (await findTests(tx, campaign)).get(next.step.id)?.shares
    const step = queuedStep(campaign.id, next.step, next.number, shares)
    await rerender(tx, step, isTheirs)
    // Messages to deleted leads fail when they come due.
    const isUnsent = sql`((${isUntried}) or (campaign_id = ${campaign.id} and reason ->> 'code' = 'lead_missing'))`
    const everyone = sql.param([...ids, ...endedIds])
    await rerenderRemoved(tx, step, sql`enrollment_id = any(${everyone}::uuid[]) and ${isUnsent}`)
  }
  await tx.execute(sql`
    with old as (
      select e.id, e.state, d.id is not null as is_queued, d.step_number
      from enrollments e
      left join dms d on d.lead_id = e.lead_id and ${isEnrollmentOf(enrollment, message)} and d.status = 'queued'
      where e.workspace_id = ${campaign.workspaceId} and e.id = any(${sql.param(ids)}::uuid[])
    ), changed as (
      update enrollments e set version = ${campaign.version}, updated_at = now(),
        next_step_number = coalesce(old.step_number, ${next?.number ?? null}::int),
        paused_until = case when ${next !== null}::boolean or old.is_queued then e.paused_until end,
        reason = case when ${next !== null}::boolean or old.is_queued then e.reason end,
        state = case
          when old.is_queued then e.state
          when ${next !== null}::boolean then case e.state when 'paused' then 'paused' else 'active' end
          else 'finished'
        end,
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
