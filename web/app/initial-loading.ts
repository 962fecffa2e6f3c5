import type { UseQueryResult } from '@tanstack/react-query'

/**
 * True only until the first answer: not during retries or refetches, when a skeleton would replace
 * what the user is typing.
 */
export function isInitialLoading(query: Pick<UseQueryResult, 'isPending' | 'isFetched' | 'failureCount'>): boolean {
  return query.isPending && !query.isFetched && query.failureCount === 0
}
