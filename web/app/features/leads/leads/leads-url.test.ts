import {
  CONTACT_BASES,
  LEAD_FILTER_STATUSES,
  LEADS_PAGE_SIZE,
  LeadFilter,
  LeadSort,
} from '@x-automated/contract/leads/leads'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { DEFAULT_LAYOUT } from './leads-columns'
import { parseLeadsParams } from './leads-params'
import { basisLabels, parseFollowerCount, sortLabels, statusLabels, toLeadsParams } from './leads-url'

test('uses the page size, statuses, bases and orders of the contract', () => {
  expect(DEFAULT_LAYOUT.pageSize).toBe(LEADS_PAGE_SIZE)
  expect(Object.keys(statusLabels)).toEqual([...LEAD_FILTER_STATUSES])
  expect(Object.keys(basisLabels)).toEqual([...CONTACT_BASES])
  expect(Object.keys(sortLabels).sort()).toEqual([...LeadSort.options].sort())
})

test('parses follower counts as people type them', () => {
  expect(parseFollowerCount('12,500')).toBe(12_500)
  expect(parseFollowerCount(' 12 500 ')).toBe(12_500)
  expect(parseFollowerCount('0')).toBe(0)
  expect(parseFollowerCount('99999999999')).toBe(1_000_000_000)
  for (const typed of ['', ' ', '-5', 'many', '1e3', '12k']) expect(parseFollowerCount(typed)).toBeUndefined()
})

test('reads only filters that the server accepts', () => {
  const anyText = fc
    .string({ unit: fc.constantFrom('a', ' ', '7', '\0', '\u{1F600}', '%00', '{', '[]', ','), maxLength: 12 })
    .chain((start) => fc.constantFrom(start, `${start}${'x'.repeat(199 - start.length)}\u{1F600}`))
  const names = [
    'keyword',
    'minFollowers',
    'maxFollowers',
    'status',
    'scrape',
    'list',
    'tag',
    'basis',
    'label',
    'tags',
    'fields',
    'contactedAfter',
    'contactedBefore',
    'rules',
    'sort',
    'page',
    'tab',
  ]
  fc.assert(
    fc.property(fc.array(fc.tuple(fc.constantFrom(...names), anyText)), (pairs) => {
      const { filter, page, sort } = parseLeadsParams(new URLSearchParams(pairs))
      expect(LeadFilter.safeParse(filter).success).toBe(true)
      expect(LeadSort.safeParse(sort).success).toBe(true)
      expect(page).toBeGreaterThanOrEqual(1)
    }),
  )
})

test('reads back what it has written', () => {
  const filter = {
    keyword: 'größe & co',
    minFollowers: 0,
    maxFollowers: 5_000,
    status: 'failed',
    scrapeId: 's1',
    listId: 'l1',
    tag: 'VIP & co',
    basis: 'wrote_first',
    label: 'interested',
    tags: ['01900000-0000-7000-8000-000000000000', '01900000-0000-7000-8000-000000000001'],
    fields: [{ name: 'Größe & "x"', op: 'is', value: '50%, a_b' }],
    contactedAfter: '2026-01-31T00:00:00.000Z',
    contactedBefore: '2026-02-28T23:00:00.000Z',
    rules: {
      match: 'any',
      rules: [
        { field: 'field:Größe', op: 'not_contains', value: '&=+#' },
        { match: 'all', rules: [{ field: 'label', op: 'is_set' }] },
      ],
    },
  } satisfies LeadFilter
  expect(parseLeadsParams(toLeadsParams(filter, 7, '-name'))).toEqual({ filter, page: 7, sort: '-name' })
  expect(parseLeadsParams(toLeadsParams(filter))).toEqual({ filter, page: 1, sort: '-createdAt' })
  expect(toLeadsParams({}, 1).toString()).toBe('')
})
