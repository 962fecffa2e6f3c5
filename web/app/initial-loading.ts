import type { UseQueryResult } from '@tanstack/react-query'

/**
 * Is a part of a page to wait for what stands beside it? Only for its first answer: neither while a call that failed is tried again, nor
 * when it is asked anew after that, as what is being written there would be gone.
 */
export function isInitialLoading(query: Pick<UseQueryResult, 'isPending' | 'isFetched' | 'failureCount'>): boolean {
  return query.isPending && !query.isFetched && query.failureCount === 0
}
