import { expect, test } from 'vitest'
import { emptySequence, withVariant } from '../sequences/sequence-draft'
import { defaultName, emptyDraft, heldText, isComplete, listOptionLabel, problemOf } from './campaign-form-rules'

const draft = { ...emptyDraft, name: 'Launch', leadListId: 'a' }
const empty = emptySequence()
const written = withVariant(empty, empty.steps[0]?.openVariantKey ?? '', { messageTemplate: 'Hi' })

test('requires a name, a list and a message that are not blank', () => {
  expect(isComplete(draft, written)).toBe(true)
  expect(isComplete(draft, empty)).toBe(false)
  for (const missing of [{ name: ' \n' }, { leadListId: '' }])
    expect(isComplete({ ...draft, ...missing }, written)).toBe(false)
})

test('names the missing field', () => {
  expect(problemOf(draft, written, true)).toBeNull()
  expect(problemOf(draft, empty, true)).toBe('Please fill in all fields: Campaign Name, Select List, and Message.')
  expect(problemOf(draft, written, false)).toBe('User not found. Please log in.')
})

test('says what the folded form holds', () => {
  expect(heldText(emptyDraft, empty)).toBe('Nothing written yet')
  expect(heldText(draft, written)).toBe('“Launch”, a list, 1 message')
})

test('names a campaign after its list and the day, within the limit', () => {
  expect(defaultName({ name: 'Founders' })).toMatch(/^Founders, \S+/)
  expect(defaultName({ name: 'a'.repeat(200) })).toHaveLength(200)
})

test("shows the first 30 characters of a list's description", () => {
  const description = 'a'.repeat(30)
  expect(listOptionLabel({ name: 'Founders', description })).toBe(`Founders (${description})`)
  expect(listOptionLabel({ name: 'Founders', description: `${description}b` })).toBe(`Founders (${description}…)`)
})

test('labels a list without a description', () => {
  expect(listOptionLabel({ name: 'Founders', description: null })).toBe('Founders (No description)')
  expect(listOptionLabel({ name: 'Founders', description: ' ' })).toBe('Founders (No description)')
})
