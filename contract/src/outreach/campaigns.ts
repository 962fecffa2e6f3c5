import { z } from 'zod'
import { Id, Page, paging, requiredName, requiredText, Success, Time, text, wholeNumber } from '../fields.ts'
import { PauseReason, SkipReason } from '../reason.ts'
import { route } from '../route.ts'
import { Waiting } from './sending-settings.ts'

export const CAMPAIGN_STATUSES = ['draft', 'paused', 'active', 'completed', 'archived'] as const
export type CampaignStatus = (typeof CAMPAIGN_STATUSES)[number]

export const DM_STATUSES = ['queued', 'sent', 'failed', 'delivered', 'replied'] as const
export type DmStatus = (typeof DM_STATUSES)[number]

/** How long a sender's claim on a message lasts. */
export const LEASE_SECONDS = 120

/** Maximum length of a direct message on X. */
export const MESSAGE_MAX = 10_000

export const Campaign = z.object({
  id: z.string(),
  name: z.string(),
  /** Null if the list was deleted; screens show N/A. */
  leadListId: z.string().nullable(),
  leadListName: z.string().nullable(),
  messageTemplate: z.string(),
  /** Who sends: our worker through X's API, or the browser extension. */
  channel: z.enum(['api', 'extension']),
  xAccountId: z.string().nullable(),
  /** Includes leads that another campaign has messaged. */
  allowRepeat: z.boolean(),
  /** Includes leads who have replied. Leads who opted out are never included. */
  allowReplied: z.boolean(),
  status: z.enum(CAMPAIGN_STATUSES),
  /** Fixed when the campaign is queued. */
  totalLeadsInList: z.number().int(),
  dmsQueuedCount: z.number().int(),
  /** Includes delivered and replied messages. */
  dmsSentCount: z.number().int(),
  dmsFailedCount: z.number().int(),
  /** Sent messages that X reports as delivered. Includes replied messages. */
  dmsDeliveredCount: z.number().int(),
  dmsRepliedCount: z.number().int(),
  lastRunAt: Time.nullable(),
  createdAt: Time,
  updatedAt: Time,
  /** Why it was paused automatically, as a text to show. */
  pauseReason: z.string().nullable(),
  /** The same as a code; null unless it was paused automatically. */
  reason: PauseReason.nullable(),
  /**
   * Claimed messages. For a paused or archived campaign: those that may still be sent; 0 means that
   * none can.
   */
  messagesInFlight: z.number().int(),
  /** Active, but an older campaign on the same X account sends first. */
  waiting: z.boolean(),
  /** The oldest campaign that sends first, or would if this paused one were resumed; null: none. */
  waitsBehind: z.object({ id: z.string(), name: z.string() }).nullable(),
  /** Why and until when the X account cannot send this campaign's queued messages; null: it can. */
  waitingFor: Waiting.nullable(),
})
export type Campaign = z.output<typeof Campaign>

export const Dm = z.object({
  id: z.string(),
  campaignId: z.string(),
  status: z.enum(DM_STATUSES),
  message: z.string(),
  sentAt: Time.nullable(),
  createdAt: Time,
  updatedAt: Time,
  errorMessage: z.string().nullable(),
  /** Why it was skipped; null for other failures, which only have a text. */
  reason: SkipReason.nullable(),
  /** It failed with an unknown outcome. Check the conversation before requeueing it. */
  outcomeUnknown: z.boolean(),
  /** Null if the lead was deleted. */
  lead: z.object({ id: z.string(), name: z.string(), twitterHandle: z.string() }).nullable(),
})
export type Dm = z.output<typeof Dm>

/** A message that one sender has claimed until `leaseExpiresAt`. */
export const Claim = z.object({
  dmId: z.string(),
  lease: z.string(),
  leadId: z.string(),
  twitterHandle: z.string(),
  message: z.string(),
  leaseExpiresAt: Time,
  /** The X account that must send it and whose limits apply, without @; null if unknown. */
  sendsAs: z.string().nullable(),
})
export type Claim = z.output<typeof Claim>

/** 200 with a message, or 204 if no message is due. Retry-After says when to ask again. */
const ClaimAnswer = z.union([
  z.object({ status: z.literal(200), body: Claim }),
  z.object({ status: z.literal(204), headers: z.record(z.string(), z.string()).optional() }),
])

const name = requiredName(200)
const messageTemplate = requiredText(MESSAGE_MAX)
const channel = z.enum(['api', 'extension'])
const holder = requiredText(100)
/** Pass the last response's cursor. Every page costs the same, however deep. */
const cursor = z.string().max(500).optional()

/** Maximum number of leads that an estimate checks. */
export const LEADS_CHECKED_MAX = 1_000
/** Messages per run of the simulated queue, by default. */
const SIMULATED_BATCH = 5
const SIMULATED_BATCH_MAX = 20

export const campaigns = {
  list: route({
    method: 'GET',
    path: '/campaigns',
    tag: 'Campaigns',
    summary: 'List campaigns, newest first',
    access: 'viewer',
    effect: 'none',
  })
    .input(
      z.object({
        ...paging(100),
        cursor,
        /** Only campaigns that use this list. */
        leadListId: Id.optional(),
      }),
    )
    .output(
      Page.extend({
        campaigns: z.array(Campaign),
        cursor: z.string().nullable(),
        /** Whether the simulated queue is available, which requires the stand-in X. */
        simulatedQueue: z.boolean(),
      }),
    ),

  create: route({
    method: 'POST',
    path: '/campaigns',
    tag: 'Campaigns',
    summary: 'Create a campaign as a draft or paused',
    access: 'member',
    effect: 'rows',
    errors: ['LEAD_LIST_NOT_FOUND', 'X_ACCOUNT_NOT_FOUND'],
  })
    .input(
      z.strictObject({
        name,
        leadListId: Id,
        messageTemplate,
        status: z.enum(['paused', 'draft']),
        channel: channel.default('api'),
        xAccountId: Id.optional(),
        /** Include leads that another campaign has messaged. */
        allowRepeat: z.boolean().default(false),
        /** Include leads who have replied. Without it they are skipped, even with `allowRepeat`. */
        allowReplied: z.boolean().default(false),
      }),
    )
    .output(Campaign),

  estimate: route({
    method: 'POST',
    path: '/campaigns/estimate',
    tag: 'Campaigns',
    summary: 'Estimate recipients, time and cost of a campaign before its launch',
    access: 'viewer',
    effect: 'none',
    errors: ['LEAD_LIST_NOT_FOUND', 'X_ACCOUNT_NOT_FOUND'],
  })
    .input(
      z.strictObject({
        leadListId: Id,
        channel: channel.default('api'),
        xAccountId: Id.optional(),
        /** May be incomplete. */
        messageTemplate: text(MESSAGE_MAX).default(''),
        /** Include leads who have replied. */
        allowReplied: z.boolean().default(false),
      }),
    )
    .output(
      z.object({
        /** Leads in the list. Each gets one message unless it may not be messaged. */
        leads: z.number().int(),
        /**
         * Leads who replied and did not opt out. Skipped, and not counted below, unless
         * `allowReplied`.
         */
        replied: z.number().int(),
        /** Queued messages of the account's other active campaigns, which are sent first. */
        ahead: z.number().int(),
        /**
         * Time until the last message is sent, given the account's limits and today's usage; null:
         * the limits allow none.
         */
        seconds: z.number().int().nullable(),
        /** What X charges for sending; null: nothing. */
        costCents: z.number().int().nullable(),
        /** Number of leads checked, from the start of the list. At most LEADS_CHECKED_MAX. */
        checked: z.number().int(),
        /** Variables, as written, that are empty for some leads, who get the fallback. */
        missing: z.array(z.object({ place: z.string(), leads: z.number().int() })),
      }),
    ),

  processQueue: route({
    method: 'POST',
    path: '/campaigns/process-queue',
    tag: 'Sending',
    summary: 'Process queued messages without sending them, if X is simulated',
    description:
      'Each message takes 500 to 1,000 ms and is recorded as sent with a probability of 80%. The interval between messages does not apply. The daily cap and sending window of the X account, pauses, suppression and leases apply as for any sender. Returns 429 if they allow no message now.',
    access: 'member',
    effect: 'outside',
    errors: ['NOT_FOUND'],
  })
    .input(z.strictObject({ batchSize: wholeNumber(1, SIMULATED_BATCH_MAX).default(SIMULATED_BATCH) }))
    .output(
      Success.extend({
        processed: z.number().int(),
        sent: z.number().int(),
        failed: z.number().int(),
        campaignsCompleted: z.number().int(),
        /** Texts about messages that could not be processed. These are not counted as processed. */
        problems: z.array(z.string()),
      }),
    ),

  find: route({
    method: 'GET',
    path: '/campaigns/{id}',
    tag: 'Campaigns',
    summary: 'Get a campaign',
    access: 'viewer',
    effect: 'none',
    errors: ['CAMPAIGN_NOT_FOUND'],
  })
    .input(z.object({ id: Id }))
    .output(Campaign),

  forecast: route({
    method: 'GET',
    path: '/campaigns/{id}/forecast',
    tag: 'Campaigns',
    summary: 'Estimate how long an active campaign still takes, given the sending limits of its X account',
    access: 'viewer',
    effect: 'none',
    errors: ['CAMPAIGN_NOT_FOUND'],
  })
    .input(z.object({ id: Id }))
    .output(
      z.object({
        /**
         * Time until the last message is sent; null: not active, nothing queued, or the cap allows
         * none.
         */
        seconds: z.number().int().nullable(),
      }),
    ),

  update: route({
    method: 'PATCH',
    path: '/campaigns/{id}',
    tag: 'Campaigns',
    summary: 'Resume, pause, archive or edit a campaign',
    description:
      'Activating a campaign queues its unqueued messages in the same transaction. Pausing or archiving takes effect before the next message. The response waits up to 25 seconds for claimed messages; `messagesInFlight` is the number that is left.',
    access: 'member',
    effect: 'outside',
    errors: ['CAMPAIGN_NOT_FOUND', 'CAMPAIGN_STATE', 'X_NOT_CONNECTED', 'X_ACCOUNT_NOT_FOUND', 'PLAN_LIMIT'],
  })
    .input(
      z.strictObject({
        id: Id,
        status: z.enum(['active', 'paused', 'archived']).optional(),
        name: name.optional(),
        messageTemplate: messageTemplate.optional(),
        channel: channel.optional(),
        xAccountId: Id.optional(),
        /** Can only be changed before the launch. */
        allowRepeat: z.boolean().optional(),
        allowReplied: z.boolean().optional(),
      }),
    )
    .output(Campaign),

  duplicate: route({
    method: 'POST',
    path: '/campaigns/{id}/duplicate',
    tag: 'Campaigns',
    summary: 'Duplicate a campaign as a draft with the same list, message, channel and account',
    access: 'member',
    effect: 'rows',
    errors: ['CAMPAIGN_NOT_FOUND', 'CAMPAIGN_STATE'],
  })
    .input(z.strictObject({ id: Id }))
    .output(Campaign),

  sendTest: route({
    method: 'POST',
    path: '/campaigns/{id}/test',
    tag: 'Campaigns',
    summary: 'Email yourself the message as one lead would get it',
    description: 'By email, because X delivers no direct message to its own sender. The lead gets nothing.',
    access: 'member',
    effect: 'rows',
    errors: ['CAMPAIGN_NOT_FOUND', 'LEAD_NOT_FOUND'],
  })
    .input(
      z.strictObject({
        id: Id,
        /** Defaults to the list's first lead, or to an example if the list is empty. */
        leadId: Id.optional(),
      }),
    )
    .output(Success.extend({ sentTo: z.string() })),

  queue: route({
    method: 'POST',
    path: '/campaigns/{id}/queue',
    tag: 'Campaigns',
    summary: 'Launch a campaign: queue one message for each lead of its list',
    access: 'member',
    effect: 'rows',
    errors: ['CAMPAIGN_NOT_FOUND', 'CAMPAIGN_STATE', 'X_NOT_CONNECTED', 'PLAN_LIMIT'],
  })
    .input(z.strictObject({ id: Id }))
    .output(Success.extend({ dmsQueued: z.number().int(), totalLeads: z.number().int() })),

  dms: route({
    method: 'GET',
    path: '/campaigns/{id}/dms',
    tag: 'Campaigns',
    summary: 'List the messages of a campaign',
    access: 'viewer',
    effect: 'none',
    errors: ['CAMPAIGN_NOT_FOUND'],
  })
    .input(
      z.object({
        id: Id,
        status: z.enum(DM_STATUSES).optional(),
        ...paging(50),
        cursor,
      }),
    )
    .output(Page.extend({ dms: z.array(Dm), cursor: z.string().nullable() })),

  claim: route({
    method: 'POST',
    path: '/campaigns/{id}/claim',
    tag: 'Sending',
    summary: 'Claim the next message of a campaign that the extension sends',
    description:
      'With an Idempotency-Key, a retry returns the same message under the same lease. 204 (no message due) is not stored, so a retry checks again.',
    access: 'member',
    effect: 'rows',
    byExtension: true,
    errors: ['CAMPAIGN_NOT_FOUND', 'CAMPAIGN_CHANNEL', 'CAMPAIGN_STATE'],
  })
    .route({ outputStructure: 'detailed' })
    .input(z.strictObject({ id: Id, holder }))
    .output(ClaimAnswer),

  claimAny: route({
    method: 'POST',
    path: '/claim',
    tag: 'Sending',
    summary: 'Claim the next message of any campaign that the extension sends',
    description:
      'With `signedInAs`, messages of other X accounts are returned only if that account has none queued. With an Idempotency-Key, a retry returns the same message under the same lease.',
    access: 'member',
    effect: 'rows',
    byExtension: true,
  })
    .route({ outputStructure: 'detailed' })
    .input(z.strictObject({ holder, signedInAs: text(50).optional() }))
    .output(ClaimAnswer),

  recordOutcome: route({
    method: 'POST',
    path: '/dms/{id}/outcome',
    tag: 'Sending',
    summary: 'Report the outcome of a claimed message',
    access: 'member',
    effect: 'rows',
    byExtension: true,
    errors: ['DM_NOT_FOUND', 'LEASE_LOST'],
  })
    .input(
      z.strictObject({
        id: Id,
        lease: requiredText(100),
        wasSent: z.boolean(),
        errorMessage: text(2_000).optional(),
        /** Instead of `errorMessage`, if the claim names nobody. */
        reason: SkipReason.extend({ code: z.literal('lead_missing') }).optional(),
        /**
         * It may or may not have been sent. The lead gets no other message until someone checks.
         */
        outcomeUnknown: z.boolean().default(false),
      }),
    )
    .output(Success.extend({ campaignCompleted: z.boolean() })),

  confirm: route({
    method: 'POST',
    path: '/dms/{id}/confirm',
    tag: 'Sending',
    summary: 'Check right before sending whether a claimed message may still be sent; renews its lease',
    description:
      '`maySend` is false if the campaign was paused or ended or the sending limits no longer allow it (the message is queued again), or if the lead may no longer be messaged (it fails, with the reason). The lease then ends.',
    access: 'member',
    effect: 'unkeyed',
    byExtension: true,
    errors: ['DM_NOT_FOUND', 'LEASE_LOST'],
  })
    .input(z.strictObject({ id: Id, lease: requiredText(100) }))
    .output(Success.extend({ maySend: z.boolean(), leaseExpiresAt: Time.nullable() })),

  release: route({
    method: 'POST',
    path: '/dms/{id}/release',
    tag: 'Sending',
    summary: 'Release a claimed message that was certainly not sent, so that it is queued again',
    access: 'member',
    effect: 'rows',
    byExtension: true,
    errors: ['DM_NOT_FOUND', 'LEASE_LOST'],
  })
    .input(z.strictObject({ id: Id, lease: requiredText(100) }))
    .output(Success),

  requeue: route({
    method: 'POST',
    path: '/dms/{id}/requeue',
    tag: 'Sending',
    summary: 'Queue a failed message again',
    access: 'member',
    effect: 'rows',
    errors: ['DM_NOT_FOUND', 'DM_STATE', 'PLAN_LIMIT'],
  })
    .input(z.strictObject({ id: Id }))
    .output(Dm),
}
