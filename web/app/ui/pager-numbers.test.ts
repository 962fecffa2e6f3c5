import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { pageLeft, pagerNumbers } from './pager-numbers'

describe('pagerNumbers', () => {
  test.each([
    [1, 1, [1]],
    [1, 2, [1, 2]],
    [2, 3, [1, 2, 3]],
    [1, 10, [1, 2, 'gap-after', 10]],
    [2, 10, [1, 2, 3, 'gap-after', 10]],
    [3, 10, [1, 2, 3, 4, 'gap-after', 10]],
    [5, 10, [1, 'gap-before', 4, 5, 6, 'gap-after', 10]],
    [8, 10, [1, 'gap-before', 7, 8, 9, 10]],
    [10, 10, [1, 'gap-before', 9, 10]],
    [99, 3, [1, 2, 3]],
    [0, 0, [1]],
  ])('lists the numbers for page %i of %i', (page, pages, expected) => {
    expect(pagerNumbers(page, pages)).toEqual(expected)
  })

  test('lists first, last and neighbors in ascending order, at most five numbers', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 100_000 }), fc.integer({ min: 1, max: 100_000 }), (a, b) => {
        const pages = Math.max(a, b)
        const page = Math.min(a, b)
        const entries = pagerNumbers(page, pages)
        const numbers = entries.filter((entry) => typeof entry === 'number')
        expect(numbers.length).toBeLessThanOrEqual(5)
        expect(numbers).toEqual([...numbers].sort((x, y) => x - y))
        expect(numbers[0]).toBe(1)
        expect(numbers.at(-1)).toBe(pages)
        expect(numbers).toContain(page)
        for (const number of numbers) {
          expect(number === 1 || number === pages || Math.abs(number - page) <= 1).toBe(true)
        }
        expect(new Set(entries).size).toBe(entries.length)
      }),
    )
  })
})

test('pageLeft returns the last page if the current one is gone and the total is fresh', () => {
  const past = { page: 2, pageSize: 25, total: 25, stale: false }
  expect(pageLeft(past)).toBe(1)
  expect(pageLeft({ ...past, total: 0 })).toBe(1)
  expect(pageLeft({ ...past, page: 9, total: 51 })).toBe(3)
  expect(pageLeft({ ...past, total: 26 })).toBeNull()
  expect(pageLeft({ ...past, stale: true })).toBeNull()
  expect(pageLeft({ ...past, total: undefined })).toBeNull()
})
