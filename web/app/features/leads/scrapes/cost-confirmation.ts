import { useQueryClient } from '@tanstack/react-query'
import { api, errorCode, errorText } from '../../../api'
import { useConfirm } from '../../../ui/confirm'
import type { Question } from '../../../ui/confirm-dialog'
import { type Estimate, estimateText, type ScrapeSource, sourceTitle } from './scrape-text'

/** What to scrape, until how many leads are found. */
export type Target = ScrapeSource & { maxResults: number }

/** Follower counts change slowly. */
const STALE_MS = 60_000

/** The query for a scrape's estimate, shared by the form and the confirmation. */
export function estimateOptions(target: Target) {
  return api.scrapes.estimate.queryOptions({ input: target, staleTime: STALE_MS, retry: false })
}

/** Errors that starting the scrape reports itself, so no confirmation is needed. */
const CHECKED_ON_START = ['INVALID_INPUT', 'X_SESSION_EXPIRED', 'X_ACCOUNT_NOT_FOUND']

/** Asks before a scrape that X bills. @param seen the form shows it @returns whether to start */
export async function confirmCost(
  target: Target,
  estimate: () => Promise<Estimate>,
  seen: boolean,
  ask: (question: Question) => Promise<boolean>,
): Promise<boolean> {
  const title = `Scrape ${sourceTitle(target)}?`
  let found: Estimate
  try {
    found = await estimate()
  } catch (error) {
    if (CHECKED_ON_START.includes(errorCode(error) ?? '')) return true
    return ask({
      title,
      body: `We can't estimate time and cost right now: ${errorText(error)}`,
      confirm: 'Start anyway',
    })
  }
  if (found.costCents === null || seen) return true
  return ask({ title, body: estimateText(found, target.type), confirm: 'Start Scraping' })
}

/** Returns `confirmStart(target, isShown)`. @param isShown the form shows the estimate, once loaded */
export function useCostConfirmation() {
  const queries = useQueryClient()
  const confirm = useConfirm()
  return (target: Target, isShown: boolean): Promise<boolean> => {
    const options = estimateOptions(target)
    const isSeen = isShown && queries.getQueryData(options.queryKey) !== undefined
    return confirmCost(target, () => queries.fetchQuery(options), isSeen, confirm)
  }
}
