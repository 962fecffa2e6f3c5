import { expect, test } from 'vitest'
import { emptyDraft, isComplete, listOptionLabel, problemOf } from './campaign-form-rules'

const draft = { ...emptyDraft, name: 'Launch', leadListId: 'a', messageTemplate: 'Hi' }

test('a campaign needs its name, its list and its message; blanks fill nothing', () => {
  expect(isComplete(draft)).toBe(true)
  expect(isComplete(emptyDraft)).toBe(false)
  for (const missing of [{ name: ' \n' }, { leadListId: '' }, { messageTemplate: '  ' }])
    expect(isComplete({ ...draft, ...missing })).toBe(false)
})

test('what is missing is said', () => {
  expect(problemOf(draft, true)).toBeNull()
  expect(problemOf(emptyDraft, true)).toBe('Please fill in all fields: Campaign Name, Select List, and Message.')
  expect(problemOf(draft, false)).toBe('User not found. Please log in.')
})

test('a list is offered with the first 30 characters of its description', () => {
  const description = 'a'.repeat(30)
  expect(listOptionLabel({ name: 'Founders', description })).toBe(`Founders (${description})`)
  expect(listOptionLabel({ name: 'Founders', description: `${description}b` })).toBe(`Founders (${description}…)`)
})

test('a list without a description says so', () => {
  expect(listOptionLabel({ name: 'Founders', description: null })).toBe('Founders (No description)')
  expect(listOptionLabel({ name: 'Founders', description: ' ' })).toBe('Founders (No description)')
})
