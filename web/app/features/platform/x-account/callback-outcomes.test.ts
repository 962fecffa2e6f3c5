import { X_CALLBACK_OUTCOMES } from '@x-automated/contract/platform/x-account'
import { expect, test } from 'vitest'
import { callbackOutcomes, findOutcome } from './callback-outcomes'

test('has a message for every outcome of the callback', () => {
  expect(Object.keys(callbackOutcomes).sort()).toEqual([...X_CALLBACK_OUTCOMES].sort())
  for (const outcome of X_CALLBACK_OUTCOMES) expect(findOutcome(outcome)?.text).toMatch(/[.!]$/)
})

test.each([null, '', 'constructor', 'toString', 'CONNECTED'])('returns null for %j', (name) => {
  expect(findOutcome(name)).toBeNull()
})
