import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  type AccountLimits,
  capAt,
  clockOf,
  cooldownOf,
  defaultLimits,
  minuteOf,
  nextWorkingMoment,
  secondsFor,
} from './limits.ts'

const DAY = 86_400_000
const at = (text: string) => new Date(text)
const limits = { dailyDmCap: 500, sendIntervalSeconds: 60 }
const open = defaultLimits(false)
const office = (more: Partial<AccountLimits> = {}): AccountLimits => ({
  ...open,
  timeZone: 'Europe/Berlin',
  workDays: [1, 2, 3, 4, 5],
  startMinute: minuteOf('09:00'),
  endMinute: minuteOf('18:00'),
  ...more,
})
const night = office({ startMinute: minuteOf('22:00'), endMinute: minuteOf('02:30') })

describe('nextWorkingMoment', () => {
  it.each([
    ['before they start', office(), '2026-11-20T06:30:00Z', '2026-11-20T08:00:00Z'],
    ['during them', office(), '2026-11-20T12:34:56Z', '2026-11-20T12:34:56Z'],
    ['at their end, on a Friday', office(), '2026-11-20T17:00:00Z', '2026-11-23T08:00:00Z'],
    ['in daylight saving time', office(), '2026-07-20T05:00:00Z', '2026-07-20T07:00:00Z'],
    ['after midnight, in hours that started the day before', night, '2026-11-21T00:30:00Z', '2026-11-21T00:30:00Z'],
    ['after the end of hours that started the day before', night, '2026-11-21T01:30:00Z', '2026-11-23T21:00:00Z'],
    [
      'on a day off, if hours last all day',
      office({ startMinute: null, endMinute: null }),
      '2026-11-21T10:00:00Z',
      '2026-11-22T23:00:00Z',
    ],
    [
      'if a clock change skips the start',
      office({ workDays: [7], startMinute: 150, endMinute: 300 }),
      '2026-03-29T00:00:00Z',
      '2026-03-29T01:30:00Z',
    ],
    ['in a half-hour time zone', office({ timeZone: 'Asia/Kolkata' }), '2026-11-20T00:00:00Z', '2026-11-20T03:30:00Z'],
    ['with the defaults on the real X', defaultLimits(true), '2026-11-20T04:00:00Z', '2026-11-20T09:00:00Z'],
  ] as const)('returns the next moment in working hours: %s', (_, hours, from, next) => {
    expect(nextWorkingMoment(hours, at(from))).toEqual(at(next))
  })

  it('returns null for an unknown time zone, so that nothing is sent', () => {
    const lost = office({ timeZone: 'Mars/Olympus' })
    expect(nextWorkingMoment(lost, at('2026-11-20T12:00:00Z'))).toBeNull()
    const now = at('2026-11-20T12:00:00Z')
    expect(
      cooldownOf(
        lost,
        limits,
        { cap: 500, growsAt: null },
        { lastAt: null, leavesAt: null, restsUntil: null, appUntil: null },
        now,
      ),
    ).toEqual({
      until: at('2026-11-20T13:00:00Z'),
      reason: 'hours',
    })
  })

  const zone = fc.constantFrom(
    'UTC',
    'Europe/Berlin',
    'America/New_York',
    'Australia/Lord_Howe',
    'Asia/Kathmandu',
    'Pacific/Apia',
    'America/St_Johns',
  )
  const hours = fc
    .record({
      timeZone: zone,
      workDays: fc.uniqueArray(fc.integer({ min: 1, max: 7 }), { minLength: 1 }),
      startMinute: fc.integer({ min: 0, max: 1439 }),
      endMinute: fc.integer({ min: 0, max: 1439 }),
    })
    .filter(({ startMinute, endMinute }) => startMinute !== endMinute)
  const moment = fc.date({ noInvalidDate: true, min: at('2024-01-01T00:00:00Z'), max: at('2031-01-01T00:00:00Z') })

  it('agrees with local clocks across all clock changes', () => {
    fc.assert(
      fc.property(hours, moment, (set, from) => {
        const next = nextWorkingMoment(set, from)!
        expect(next.getTime()).toBeGreaterThanOrEqual(from.getTime())
        // The result is within two weeks, and is its own next moment.
        expect(next.getTime() - from.getTime()).toBeLessThan(15 * DAY)
        expect(nextWorkingMoment(set, next)).toEqual(next)
        const { minute, weekday } = onTheWall(set.timeZone, next)
        const yesterday = weekday === 1 ? 7 : weekday - 1
        const { startMinute: start, endMinute: end } = set
        const inside =
          start < end
            ? minute >= start && minute < end && set.workDays.includes(weekday)
            : (minute >= start && set.workDays.includes(weekday)) || (minute < end && set.workDays.includes(yesterday))
        expect(inside).toBe(true)
      }),
      { numRuns: 400 },
    )
  })

  it('skips no working hours', () => {
    fc.assert(
      fc.property(hours, moment, fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }), (set, from, part) => {
        const next = nextWorkingMoment(set, from)!
        const between = new Date(from.getTime() + Math.floor((next.getTime() - from.getTime()) * part))
        if (between >= next) return
        expect(nextWorkingMoment(set, between)).toEqual(next)
      }),
      { numRuns: 200 },
    )
  })

  it('reads back what clockOf writes', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 1439 }), (minute) => void expect(minuteOf(clockOf(minute))).toBe(minute)),
    )
  })
})

/** Reads a local clock with Intl, not with the time zone code under test. */
function onTheWall(timeZone: string, moment: Date) {
  const [day = '', time = ''] = moment.toLocaleString('sv-SE', { timeZone }).split(' ')
  return { minute: minuteOf(time.slice(0, 5)), weekday: new Date(`${day}T00:00:00Z`).getUTCDay() || 7 }
}

describe('capAt', () => {
  const first = at('2026-11-01T08:00:00Z')
  it.each([
    ['without warm-up', open, 0, 500],
    ['with a lower cap', { ...open, dailyCap: 40 }, 0, 40],
    ['with a cap above the maximum', { ...open, dailyCap: 9_999 }, 0, 500],
    ['on the first day of warm-up', { ...open, warmUp: true }, 0, 20],
    ['a day later', { ...open, warmUp: true }, 1, 22],
    ['two days later', { ...open, warmUp: true }, 2, 24],
    ['ten days later', { ...open, warmUp: true }, 10, 51],
    ['after warm-up', { ...open, warmUp: true }, 34, 500],
    ['with a lower cap, which is reached sooner', { ...open, warmUp: true, dailyCap: 30 }, 5, 30],
  ] as const)('returns the cap %s', (_, accountLimits, days, cap) => {
    expect(capAt(accountLimits, limits, first, new Date(first.getTime() + days * DAY + 1)).cap).toBe(cap)
  })

  it('raises the cap every day of warm-up, counted from the first message', () => {
    const warm = { ...open, warmUp: true }
    expect(capAt(warm, limits, first, new Date(first.getTime() + 3 * DAY)).growsAt).toEqual(
      new Date(first.getTime() + 4 * DAY),
    )
    expect(capAt(warm, limits, null, first)).toEqual({ cap: 20, growsAt: null })
  })
})

describe('cooldownOf', () => {
  const now = at('2026-11-20T12:00:00Z')
  const in_ = (seconds: number) => new Date(now.getTime() + seconds * 1_000)
  const none = { lastAt: null, leavesAt: null, restsUntil: null, appUntil: null }
  const full = { cap: 500, growsAt: null }
  it.each([
    ['nothing', open, full, none, null],
    ['the pause', open, full, { ...none, lastAt: in_(-20) }, { until: in_(40), reason: 'pause' }],
    [
      'a longer pause',
      { ...open, pauseSeconds: 300 },
      full,
      { ...none, lastAt: in_(-20) },
      { until: in_(280), reason: 'pause' },
    ],
    [
      'the minimum, if the pause is shorter',
      { ...open, pauseSeconds: 1 },
      full,
      { ...none, lastAt: in_(-20) },
      { until: in_(40), reason: 'pause' },
    ],
    ['X', open, full, { ...none, lastAt: in_(-20), restsUntil: in_(600) }, { until: in_(600), reason: 'x' }],
    ['the X app', open, full, { ...none, restsUntil: in_(60), appUntil: in_(700) }, { until: in_(700), reason: 'app' }],
    ['the cap', open, full, { ...none, leavesAt: in_(9_000) }, { until: in_(9_000), reason: 'cap' }],
    [
      'warm-up, if the cap grows first',
      open,
      { cap: 20, growsAt: in_(3_000) },
      { ...none, leavesAt: in_(9_000) },
      { until: in_(3_000), reason: 'warm_up' },
    ],
    ['a cap of 0', open, { cap: 0, growsAt: null }, none, { until: in_(3_600), reason: 'cap' }],
    ['an unreadable cap', open, { cap: Number.NaN, growsAt: null }, none, { until: in_(3_600), reason: 'cap' }],
    [
      'working hours, if the cooldown ends outside them',
      office(),
      full,
      { ...none, restsUntil: in_(6 * 3_600) },
      { until: at('2026-11-23T08:00:00Z'), reason: 'hours' },
    ],
  ] as const)('waits for %s', (_, accountLimits, cap, sent, cooldown) => {
    expect(cooldownOf(accountLimits, limits, cap, sent, now)).toEqual(cooldown)
  })

  it('keeps a sender within the cap in any 24 hours, within working hours, and pausing', () => {
    const settings = fc.record({
      dailyCap: fc.option(fc.integer({ min: 1, max: 60 })),
      warmUp: fc.boolean(),
      pauseSeconds: fc.constantFrom(null, 600, 2_400),
      startMinute: fc.constantFrom(null, 540),
    })
    // A sender that tries as early as allowed, and sometimes late after a long stop.
    const stops = fc.array(fc.constantFrom(0, 0, 0, 60_000, DAY, 3 * DAY), { minLength: 120, maxLength: 120 })
    fc.assert(
      fc.property(settings, stops, (set, delays) => {
        const accountLimits: AccountLimits = {
          ...open,
          timeZone: 'America/New_York',
          ...set,
          endMinute: set.startMinute && 1_080,
        }
        const sent: number[] = []
        let clock = at('2026-10-28T00:00:00Z').getTime()
        for (const delay of delays) {
          clock += delay
          for (;;) {
            const time = new Date(clock)
            const cap = capAt(accountLimits, limits, sent[0] === undefined ? null : new Date(sent[0]), time)
            const inDay = sent.filter((sentAt) => sentAt > clock - DAY)
            const filling = inDay.at(-cap.cap)
            const cooldown = cooldownOf(
              accountLimits,
              limits,
              cap,
              {
                lastAt: sent.length > 0 ? new Date(sent.at(-1)!) : null,
                leavesAt: filling === undefined ? null : new Date(filling + DAY),
                restsUntil: null,
                appUntil: null,
              },
              time,
            )
            if (!cooldown) break
            expect(cooldown.until.getTime()).toBeGreaterThan(clock)
            clock = cooldown.until.getTime()
          }
          sent.push(clock)
        }
        sent.forEach((sentAt, i) => {
          const window = sent.slice(0, i + 1).filter((other) => other > sentAt - DAY).length
          expect(window).toBeLessThanOrEqual(capAt(accountLimits, limits, new Date(sent[0]!), new Date(sentAt)).cap)
          if (i > 0) expect(sentAt - sent[i - 1]!).toBeGreaterThanOrEqual(Math.max(60, set.pauseSeconds ?? 0) * 1_000)
          if (set.startMinute === null) return
          const { minute } = onTheWall('America/New_York', new Date(sentAt))
          expect(minute).toBeGreaterThanOrEqual(540)
          expect(minute).toBeLessThan(1_080)
        })
      }),
      { numRuns: 20 },
    )
  })
})

describe('secondsFor', () => {
  const monday = new Date('2026-11-23T00:00:00Z')
  const later = (seconds: number) => new Date(monday.getTime() + seconds * 1_000)
  const nothing = { firstAt: null, lastAt: null, inDay: 0, restsUntil: null }
  const hours = { startMinute: 540, endMinute: 1_080 }

  // Jitter makes pauses a tenth longer on average.
  it.each([
    [0, {}, 0],
    [1, {}, 0],
    [11, {}, 660],
    [501, {}, 86_400],
    [502, {}, 86_466],
    [1, hours, 32_400],
    // 491 messages fit into nine hours.
    [491, hours, 32_400 + 490 * 66],
    [492, hours, 32_400 + 86_400],
    [2, { workDays: [3] }, 2 * 86_400 + 66],
    // 40 on each of 50 working days.
    [2_001, { workDays: [1, 2, 3, 4, 5], dailyCap: 40 }, 70 * 86_400],
    [21, { warmUp: true }, 86_400],
    // 20 + 22 + 24 + 26 …: 485 in thirteen days.
    [500, { warmUp: true, ...hours }, 13 * 86_400 + 32_400 + 14 * 66],
  ] as const)('estimates that %d messages with %j take %d s', (messages, accountLimits, seconds) => {
    expect(secondsFor(messages, { ...open, ...accountLimits }, limits, nothing, monday)).toBe(seconds)
  })

  it('returns null if the cap or the hours allow nothing', () => {
    expect(secondsFor(1, open, { ...limits, dailyDmCap: 0 }, nothing, monday)).toBeNull()
    expect(secondsFor(1, { ...open, timeZone: 'Mars/Base' }, limits, nothing, monday)).toBeNull()
  })

  it('considers earlier messages and a wait that X requires', () => {
    const before = { ...nothing, lastAt: later(-60), inDay: 499 }
    expect(secondsFor(1, open, limits, before, monday)).toBe(6)
    expect(secondsFor(2, open, limits, before, monday)).toBe(86_406)
    expect(secondsFor(1, open, limits, { ...nothing, restsUntil: later(900) }, monday)).toBe(900)
  })
})
