import { z } from 'zod'
import { BAD_CURSOR, Id, isId } from '../fields.ts'
import { routes } from '../route.ts'
import { DAY_MS } from '../time.ts'

const route = routes('Analytics', 'analytics')

/** Maximum number of days per request. */
export const ANALYTICS_DAYS_MAX = 366

/** Days in 'Weekly Activity'. */
export const WEEK_DAYS = 7

/** A calendar day, such as '2026-11-20'. */
export const Day = z.string().refine(isDay, 'must be a day such as 2026-01-31')

/** Whether the text is a valid calendar day from 1970 to 2999. */
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
  /** Includes messages that were replied to. */
  delivered: z.number().int(),
  /** Sent messages with a reply. */
  replied: z.number().int(),
})
export type ActivityDay = z.output<typeof ActivityDay>

/** Percent from 0 to 100 with one decimal; null if not measured. */
const Rate = z.number().min(0).max(100).nullable()

export const Analytics = z.object({
  /** Leads in the workspace, or leads queued for the campaign. */
  leadsCount: z.number().int(),
  messagesSent: z.number().int(),
  messagesDelivered: z.number().int(),
  replies: z.number().int(),
  /** Replies as a share of messages sent. */
  replyRate: Rate,
  /** Messages with a reply that shows interest, asks for a meeting or asks a question. */
  positiveReplies: z.number().int(),
  /** Positive replies as a share of messages sent. */
  positiveReplyRate: Rate,
  /**
   * The median time from a reply to our first answer, over the latest MEDIAN_ANSWERS_OF messages
   * with replies; null if none was answered.
   */
  medianAnswerSeconds: z.number().int().nullable(),
  /** Always null, because links are not tracked. */
  clickRate: Rate,
  /** Replies as a share of all leads. */
  conversionRate: Rate,
  /** Most recent reply first. */
  topPerformingLeads: z.array(z.object({ handle: z.string(), name: z.string(), repliedAt: z.iso.datetime() })),
  /** Every requested day, oldest first. Defaults to the last seven days. */
  series: z.array(ActivityDay),
  /** The IANA time zone of these days, such as Europe/Berlin. */
  timeZone: z.string(),
})
export type Analytics = z.output<typeof Analytics>

const period = {
  /** With only `from`, the period ends today. With only `to`, it is the seven days that end on that day. */
  from: Day.optional(),
  to: Day.optional(),
}

/** Checks that the days are in order and not too many. */
function withValidPeriod<T extends z.ZodType<{ from?: string | undefined; to?: string | undefined }>>(query: T) {
  return query
    .refine(({ from, to }) => !from || !to || from <= to, {
      message: 'The last day must not be before the first.',
      path: ['to'],
    })
    .refine(({ from, to }) => !from || !to || daysBetween(from, to) < ANALYTICS_DAYS_MAX, {
      message: `Choose at most ${ANALYTICS_DAYS_MAX} days.`,
      path: ['to'],
    })
}

const BREAKDOWNS = ['campaign', 'step', 'variant', 'account', 'member'] as const
export type BreakdownBy = (typeof BREAKDOWNS)[number]

export const BreakdownQuery = withValidPeriod(
  z.object({
    ...period,
    by: z.enum(BREAKDOWNS),
    /** Required for steps and variants. */
    campaignId: Id.optional(),
    /** The cursor of the last response. */
    cursor: z.string().max(500).refine(isId, BAD_CURSOR).optional(),
  }),
).refine(({ by, campaignId }) => campaignId !== undefined || (by !== 'step' && by !== 'variant'), {
  message: 'Choose a campaign.',
  path: ['campaignId'],
})

export const BreakdownRow = z.object({
  /** Null if the account, member or variant no longer exists. */
  id: z.string().nullable(),
  name: z.string(),
  peopleMessaged: z.number().int(),
  /** People with at least one reply that was not automatic. */
  peopleReplied: z.number().int(),
  peoplePositive: z.number().int(),
  optedOut: z.number().int(),
  /** `peopleReplied` as a share of `peopleMessaged`. */
  replyRate: Rate,
  /** `peoplePositive` as a share of `peopleMessaged`. */
  positiveRate: Rate,
  /** The median time from a message to the first reply; null without replies. */
  medianReplySeconds: z.number().int().nullable(),
  /** The median time from a reply to our first answer; null without answers. */
  medianAnswerSeconds: z.number().int().nullable(),
})
export type BreakdownRow = z.output<typeof BreakdownRow>

/** Number of replies per campaign that a median covers when campaigns are compared. */
export const MEDIAN_OF_EACH = 200
/** Total number of replies that a median covers in other breakdowns. */
export const MEDIAN_OF_ALL = 5_000
/** Number of replies that `medianAnswerSeconds` of GET /analytics covers. Small, because screens poll it. */
export const MEDIAN_ANSWERS_OF = 1_000
const MEDIAN_RULE = `\`medianReplySeconds\` and \`medianAnswerSeconds\` are about the replies that came in the period: the latest ${MEDIAN_OF_EACH} of each campaign, or the latest ${MEDIAN_OF_ALL} in all other breakdowns.`

export const HeatmapQuery = withValidPeriod(
  z.object({ ...period, campaignId: z.union([z.literal('direct'), Id]).optional() }),
)

export const HeatmapCell = z.object({
  /** 1 is Monday. */
  weekday: z.number().int().min(1).max(7),
  hour: z.number().int().min(0).max(23),
  sent: z.number().int(),
  /** Messages with a reply that was not automatic. */
  replied: z.number().int(),
  positive: z.number().int(),
})
export type HeatmapCell = z.output<typeof HeatmapCell>

export const analytics = {
  find: route('GET /analytics', 'viewer', 'none', {
    summary: 'Get the outcomes of messages, in total or by day sent',
    description:
      'Messages count on the day they were sent, and replies on the day of the message they answer. Without `from` and `to`, the totals cover all time.',
    errors: ['CAMPAIGN_NOT_FOUND'],
  })
    .input(
      withValidPeriod(
        z.object({
          ...period,
          /** A campaign id, or `direct` for messages outside campaigns (leads page, messenger). */
          campaignId: z.union([z.literal('direct'), Id]).optional(),
        }),
      ),
    )
    .output(Analytics),

  breakdown: route('GET /analytics/breakdown', 'viewer', 'none', {
    summary: 'Compare campaigns, steps, variants, X accounts or members',
    description: `Counts people, on the day of their first message; for steps and variants, on the day of that step's message. Direct messages are left out. ${MEDIAN_RULE}`,
    errors: ['CAMPAIGN_NOT_FOUND', 'PLAN_LIMIT'],
  })
    .input(BreakdownQuery)
    .output(
      z.object({
        /** Campaigns, accounts and members: newest first. Steps and variants: in sequence order. */
        rows: z.array(BreakdownRow),
        cursor: z.string().nullable(),
      }),
    ),

  heatmap: route('GET /analytics/heatmap', 'viewer', 'none', {
    summary: 'Get when messages were sent and answered, by weekday and hour',
    description: 'Replies count in the hour of the message that they answer. Automatic replies do not count.',
    errors: ['CAMPAIGN_NOT_FOUND', 'PLAN_LIMIT'],
  })
    .input(HeatmapQuery)
    .output(
      z.object({
        /** Only hours in which something was sent. */
        cells: z.array(HeatmapCell),
        /** The IANA time zone of the hours. */
        timeZone: z.string(),
      }),
    ),
}

/** Returns the number of days between two calendar days. */
export function daysBetween(from: string, to: string): number {
  return (Date.parse(to) - Date.parse(from)) / DAY_MS
}
