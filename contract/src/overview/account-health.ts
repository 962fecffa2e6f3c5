import { z } from 'zod'
import { Id, queryNumber } from '../fields.ts'
import { ReplyDetection } from '../outreach/replies.ts'
import { SendingLimits, WarmUp } from '../outreach/sending-settings.ts'
import { routes } from '../route.ts'

const route = routes('X account')

/** Maximum and default number of days of an account's figures. */
export const HEALTH_DAYS = { max: 90, default: 30 }

const figures = {
  sent: z.number().int(),
  /** Messages that X refused, or whose outcome stayed unknown, by the day on which they were queued. */
  refused: z.number().int(),
  /** Messages whose reply asked us to stop, by the day on which they were sent. */
  optedOut: z.number().int(),
}

/** An X account's figures, limits and costs. */
export const AccountHealth = z.object({
  /** The sums of `series`. */
  ...figures,
  /** The day of the warm-up, from 1; null: the account is not warming up. */
  warmUpDay: z.number().int().nullable(),
  warmUp: WarmUp.nullable(),
  /** The current cap per 24 hours. */
  capNow: z.number().int(),
  /** When the account sends. */
  window: SendingLimits.pick({ hours: true, workDays: true, timeZone: true }),
  /** Whether replies to the account are detected. */
  detection: ReplyDetection.shape.state,
  /** X's charges for the account this month, in UTC. Estimated, like GET /x-costs. */
  spentCents: z.number().int(),
  /** X's expected charges by the end of the month, at the pace of the last seven days. */
  expectedCents: z.number().int(),
  /** Days in the account's time zone, today last. */
  series: z.array(z.object({ day: z.string(), ...figures })),
})
export type AccountHealth = z.output<typeof AccountHealth>

export const accountHealth = {
  find: route('GET /x-accounts/{id}/health', 'viewer', 'none', {
    summary: "Get an X account's figures by day, its limits and its costs",
    errors: ['X_ACCOUNT_NOT_FOUND'],
  })
    .input(z.object({ id: Id, days: queryNumber(1, HEALTH_DAYS.max).default(HEALTH_DAYS.default) }))
    .output(AccountHealth),
}
