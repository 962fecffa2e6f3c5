import { ORPCError } from '@orpc/client'
import { refusalText } from '../../../api'
import { isSessionError, RETRY_CAP, SessionExpired } from './session-renewal'

/** Why the leaderboard can't be loaded. @param retries the number since it last loaded */
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
