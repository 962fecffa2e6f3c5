import { expect, test } from 'vitest'
import { calendarOf, launchText, missingText, othersText, sampleText } from './preflight-text'

test('fills the calendar with whole weeks from Monday on', () => {
  const perDay = [
    { date: '2026-11-25', count: 3, followUps: 0 },
    { date: '2026-12-01', count: 2, followUps: 1 },
  ]
  const days = calendarOf(perDay)
  expect([days.length, days[0]?.date, days.at(-1)?.date]).toEqual([14, '2026-11-23', '2026-12-06'])
  expect(days.filter(({ count }) => count > 0)).toEqual(perDay)
  expect(calendarOf([])).toEqual([])
  const year = [perDay[0]!, { date: '2027-11-01', count: 1, followUps: 0 }]
  expect(calendarOf(year)).toHaveLength(35)
})

test('names some of the people who are skipped', () => {
  const reason = { code: 'replied' as const, params: {} }
  expect(sampleText({ reason, count: 2, sample: ['a', 'b'] })).toBe('@a, @b')
  expect(sampleText({ reason, count: 1_003, sample: ['a', 'b', 'c'] })).toBe('@a, @b, @c and 1,000 more')
})

test('says how many of the checked leads get a fallback', () => {
  const say = (leads: number, checked: number, total: number) =>
    missingText({ place: '{company|x}', leads }, { checked, leads: total } as never)
  expect(say(1, 3, 3)).toBe('1 lead has no {company|x} and gets the fallback.')
  expect(say(3, 3, 3)).toBe('No lead has a {company|x}; everyone gets the fallback.')
  expect(say(2, 1_000, 5_000)).toBe('2 of the first 1,000 leads have no {company|x} and get the fallback.')
})

test('says for how many people no first name was found', () => {
  const say = (place: string, leads: number, checked = 40, total = 40) =>
    missingText({ place, leads }, { checked, leads: total } as never)
  expect(say('{first_name}', 12)).toBe('12 people have no first name; their message says “there”.')
  expect(say('{first_name|friend}', 1)).toBe('1 person has no first name; their message says “friend”.')
  expect(say('{first_name|}', 40)).toBe('40 people have no first name; their message leaves it out.')
  expect(say('{first_name}', 12, 1_000, 5_000)).toBe(
    '12 of the first 1,000 people have no first name; their message says “there”.',
  )
})

test('says who gets a message now, and when the others do', () => {
  const say = (willSend: number, limitNow: number, limit: number | null = 50) =>
    launchText({ willSend, limitNow, waitUntil: willSend > limitNow ? '2026-12-01T00:00:00Z' : null, plan: { limit } })
  expect(say(50, 50)).toBeNull()
  expect(say(88, 50)).toBe('50 now, 38 on Dec 1')
  expect(say(38, 0)).toBe('Nobody now, 38 on Dec 1')
  expect(say(1_101, 50)).toBe('50 now, 1,051 from Dec 1, 50 a month')
})

test('says when those beyond the limit follow, also if they need several months', () => {
  const plan = { limit: 50, resetsAt: '2026-12-01T00:00:00Z' }
  expect(othersText(50, plan)).toBe('The other 50 follow on Dec 1, when your limit resets, or when you upgrade.')
  expect(othersText(180, plan)).toBe('The other 180 follow from Dec 1, 50 a month, or when you upgrade.')
  expect(othersText(null, plan)).toBe('The others follow on Dec 1, when your limit resets, or when you upgrade.')
})
