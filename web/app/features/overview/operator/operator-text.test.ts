import { describe, expect, it } from 'vitest'
import { conversionText, exportPercent, utcDay } from './operator-text'

describe('conversionText', () => {
  it.each([
    [{ views: 0, joins: 3 }, '–'],
    [{ views: 8, joins: 1 }, '12.5%'],
    [{ views: 3, joins: 1 }, '33.3%'],
    [{ views: 5, joins: 0 }, '0%'],
  ])('formats %j as %s', (figures, text) => {
    expect(conversionText(figures)).toBe(text)
  })
})

it('utcDay returns UTC days', () => {
  const now = new Date('2026-03-01T00:30:00Z')
  expect([utcDay(now), utcDay(now, 1)]).toEqual(['2026-03-01', '2026-02-28'])
})

it('exportPercent is at most 100, and null if the total is unknown', () => {
  expect([exportPercent(1, 200), exportPercent(101, 200), exportPercent(500, 200), exportPercent(5, null)]).toEqual([
    0,
    50,
    100,
    null,
  ])
})
