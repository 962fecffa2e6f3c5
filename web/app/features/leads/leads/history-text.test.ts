import { expect, it } from 'vitest'
import { pauseReasonText, skippedText, stepText } from './history-text'

it('names the step and variant of a follow-up or a test, and nothing of an only message', () => {
  expect(stepText(null, null)).toBeNull()
  expect(stepText(1, { name: 'A' })).toBeNull()
  expect(stepText(1, { name: 'B' })).toBe('Step 1, variant B')
  expect(stepText(2, { name: 'A' })).toBe('Step 2, variant A')
  expect(stepText(3, null)).toBe('Step 3')
})

it('says why a person is paused or a step was skipped', () => {
  expect(pauseReasonText({ code: 'later', params: {} })).toBe('They asked for a message later.')
  expect(pauseReasonText({ code: 'archived', params: {} })).toBeNull()
  expect(skippedText({ code: 'condition', params: {} })).toBe('The condition of this step was not met.')
  expect(skippedText({ code: 'refusals', params: {} })).toBeNull()
})
