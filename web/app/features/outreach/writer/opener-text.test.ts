import { expect, it } from 'vitest'
import { countsText, estimateText, inParts, isTooExpensive, isUnread, jobText } from './opener-text'

it.each([
  [{ draft: 0, approved: 0, failed: 0 }, 'None written yet'],
  [{ draft: 1, approved: 0, failed: 0 }, '1 to approve'],
  [{ draft: 34, approved: 12, failed: 2 }, '34 to approve, 12 approved, 2 not written'],
])('says of %j: %s', (counts, text) => expect(countsText(counts)).toBe(text))

const estimate = { leads: 10, tokens: 53_000, costCents: 37, remainingCents: 912 }

it('says what openers cost, and what is left', () => {
  expect(estimateText(estimate)).toBe('About 53,000 tokens, about $0.37 of the $9.12 left this month.')
  expect(estimateText({ ...estimate, remainingCents: null })).toBe('About 53,000 tokens, about $0.37.')
  expect(estimateText({ ...estimate, costCents: 0.1, remainingCents: null })).toBe(
    'About 53,000 tokens, less than $0.01.',
  )
  expect(estimateText({ ...estimate, costCents: null })).toMatch(/has no price/)
})

it('starts nothing that costs more than is left', () => {
  expect(isTooExpensive(estimate, undefined)).toBe(false)
  expect(isTooExpensive({ ...estimate, costCents: 913 }, undefined)).toBe(true)
  expect(isTooExpensive({ ...estimate, remainingCents: null }, { tokens: 1, limitTokens: null })).toBe(false)
  expect(isTooExpensive({ ...estimate, costCents: null }, { tokens: 1, limitTokens: 53_001 })).toBe(false)
  expect(isTooExpensive({ ...estimate, costCents: null }, { tokens: 1, limitTokens: 53_000 })).toBe(true)
})

it('says how long a job still takes', () => {
  expect(jobText({ done: 340, total: 1_000, secondsLeft: 118 })).toBe('340 of 1,000, about 2 minutes left')
  expect(jobText({ done: 340, total: 1_000, secondsLeft: 59 })).toBe('340 of 1,000, less than a minute left')
  expect(jobText({ done: 0, total: 3, secondsLeft: null })).toBe('0 of 3')
})

it('approves in parts that a call may have', () => {
  expect(inParts([1, 2, 3, 4, 5], 2)).toEqual([[1, 2], [3, 4], [5]])
  expect(inParts([], 2)).toEqual([])
})

it('asks to read an opener again whose approval was refused because its text changed', () => {
  expect(isUnread({ status: 'draft', version: 1 }, null)).toBe(false)
  expect(isUnread({ status: 'draft', version: 2 }, 1)).toBe(true)
  expect(isUnread({ status: 'approved', version: 2 }, 1)).toBe(false)
})
