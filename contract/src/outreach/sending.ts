import { z } from 'zod'
import { cursorPaging, Id, Page, requiredText, Success, Time, text, wholeNumber } from '../fields.ts'
import { DM_STATUSES, REPLY_LABELS } from '../leads/leads.ts'
import { DmWaitReason, SkipReason } from '../reason.ts'
import { routes } from '../route.ts'
import { LeadOfMessage, VariantName } from './sequences.ts'

const route = routes('Sending')
const campaignsRoute = routes('Campaigns', 'campaigns')
const messageRoute = routes('Sending', 'campaigns')

/** How long a sender's claim on a message lasts. */
export const LEASE_SECONDS = 120

/** Hours until a message is tried again if X did not show whether the person can be messaged. */
export const UNCLEAR_HOURS = 6

/** Tolerated difference between X's clock and ours, in milliseconds. */
export const CLOCK_SKEW_MS = 30_000

export const Dm = z.object({
  id: z.string(),
  campaignId: z.string(),
  status: z.enum(DM_STATUSES),
  message: z.string(),
  sentAt: Time.nullable(),
  createdAt: Time,
  updatedAt: Time,
  errorMessage: z.string().nullable(),
  /** Why the message was skipped, or why it waits. Null for other failures, which only have a text. */
  reason: z.union([SkipReason, DmWaitReason]).nullable(),
  /** Null if not part of a sequence. */
  stepNumber: z.number().int().nullable(),
  variant: VariantName.nullable(),
  /** For a queued message: when it may first be sent. */
  dueAt: Time.nullable(),
  /** The latest reply to the message. Viewers get no text. */
  reply: z.object({ text: z.string().nullable(), at: Time, label: z.enum(REPLY_LABELS).nullable() }).nullable(),
  /** Whether the message failed but might have been sent. Check the conversation before requeueing it. */
  outcomeUnknown: z.boolean(),
  /** Null if the lead was deleted. */
  lead: LeadOfMessage.nullable(),
})
export type Dm = z.output<typeof Dm>

/** A message that one sender has claimed until `leaseExpiresAt`. */
export const Claim = z.object({
  dmId: z.string(),
  lease: z.string(),
  leadId: z.string(),
  twitterHandle: z.string(),
  /** The X user id that the profile must have, or else nothing is sent; null if unknown. */
  xUserId: z.string().nullable(),
  message: z.string(),
  leaseExpiresAt: Time,
  /** The X account that must send and whose limits apply, without @; null if unknown. */
  sendsAs: z.string().nullable(),
})
export type Claim = z.output<typeof Claim>

/** 200 with a message, or 204 with Retry-After if no message is due. */
const ClaimAnswer = z.union([
  z.object({ status: z.literal(200), body: Claim }),
  z.object({ status: z.literal(204), headers: z.record(z.string(), z.string()).optional() }),
])

const holder = requiredText(100)

/** Default number of messages that the simulated queue processes per call. */
const SIMULATED_BATCH = 5
const SIMULATED_BATCH_MAX = 20

/** Operations on the messages of campaigns. Their names begin with `campaigns.`. */
export const sending = {
  processQueue: route('POST /campaigns/process-queue', 'member', 'outside', {
    summary: 'Process queued messages without sending them, if X is simulated',
    description:
      'Each message takes 500 to 1,000 ms and is recorded as sent with a probability of 80%. The interval between messages does not apply. The daily cap and sending window of the X account, pauses, suppression and leases apply as for any sender. Returns 429 if they allow no message now.',
    errors: ['NOT_FOUND'],
  })
    .input(z.strictObject({ batchSize: wholeNumber(1, SIMULATED_BATCH_MAX).default(SIMULATED_BATCH) }))
    .output(
      Success.extend({
        processed: z.number().int(),
        sent: z.number().int(),
        failed: z.number().int(),
        campaignsCompleted: z.number().int(),
        /** Errors for messages that could not be processed, and are not counted as processed. */
        problems: z.array(z.string()),
      }),
    ),

  dms: campaignsRoute('GET /campaigns/{id}/dms', 'viewer', 'none', {
    summary: 'List the messages of a campaign',
    description: 'In the order in which they were queued; with the status `replied`, the latest reply first.',
    errors: ['CAMPAIGN_NOT_FOUND'],
  })
    .input(
      z.object({
        id: Id,
        status: z.enum(DM_STATUSES).optional(),
        ...cursorPaging(50),
      }),
    )
    .output(Page.extend({ dms: z.array(Dm), cursor: z.string().nullable() })),

  claim: route('POST /campaigns/{id}/claim', 'member', 'outside', {
    summary: 'Claim the next message of a campaign that the extension sends',
    description:
      'With an Idempotency-Key, a retry returns the same message under the same lease. 204 (no message due) is not stored, so a retry checks again.',
    byExtension: true,
    errors: ['CAMPAIGN_NOT_FOUND', 'CAMPAIGN_CHANNEL', 'CAMPAIGN_STATE'],
  })
    .route({ outputStructure: 'detailed' })
    .input(z.strictObject({ id: Id, holder }))
    .output(ClaimAnswer),

  claimAny: route('POST /claim', 'member', 'outside', {
    summary: 'Claim the next message of any campaign that the extension sends',
    description:
      'With `signedInAs`, messages of other X accounts are returned only if that account has none queued. With an Idempotency-Key, a retry returns the same message under the same lease.',
    byExtension: true,
  })
    .route({ outputStructure: 'detailed' })
    .input(z.strictObject({ holder, signedInAs: text(50).optional() }))
    .output(ClaimAnswer),

  recordOutcome: route('POST /dms/{id}/outcome', 'member', 'rows', {
    summary: 'Report the outcome of a claimed message',
    byExtension: true,
    errors: ['DM_NOT_FOUND', 'LEASE_LOST'],
  })
    .input(
      z.strictObject({
        id: Id,
        lease: requiredText(100),
        wasSent: z.boolean(),
        errorMessage: text(2_000).optional(),
        /**
         * Replaces `errorMessage`. `lead_missing`: the claim has no lead. `identity`: the profile
         * has another X user id than the claim. `replied`: the lead sent a message request on X. The
         * server adds the parameters.
         */
        reason: SkipReason.extend({ code: z.enum(['lead_missing', 'identity', 'replied']) }).optional(),
        /** Whether the message might have been sent. Until someone checks, the lead gets no other message. */
        outcomeUnknown: z.boolean().default(false),
      }),
    )
    .output(Success.extend({ campaignCompleted: z.boolean() })),

  confirm: route('POST /dms/{id}/confirm', 'member', 'unkeyed', {
    summary: 'Check right before sending whether a claimed message may still be sent; renews its lease',
    description:
      '`maySend` is false if the campaign was paused or ended or the sending limits no longer allow it (the message is queued again), or if the lead may no longer be messaged (it fails, with the reason). The lease then ends.',
    byExtension: true,
    errors: ['DM_NOT_FOUND', 'LEASE_LOST'],
  })
    .input(z.strictObject({ id: Id, lease: requiredText(100) }))
    .output(Success.extend({ maySend: z.boolean(), leaseExpiresAt: Time.nullable() })),

  release: route('POST /dms/{id}/release', 'member', 'rows', {
    summary: 'Release a claimed message that was certainly not sent, so that it is queued again',
    description: `With \`inboxUnclear\`, it is due again in ${UNCLEAR_HOURS} hours.`,
    byExtension: true,
    errors: ['DM_NOT_FOUND', 'LEASE_LOST'],
  })
    .input(
      z.strictObject({
        id: Id,
        lease: requiredText(100),
        /** X did not show whether the person can be messaged, so the message is due again in UNCLEAR_HOURS. */
        inboxUnclear: z.boolean().default(false),
      }),
    )
    .output(Success),

  requeue: messageRoute('POST /dms/{id}/requeue', 'member', 'rows', {
    summary: 'Queue a failed message again',
    errors: ['DM_NOT_FOUND', 'DM_STATE', 'PLAN_LIMIT'],
  })
    .input(z.strictObject({ id: Id }))
    .output(Dm),
}
