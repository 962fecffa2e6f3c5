import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { minuteOf, type WorkingHours } from '../messages/limits.ts'
import { delayedFrom, reengagedFrom } from './delays.ts'

const at = (text: string) => new Date(text)
const days = (amount: number) => ({ amount, unit: 'days' }) as const
const office: WorkingHours = {
  timeZone: 'Europe/Berlin',
  workDays: [1, 2, 3, 4, 5],
  startMinute: minuteOf('09:00'),
  endMinute: minuteOf('18:00'),
}
const night: WorkingHours = { ...office, startMinute: minuteOf('22:00'), endMinute: minuteOf('02:30') }

describe('delayedFrom', () => {
  it.each([
    [
      'minutes, also outside the window',
      { amount: 90, unit: 'minutes' },
      '2026-11-20T16:30:00Z',
      '2026-11-20T18:00:00Z',
    ],
    ['hours, over a weekend', { amount: 48, unit: 'hours' }, '2026-11-20T16:30:00Z', '2026-11-22T16:30:00Z'],
    ['hours, over a clock change', { amount: 24, unit: 'hours' }, '2026-10-24T10:00:00Z', '2026-10-25T10:00:00Z'],
    ['one day', days(1), '2026-11-18T09:15:30Z', '2026-11-19T09:15:30Z'],
    ['days, without the weekend', days(3), '2026-11-19T09:15:00Z', '2026-11-24T09:15:00Z'],
    ['weeks of five days', days(10), '2026-11-20T09:15:00Z', '2026-12-04T09:15:00Z'],
    ['days from a day off', days(1), '2026-11-21T09:15:00Z', '2026-11-23T09:15:00Z'],
    ['the same time of day after a clock change', days(1), '2026-10-23T09:15:00Z', '2026-10-26T10:15:00Z'],
  ] as const)('counts %s', (_, delay, from, due) => {
    expect(delayedFrom(at(from), delay, office)).toEqual(at(due))
  })

  it('counts a message after midnight to the window of the evening before', () => {
    // Saturday 01:00 is in Friday's window, so one day later is in Monday's, which ends on Tuesday.
    expect(delayedFrom(at('2026-11-21T00:00:00Z'), days(1), night)).toEqual(at('2026-11-24T00:00:00Z'))
    expect(delayedFrom(at('2026-11-21T02:00:00Z'), days(1), night)).toEqual(at('2026-11-23T02:00:00Z'))
  })

  it('counts every day if no day has a window', () => {
    expect(delayedFrom(at('2026-11-20T09:00:00Z'), days(2), { ...office, workDays: [] })).toEqual(
      at('2026-11-22T09:00:00Z'),
    )
  })

  it('counts days of 24 hours in an unknown time zone', () => {
    const lost = { ...office, timeZone: 'Mars/Olympus' }
    expect(delayedFrom(at('2026-03-26T09:00:00Z'), days(2), lost)).toEqual(at('2026-03-30T09:00:00Z'))
  })

  const zone = fc.constantFrom('UTC', 'Europe/Berlin', 'America/New_York', 'Australia/Lord_Howe', 'Asia/Kathmandu')
  const workDays = fc.uniqueArray(fc.integer({ min: 1, max: 7 }), { minLength: 1 })
  const moment = fc.date({ noInvalidDate: true, min: at('2024-01-01T00:00:00Z'), max: at('2031-01-01T00:00:00Z') })
  const amount = fc.integer({ min: 1, max: 90 })

  it('lands on a day with a window, with exactly that number of them passed, at the same time', () => {
    fc.assert(
      fc.property(zone, workDays, moment, amount, (timeZone, set, from, count) => {
        const due = delayedFrom(from, days(count), { ...office, timeZone, workDays: set })
        const [sent, then] = [onTheWall(timeZone, from), onTheWall(timeZone, due)]
        expect(set).toContain(weekdayOf(then.day))
        const passed = daysBetween(sent.day, then.day).filter((day) => set.includes(weekdayOf(day)))
        expect(passed).toHaveLength(count)
        // If a clock change skips the time of day, the delay ends at the first moment after the
        // gap.
        const minutesLater = then.minute - sent.minute
        expect(minutesLater === 0 || minutesLater === 60 || minutesLater === 30).toBe(true)
      }),
      { numRuns: 400 },
    )
  })

  it('is later for a longer delay', () => {
    fc.assert(
      fc.property(zone, workDays, moment, amount, (timeZone, set, from, count) => {
        const hours = { ...office, timeZone, workDays: set }
        expect(delayedFrom(from, days(count + 1), hours).getTime()).toBeGreaterThan(
          delayedFrom(from, days(count), hours).getTime(),
        )
      }),
    )
  })
})

describe('reengagedFrom', () => {
  it('counts calendar days at the same time of day', () => {
    expect(reengagedFrom(at('2026-10-10T07:30:00Z'), 30, 'Europe/Berlin')).toEqual(at('2026-11-09T08:30:00Z'))
  })
})

/** Reads a local clock without the code under test. */
function onTheWall(timeZone: string, moment: Date) {
  const [day = '', time = ''] = moment.toLocaleString('sv-SE', { timeZone }).split(' ')
  return { day, minute: minuteOf(time.slice(0, 5)) }
}

function weekdayOf(day: string): number {
  return at(`${day}T00:00:00Z`).getUTCDay() || 7
}

/** The days after `first`, up to `last`. */
function daysBetween(first: string, last: string): string[] {
  const between: string[] = []
  for (let day = at(`${first}T00:00:00Z`); ; ) {
    day = new Date(day.getTime() + 86_400_000)
    const text = day.toISOString().slice(0, 10)
    if (text > last) return between
    between.push(text)
  }
}
