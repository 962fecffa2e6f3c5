import { ORPCError } from '@orpc/client'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import type { LeaderboardPeriod } from '@x-automated/contract/waitlist/waitlist'
import { useState } from 'react'
import { api, client, refusalText } from '../../../api'
import { session } from '../../../session'
import { useHydrated } from '../../../ui/use-hydrated'
import { isSessionError, loadWithRenewal, RETRY_CAP, SessionExpired } from './session-renewal'

export const LEADERBOARD_PAGE_SIZE = 50

const wait = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms))

/** A page of a leaderboard, in exactly one state: loading, failed, empty or loaded. */
export function useLeaderboard(period: LeaderboardPeriod, page: number) {
  const [retries, setRetries] = useState(0)
  const [renewing, setRenewing] = useState(false)
  const input = { period, page, pageSize: LEADERBOARD_PAGE_SIZE }
  const query = useQuery({
    queryKey: api.waitlist.leaderboard.queryKey({ input }),
    async queryFn({ signal }) {
      try {
        const board = await loadWithRenewal(() => client.waitlist.leaderboard(input, { signal }), {
          renew: session.refresh,
          wait,
          onRetry() {
            setRenewing(true)
            setRetries((before) => before + 1)
          },
        })
        setRetries(0)
        return board
      } finally {
        setRenewing(false)
      }
    },
    // The prerendered page does not know the period in the URL.
    enabled: useHydrated(),
    placeholderData: keepPreviousData,
    retry: false,
    refetchOnWindowFocus: false,
  })

  const tryAgain = () => {
    setRetries((before) => before + 1)
    void query.refetch()
  }
  const { data, isFetching } = query
  const failed = query.isError && !isFetching
  const loading = !failed && (query.isError || !data)
  return {
    /** Set during the first load and during retries, else null. */
    loadingText: loading ? (renewing ? 'Refreshing session...' : 'Loading leaderboard data...') : null,
    problem: failed ? leaderboardProblem(query.error, retries) : null,
    query: { error: query.error, isFetching, refetch: tryAgain },
    /** The rows, possibly none. Null while loading or after a failure. */
    board: loading || failed ? null : (data ?? null),
    /** The rows still belong to the previous page. */
    stale: query.isPlaceholderData,
  }
}

/** Why the leaderboard cannot be loaded. @param retries since it last loaded */
export function leaderboardProblem(error: unknown, retries: number): string {
  if (retries > RETRY_CAP) return 'Having trouble loading the leaderboard. Please try again later.'
  if (error instanceof SessionExpired) return 'Session expired. Please log out and log back in.'
  if (isSessionError(error)) return 'Session expired. Please log in again.'
  if (error instanceof TypeError) return 'Failed to retrieve leaderboard. Please try again.'
  if (!(error instanceof ORPCError)) return 'Failed to load leaderboard data'
  if (error.status === 403) return 'You do not have permission to view the leaderboard.'
  if (error.code === 'NOT_READY') return 'Leaderboard data not available yet.'
  if (error.code === 'INTERNAL' || error.code === 'UNAVAILABLE')
    return 'Could not access leaderboard data. Table may not exist yet.'
  if (error.status >= 500) return 'Failed to retrieve leaderboard. Please try again.'
  return refusalText(error, 'Failed to load leaderboard data')
}
