import { afterEach, expect, it } from 'vitest'
import {
  formatCompact,
  formatCount,
  formatDate,
  formatDay,
  formatList,
  formatMoney,
  formatMonth,
  formatNumber,
  formatPercent,
  formatRelative,
  pluralize,
  setLocale,
} from './format.ts'

afterEach(() => setLocale('en-US'))

it('uses the singular only for one', () => {
  expect([0, 1, 2, 1234].map((count) => formatCount(count, 'lead'))).toEqual([
    '0 leads',
    '1 lead',
    '2 leads',
    '1,234 leads',
  ])
  expect(formatCount(2, 'reply', 'replies')).toBe('2 replies')
  expect(pluralize(1, 'was', 'were')).toBe('was')
})

it("shows numbers and dates in the reader's locale", () => {
  expect(formatNumber(1234.5)).toBe('1,234.5')
  expect(formatPercent(0.425)).toBe('43%')
  expect(formatPercent(0.425, 1)).toBe('42.5%')
  setLocale('de-DE')
  expect(formatNumber(1234.5)).toBe('1.234,5')
  expect(formatPercent(0.43)).toBe('43%')
  expect(formatDate('2026-11-22T10:00:00Z', { dateStyle: 'medium', timeZone: 'UTC' })).toBe('22.11.2026')
})

it('formats relative times in English and days as ISO 8601', () => {
  setLocale('de-DE')
  expect(formatRelative(-5, 'minute')).toBe('5 minutes ago')
  expect(formatDay(new Date('2026-11-20T23:30:00Z'), 'Asia/Kathmandu')).toBe('2026-11-21')
})

it('names months in full', () => {
  expect(formatMonth('2026-01')).toBe('January 2026')
})

it('joins lists as in English', () => {
  expect(formatList(['a', 'b', 'c'])).toBe('a, b, and c')
  expect(formatList(['a', 'b'], 'disjunction')).toBe('a or b')
})

it('formats amounts of money and compact numbers', () => {
  expect(formatMoney(999)).toBe('$9.99')
  expect(formatMoney(5_000, 'eur', 0)).toBe('€50')
  expect(formatCompact(1_200)).toBe('1.2K')
})

it('keeps en-US if the browser reports a malformed locale', () => {
  setLocale('en-US@posix')
  expect(formatNumber(1234)).toBe('1,234')
})
