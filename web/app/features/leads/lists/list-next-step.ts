import type { List } from '@x-automated/contract/leads/lists'

/** The next step for a list: fill it, start a campaign, or look at the latest one. */
type ListNextStep = 'fill' | 'start' | 'open'

/** The next step of a list. @param latest its latest campaign, if any */
export function nextStepOf(
  list: Pick<List, 'leadCount' | 'contactedCount'>,
  latest: { status: string } | undefined,
): ListNextStep {
  if (latest && (latest.status === 'draft' || latest.status === 'active' || latest.status === 'paused')) return 'open'
  if (list.leadCount === 0) return 'fill'
  return latest && list.contactedCount >= list.leadCount ? 'open' : 'start'
}
