import { expect, test } from 'vitest'
import { consumeRefresh, recordPageLeave, recordVisit } from './page-refresh'

const origin = 'https://x-automated.example'

function tab() {
  const values = new Map<string, string>()
  return {
    getItem: (key: string) => values.get(key) ?? null,
    setItem: (key: string, value: string) => void values.set(key, value),
    removeItem: (key: string) => void values.delete(key),
  }
}

test('returns the last path once after a reload', () => {
  const storage = tab()
  recordPageLeave(storage, '/leads?page=2', origin)
  expect(consumeRefresh(storage, true, origin)).toBe('/leads?page=2')
  expect(consumeRefresh(storage, true, origin)).toBeNull()
})

test('returns null for a new page and for a page that was never left', () => {
  const storage = tab()
  recordVisit(storage, '/leads', origin)
  expect(consumeRefresh(storage, true, origin)).toBeNull()
  recordPageLeave(storage, '/leads', origin)
  expect(consumeRefresh(storage, false, origin)).toBeNull()
})

test('ignores sign-in pages and other origins', () => {
  const storage = tab()
  recordVisit(storage, '/leads', origin)
  recordVisit(storage, '/login', origin)
  recordPageLeave(storage, '//evil.example', origin)
  expect(consumeRefresh(storage, true, origin)).toBe('/leads')
  recordPageLeave(storage, '/login', origin)
  storage.setItem('lastVisitedPath', '//evil.example')
  expect(consumeRefresh(storage, true, origin)).toBeNull()
})
