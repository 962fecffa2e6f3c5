import type { UseQueryResult } from '@tanstack/react-query'

/** True until the first answer. During refetches a skeleton would replace what is being typed. */
export function isInitialLoading(query: Pick<UseQueryResult, 'isPending' | 'isFetched' | 'failureCount'>): boolean {
  return query.isPending && !query.isFetched && query.failureCount === 0
}
