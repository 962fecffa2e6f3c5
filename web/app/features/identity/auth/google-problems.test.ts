import { PROVIDER_PROBLEMS } from '@x-automated/contract/identity/identities'
import { expect, it } from 'vitest'
import { googleProblem } from './google-problems'

it.each(Object.entries(PROVIDER_PROBLEMS))('returns the contract’s message for %s', (key, text) => {
  expect(googleProblem(key)).toBe(text)
})

it.each([null, 'INVALID_CODE', 'constructor'])('returns null for %j', (key) => {
  expect(googleProblem(key)).toBeNull()
})
