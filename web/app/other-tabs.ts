import type { QueryClient } from '@tanstack/react-query'

/** Queries to refetch after a change in another tab, by the first part of their key. A change often affects several. */
const shared = [
  'account',
  'analytics',
  'apiKeys',
  'billing',
  'campaigns',
  'conversations',
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

/** The BroadcastChannel between the tabs of a browser. */
export const DATA_CHANNEL = 'x-automated-data'

/** Makes other tabs refetch. Call it after changes that no mutation made. */
export function notifyOtherTabs(): void {
  if (typeof BroadcastChannel === 'undefined') return
  const channel = new BroadcastChannel(DATA_CHANNEL)
  channel.postMessage('changed')
  channel.close()
}

/** The part of BroadcastChannel that we use. It reaches all other tabs. */
export type TabChannel = Pick<BroadcastChannel, 'postMessage' | 'addEventListener' | 'removeEventListener'>

/** Publishes changes to other tabs and refetches after theirs. Returns an unsubscribe function. */
export function syncOtherTabs(queries: QueryClient, channel: TabChannel): () => void {
  const unsubscribe = queries.getMutationCache().subscribe((event) => {
    if (event.type !== 'updated') return
    // After failures, too: the call may have succeeded although its response was lost.
    if (event.action.type === 'success' || event.action.type === 'error') channel.postMessage('changed')
  })
  const refetchShared = () => {
    for (const name of shared) void queries.invalidateQueries({ queryKey: [[name]] })
  }
  channel.addEventListener('message', refetchShared)
  return () => {
    unsubscribe()
    channel.removeEventListener('message', refetchShared)
  }
}
