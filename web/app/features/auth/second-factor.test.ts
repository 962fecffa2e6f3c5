import { expect, test } from 'vitest'
import { codeHint, secondFactorIn, waysOf } from './second-factor'

test('a second step offers the ways that the account has and the browser knows', () => {
  expect(waysOf(['totp', 'recovery'], true)).toEqual({ code: true, passkey: false })
  expect(waysOf(['passkey', 'recovery'], true)).toEqual({ code: true, passkey: true })
  expect(waysOf(['passkey'], false)).toEqual({ code: false, passkey: false })
})

test('the hint says which code is meant', () => {
  expect(codeHint(['totp', 'recovery'])).toBe('The 6-digit code from your authenticator app, or a recovery code.')
  expect(codeHint(['totp'])).toBe('The 6-digit code from your authenticator app.')
  expect(codeHint(['passkey', 'recovery'])).toBe('One of your recovery codes.')
})

test('only a whole answer of a first step is gone on with', () => {
  const needed = { secondFactor: ['totp'], ticket: 't' }
  expect(secondFactorIn({ needed })).toEqual(needed)
  for (const state of [null, undefined, {}, { needed: { ticket: 't' } }, { needed: null }, 'needed'])
    expect(secondFactorIn(state)).toBeNull()
})
