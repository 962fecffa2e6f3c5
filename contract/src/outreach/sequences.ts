import { z } from 'zod'
import { Cursor, Id, Moment, queryNumber, Time, wholeNumber } from '../fields.ts'
import { EnrollmentReason } from '../reason.ts'
import { routes } from '../route.ts'
import { WarmUp } from './sending-settings.ts'
import { STEPS_MAX } from './sequence-limits.ts'
import { ALLOCATIONS, ReengagementInput, Step, StepInputs } from './steps.ts'

const route = routes('Sequences', 'campaigns')
const enrollmentRoute = routes('Enrollments', 'campaigns')

export const Sequence = z.object({
  /** Increases with each saved change. */
  version: z.number().int(),
  steps: z.array(Step),
  reengagement: z.object({ id: z.string(), afterDays: z.number().int(), messageTemplate: z.string() }).nullable(),
})
export type Sequence = z.output<typeof Sequence>

/** `active` and `paused` enrollments are open. */
export const ENROLLMENT_STATES = ['active', 'paused', 'replied', 'opted_out', 'finished', 'failed', 'stopped'] as const

/** The lead of a message or an enrollment. */
export const LeadOfMessage = z.object({
  id: z.string(),
  name: z.string(),
  twitterHandle: z.string(),
  /** The path of the picture on our server. Works until the end of the next day. */
  pictureUrl: z.string().nullable(),
})
export const VariantName = z.object({ id: z.string(), name: z.string() })

/** One lead's way through a campaign. */
export const Enrollment = z.object({
  id: z.string(),
  campaignId: z.string(),
  /** Null if the lead was deleted. */
  lead: LeadOfMessage.nullable(),
  state: z.enum(ENROLLMENT_STATES),
  /** The version of the sequence that the person follows. */
  version: z.number().int(),
  /** The number of the next step; null if there is none. */
  stepNumber: z.number().int().nullable(),
  /** When the next message may first be sent. Null if there is none, or the time is unknown. */
  nextAt: Time.nullable(),
  pausedUntil: Time.nullable(),
  /** Why the enrollment is paused or has ended. */
  reason: EnrollmentReason.nullable(),
})
export type Enrollment = z.output<typeof Enrollment>

/** The outcome of a message. `sent` includes `read`, and `read` includes `replied`. */
export const OUTCOMES = ['sent', 'read', 'replied', 'positive', 'optedOut', 'failed', 'skipped'] as const
export type Outcome = (typeof OUTCOMES)[number]

/** The result of a step's A/B test. */
export const Verdict = z.object({
  /** `mixed`: the winner also gets more opt-outs. */
  status: z.enum(['collecting', 'winner', 'mixed', 'no_difference']),
  /** The winner, or null. */
  variantId: z.string().nullable(),
  /** The leading variant's weakest comparison: its smallest peak of E over all other variants. */
  evidence: z.number(),
  /** The evidence that a variant needs to win. */
  evidenceNeeded: z.number(),
  /** Days until a variant wins at the current rates; null if the campaign is too small. */
  estimatedDays: z.number().int().nullable(),
})
export type Verdict = z.output<typeof Verdict>

export const VariantResults = z.object({
  id: z.string(),
  name: z.string(),
  isActive: z.boolean(),
  sent: z.number().int(),
  /** Delivered or replied: X reports reads, not deliveries. */
  read: z.number().int(),
  /** Messages with a reply that was not automatic. */
  replied: z.number().int(),
  positive: z.number().int(),
  optedOut: z.number().int(),
  /** Messages that were tried, but failed. */
  failed: z.number().int(),
  /** Messages that were not tried, because their recipients may not be messaged. */
  skipped: z.number().int(),
})
export type VariantResults = z.output<typeof VariantResults>

export const StepResults = z.object({
  id: z.string(),
  /** The position of the step in the sequence. Re-engagement comes last. */
  number: z.number().int(),
  kind: z.enum(['step', 'reengagement']),
  allocation: z.enum(ALLOCATIONS),
  /** People are split over the variants differently than planned, so there is no verdict. */
  isSplitOff: z.boolean(),
  variants: z.array(VariantResults),
  /** Null if the step has one variant, allocates adaptively, or `isSplitOff` is true. */
  verdict: Verdict.nullable(),
})
export type StepResults = z.output<typeof StepResults>

/** Maximum number of people on each side of the flight board. */
export const FLIGHT_MAX = 300

export const FlightDot = z.object({
  enrollmentId: z.string(),
  /** Null if the message does not exist yet. */
  dmId: z.string().nullable(),
  lead: LeadOfMessage.nullable(),
  stepNumber: z.number().int(),
  variant: VariantName.nullable(),
  /** `planned`: a future step. `held`: the person is paused. */
  state: z.enum(['planned', 'queued', 'held', 'sent', 'read', 'replied', 'failed', 'skipped']),
  /** When the message was sent, failed, skipped, or may first be sent. */
  at: Time,
})
export type FlightDot = z.output<typeof FlightDot>

/** The steps of campaigns and their results. */
export const sequences = {
  find: route('GET /campaigns/{id}/sequence', 'viewer', 'none', {
    summary: 'Get the steps of a campaign',
    errors: ['CAMPAIGN_NOT_FOUND'],
  })
    .input(z.object({ id: Id }))
    .output(Sequence),

  save: route('PUT /campaigns/{id}/sequence', 'member', 'rows', {
    summary: 'Change the steps of a campaign',
    description:
      'After the launch, the change applies to everyone who was not sent the first changed step (`unpassed`), or only to people who were sent nothing (`unstarted`). All others keep their version.',
    errors: ['CAMPAIGN_NOT_FOUND', 'PLAN_LIMIT', 'SEQUENCE_CHANGED', 'CAMPAIGN_STATE', 'X_NOT_CONNECTED'],
  })
    .input(
      z.strictObject({
        id: Id,
        /** The version that the edit is based on. */
        version: wholeNumber(1, 2_147_483_647),
        steps: StepInputs,
        /** Omit this to keep the re-engagement. Null removes it. */
        reengagement: ReengagementInput.nullable().optional(),
        applyTo: z.enum(['unpassed', 'unstarted']).default('unpassed'),
      }),
    )
    .output(Sequence),

  results: route('GET /campaigns/{id}/results', 'viewer', 'none', {
    summary: 'Get the results of each step and variant of a campaign',
    errors: ['CAMPAIGN_NOT_FOUND'],
  })
    .input(z.object({ id: Id }))
    .output(z.object({ steps: z.array(StepResults) })),

  flight: route('GET /campaigns/{id}/flight', 'viewer', 'none', {
    summary: 'Get the messages of the past and the next 24 hours',
    description: `At most ${FLIGHT_MAX} people on each side: the latest and the next.`,
    errors: ['CAMPAIGN_NOT_FOUND'],
  })
    .input(z.object({ id: Id }))
    .output(
      z.object({
        /** Newest first. */
        past: z.array(FlightDot),
        /** Earliest first. */
        next: z.array(FlightDot),
        account: z.object({
          /** Number of messages that the account may send in 24 hours. */
          capNow: z.number().int(),
          /** Messages sent in the last 24 hours. */
          sentInDay: z.number().int(),
          /** Usage of `capNow`, as in the sending limits. */
          countedInDay: z.number().int(),
          /** The day of the account's warm-up, from 1; null if it is not warming up. */
          warmUpDay: z.number().int().nullable(),
          warmUp: WarmUp.nullable(),
          /** Number of the last `checked` messages that X refused. Closed and protected inboxes do not count. */
          refusals: z.number().int(),
          checked: z.number().int(),
        }),
      }),
    ),
}

/** The people in campaigns. */
export const enrollments = {
  list: enrollmentRoute('GET /campaigns/{id}/enrollments', 'viewer', 'none', {
    summary: 'List the people in a campaign',
    description:
      'With `stepNumber`, `variantId` or `outcome`: people with such a message of the current sequence. `total` counts up to 10,000.',
    errors: ['CAMPAIGN_NOT_FOUND'],
  })
    .input(
      z.object({
        id: Id,
        state: z.enum(ENROLLMENT_STATES).optional(),
        /** The step of one of the person's messages, not their next step. Re-engagement comes after the last step. */
        stepNumber: queryNumber(1, STEPS_MAX + 1).optional(),
        variantId: Id.optional(),
        outcome: z.enum(OUTCOMES).optional(),
        pageSize: queryNumber(1, 100).default(50),
        cursor: Cursor.optional(),
      }),
    )
    .output(
      z.object({
        enrollments: z.array(Enrollment),
        /** Counted up to ENROLLMENTS_COUNTED_MAX, unless all people are listed. */
        total: z.number().int(),
        cursor: z.string().nullable(),
      }),
    ),

  pause: enrollmentRoute('POST /enrollments/{id}/pause', 'member', 'rows', {
    summary: 'Pause a person in a campaign',
    description: 'Works while they are active. Their queued message waits.',
    errors: ['ENROLLMENT_NOT_FOUND', 'ENROLLMENT_STATE'],
  })
    .input(
      z.strictObject({
        id: Id,
        /** When the person continues. Without it, someone must resume them. */
        until: Moment.optional(),
      }),
    )
    .output(Enrollment),

  resume: enrollmentRoute('POST /enrollments/{id}/resume', 'member', 'rows', {
    summary: 'Continue with a person who was paused or stopped, or who has replied',
    description:
      'A completed campaign becomes active again. A message whose outcome is unknown is treated as sent. Never works for someone who is suppressed.',
    errors: ['ENROLLMENT_NOT_FOUND', 'ENROLLMENT_STATE', 'LEAD_STATE'],
  })
    .input(z.strictObject({ id: Id }))
    .output(Enrollment),

  stop: enrollmentRoute('POST /enrollments/{id}/stop', 'member', 'rows', {
    summary: 'Stop a person in a campaign',
    description: 'Works while they are active or paused. Their queued message fails.',
    errors: ['ENROLLMENT_NOT_FOUND', 'ENROLLMENT_STATE'],
  })
    .input(z.strictObject({ id: Id }))
    .output(Enrollment),
}
