import { expect, test } from 'vitest'
import { noteLeaving, noteVisit, takeRefresh } from './page-refresh'

const origin = 'https://x-automated.example'

function tab() {
  const kept = new Map<string, string>()
  return {
    getItem: (key: string) => kept.get(key) ?? null,
    setItem: (key: string, value: string) => void kept.set(key, value),
    removeItem: (key: string) => void kept.delete(key),
  }
}

test('after a refresh the page knows where it was, once', () => {
  const storage = tab()
  noteLeaving(storage, '/leads?page=2', origin)
  expect(takeRefresh(storage, true, origin)).toBe('/leads?page=2')
  expect(takeRefresh(storage, true, origin)).toBeNull()
})

test('a page that was opened anew, and one that was not left, restore nothing', () => {
  const storage = tab()
  noteVisit(storage, '/leads', origin)
  expect(takeRefresh(storage, true, origin)).toBeNull()
  noteLeaving(storage, '/leads', origin)
  expect(takeRefresh(storage, false, origin)).toBeNull()
})

test('sign-in pages and other origins are not come back to', () => {
  const storage = tab()
  noteVisit(storage, '/leads', origin)
  noteVisit(storage, '/login', origin)
  noteLeaving(storage, '//evil.example', origin)
  expect(takeRefresh(storage, true, origin)).toBe('/leads')
  noteLeaving(storage, '/login', origin)
  storage.setItem('lastVisitedPath', '//evil.example')
  expect(takeRefresh(storage, true, origin)).toBeNull()
})
