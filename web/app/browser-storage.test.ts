import { expect, it } from 'vitest'
import { type KeyValueStorage, withMemoryFallback } from './browser-storage'

function storage(): KeyValueStorage {
  const values = new Map<string, string>()
  return {
    getItem: (key) => values.get(key) ?? null,
    setItem: (key, value) => void values.set(key, value),
    removeItem: (key) => void values.delete(key),
  }
}

it("stores values in the browser's storage", () => {
  const own = storage()
  const wrapped = withMemoryFallback(() => own)
  wrapped.setItem('theme', 'dark')
  expect(own.getItem('theme')).toBe('dark')
  own.setItem('theme', 'light')
  expect(wrapped.getItem('theme')).toBe('light')
  wrapped.removeItem('theme')
  expect([own.getItem('theme'), wrapped.getItem('theme')]).toEqual([null, null])
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
  const wrapped = withMemoryFallback(find)
  expect(wrapped.getItem('theme')).toBeNull()
  wrapped.setItem('theme', 'dark')
  expect(wrapped.getItem('theme')).toBe('dark')
  wrapped.removeItem('theme')
  expect(wrapped.getItem('theme')).toBeNull()
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
  const wrapped = withMemoryFallback(() => own)
  wrapped.setItem('theme', 'dark')
  expect([wrapped.getItem('theme'), own.getItem('theme')]).toEqual(['dark', null])
  isFull = false
  wrapped.setItem('theme', 'light')
  expect([wrapped.getItem('theme'), own.getItem('theme')]).toEqual(['light', 'light'])
})
