import { xAccount } from '@x-automated/contract/x-account'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { BOTH_REQUIRED, usernameProblem } from './credentials'

const schema = xAccount.connect['~orpc'].inputSchema!
const refusalOf = async (input: unknown) => {
  const result = await schema['~standard'].validate(input)
  return result.issues?.[0]?.message ?? null
}

test('the form and the server agree about every user name, and on the words', async () => {
  const anyName = fc.string({ unit: fc.constantFrom('a', 'Z', '_', '9', ' ', '@'), maxLength: 12 })
  await fc.assert(
    fc.asyncProperty(anyName, async (username) => {
      expect(await refusalOf({ username, password: 'long enough' })).toBe(usernameProblem(username))
    }),
  )
})

test('a missing password has the words of the specification', async () => {
  expect(await refusalOf({ username: 'ada', password: '' })).toBe(BOTH_REQUIRED)
})
