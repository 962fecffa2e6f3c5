import { z } from 'zod'
import {
  cursorPaging,
  HoldSeconds,
  Id,
  Page,
  requiredName,
  requiredText,
  Success,
  Time,
  text,
  wholeNumber,
} from '../fields.ts'
import { CallersId } from '../leads/leads.ts'
import { PauseReason } from '../reason.ts'
import { routes } from '../route.ts'
import { Preflight, PreflightInput } from './preflight.ts'
import { CampaignWait } from './sending-settings.ts'
import { ReengagementInput, refineMessages, StepInputs } from './steps.ts'
import { MESSAGE_MAX } from './template.ts'

const route = routes('Campaigns', 'campaigns')

export const CAMPAIGN_STATUSES = ['draft', 'paused', 'active', 'completed', 'archived'] as const
export type CampaignStatus = (typeof CAMPAIGN_STATUSES)[number]

export const Campaign = z.object({
  id: z.string(),
  name: z.string(),
  /** Null if the list was deleted; screens show N/A. */
  leadListId: z.string().nullable(),
  leadListName: z.string().nullable(),
  /** The text of the first step's first active variant. */
  messageTemplate: z.string(),
  /** Who sends: our worker through X's API, or the browser extension. */
  channel: z.enum(['api', 'extension']),
  xAccountId: z.string().nullable(),
  /** The campaign includes leads whom another campaign has messaged. */
  allowRepeat: z.boolean(),
  /** The campaign includes leads who have replied. Leads who opted out are never included. */
  allowReplied: z.boolean(),
  status: z.enum(CAMPAIGN_STATUSES),
  /** Set when the campaign is launched. */
  totalLeadsInList: z.number().int(),
  dmsQueuedCount: z.number().int(),
  /** Includes delivered and replied messages. */
  dmsSentCount: z.number().int(),
  /** Includes skipped messages. */
  dmsFailedCount: z.number().int(),
  /** How many of the failed messages were skipped: a rule kept them from being sent, not an error. */
  dmsSkippedCount: z.number().int(),
  /** Sent messages that X reports as delivered. Includes replied messages. */
  dmsDeliveredCount: z.number().int(),
  dmsRepliedCount: z.number().int(),
  /** The number of people whose first message was sent. */
  peopleMessaged: z.number().int(),
  /** The number of people whose first message was skipped. */
  peopleSkipped: z.number().int(),
  /** How many of the people messaged have replied. Automatic replies do not count. */
  peopleReplied: z.number().int(),
  /** How many of the people messaged replied positively: `interested`, `meeting`, `question` or `booked`. */
  peoplePositive: z.number().int(),
  /** Number of steps, not counting re-engagement. */
  stepCount: z.number().int(),
  /** The number of people still in the sequence; 0 before the launch. */
  openEnrollments: z.number().int(),
  /** The earliest time at which a follow-up can be due; null if there is nobody to follow up. */
  nextFollowUpAt: Time.nullable(),
  /** The launch can be undone until this time, unless a message is claimed first. Null if it cannot be undone. */
  undoUntil: Time.nullable(),
  lastRunAt: Time.nullable(),
  /** Part of the sample data. */
  isSample: z.boolean(),
  createdAt: Time,
  updatedAt: Time,
  /** Why the campaign was paused automatically, as text. */
  pauseReason: z.string().nullable(),
  /** Why the campaign was paused automatically, as a code. Null unless it was. */
  reason: PauseReason.nullable(),
  /** The number of claimed messages. After pausing or archiving, these may still be sent. */
  messagesInFlight: z.number().int(),
  /** The campaign is active, but an older one on the same X account sends first. */
  waiting: z.boolean(),
  /** The oldest campaign that sends first, or would if this paused one were resumed; null if none. */
  waitsBehind: z.object({ id: z.string(), name: z.string() }).nullable(),
  /** Why this active campaign cannot send, and until when; null if it can. */
  waitingFor: CampaignWait.nullable(),
  /** Messages sent on each of the last 14 days (UTC), today last. Only in lists. */
  sentByDay: z.array(z.number().int()).optional(),
})
export type Campaign = z.output<typeof Campaign>

export const CAMPAIGN_NAME_MAX = 200

const name = requiredName(CAMPAIGN_NAME_MAX)
const messageTemplate = requiredText(MESSAGE_MAX)
const channel = z.enum(['api', 'extension'])
/** The caller's draft of the campaign. It is deleted if the call succeeds. */
const draftId = CallersId.optional()

export const campaigns = {
  list: route('GET /campaigns', 'viewer', 'none', { summary: 'List campaigns, newest first' })
    .input(
      z.object({
        ...cursorPaging(100),
        /** Only campaigns that use this list. */
        leadListId: Id.optional(),
        /** Only campaigns started from this template. */
        templateId: Id.optional(),
        status: z.enum(CAMPAIGN_STATUSES).optional(),
        /** Only campaigns whose name contains this, case-insensitively. */
        keyword: text(200).optional(),
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

  create: route('POST /campaigns', 'member', 'rows', {
    summary: 'Create a campaign as a draft or paused',
    errors: ['LEAD_LIST_NOT_FOUND', 'X_ACCOUNT_NOT_FOUND', 'TEMPLATE_NOT_FOUND', 'DRAFT_NOT_FOUND', 'PLAN_LIMIT'],
  })
    .input(
      z
        .strictObject({
          name,
          leadListId: Id,
          /** The template that the campaign was started from. The template's figures then include the campaign. */
          templateId: Id.optional(),
          /** Shorthand for `steps`: one step with one variant. */
          messageTemplate: messageTemplate.optional(),
          steps: StepInputs.optional(),
          reengagement: ReengagementInput.nullable().optional(),
          status: z.enum(['paused', 'draft']),
          channel: channel.default('api'),
          xAccountId: Id.optional(),
          /** Include leads whom another campaign has messaged. */
          allowRepeat: z.boolean().default(false),
          /** Include leads who have replied. By default they are skipped, even with `allowRepeat`. */
          allowReplied: z.boolean().default(false),
          draftId,
        })
        .superRefine(refineMessages),
    )
    .output(Campaign),

  preflight: route('POST /campaigns/preflight', 'viewer', 'none', {
    summary: 'Check who a campaign would message, when and at what cost',
    errors: ['LEAD_LIST_NOT_FOUND', 'X_ACCOUNT_NOT_FOUND'],
  })
    .input(PreflightInput)
    .output(Preflight),

  find: route('GET /campaigns/{id}', 'viewer', 'none', { summary: 'Get a campaign', errors: ['CAMPAIGN_NOT_FOUND'] })
    .input(z.object({ id: Id }))
    .output(Campaign),

  findPreflight: route('GET /campaigns/{id}/preflight', 'viewer', 'none', {
    summary: 'Check a saved campaign in the same way; of a launched one, what is left',
    errors: ['CAMPAIGN_NOT_FOUND'],
  })
    .input(z.object({ id: Id }))
    .output(Preflight),

  update: route('PATCH /campaigns/{id}', 'member', 'outside', {
    summary: 'Resume, pause, archive or edit a campaign',
    description:
      'Activating a campaign queues its unqueued messages in the same transaction. Activating an active one ends the hold of its launch. Pausing or archiving takes effect before the next message. The response waits up to 25 seconds for claimed messages; `messagesInFlight` is the number that is left.',
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
        /** Can only be changed before launch. */
        allowRepeat: z.boolean().optional(),
        allowReplied: z.boolean().optional(),
      }),
    )
    .output(Campaign),

  duplicate: route('POST /campaigns/{id}/duplicate', 'member', 'rows', {
    summary: 'Duplicate a campaign as a draft with the same list, message, channel and account',
    errors: ['CAMPAIGN_NOT_FOUND', 'CAMPAIGN_STATE'],
  })
    .input(z.strictObject({ id: Id }))
    .output(Campaign),

  sendTest: route('POST /campaigns/{id}/test', 'member', 'rows', {
    byKey: false,
    summary: 'Email yourself the message as one lead would get it',
    description: 'By email, because X does not deliver direct messages to their own sender. The lead gets nothing.',
    errors: ['CAMPAIGN_NOT_FOUND', 'LEAD_NOT_FOUND'],
  })
    .input(
      z.strictObject({
        id: Id,
        /** Defaults to the first lead in the list, or to an example if the list is empty. */
        leadId: Id.optional(),
        stepNumber: z.int().min(1).default(1),
        /** Defaults to the step's first active variant. */
        variantId: Id.optional(),
      }),
    )
    .output(Success.extend({ sentTo: z.string() })),

  queue: route('POST /campaigns/{id}/queue', 'member', 'rows', {
    summary: 'Launch a campaign: queue one message for each lead of its list',
    errors: ['CAMPAIGN_NOT_FOUND', 'CAMPAIGN_STATE', 'X_NOT_CONNECTED', 'PLAN_LIMIT'],
  })
    .input(
      z.strictObject({
        id: Id,
        /**
         * Number of people who get a message now. The others wait until the plan's limit resets or
         * is raised. With 0, everyone waits.
         */
        limit: wholeNumber(0, 1_000_000_000).optional(),
        holdSeconds: HoldSeconds,
        draftId,
      }),
    )
    .output(Success.extend({ dmsQueued: z.number().int(), totalLeads: z.number().int() })),

  undoLaunch: route('POST /campaigns/{id}/undo-launch', 'member', 'rows', {
    summary: 'Undo a launch before its first message is claimed',
    description: 'Possible until `undoUntil`. Nothing stays queued, and the plan gets its messages back.',
    errors: ['CAMPAIGN_NOT_FOUND', 'CAMPAIGN_STATE'],
  })
    .input(z.strictObject({ id: Id }))
    .output(Campaign),
}
