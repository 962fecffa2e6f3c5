import { useQueryClient } from '@tanstack/react-query'
import type { Scrape } from '@x-automated/contract/scrapes'
import { handleIn } from '@x-automated/contract/x-handle'
import { api, errorCode, errorText } from '../../api'
import { type Question, useConfirm } from '../../ui/confirm'
import { type Estimate, estimateText } from './scrape-text'

type Target = Pick<Scrape, 'twitterHandle' | 'type'>

/** How many follow somebody does not change at once. */
const STAYS_MS = 60_000

/** What a scrape of this handle would take, as the form and the question before it ask for it. */
export function estimateOptions({ twitterHandle, type }: Target) {
  return api.scrapes.estimate.queryOptions({ input: { twitterHandle, type }, staleTime: STAYS_MS, retry: false })
}

/** What a scrape refuses itself when it is asked for: no question comes before that. */
const CHECKED_ON_START = ['INVALID_INPUT', 'X_SESSION_EXPIRED', 'X_ACCOUNT_NOT_FOUND']

/**
 * Nobody starts a scrape that X bills without having seen what it may cost.
 * @param estimate what it would take
 * @param seen it stands beside the button already
 * @returns may it begin?
 */
export async function confirmCost(
  target: Target,
  estimate: () => Promise<Estimate>,
  seen: boolean,
  ask: (question: Question) => Promise<boolean>,
): Promise<boolean> {
  const { type, twitterHandle } = target
  const title =
    type === 'followers' ? `Scrape the followers of @${twitterHandle}?` : `Scrape whom @${twitterHandle} follows?`
  let found: Estimate
  try {
    found = await estimate()
  } catch (error) {
    if (CHECKED_ON_START.includes(errorCode(error) ?? '')) return true
    return ask({
      title,
      body: `How long it takes, and what X bills for it, cannot be told now: ${errorText(error)}`,
      confirm: 'Start anyway',
    })
  }
  if (found.costCents === null || seen) return true
  return ask({ title, body: estimateText(found, type), confirm: 'Start Scraping' })
}

/** Does the form show what a scrape would take? What is known of a handle stands there only once the field has settled on it. */
export function isEstimateShown({ twitterHandle }: Target, settled: string | null, isKnown: boolean): boolean {
  return isKnown && settled !== null && handleIn(settled) === twitterHandle
}

/** `if (await confirmStart(scrape, null)) …` @param settled of what handle the form shows the estimate, which is not said twice; null: there is no form */
export function useCostConfirmation() {
  const queries = useQueryClient()
  const confirm = useConfirm()
  return (target: Target, settled: string | null): Promise<boolean> => {
    const options = estimateOptions(target)
    const isSeen = isEstimateShown(target, settled, queries.getQueryData(options.queryKey) !== undefined)
    return confirmCost(target, () => queries.fetchQuery(options), isSeen, confirm)
  }
}
