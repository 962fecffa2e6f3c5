import { ORPCError } from '@orpc/client'
import { expect, it } from 'vitest'
import { referrerProblem } from './name-referrer'

it.each([
  [
    'an unknown code',
    new ORPCError('INVALID_REFERRAL_CODE', { status: 400, message: 'Invalid referral code' }),
    'Invalid referral code',
  ],
  ['an expired session', new ORPCError('UNAUTHORIZED', { status: 401 }), 'User not authenticated.'],
  ['a 500', new ORPCError('INTERNAL', { status: 500, message: 'broken' }), 'Failed to update referral relationship'],
  ['a failed connection', new TypeError('Failed to fetch'), 'Failed to update referral'],
])('returns the message for %s', (_, error, text) => {
  expect(referrerProblem(error)).toBe(text)
})
