import { formatCount, formatMoney, formatNumber } from '@x-automated/contract/format'
import type { Opener } from '@x-automated/contract/outreach/openers'
import type { Job } from '@x-automated/contract/platform/jobs'
import { progressText } from '../../platform/jobs/job-text'

interface Counts {
  draft: number
  approved: number
  failed: number
}

/** '34 to approve, 12 approved'. */
export function countsText({ draft, approved, failed }: Counts): string {
  const parts = [
    draft > 0 && `${formatNumber(draft)} to approve`,
    approved > 0 && `${formatNumber(approved)} approved`,
    failed > 0 && `${formatNumber(failed)} not written`,
  ].filter((part) => part !== false)
  return parts.length > 0 ? parts.join(', ') : 'None written yet'
}

interface Estimate {
  leads: number
  tokens: number
  costCents: number | null
  remainingCents: number | null
}

/** What a batch costs: 'About 53,000 tokens, about $0.37 of the $9.12 left this month.'. */
export function estimateText({ tokens, costCents, remainingCents }: Estimate): string {
  if (tokens === 0) return 'Costs nothing.'
  const amount = `About ${formatCount(tokens, 'token')}`
  if (costCents === null) return `${amount}. The model has no price, so only a token limit applies.`
  const cost = `${amount}, ${costCents < 0.5 ? 'less than $0.01' : `about ${formatMoney(costCents)}`}`
  return remainingCents === null ? `${cost}.` : `${cost} of the ${formatMoney(remainingCents)} left this month.`
}

/** Whether the estimate exceeds the budget. Such a batch is refused. @param usage this month's usage */
export function isTooExpensive(
  { tokens, costCents, remainingCents }: Estimate,
  usage: { tokens: number; limitTokens: number | null } | undefined,
): boolean {
  if (usage && usage.limitTokens !== null && usage.tokens + tokens > usage.limitTokens) return true
  return costCents !== null && remainingCents !== null && costCents > remainingCents
}

/** '340 of 1,000, about 2 minutes left'. */
export function jobText({ secondsLeft, ...job }: Pick<Job, 'done' | 'total' | 'secondsLeft'>): string {
  const progress = progressText(job)
  if (secondsLeft === null) return progress
  return secondsLeft < 60
    ? `${progress}, less than a minute left`
    : `${progress}, about ${formatCount(Math.round(secondsLeft / 60), 'minute')} left`
}

/** Whether an opener has changed since the version whose approval was refused. */
export const isUnread = ({ status, version }: Pick<Opener, 'status' | 'version'>, refused: number | null): boolean =>
  status === 'draft' && refused !== null && version !== refused

/** Splits a list into parts of at most `size`. */
export function inParts<T>(list: readonly T[], size: number): T[][] {
  return Array.from({ length: Math.ceil(list.length / size) }, (_, index) =>
    list.slice(index * size, (index + 1) * size),
  )
}
