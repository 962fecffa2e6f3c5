import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  type AccountLimits,
  capAt,
  clockOf,
  defaultLimits,
  lastOf,
  minuteOf,
  nextWorkingMoment,
  type ProductLimits,
  restOf,
} from './rules.ts'

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

describe('working hours', () => {
  it.each([
    ['before they begin', office(), '2026-11-20T06:30:00Z', '2026-11-20T08:00:00Z'],
    ['in them', office(), '2026-11-20T12:34:56Z', '2026-11-20T12:34:56Z'],
    ['at their end, on a Friday', office(), '2026-11-20T17:00:00Z', '2026-11-23T08:00:00Z'],
    ['an hour earlier in summer', office(), '2026-07-20T05:00:00Z', '2026-07-20T07:00:00Z'],
    ['over midnight, into the next day', night, '2026-11-21T00:30:00Z', '2026-11-21T00:30:00Z'],
    ['over midnight, and over', night, '2026-11-21T01:30:00Z', '2026-11-23T21:00:00Z'],
    [
      'all day on some days',
      office({ startMinute: null, endMinute: null }),
      '2026-11-21T10:00:00Z',
      '2026-11-22T23:00:00Z',
    ],
    [
      'a start that the clocks skip',
      office({ workDays: [7], startMinute: 150, endMinute: 300 }),
      '2026-03-29T00:00:00Z',
      '2026-03-29T01:30:00Z',
    ],
    ['half-hour zones', office({ timeZone: 'Asia/Kolkata' }), '2026-11-20T00:00:00Z', '2026-11-20T03:30:00Z'],
    ['by default on the real X', defaultLimits(true), '2026-11-20T04:00:00Z', '2026-11-20T09:00:00Z'],
  ] as const)('%s', (_, hours, from, next) => {
    expect(nextWorkingMoment(hours, at(from))).toEqual(at(next))
  })

  it('cannot be read in a zone that nobody knows: then nothing is sent', () => {
    const lost = office({ timeZone: 'Mars/Olympus' })
    expect(nextWorkingMoment(lost, at('2026-11-20T12:00:00Z'))).toBeNull()
    const now = at('2026-11-20T12:00:00Z')
    expect(
      restOf(lost, limits, { cap: 500, growsAt: null }, { lastAt: null, leavesAt: null, restsUntil: null }, now),
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

  it('what they say is what the clock on the wall says, through every change of it', () => {
    fc.assert(
      fc.property(hours, moment, (set, from) => {
        const next = nextWorkingMoment(set, from)!
        expect(next.getTime()).toBeGreaterThanOrEqual(from.getTime())
        // Within two weeks, and again itself.
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

  it('no work is missed: before them, the clock says that it is none', () => {
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

  it('are written as they are read', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 1439 }), (minute) => void expect(minuteOf(clockOf(minute))).toBe(minute)),
    )
  })
})

/** Another way to read a clock than the rules have. */
function onTheWall(timeZone: string, moment: Date) {
  const [day = '', time = ''] = moment.toLocaleString('sv-SE', { timeZone }).split(' ')
  return { minute: minuteOf(time.slice(0, 5)), weekday: new Date(`${day}T00:00:00Z`).getUTCDay() || 7 }
}

describe('the cap', () => {
  const first = at('2026-11-01T08:00:00Z')
  it.each([
    ['without warming up', open, 0, 500],
    ['a lower one', { ...open, dailyCap: 40 }, 0, 40],
    ['never a higher one', { ...open, dailyCap: 9_999 }, 0, 500],
    ['the first day', { ...open, warmUp: true }, 0, 20],
    ['a day later', { ...open, warmUp: true }, 1, 22],
    ['two', { ...open, warmUp: true }, 2, 24],
    ['ten', { ...open, warmUp: true }, 10, 51],
    ['warmed up', { ...open, warmUp: true }, 34, 500],
    ['a lower one is reached sooner', { ...open, warmUp: true, dailyCap: 30 }, 5, 30],
  ] as const)('%s', (_, pace, days, cap) => {
    expect(capAt(pace, limits, first, new Date(first.getTime() + days * DAY + 1)).cap).toBe(cap)
  })

  it('grows when the next day of warming up begins, and has its start at the first message', () => {
    const warm = { ...open, warmUp: true }
    expect(capAt(warm, limits, first, new Date(first.getTime() + 3 * DAY)).growsAt).toEqual(
      new Date(first.getTime() + 4 * DAY),
    )
    expect(capAt(warm, limits, null, first)).toEqual({ cap: 20, growsAt: null })
  })
})

describe('rests', () => {
  const now = at('2026-11-20T12:00:00Z')
  const in_ = (seconds: number) => new Date(now.getTime() + seconds * 1_000)
  const none = { lastAt: null, leavesAt: null, restsUntil: null }
  const full = { cap: 500, growsAt: null }
  it.each([
    ['nothing holds it', open, full, none, null],
    ['the pause', open, full, { ...none, lastAt: in_(-20) }, { until: in_(40), reason: 'pause' }],
    [
      'a longer pause',
      { ...open, pauseSeconds: 300 },
      full,
      { ...none, lastAt: in_(-20) },
      { until: in_(280), reason: 'pause' },
    ],
    [
      'never a shorter one',
      { ...open, pauseSeconds: 1 },
      full,
      { ...none, lastAt: in_(-20) },
      { until: in_(40), reason: 'pause' },
    ],
    [
      'what X asks for',
      open,
      full,
      { ...none, lastAt: in_(-20), restsUntil: in_(600) },
      { until: in_(600), reason: 'x' },
    ],
    ['the cap', open, full, { ...none, leavesAt: in_(9_000) }, { until: in_(9_000), reason: 'cap' }],
    [
      'warming up, which grows first',
      open,
      { cap: 20, growsAt: in_(3_000) },
      { ...none, leavesAt: in_(9_000) },
      { until: in_(3_000), reason: 'warm_up' },
    ],
    ['a cap of nothing', open, { cap: 0, growsAt: null }, none, { until: in_(3_600), reason: 'cap' }],
    ['a cap that cannot be read', open, { cap: Number.NaN, growsAt: null }, none, { until: in_(3_600), reason: 'cap' }],
    [
      'hours, where the rest ends outside of them',
      office(),
      full,
      { ...none, restsUntil: in_(6 * 3_600) },
      { until: at('2026-11-23T08:00:00Z'), reason: 'hours' },
    ],
  ] as const)('%s', (_, pace, cap, sent, rest) => {
    expect(restOf(pace, limits, cap, sent, now)).toEqual(rest)
  })

  it('whoever keeps to them passes the cap in no window of 24 hours, sends in working hours only, and pauses', () => {
    const settings = fc.record({
      dailyCap: fc.option(fc.integer({ min: 1, max: 60 })),
      warmUp: fc.boolean(),
      pauseSeconds: fc.constantFrom(null, 600, 2_400),
      startMinute: fc.constantFrom(null, 540),
    })
    // An eager sender that tries whenever it is told to, and sometimes comes late after a long stop.
    const stops = fc.array(fc.constantFrom(0, 0, 0, 60_000, DAY, 3 * DAY), { minLength: 120, maxLength: 120 })
    fc.assert(
      fc.property(settings, stops, (set, delays) => {
        const pace: AccountLimits = {
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
            const cap = capAt(pace, limits, sent[0] === undefined ? null : new Date(sent[0]), time)
            const inDay = sent.filter((one) => one > clock - DAY)
            const filling = inDay.at(-cap.cap)
            const rest = restOf(
              pace,
              limits,
              cap,
              {
                lastAt: sent.length > 0 ? new Date(sent.at(-1)!) : null,
                leavesAt: filling === undefined ? null : new Date(filling + DAY),
                restsUntil: null,
              },
              time,
            )
            if (!rest) break
            expect(rest.until.getTime()).toBeGreaterThan(clock)
            clock = rest.until.getTime()
          }
          sent.push(clock)
        }
        sent.forEach((one, i) => {
          const window = sent.slice(0, i + 1).filter((other) => other > one - DAY).length
          expect(window).toBeLessThanOrEqual(capAt(pace, limits, new Date(sent[0]!), new Date(one)).cap)
          if (i > 0) expect(one - sent[i - 1]!).toBeGreaterThanOrEqual(Math.max(60, set.pauseSeconds ?? 0) * 1_000)
          if (set.startMinute === null) return
          const { minute } = onTheWall('America/New_York', new Date(one))
          expect(minute).toBeGreaterThanOrEqual(540)
          expect(minute).toBeLessThan(1_080)
        })
      }),
      { numRuns: 20 },
    )
  })
})

describe('when the last of so many goes out', () => {
  const monday = new Date('2026-11-23T00:00:00Z')
  const later = (seconds: number) => new Date(monday.getTime() + seconds * 1_000)
  const nothing = { firstAt: null, lastAt: null, inDay: { count: 0, firstAt: null }, restsUntil: null }
  const hours = { startMinute: 540, endMinute: 1_080 }

  // Pauses are a tenth longer on average.
  it.each([
    [0, {}, 0],
    [1, {}, 0],
    [11, {}, 660],
    [501, {}, 86_400],
    [502, {}, 86_466],
    [41, { pauseSeconds: 7_200, dailyCap: 20 }, 316_800],
    [1, hours, 32_400],
    // Nine hours hold 491.
    [491, hours, 32_400 + 490 * 66],
    [492, hours, 32_400 + 86_400],
    [2, { workDays: [3] }, 2 * 86_400 + 66],
    [21, { warmUp: true }, 86_400],
    // 20 and 22 and 24 and 26 …: 485 are sent in thirteen days.
    [500, { warmUp: true, ...hours }, 13 * 86_400 + 32_400 + 14 * 66],
  ] as const)('%d messages at %j: after %d s', (messages, pace, seconds) => {
    const set = { ...defaultLimits(false), ...pace }
    expect(lastOf(messages, set, limits, nothing, monday)).toEqual(later(seconds))
  })

  it('of weeks whose days off bring it forward in the day: those after are the measure', () => {
    const monToFri = { ...defaultLimits(false), workDays: [1, 2, 3, 4, 5], dailyCap: 40 }
    // From seven in the evening on until the first weekend, then from midnight on: 40 on each of fifty days.
    const last = lastOf(2_000, monToFri, limits, nothing, later(19 * 3_600)) as Date
    expect(last.toISOString().slice(0, 10)).toBe('2027-01-29')
    const twoADay = { ...monToFri, timeZone: 'America/New_York', workDays: [7, 1, 2], dailyCap: 2, pauseSeconds: 8_182 }
    expect(lastOf(25, twoADay, limits, nothing, monday)).toEqual(new Date('2026-12-20T05:00:00Z'))
  })

  it('never, where cap or hours let nothing through', () => {
    expect(lastOf(1, defaultLimits(false), { ...limits, dailyDmCap: 0 }, nothing, monday)).toBeNull()
    expect(lastOf(1, { ...defaultLimits(false), timeZone: 'Mars/Base' }, limits, nothing, monday)).toBeNull()
  })

  it('takes in what was sent before, and what X asks for', () => {
    const lastAt = later(-60)
    const before = { ...nothing, lastAt, inDay: { count: 499, firstAt: later(-80_000) } }
    const pace = defaultLimits(false)
    expect(lastOf(1, pace, limits, before, monday)).toEqual(later(6))
    expect(lastOf(2, pace, limits, before, monday)).toEqual(later(6_400))
    expect(lastOf(1, pace, limits, { ...nothing, restsUntil: later(900) }, monday)).toEqual(later(900))
  })

  it('is quick, and right, for a million', () => {
    const began = process.cpuUsage()
    const days =
      ((lastOf(1_000_000, defaultLimits(true), limits, nothing, monday) as Date).getTime() - +monday) / 86_400_000
    expect(process.cpuUsage(began).user / 1_000, 'milliseconds of work').toBeLessThan(500)
    // 491 a day, once it is warm.
    expect(days).toBeGreaterThan(1_000_000 / 491)
    expect(days).toBeLessThan(1_000_000 / 491 + 40)
  })

  it('takes no week for those that follow that was not like them', () => {
    // Tuesday's last hours fall on Wednesday: only the first week, begun at midnight, has messages in them.
    const pace = {
      ...defaultLimits(false),
      workDays: [7, 1, 2],
      startMinute: 180,
      endMinute: 120,
      dailyCap: 2,
      pauseSeconds: 4_910,
    }
    expect(lastOf(18, pace, { ...limits, sendIntervalSeconds: 0 }, nothing, monday)).toEqual(at('2026-12-08T04:30:01Z'))
    expect(lastOf(19, pace, { ...limits, sendIntervalSeconds: 0 }, nothing, monday)).toEqual(at('2026-12-13T03:00:00Z'))
  })

  it('is what comes of sending one after the other', () => {
    // Not from 2 to 3: clocks that are put forward skip such hours whole.
    const minutes = fc.integer({ min: 3, max: 23 }).map((hour) => hour * 60)
    const paces = fc.record({
      workDays: fc.uniqueArray(fc.integer({ min: 1, max: 7 }), { minLength: 1 }),
      timeZone: fc.constantFrom('UTC', 'Europe/Berlin', 'America/New_York'),
      span: fc.option(fc.tuple(minutes, minutes).filter(([a, b]) => a !== b)),
      dailyCap: fc.integer({ min: 1, max: 40 }),
      warmUp: fc.boolean(),
      pauseSeconds: fc.integer({ min: 1, max: 9_000 }),
    })
    fc.assert(
      fc.property(paces, fc.integer({ min: 1, max: 150 }), ({ span, ...rest }, messages) => {
        const [startMinute, endMinute] = span ?? [null, null]
        const pace = { ...rest, startMinute, endMinute, warmUpSince: null }
        const none = { sendIntervalSeconds: 0, dailyDmCap: 500 }
        const found = lastOf(messages, pace, none, nothing, monday) as Date
        // Days off may lie between two messages, so it is one message in fifty, not a share of the time, by which it may be wrong.
        const few = Math.ceil(0.02 * messages)
        const [early, late] = [messages - few, messages + few].map((count) =>
          walk(count, { ...pace, pauseSeconds: pace.pauseSeconds * 1.1 }, none, monday),
        ) as [Date, Date]
        expect(+found, `before ${early.toISOString()}`).toBeGreaterThanOrEqual(+early - 60_000)
        expect(+found, `after ${late.toISOString()}`).toBeLessThanOrEqual(+late + 60_000)
      }),
      { numRuns: 60 },
    )
  })
})

/** When the last of so many goes out, each sent as soon as `restOf` allows it. */
function walk(messages: number, pace: AccountLimits, limits: ProductLimits, from: Date): Date {
  const sent: Date[] = []
  let now = from
  while (sent.length < messages) {
    const cap = capAt(pace, limits, sent[0] ?? null, now)
    const filling = sent.at(-cap.cap)
    const leavesAt = filling && new Date(+filling + 86_400_000)
    const before = {
      lastAt: sent.at(-1) ?? null,
      leavesAt: leavesAt && leavesAt > now ? leavesAt : null,
      restsUntil: null,
    }
    const rest = restOf(pace, limits, cap, before, now)
    if (rest) now = rest.until
    else sent.push(now)
  }
  return now
}
