import { ORPCError } from '@orpc/client'
import { REFERRAL_TIERS } from '@x-automated/contract/waitlist/waitlist'
import { expect, it } from 'vitest'
import { nextTier, rankingProblem, TIERS } from './ranking-text'

const errorOf = (status: number, code: string, message: string) => new ORPCError(code, { status, message })

it.each([
  [
    errorOf(404, 'MEMBER_NOT_FOUND', 'Email not found. Please sign up first.'),
    'Email not found. Please sign up first.',
  ],
  [errorOf(404, 'MEMBER_NOT_FOUND', ''), 'Failed to find your ranking'],
  [errorOf(500, 'INTERNAL', 'broken'), 'Failed to retrieve position. Please try again.'],
  [new TypeError('Failed to fetch'), 'An unexpected error occurred. Please try again.'],
])('returns the message for %s', (error, text) => {
  expect(rankingProblem(error)).toBe(text)
})

it('names the tier after the last one reached, as the contract has them', () => {
  expect(TIERS).toEqual(REFERRAL_TIERS)
  expect([0, 3, 49].map((referrals) => nextTier(referrals)?.key)).toEqual(['bronze', 'silver', 'platinum'])
  expect(nextTier(50)).toBeUndefined()
})
