import { expect, it } from 'vitest'
import { reauthWays, wayText } from './reauth-ways'

const app = { id: 'a', kind: 'totp', name: 'Phone' } as const
const key = { id: 'k', kind: 'passkey', name: 'Laptop' } as const

it.each([
  ['a password', { hasPassword: true, factors: [] }, true, ['Use your password', 'Email me a code']],
  ['only an email address', { hasPassword: false, factors: [] }, true, ['Email me a code']],
  [
    'everything',
    { hasPassword: true, factors: [key, app, { ...app, id: 'b' }] },
    true,
    ['Use your password', 'Use your authenticator app', 'Use the passkey “Laptop”', 'Email me a code'],
  ],
  ['a passkey the browser does not support', { hasPassword: false, factors: [key] }, false, ['Email me a code']],
] as const)('offers the ways of an account with %s', (_name, account, canPasskey, text) => {
  expect(reauthWays(account, canPasskey).map(wayText)).toEqual(text)
})

it('tries a code with every authenticator app', () => {
  expect(wayText({ kind: 'passkey', factorId: 'a', name: undefined })).toBe('Use a passkey')
  const [way] = reauthWays({ hasPassword: false, factors: [app, { ...app, id: 'b' }] }, true)
  expect(way).toEqual({ kind: 'totp', factorIds: ['a', 'b'] })
})
