import { z } from 'zod'
import { Id } from './fields.ts'
import { route } from './route.ts'

/** Days that one call may ask for. */
export const ANALYTICS_DAYS_MAX = 366

/** Days of 'Weekly Activity'. */
export const WEEK_DAYS = 7

/** A calendar day, '2026-11-20'. */
export const Day = z.string().refine(isDay, 'must be a day such as 2026-01-31')

/** Is it a day that there is, of this or a coming age? */
export function isDay(text: string): boolean {
  if (!/^(19[7-9]|20\d|2[1-9]\d)\d-\d\d-\d\d$/.test(text)) return false
  const at = new Date(`${text}T00:00:00Z`)
  return !Number.isNaN(at.getTime()) && at.toISOString().slice(0, 10) === text
}

/** What became of the messages that went out on a day. */
export const ActivityDay = z.object({
  day: z.string(),
  /** Sent, delivered and replied. */
  sent: z.number().int(),
  /** Of those sent, the ones that X says have arrived, answered ones among them. */
  delivered: z.number().int(),
  /** Of those sent, the ones that were answered. */
  replied: z.number().int(),
})
export type ActivityDay = z.output<typeof ActivityDay>

/** A share in percent, 0 to 100, with one decimal; null: not measured yet, or never. */
const Rate = z.number().min(0).max(100).nullable()

export const Analytics = z.object({
  /** Leads of the workspace; of a campaign, those it was queued for. */
  leadsCount: z.number().int(),
  messagesSent: z.number().int(),
  messagesDelivered: z.number().int(),
  replies: z.number().int(),
  /** Replies, of all messages sent. */
  replyRate: Rate,
  /** Links in messages are not tracked: always null. */
  clickRate: Rate,
  /** Replies, of all leads. */
  conversionRate: Rate,
  /** Who answered last. */
  topPerformingLeads: z.array(z.object({ handle: z.string(), name: z.string(), repliedAt: z.iso.datetime() })),
  /** Every day asked for, oldest first; without `from` and `to` the last seven. */
  series: z.array(ActivityDay),
  /** Whose days these are, such as Europe/Berlin. */
  timeZone: z.string(),
})
export type Analytics = z.output<typeof Analytics>

export const analytics = {
  find: route({
    method: 'GET',
    path: '/analytics',
    tag: 'Analytics',
    summary: 'What became of messages, in all or of those sent on certain days',
    description:
      'Counted by the day a message was sent: a reply counts on the day of the message that it answers. Without `from` and `to` the figures are those of all time.',
    access: 'viewer',
    effect: 'none',
    errors: ['CAMPAIGN_NOT_FOUND'],
  })
    .input(
      z
        .object({
          /** The first day, and the last. One alone: up to today, or the week up to it. */
          from: Day.optional(),
          to: Day.optional(),
          /** A campaign, or `direct`: messages without one (leads page, messenger). */
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

/** Days from one to the other. */
export function daysBetween(from: string, to: string): number {
  return (Date.parse(to) - Date.parse(from)) / 86_400_000
}
