import { z } from 'zod'
import { Id, Page, paging, requiredName, requiredText, Success, Time, text } from '../fields.ts'
import { PauseReason } from '../reason.ts'
import { route } from '../route.ts'
import { Waiting } from './sending-settings.ts'

export const CAMPAIGN_STATUSES = ['draft', 'paused', 'active', 'completed', 'archived'] as const
export type CampaignStatus = (typeof CAMPAIGN_STATUSES)[number]

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

const name = requiredName(200)
const messageTemplate = requiredText(MESSAGE_MAX)
const channel = z.enum(['api', 'extension'])
/** Pass the last response's cursor. Every page costs the same, however deep. */
const cursor = z.string().max(500).optional()

/** Maximum number of leads that an estimate checks. */
export const LEADS_CHECKED_MAX = 1_000
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
}
