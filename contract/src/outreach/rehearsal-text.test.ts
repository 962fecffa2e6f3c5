import { expect, it } from 'vitest'
import { rehearsalText } from './rehearsal-text.ts'

// A Friday.
const now = new Date('2026-11-20T12:00:00Z')
const day = (date: string, count: number, followUps = 0) => ({ date, count, followUps })
const december = new Date('2026-12-04T10:00:00Z')

it.each([
  [
    [day('2026-11-20', 14), day('2026-11-23', 14), day('2026-11-24', 14, 9), day('2026-12-04', 2, 2)],
    december,
    'About 14 a day, follow-ups from Tuesday, done on Dec 4',
  ],
  [[day('2026-11-20', 50), day('2026-11-21', 50)], new Date('2026-11-21T10:00:00Z'), 'About 50 a day, done tomorrow'],
  [[day('2026-11-20', 1_200)], now, 'All 1,200 in one day, done today'],
  [[day('2026-12-04', 17, 17)], december, 'All 17 in one day, done on Dec 4'],
  [
    [day('2026-11-20', 9), day('2026-11-27', 9, 9)],
    new Date('2027-01-02T10:00:00Z'),
    'About 9 a day, follow-ups from Nov 27, done on Jan 2, 2027',
  ],
  [
    [day('2026-11-20', 9, 3), day('2026-11-21', 9, 9)],
    null,
    'About 9 a day, follow-ups from today, never done at these limits',
  ],
  [[], null, null],
])('says %j as one line', (perDay, lastSendAt, text) => {
  expect(rehearsalText({ perDay, lastSendAt }, 'UTC', now)).toBe(text)
})

it('counts days in the time zone of the X account', () => {
  const lastSendAt = new Date('2026-11-21T02:00:00Z')
  const dates = { perDay: [day('2026-11-20', 3)], lastSendAt }
  expect(rehearsalText(dates, 'America/New_York', now)).toBe('All 3 in one day, done today')
  expect(rehearsalText(dates, 'Asia/Tokyo', now)).toBe('All 3 in one day, done tomorrow')
})
