import { xAccount } from '@x-automated/contract/platform/x-account'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { BOTH_REQUIRED, usernameProblem } from './credentials'

const schema = xAccount.connect['~orpc'].inputSchema!
const errorOf = async (input: unknown) => {
  const result = await schema['~standard'].validate(input)
  return result.issues?.[0]?.message ?? null
}

test('accepts the same usernames as the server, with the same messages', async () => {
  const anyName = fc.string({ unit: fc.constantFrom('a', 'Z', '_', '9', ' ', '@'), maxLength: 12 })
  await fc.assert(
    fc.asyncProperty(anyName, async (username) => {
      expect(await errorOf({ username, password: 'long enough' })).toBe(usernameProblem(username))
    }),
  )
})

test('shows the same message as the server for a missing password', async () => {
  expect(await errorOf({ username: 'ada', password: '' })).toBe(BOTH_REQUIRED)
})
