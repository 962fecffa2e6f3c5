import { z } from 'zod'
import { Id, Time } from '../fields.ts'
import { CAMPAIGN_STATUSES } from '../outreach/campaigns.ts'
import { CampaignWait, WarmUp } from '../outreach/sending-settings.ts'
import { routes } from '../route.ts'

const route = routes('Today')

/** Number of days in the chart of GET /today. */
export const TODAY_DAYS = 14
/** Maximum number of campaigns that GET /today lists. */
export const TODAY_CAMPAIGNS = 5

/** Issues that need a person's attention. `key_suspended` is for admins, the last two are for owners. */
const NEED_CODES = [
  'funds',
  'spending',
  'x_disconnected',
  'consent_missing',
  'campaign_paused',
  'detection_degraded',
  'openers_waiting',
  'usage_high',
  'key_suspended',
  'payment_failed',
  'plan_ended',
] as const
export type NeedCode = (typeof NEED_CODES)[number]

export const Need = z.object({
  code: z.enum(NEED_CODES),
  params: z.record(z.string(), z.union([z.string(), z.number(), z.boolean(), z.null()])),
  /** The page on which the need can be resolved. */
  path: z.string(),
})
export type Need = z.output<typeof Need>

export const Today = z.object({
  /**
   * Number of people who wait for an answer: they wrote last, and neither their label nor a
   * suppression rules out an answer. Counted up to REPLIES_WAITING_MAX.
   */
  repliesWaiting: z.number().int(),
  /** Messages sent since midnight, in the time zone of the given account or else of the current account. */
  sentToday: z.number().int(),
  /** Usage of all daily caps in the last 24 hours: the sum of `countedInDay` in the sending limits. */
  countedInDay: z.number().int(),
  /** The sum of the current daily caps. */
  capNow: z.number().int(),
  /** The warm-up of the only account; null if it is not warming up, or there are several accounts. */
  warmUp: WarmUp.nullable(),
  /** When the next message or follow-up can be sent; null if there is none. */
  nextSendAt: Time.nullable(),
  /** Active and paused campaigns, active ones first. */
  campaigns: z.array(
    z.object({
      id: z.string(),
      name: z.string(),
      status: z.enum(CAMPAIGN_STATUSES),
      peopleMessaged: z.number().int(),
      totalLeadsInList: z.number().int(),
      peopleSkipped: z.number().int(),
      /** Why this active campaign can send nothing, with the end of the wait; null if it can send. */
      waitingFor: CampaignWait.nullable(),
      /** People who replied positively, as a percentage of the people messaged. */
      positiveRate: z.number().nullable(),
      /** Messages sent on each of the last 14 days (UTC), today last. */
      sentByDay: z.array(z.number().int()).optional(),
    }),
  ),
  /**
   * The last TODAY_DAYS days, in the time zone of `sentToday`, today last. A reply counts on the day
   * of the message that it answers.
   */
  days: z.array(
    z.object({ day: z.string(), sent: z.number().int(), replied: z.number().int(), positive: z.number().int() }),
  ),
  /** Most urgent first. */
  needs: z.array(Need),
})
export type Today = z.output<typeof Today>

export const today = {
  find: route('GET /today', 'viewer', 'none', {
    summary: "Get today's figures and what needs attention",
    errors: ['X_ACCOUNT_NOT_FOUND'],
  })
    .input(
      z.object({
        /** Defaults to all accounts together. */
        xAccountId: Id.optional(),
      }),
    )
    .output(Today),
}
