import { expect, test } from 'vitest'
import { shorten } from './shorten'

test('shorten truncates only texts longer than the limit', () => {
  expect(shorten('a'.repeat(100), 100)).toBe('a'.repeat(100))
  expect(shorten('a'.repeat(101), 100)).toBe(`${'a'.repeat(100)}…`)
})

test('shorten counts an emoji as one character', () => {
  expect(shorten('👋👋👋', 3)).toBe('👋👋👋')
  expect(shorten('👋👋👋', 2)).toBe('👋👋…')
})

test('shorten keeps an empty text', () => {
  expect(shorten('', 30)).toBe('')
})
