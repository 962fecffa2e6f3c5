import { X_CALLBACK_OUTCOMES } from '@x-automated/contract/x-account'
import { expect, test } from 'vitest'
import { callbackOutcomes, findOutcome } from './callback-outcomes'

test('every way in which the callback can end has its words', () => {
  expect(Object.keys(callbackOutcomes).sort()).toEqual([...X_CALLBACK_OUTCOMES].sort())
  for (const outcome of X_CALLBACK_OUTCOMES) expect(findOutcome(outcome)?.words).toMatch(/[.!]$/)
})

test.each([null, '', 'constructor', 'toString', 'CONNECTED'])('%j names none', (name) => {
  expect(findOutcome(name)).toBeNull()
})
