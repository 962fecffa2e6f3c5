import { client, errorCode, errorText } from '../../../api'
import { useConfirm } from '../../../ui/confirm'
import type { Question } from '../../../ui/confirm-dialog'
import { type Estimate, estimateText, type ScrapeSource, sourceTitle } from './scrape-text'

/** What to scrape, and after how many leads to stop. */
type Target = ScrapeSource & { maxResults: number }

/** Starting the scrape reports these errors anyway, so there is nothing to confirm. */
const CHECKED_ON_START = ['INVALID_INPUT', 'X_SESSION_EXPIRED', 'X_ACCOUNT_NOT_FOUND']

/** Asks for confirmation before a scrape that X charges for. @returns whether to start */
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

/** Returns `confirmStart(target)`. It reads nothing from X before the user confirms, because X charges for reads. */
export function useCostConfirmation() {
  const confirm = useConfirm()
  return (target: Target): Promise<boolean> => confirmCost(target, () => client.scrapes.estimate(target), confirm)
}
