import { ENROLLMENT_STATES, type Verdict } from '@x-automated/contract/outreach/sequences'
import { ALLOCATIONS, type Delay, type StepCondition } from '@x-automated/contract/outreach/steps'
import type { EnrollmentReason } from '@x-automated/contract/reason'
import { type SQL, sql } from 'drizzle-orm'
import {
  alias,
  boolean,
  index,
  integer,
  jsonb,
  pgTable,
  primaryKey,
  text,
  uniqueIndex,
  uuid,
} from 'drizzle-orm/pg-core'
import { type AliasOf, createdAt, newId, time, updatedAt } from '../../db/columns.ts'
import { workspaceId } from '../../domains/identity/workspaces/tables.ts'
import type { campaigns } from './campaigns.ts'
import { dms } from './messages.ts'

/** A variant as a version stores it. */
export interface VersionVariant {
  id: string
  name: string
  messageTemplate: string
  weight: number
  isActive: boolean
}

/** A step as a version stores it. Its position in the version is its number, from 1. */
export interface VersionStep {
  id: string
  /** Re-engagement is always the last step of a version. */
  kind: 'step' | 'reengagement'
  /** Null for the first step. For re-engagement, `afterDays` as days. */
  delay: Delay | null
  condition: StepCondition | null
  allocation: 'weights' | 'adaptive'
  switchToWinner: boolean
  testWindowDays: number
  variants: readonly VersionVariant[]
}

/** The steps of a campaign after each saved change. A version never changes once people follow it. */
export const sequenceVersions = pgTable(
  'sequence_versions',
  {
    workspaceId: workspaceId(),
    campaignId: uuid('campaign_id').notNull(),
    version: integer('version').notNull(),
    steps: jsonb('steps').$type<readonly VersionStep[]>().notNull(),
    createdAt: createdAt(),
  },
  (t) => [primaryKey({ columns: [t.workspaceId, t.campaignId, t.version] })],
)

/**
 * One lead's way through a campaign. `active` and `paused` enrollments are open;
 * `campaigns.open_enrollments` counts them. The id of a deleted lead stays, and becomes valid again
 * if the deletion is undone.
 */
export const enrollments = pgTable(
  'enrollments',
  {
    workspaceId: workspaceId(),
    id: uuid('id').notNull().default(newId),
    campaignId: uuid('campaign_id').notNull(),
    leadId: uuid('lead_id').notNull(),
    state: text('state', { enum: ENROLLMENT_STATES }).notNull().default('active'),
    version: integer('version').notNull(),
    /** The account that sent the first message and sends all others; null before the first one. */
    xAccountId: uuid('x_account_id'),
    /** The last step that was sent; null: none yet. */
    lastStepId: uuid('last_step_id'),
    /** The number of the last step when it was sent. */
    lastStepNumber: integer('last_step_number'),
    /** `dms.step` of the last message. */
    lastOrdinal: integer('last_ordinal'),
    lastSentAt: time('last_sent_at'),
    /** The last step that was skipped because its condition was not met. */
    skippedStepId: uuid('skipped_step_id'),
    skippedStepNumber: integer('skipped_step_number'),
    skippedAt: time('skipped_at'),
    /** The number of the next step, queued or to come; null: no step follows. */
    nextStepNumber: integer('next_step_number'),
    /** The plan did not allow this first message at launch, so it is queued later. */
    isUnqueued: boolean('is_unqueued').notNull().default(false),
    /** When the due job checks the enrollment; null: a message is queued, or nothing follows. */
    nextAt: time('next_at'),
    pausedUntil: time('paused_until'),
    /** Why the enrollment is paused or stopped. */
    reason: jsonb('reason').$type<EnrollmentReason>(),
    /** When the enrollment was resumed. Replies before that do not stop the next message. */
    resumedAt: time('resumed_at'),
    createdAt: createdAt(),
    updatedAt: updatedAt(),
  },
  (t) => [
    primaryKey({ columns: [t.workspaceId, t.id] }),
    uniqueIndex('enrollments_once').on(t.workspaceId, t.campaignId, t.leadId),
    index('enrollments_lead').on(t.workspaceId, t.leadId),
    index('enrollments_state').on(t.workspaceId, t.campaignId, t.state, t.id, t.lastStepNumber),
    index('enrollments_unqueued').on(t.workspaceId, t.campaignId, t.id).where(sql`is_unqueued`),
    index('enrollments_due')
      .on(t.workspaceId, t.campaignId, t.nextAt, t.id, t.nextStepNumber)
      .where(sql`next_at is not null`),
  ],
)

/** The evidence from the blocks of a pair of variants. Stored per pair and test. */
export interface PairEvidence {
  blocks: number
  successesA: number
  successesB: number
  logE: number
  /** The highest `logE` after any block. p = 1/e^maxLogE */
  maxLogE: number
  /** The variant with the higher rate when the maximum was reached; fixed once E is decisive. */
  ahead: 'a' | 'b' | null
}

/** A variant and its share of a step's people. Shares need not add up to 1. */
export interface VariantShare {
  id: string
  share: number
}

/** The results of a variant, from people whose window has closed. */
export interface VariantRecord {
  id: string
  people: number
  positive: number
}

/** A message's position in the order of sending. */
export interface Position {
  /** The time, as the database wrote it. */
  at: string
  id: string
}

/** The progress of a test. Each message counts once, in order. */
export interface StepTestState {
  pairs: {
    a: string
    b: string
    positive: PairEvidence
    optOuts: PairEvidence
    afterA: Position | null
    afterB: Position | null
  }[]
  /** The results of each variant, for an adaptive allocation. */
  records: (VariantRecord & { after: Position | null })[]
}

/** An A/B test of a step, until its active variants, weights, window or allocation change. */
export const stepTests = pgTable(
  'step_tests',
  {
    workspaceId: workspaceId(),
    id: uuid('id').notNull().default(newId),
    campaignId: uuid('campaign_id').notNull(),
    stepId: uuid('step_id').notNull(),
    allocation: text('allocation', { enum: ALLOCATIONS }).notNull(),
    windowDays: integer('window_days').notNull(),
    variants: jsonb('variants').$type<readonly { id: string; weight: number }[]>().notNull(),
    state: jsonb('state').$type<StepTestState>().notNull().default({ pairs: [], records: [] }),
    /** Null: not checked yet, or the split differs from the plan. */
    verdict: jsonb('verdict').$type<Verdict>(),
    isSplitOff: boolean('is_split_off').notNull().default(false),
    /** Shares that replace the weights; null: the weights decide. */
    shares: jsonb('shares').$type<readonly VariantShare[]>(),
    startedAt: time('started_at').notNull().defaultNow(),
    decidedAt: time('decided_at'),
    endedAt: time('ended_at'),
    /** When the test is checked next; null: it is over. */
    nextAt: time('next_at'),
  },
  (t) => [
    primaryKey({ columns: [t.workspaceId, t.id] }),
    uniqueIndex('step_tests_current').on(t.workspaceId, t.campaignId, t.stepId).where(sql`ended_at is null`),
    // Serves the job that checks tests, over all workspaces.
    index('step_tests_next').on(t.nextAt).where(sql`next_at is not null`),
  ],
)
export type StepTest = typeof stepTests.$inferSelect

/** SQL over an enrollment's alias: the enrollment is open. */
export function isOpen(enrollment: AliasOf<typeof enrollments>): SQL<boolean> {
  return sql`(${enrollment.state} in ('active', 'paused'))`
}

/** SQL over the aliases of an enrollment and a message: the message belongs to the enrollment. */
export function isEnrollmentOf(enrollment: AliasOf<typeof enrollments>, message: AliasOf<typeof dms>): SQL<boolean> {
  return sql`(${enrollment.workspaceId} = ${message.workspaceId} and ${enrollment.id} = ${message.enrollmentId})`
}

/** SQL over a message's alias: the message was sent, may have been, or is being sent. */
export function isWritten(message: AliasOf<typeof dms>): SQL<boolean> {
  return sql`(${message.sentAt} is not null or ${message.outcomeUnknown}
    or (${message.status} = 'queued' and (${message.leaseExpiresAt} is not null or ${message.triedAt} is not null)))`
}

/**
 * SQL over an enrollment's alias: it ended before a message was recorded as sent. Failed
 * enrollments are not included: undoing a deletion continues them as they are.
 */
export function isUnsent(enrollment: AliasOf<typeof enrollments>): SQL<boolean> {
  return sql`(${enrollment.state} in ('replied', 'opted_out', 'stopped') and ${enrollment.lastStepId} is null)`
}

/**
 * SQL over an enrollment's alias: the version that it follows. Edits do not touch people whose
 * enrollment ended before their first message: they follow the campaign's version, which is stored
 * when they continue.
 */
export function versionOf(enrollment: AliasOf<typeof enrollments>): SQL<number> {
  const message = alias(dms, 'd')
  return sql`case when ${isUnsent(enrollment)} and not exists (
      select from dms d
      where d.lead_id = ${enrollment.leadId} and ${isEnrollmentOf(enrollment, message)} and ${isWritten(message)})
    then (select c.version from campaigns c where c.id = ${enrollment.campaignId}) else ${enrollment.version} end`
}

/**
 * SQL over the aliases of an enrollment and its message: a row with the `number` of the next step
 * and the `delay` until then, as an interval in which a day has 24 hours; no row if no step
 * follows.
 */
export function followingStep(enrollment: AliasOf<typeof enrollments>, message: AliasOf<typeof dms>): SQL {
  return sql`select s.number::int, make_interval(mins => (s.step -> 'delay' ->> 'amount')::int
      * case s.step -> 'delay' ->> 'unit' when 'days' then 1440 when 'hours' then 60 else 1 end) as delay
    from sequence_versions v cross join lateral jsonb_array_elements(v.steps) with ordinality s(step, number)
    where v.workspace_id = ${enrollment.workspaceId}
      and v.campaign_id = ${enrollment.campaignId}
      and v.version = ${enrollment.version}
      and s.number > coalesce((
        select p.number
        from jsonb_array_elements(v.steps) with ordinality p(step, number)
        where (p.step ->> 'id')::uuid = ${message.stepId}
      ), ${message.stepNumber})
      and not exists (
        select from dms o
        where o.lead_id = ${message.leadId} and o.enrollment_id = ${enrollment.id} and o.id <> ${message.id}
          and o.step_id = (s.step ->> 'id')::uuid and o.sent_at is not null)
    order by s.number limit 1`
}

/**
 * SQL over the aliases of a message and its campaign: the message's variant, if the campaign's
 * current version has it.
 */
export function variantNameOf(
  message: AliasOf<typeof dms>,
  campaign: AliasOf<typeof campaigns>,
): SQL<{ id: string; name: string } | null> {
  return sql`(select jsonb_build_object('id', variant.value -> 'id', 'name', variant.value -> 'name')
    from sequence_versions v
    cross join lateral jsonb_array_elements(v.steps) s
    cross join lateral jsonb_array_elements(s.value -> 'variants') variant
    where v.workspace_id = ${campaign.workspaceId}
      and v.campaign_id = ${campaign.id}
      and v.version = ${campaign.version}
      and variant.value ->> 'id' = ${message.variantId}::text)`
}
