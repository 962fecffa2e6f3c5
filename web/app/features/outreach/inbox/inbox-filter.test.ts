import { expect, test } from 'vitest'
import { filterOf, narrowedBy, withFilter } from './inbox-filter'

test('shows open conversations if the URL says nothing or something unknown', () => {
  expect(filterOf(new URLSearchParams())).toEqual({ status: 'open' })
  expect(filterOf(new URLSearchParams('status=lost&label=sad'))).toEqual({ status: 'open' })
})

test('reads from the URL only text that the API accepts', () => {
  const long = 'x'.repeat(300)
  expect(filterOf(new URLSearchParams({ q: long, tag: long }))).toEqual({ q: 'x'.repeat(200), tag: 'x'.repeat(100) })
  expect(filterOf(new URLSearchParams({ q: '\0', tag: ' ' }))).toEqual({ status: 'open' })
})

test('reads from the URL what it has written', () => {
  const filter = { status: 'done', label: 'later', tag: 'VIP', assigneeId: 'me', q: 'price' } as const
  expect(filterOf(withFilter(new URLSearchParams(), filter))).toEqual(filter)
})

test('removes a field from the URL and keeps the others', () => {
  const before = new URLSearchParams('status=done&label=later&tag=VIP')
  expect(withFilter(before, { label: undefined, status: 'open' }).toString()).toBe('tag=VIP')
})

test('counts what narrows the list, without status and search', () => {
  expect(narrowedBy({ status: 'done', q: 'price', label: 'later', assigneeId: 'none' })).toBe(2)
})

test('searches conversations of any status, unless one is chosen', () => {
  const searched = new URLSearchParams('q=price')
  expect(filterOf(searched)).toEqual({ q: 'price' })
  expect(filterOf(withFilter(searched, { status: 'open' }))).toEqual({ q: 'price', status: 'open' })
})
