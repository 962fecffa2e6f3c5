import { z } from 'zod'
import { Time, wholeNumber } from '../fields.ts'
import { routes } from '../route.ts'

const route = routes('X costs')

/** Why X is called: to send messages, read conversations, receive events, find leads, or look up single people. */
export const X_PURPOSES = ['send', 'read', 'events', 'scrape', 'lookup'] as const
export type XPurpose = (typeof X_PURPOSES)[number]

/** A month in UTC, such as `2026-11`. */
const Month = z.string().regex(/^20\d\d-(0[1-9]|1[0-2])$/, 'must be a month such as 2026-11')

/** The highest spending limit: $1,000,000. */
export const SPENDING_LIMIT_MAX_CENTS = 100_000_000

/** Null if there is no limit. */
const limitCents = z.number().int().nullable()

/** X's charges for a month, to a tenth of a cent. Estimated from what was sent and read. */
export const XCosts = z.object({
  totalCents: z.number(),
  limitCents,
  /** `empty`: one of the workspace's X apps has no credits left, so everything that uses it waits. */
  funds: z.enum(['ok', 'empty']),
  fundsSince: Time.nullable(),
  /** Accounts with charges. In `byPurpose`, anything without a published price is an entry of its own. */
  accounts: z.array(
    z.object({
      xAccountId: z.string(),
      cents: z.number(),
      byPurpose: z.array(
        z.object({
          purpose: z.enum(X_PURPOSES),
          /** Number of messages, people, events and posts that X charges for. */
          count: z.number().int(),
          /** Null if X publishes no price. */
          cents: z.number().nullable(),
        }),
      ),
    }),
  ),
})
export type XCosts = z.output<typeof XCosts>

export const xCosts = {
  find: route('GET /x-costs', 'viewer', 'none', {
    summary: 'Get what X charges for a month, by account and purpose',
    description:
      'An estimate by the prices that X publishes. X charges for the same person, post or event once per UTC day. Months are UTC; kept for 400 days.',
  })
    .input(z.strictObject({ month: Month.optional() }))
    .output(XCosts),

  saveLimit: route('PUT /x-costs/limit', 'owner', 'rows', {
    summary: 'Set how much X may charge for the workspace in a month, or remove the limit',
    description:
      'Before a call that would exceed it, the call waits until the month ends or the limit changes. Deliveries of what people write are counted, but cannot wait.',
  })
    .input(z.strictObject({ limitCents: wholeNumber(0, SPENDING_LIMIT_MAX_CENTS).nullable() }))
    .output(z.object({ limitCents })),
}
