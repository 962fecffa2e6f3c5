import { expect, it } from 'vitest'
import { type KeyValueStorage, withMemoryFallback } from './browser-storage'

function storage(): KeyValueStorage {
  const kept = new Map<string, string>()
  return {
    getItem: (key) => kept.get(key) ?? null,
    setItem: (key, value) => void kept.set(key, value),
    removeItem: (key) => void kept.delete(key),
  }
}

it("stores values in the browser's storage", () => {
  const own = storage()
  const kept = withMemoryFallback(() => own)
  kept.setItem('theme', 'dark')
  expect(own.getItem('theme')).toBe('dark')
  own.setItem('theme', 'light')
  expect(kept.getItem('theme')).toBe('light')
  kept.removeItem('theme')
  expect([own.getItem('theme'), kept.getItem('theme')]).toEqual([null, null])
})

it.each([
  [
    'blocks storage',
    () => {
      throw new DOMException('Access is denied for this document.', 'SecurityError')
    },
  ],
  ['has no storage', () => undefined],
])('falls back to memory if the browser %s', (_, find) => {
  const kept = withMemoryFallback(find)
  expect(kept.getItem('theme')).toBeNull()
  kept.setItem('theme', 'dark')
  expect(kept.getItem('theme')).toBe('dark')
  kept.removeItem('theme')
  expect(kept.getItem('theme')).toBeNull()
})

it('falls back to memory if storage is full, and drops the old value', () => {
  const own = storage()
  own.setItem('theme', 'light')
  let isFull = true
  const setItem = own.setItem
  own.setItem = (key, value) => {
    if (isFull) throw new DOMException('The quota has been exceeded.', 'QuotaExceededError')
    setItem(key, value)
  }
  const kept = withMemoryFallback(() => own)
  kept.setItem('theme', 'dark')
  expect([kept.getItem('theme'), own.getItem('theme')]).toEqual(['dark', null])
  isFull = false
  kept.setItem('theme', 'light')
  expect([kept.getItem('theme'), own.getItem('theme')]).toEqual(['light', 'light'])
})
