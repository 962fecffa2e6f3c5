import { expect, it } from 'vitest'
import { referralCodeIn, withReferralCode } from './referral-code'

it.each([
  ['?ref=Ab3dE9xy', 'Ab3dE9xy'],
  ['?utm=1&ref=%20QW3RTY%20', 'QW3RTY'],
  ['?ref=', null],
  ['?ref=%20', null],
  ['', null],
])('parses %j to the code %j', (search, code) => {
  expect(referralCodeIn(search)).toBe(code)
})

it('truncates overlong codes and round-trips a code through a URL', () => {
  expect(referralCodeIn(`?ref=${'x'.repeat(500)}`)).toHaveLength(32)
  const path = withReferralCode('/auth', 'a&b=c d')
  expect(referralCodeIn(path.slice('/auth'.length))).toBe('a&b=c d')
  expect(withReferralCode('/auth', null)).toBe('/auth')
})
