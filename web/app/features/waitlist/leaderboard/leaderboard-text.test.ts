import { ORPCError } from '@orpc/client'
import { expect, it } from 'vitest'
import { SessionExpired } from './session-renewal'
import { leaderboardProblem } from './use-leaderboard'

const errorOf = (status: number, code: string, message = 'What the server says') =>
  new ORPCError(code, { status, message })

it.each([
  ['403', errorOf(403, 'FORBIDDEN'), 'You do not have permission to view the leaderboard.'],
  ['not ready', errorOf(503, 'NOT_READY'), 'Leaderboard data not available yet.'],
  ['a database error', errorOf(500, 'INTERNAL'), 'Could not access leaderboard data. Table may not exist yet.'],
  [
    'an unavailable database',
    errorOf(503, 'UNAVAILABLE'),
    'Could not access leaderboard data. Table may not exist yet.',
  ],
  ['a gateway error', errorOf(502, 'BAD_GATEWAY'), 'Failed to retrieve leaderboard. Please try again.'],
  ['a failed connection', new TypeError('Failed to fetch'), 'Failed to retrieve leaderboard. Please try again.'],
  ['an unreadable response', new SyntaxError('?'), 'Failed to load leaderboard data'],
  ['a 4xx without a message', errorOf(400, 'INVALID_INPUT', ''), 'Failed to load leaderboard data'],
  ['a 4xx', errorOf(429, 'RATE_LIMITED', 'Too many requests.'), 'Too many requests.'],
  ['a failed session renewal', new SessionExpired(), 'Session expired. Please log out and log back in.'],
  ['401', errorOf(401, 'UNAUTHORIZED'), 'Session expired. Please log in again.'],
  ['a rejected token', errorOf(400, 'X', 'JWT expired'), 'Session expired. Please log in again.'],
])('returns the message for %s', (_, error, text) => {
  expect(leaderboardProblem(error, 0)).toBe(text)
  expect(leaderboardProblem(error, 3)).toBe(text)
  expect(leaderboardProblem(error, 4)).toBe('Having trouble loading the leaderboard. Please try again later.')
})
