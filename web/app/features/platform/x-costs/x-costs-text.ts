import { formatMoney } from '@x-automated/contract/format'
import type { XCosts, XPurpose } from '@x-automated/contract/platform/x-costs'

/** What X charges for, as rows of the bill. */
export const PURPOSES: Record<XPurpose, string> = {
  send: 'Messages sent',
  read: 'Conversations read',
  events: 'Replies and other events delivered',
  scrape: 'People found',
  lookup: 'People looked up',
}

/** "$12.34", or "less than $0.01" for a fraction of a cent. */
export function costText(cents: number | null): string {
  if (cents === null) return 'Price not published'
  return cents > 0 && cents < 1 ? `less than ${formatMoney(1)}` : formatMoney(cents)
}

/** "$8.10 of $20.00" or, without a limit, just the amount. */
export function totalText({ totalCents, limitCents }: Pick<XCosts, 'totalCents' | 'limitCents'>): string {
  return limitCents === null ? costText(totalCents) : `${costText(totalCents)} of ${formatMoney(limitCents)}`
}

/** Whether the X app has no credits, so nobody knows when the next message will be sent. */
export const waitsForCredits = ({ needs }: { needs: readonly { code: string }[] }) =>
  needs.some(({ code }) => code === 'funds')

/**
 * What is wrong with the limit that was typed in dollars, or undefined.
 * @param cents undefined if it is not an amount
 */
export function limitProblem(cents: number | null | undefined, maxCents: number): string | undefined {
  const isAmount = cents === null || (cents !== undefined && Number.isInteger(cents))
  if (!isAmount) return 'Enter an amount like 20 or 20.50, or leave it empty.'
  return cents !== null && cents > maxCents ? `Enter at most ${formatMoney(maxCents)}.` : undefined
}
