import { formatCount, formatNumber, pluralize } from '@x-automated/contract/format'
import type { Delay, StepCondition } from '@x-automated/contract/outreach/steps'

export const UNITS = [
  { value: 'minutes', one: 'minute' },
  { value: 'hours', one: 'hour' },
  { value: 'days', one: 'day' },
] as const satisfies readonly { value: Delay['unit']; one: string }[]

/** What must be true of the previous message, phrased to follow "if". */
export const CONDITIONS: Record<StepCondition, string> = {
  no_reply: 'no reply',
  read: 'read but no reply',
  not_read: 'not read',
}

/** '3 days'. @param amount null while the field is empty */
export function delayText({ amount, unit }: { amount: number | null; unit: Delay['unit'] }): string {
  const singular = UNITS.find(({ value }) => value === unit)?.one ?? 'day'
  return amount === null ? `some ${pluralize(2, singular)}` : formatCount(amount, singular)
}

/** A step's name: 'First message', 'Follow-up' if there is only one, or else 'Follow-up 2'. */
export function stepName(index: number, count: number): string {
  if (index === 0) return 'First message'
  return count > 2 ? `Follow-up ${formatNumber(index)}` : 'Follow-up'
}
