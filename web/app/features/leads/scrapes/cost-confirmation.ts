import { useQueryClient } from '@tanstack/react-query'
import type { Scrape } from '@x-automated/contract/leads/scrapes'
import { handleIn } from '@x-automated/contract/x-handle'
import { api, errorCode, errorText } from '../../../api'
import { useConfirm } from '../../../ui/confirm'
import type { Question } from '../../../ui/confirm-dialog'
import { type Estimate, estimateText } from './scrape-text'

type Target = Pick<Scrape, 'twitterHandle' | 'type'>

/** Follower counts change slowly. */
const STALE_MS = 60_000

/** The query for a scrape's estimate, shared by the form and the confirmation. */
export function estimateOptions({ twitterHandle, type }: Target) {
  return api.scrapes.estimate.queryOptions({ input: { twitterHandle, type }, staleTime: STALE_MS, retry: false })
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
  const { type, twitterHandle } = target
  const title =
    type === 'followers'
      ? `Scrape the followers of @${twitterHandle}?`
      : `Scrape accounts followed by @${twitterHandle}?`
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
  return ask({ title, body: estimateText(found, type), confirm: 'Start Scraping' })
}

/** Whether the form shows this handle's estimate, which follows the field after a pause. */
export function isEstimateShown({ twitterHandle }: Target, formHandle: string | null, isLoaded: boolean): boolean {
  return isLoaded && formHandle !== null && handleIn(formHandle) === twitterHandle
}

/** Returns `confirmStart(target, formHandle)`: null without a form that shows an estimate. */
export function useCostConfirmation() {
  const queries = useQueryClient()
  const confirm = useConfirm()
  return (target: Target, formHandle: string | null): Promise<boolean> => {
    const options = estimateOptions(target)
    const isSeen = isEstimateShown(target, formHandle, queries.getQueryData(options.queryKey) !== undefined)
    return confirmCost(target, () => queries.fetchQuery(options), isSeen, confirm)
  }
}
