import { z } from 'zod'
import { Id } from '../fields.ts'
import { routes } from '../route.ts'

const route = routes('Analytics')

/** Maximum number of days per request. */
export const ANALYTICS_DAYS_MAX = 366

/** Days in 'Weekly Activity'. */
export const WEEK_DAYS = 7

/** A calendar day, '2026-11-20'. */
export const Day = z.string().refine(isDay, 'must be a day such as 2026-01-31')

/** Whether the text is an existing calendar day from 1970 to 2999. */
export function isDay(text: string): boolean {
  if (!/^(19[7-9]|20\d|2[1-9]\d)\d-\d\d-\d\d$/.test(text)) return false
  const at = new Date(`${text}T00:00:00Z`)
  return !Number.isNaN(at.getTime()) && at.toISOString().slice(0, 10) === text
}

/** Counts for the messages sent on one day. */
export const ActivityDay = z.object({
  day: z.string(),
  /** Includes delivered and replied messages. */
  sent: z.number().int(),
  /** Includes replied messages. */
  delivered: z.number().int(),
  /** Sent messages that got a reply. */
  replied: z.number().int(),
})
export type ActivityDay = z.output<typeof ActivityDay>

/** Percent from 0 to 100 with one decimal; null: not measured. */
const Rate = z.number().min(0).max(100).nullable()

export const Analytics = z.object({
  /** Leads in the workspace, or leads queued for the campaign. */
  leadsCount: z.number().int(),
  messagesSent: z.number().int(),
  messagesDelivered: z.number().int(),
  replies: z.number().int(),
  /** Replies as a share of messages sent. */
  replyRate: Rate,
  /** Always null, because links are not tracked. */
  clickRate: Rate,
  /** Replies as a share of all leads. */
  conversionRate: Rate,
  /** The most recent repliers first. */
  topPerformingLeads: z.array(z.object({ handle: z.string(), name: z.string(), repliedAt: z.iso.datetime() })),
  /** Every requested day, oldest first. Defaults to the last seven days. */
  series: z.array(ActivityDay),
  /** The IANA time zone of these days, such as Europe/Berlin. */
  timeZone: z.string(),
})
export type Analytics = z.output<typeof Analytics>

export const analytics = {
  find: route('GET /analytics', 'viewer', 'none', {
    summary: 'Get the outcomes of messages, in total or by day sent',
    description:
      'Messages count on the day they were sent, and replies on the day of the message they answer. Without `from` and `to`, the totals cover all time.',
    errors: ['CAMPAIGN_NOT_FOUND'],
  })
    .input(
      z
        .object({
          /** With only `from`, ends today; with only `to`, covers the week before it. */
          from: Day.optional(),
          to: Day.optional(),
          /** A campaign id, or `direct` for messages without a campaign (leads page, messenger). */
          campaignId: z.union([z.literal('direct'), Id]).optional(),
        })
        .refine(({ from, to }) => !from || !to || from <= to, {
          message: 'The last day must not be before the first.',
          path: ['to'],
        })
        .refine(({ from, to }) => !from || !to || daysBetween(from, to) < ANALYTICS_DAYS_MAX, {
          message: `Choose at most ${ANALYTICS_DAYS_MAX} days.`,
          path: ['to'],
        }),
    )
    .output(Analytics),
}

/** Days between two calendar days. */
export function daysBetween(from: string, to: string): number {
  return (Date.parse(to) - Date.parse(from)) / 86_400_000
}
