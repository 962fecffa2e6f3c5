import type { QueryClient } from '@tanstack/react-query'

/** What several tabs may show at once, by the first part of the API's names. A change to one often changes another. */
const shared = [
  'account',
  'analytics',
  'billing',
  'campaigns',
  'firstSteps',
  'identities',
  'imports',
  'leads',
  'lists',
  'messages',
  'notifications',
  'people',
  'savedFilters',
  'scrapes',
  'secondFactors',
  'sendingSettings',
  'suppressions',
  'tags',
  'xAccount',
]

/** Between the tabs of one browser. */
export const DATA_CHANNEL = 'x-automated-data'

/** For what was changed here by something else than a mutation. */
export function notifyOtherTabs(): void {
  if (typeof BroadcastChannel === 'undefined') return
  const channel = new BroadcastChannel(DATA_CHANNEL)
  channel.postMessage('changed')
  channel.close()
}

/** The part of a BroadcastChannel that is used. It tells every tab but one's own. */
export type TabChannel = Pick<BroadcastChannel, 'postMessage' | 'addEventListener' | 'removeEventListener'>

/**
 * Tells the other tabs when something was changed here, and asks again when they changed something.
 * @returns the way to stop
 */
export function syncOtherTabs(queries: QueryClient, channel: TabChannel): () => void {
  const stopTelling = queries.getMutationCache().subscribe((event) => {
    if (event.type !== 'updated') return
    // After a failure, too: nobody knows what a call has done whose answer was lost.
    if (event.action.type === 'success' || event.action.type === 'error') channel.postMessage('changed')
  })
  const askAgain = () => {
    for (const name of shared) void queries.invalidateQueries({ queryKey: [[name]] })
  }
  channel.addEventListener('message', askAgain)
  return () => {
    stopTelling()
    channel.removeEventListener('message', askAgain)
  }
}
