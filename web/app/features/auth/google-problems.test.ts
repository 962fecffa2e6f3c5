import { PROVIDER_PROBLEMS } from '@x-automated/contract/identities'
import { expect, it } from 'vitest'
import { googleProblem } from './google-problems'

it.each(Object.entries(PROVIDER_PROBLEMS))('says of %s what the contract says', (key, text) => {
  expect(googleProblem(key)).toBe(text)
})

it.each([null, 'INVALID_CODE', 'constructor'])('has no words for %j', (key) => {
  expect(googleProblem(key)).toBeNull()
})
