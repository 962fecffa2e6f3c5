import { expect, test } from 'vitest'
import { emptyDraft, isComplete, listOptionLabel, problemOf } from './campaign-form-rules'

const draft = { ...emptyDraft, name: 'Launch', leadListId: 'a', messageTemplate: 'Hi' }

test('requires a name, a list and a message that are not blank', () => {
  expect(isComplete(draft)).toBe(true)
  expect(isComplete(emptyDraft)).toBe(false)
  for (const missing of [{ name: ' \n' }, { leadListId: '' }, { messageTemplate: '  ' }])
    expect(isComplete({ ...draft, ...missing })).toBe(false)
})

test('names the missing field', () => {
  expect(problemOf(draft, true)).toBeNull()
  expect(problemOf(emptyDraft, true)).toBe('Please fill in all fields: Campaign Name, Select List, and Message.')
  expect(problemOf(draft, false)).toBe('User not found. Please log in.')
})

test('shows the first 30 characters of a list’s description', () => {
  const description = 'a'.repeat(30)
  expect(listOptionLabel({ name: 'Founders', description })).toBe(`Founders (${description})`)
  expect(listOptionLabel({ name: 'Founders', description: `${description}b` })).toBe(`Founders (${description}…)`)
})

test('labels a list without a description', () => {
  expect(listOptionLabel({ name: 'Founders', description: null })).toBe('Founders (No description)')
  expect(listOptionLabel({ name: 'Founders', description: ' ' })).toBe('Founders (No description)')
})
