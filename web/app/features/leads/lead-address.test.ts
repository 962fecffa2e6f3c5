import { LEAD_FILTER_STATUSES, LEADS_PAGE_SIZE, LeadFilter } from '@x-automated/contract/leads'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { followersIn, LEADS_ON_A_PAGE, readAddress, standingWords, writeAddress } from './lead-address'

test('the page size and the statuses are those of the contract', () => {
  expect(LEADS_ON_A_PAGE).toBe(LEADS_PAGE_SIZE)
  expect(Object.keys(standingWords)).toEqual([...LEAD_FILTER_STATUSES])
})

test('a number of followers is read as people type it, and nothing else is', () => {
  expect(followersIn('12,500')).toBe(12_500)
  expect(followersIn(' 12 500 ')).toBe(12_500)
  expect(followersIn('0')).toBe(0)
  expect(followersIn('99999999999')).toBe(1_000_000_000)
  for (const typed of ['', ' ', '-5', 'many', '1e3', '12k']) expect(followersIn(typed)).toBeUndefined()
})

test('whatever stands in an address, what is read from it is a filter that the server takes', () => {
  const anyText = fc.string({ unit: 'grapheme', maxLength: 12 }).map((text) => text.replaceAll('\0', ''))
  const names = ['keyword', 'minFollowers', 'maxFollowers', 'status', 'scrape', 'page', 'tab']
  fc.assert(
    fc.property(fc.array(fc.tuple(fc.constantFrom(...names), anyText)), (pairs) => {
      const { filter, page } = readAddress(new URLSearchParams(pairs))
      expect(LeadFilter.safeParse(filter).success).toBe(true)
      expect(page).toBeGreaterThanOrEqual(1)
    }),
  )
})

test('an address says what it was written from', () => {
  const filter = {
    keyword: 'größe & co',
    minFollowers: 0,
    maxFollowers: 5_000,
    status: 'failed',
    scrapeId: 's1',
  } as const
  expect(readAddress(writeAddress(filter, 7))).toEqual({ filter, page: 7 })
  expect(writeAddress({}, 1).toString()).toBe('')
})
