import { expect, it } from 'vitest'
import { X_SOURCES } from '../platform/x-account.ts'
import { lookCents, priceOf } from './scrape-prices.ts'

it('charges repliers for their reply, too', () => {
  expect(X_SOURCES.map((type) => priceOf(type, { readPriceCents: 1 }))).toEqual([1, 1, 1, 1.5, 1, 1])
})

it('charges a look for its people and its source', () => {
  const costs = (people: number) => X_SOURCES.map((type) => lookCents(type, people, { readPriceCents: 1 }))
  expect(costs(25)).toEqual([26, 26, 26, 38, 26, 25])
  expect(costs(0)).toEqual([1, 1, 1, 1, 1, 0])
  expect(lookCents('followers', 25, { readPriceCents: 0 })).toBeNull()
})
