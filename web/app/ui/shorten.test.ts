import { expect, test } from 'vitest'
import { shorten } from './shorten'

test('a text of exactly the length stays as it is, one more is cut and says so', () => {
  expect(shorten('a'.repeat(100), 100)).toBe('a'.repeat(100))
  expect(shorten('a'.repeat(101), 100)).toBe(`${'a'.repeat(100)}…`)
})

test('an emoji counts as one character and is never cut in half', () => {
  expect(shorten('👋👋👋', 3)).toBe('👋👋👋')
  expect(shorten('👋👋👋', 2)).toBe('👋👋…')
})

test('nothing stays nothing', () => {
  expect(shorten('', 30)).toBe('')
})
