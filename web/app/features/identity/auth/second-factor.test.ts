import { expect, test } from 'vitest'
import { codeHint, secondFactorIn, waysOf } from './second-factor'

test('waysOf offers what the account has and the browser supports', () => {
  expect(waysOf(['totp', 'recovery'], true)).toEqual({ code: true, passkey: false })
  expect(waysOf(['passkey', 'recovery'], true)).toEqual({ code: true, passkey: true })
  expect(waysOf(['passkey'], false)).toEqual({ code: false, passkey: false })
})

test('codeHint names the expected code', () => {
  expect(codeHint(['totp', 'recovery'])).toBe('The 6-digit code from your authenticator app, or a recovery code.')
  expect(codeHint(['totp'])).toBe('The 6-digit code from your authenticator app.')
  expect(codeHint(['passkey', 'recovery'])).toBe('One of your recovery codes.')
})

test('secondFactorIn rejects incomplete state', () => {
  const needed = { secondFactor: ['totp'], ticket: 't' }
  expect(secondFactorIn({ needed })).toEqual(needed)
  for (const state of [null, undefined, {}, { needed: { ticket: 't' } }, { needed: null }, 'needed'])
    expect(secondFactorIn(state)).toBeNull()
})
