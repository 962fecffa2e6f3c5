import type { UseQueryResult } from '@tanstack/react-query'

/** True until the first response. If a refetch showed a skeleton, typed text would be lost. */
export function isInitialLoading(query: Pick<UseQueryResult, 'isPending' | 'isFetched' | 'failureCount'>): boolean {
  return query.isPending && !query.isFetched && query.failureCount === 0
}
