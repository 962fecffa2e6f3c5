import { expect, test } from 'vitest'
import { asRole, roleSentence } from './role-text'

test.each([
  ['admin', 'as an admin'],
  ['member', 'as a member'],
  ['viewer', 'as a viewer'],
] as const)('asRole(%j) returns %j', (role, text) => {
  expect(asRole(role)).toBe(text)
})

test('describes what a role can do', () => {
  expect(roleSentence('viewer')).toBe('Viewer: View only.')
})
