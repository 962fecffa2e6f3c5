import { client, errorCode, errorText } from '../../../api'
import { useConfirm } from '../../../ui/confirm'
import type { Question } from '../../../ui/confirm-dialog'
import { type Estimate, estimateText, type ScrapeSource, sourceTitle } from './scrape-text'

/** What to scrape, until how many leads are found. */
type Target = ScrapeSource & { maxResults: number }

/** Errors that starting the scrape reports itself, so no confirmation is needed. */
const CHECKED_ON_START = ['INVALID_INPUT', 'X_SESSION_EXPIRED', 'X_ACCOUNT_NOT_FOUND']

/** Asks before a scrape that X bills. @returns whether to start */
export async function confirmCost(
  target: Target,
  estimate: () => Promise<Estimate>,
  ask: (question: Question) => Promise<boolean>,
): Promise<boolean> {
  const title = `Scrape ${sourceTitle(target)}?`
  let result: Estimate
  try {
    result = await estimate()
  } catch (error) {
    if (CHECKED_ON_START.includes(errorCode(error) ?? '')) return true
    return ask({
      title,
      body: `We can't estimate time and cost right now: ${errorText(error)}`,
      confirm: 'Start anyway',
    })
  }
  if (result.costCents === null) return true
  return ask({ title, body: estimateText(result, target.type), confirm: 'Start Scraping' })
}

/** Returns `confirmStart(target)`. Only then is anything read from X, because X bills reads. */
export function useCostConfirmation() {
  const confirm = useConfirm()
  return (target: Target): Promise<boolean> => confirmCost(target, () => client.scrapes.estimate(target), confirm)
}
