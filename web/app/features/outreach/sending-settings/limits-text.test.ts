import { describe, expect, it } from 'vitest'
import {
  capUsageText,
  hoursOn,
  isNotable,
  type LimitsDraft,
  limitsInput,
  momentText,
  problemsOf,
  waitText,
} from './limits-text'

const draft: LimitsDraft = {
  timeZone: 'Europe/Berlin',
  workDays: [5, 1],
  allDay: false,
  start: '09:00',
  end: '18:00',
  dailyCap: null,
  warmUp: true,
  pauseSeconds: null,
}
const limits = { dailyCap: 500, pauseSeconds: 60 }

describe('problemsOf', () => {
  it.each([
    ['accepts valid values', {}, {}],
    ['requires a time zone', { timeZone: '' }, { timeZone: 'Choose a time zone.' }],
    ['requires a day', { workDays: [] }, { workDays: 'Choose at least one day.' }],
    ['requires both times', { start: '' }, { end: 'Fill in both times.' }],
    ['rejects an end equal to the start', { end: '09:00' }, { end: 'The end must differ from the start.' }],
    ['accepts hours over midnight', { start: '22:00', end: '02:00' }, {}],
    ['rejects a cap above the maximum', { dailyCap: 501 }, { dailyCap: 'Enter a whole number from 1 to 500.' }],
    ['rejects a cap of 0', { dailyCap: 0 }, { dailyCap: 'Enter a whole number from 1 to 500.' }],
    [
      'rejects a pause below the minimum',
      { pauseSeconds: 59 },
      { pauseSeconds: 'Enter a whole number of seconds from 60 to 86,400.' },
    ],
  ])('%s', (_, change, problems) => expect(problemsOf({ ...draft, ...change }, limits)).toEqual(problems))

  it('limitsInput maps empty fields to null', () => {
    expect(limitsInput('a', draft)).toEqual({
      xAccountId: 'a',
      timeZone: 'Europe/Berlin',
      workDays: [1, 5],
      hours: { start: '09:00', end: '18:00' },
      dailyCap: null,
      warmUp: true,
      pauseSeconds: null,
    })
    expect(limitsInput(null, { ...draft, allDay: true, dailyCap: 40 })).toMatchObject({ hours: null, dailyCap: 40 })
  })
})

describe('waitText', () => {
  const now = Date.parse('2026-11-20T12:00:00Z')
  const until = (seconds: number) => new Date(now + seconds * 1000).toISOString()
  it.each([
    [null, false],
    [{ reason: 'pause' as const, until: until(3) }, false],
    [{ reason: 'pause' as const, until: until(40) }, true],
    [{ reason: 'hours' as const, until: until(3) }, true],
  ])('isNotable(%j) returns %s', (waiting, expected) => expect(isNotable(waiting, now)).toBe(expected))

  it('shows the day unless it is today', () => {
    const at = new Date(2026, 10, 20, 9, 5)
    expect(momentText(at.toISOString(), new Date(2026, 10, 20, 7))).toBe('9:05 AM')
    expect(momentText(at.toISOString(), new Date(2026, 10, 18))).toBe('Fri, Nov 20, 9:05 AM')
    expect(waitText({ reason: 'detection', until: null }, at)).toBe('Follow-ups wait until replies are checked.')
    expect(waitText({ reason: 'cap', until: at.toISOString() }, new Date(2026, 10, 20, 7))).toBe(
      'Daily cap reached: nothing will be sent until 9:05 AM.',
    )
  })
})

it('capUsageText shows what counts toward the cap, and how much of it was sent', () => {
  expect(capUsageText({ countedInDay: 1_200, sentInDay: 1_200, capNow: 5_000 })).toBe('1,200 of 5,000')
  expect(capUsageText({ countedInDay: 20, sentInDay: 17, capNow: 20 })).toBe('20 of 20, 17 sent')
})

describe('hoursOn', () => {
  const on = (change: Partial<LimitsDraft>, day: number) => hoursOn({ ...draft, ...change }, day)

  it('shows the window on the chosen days only', () => {
    expect(on({ start: '09:30' }, 1)).toEqual([[9.5, 18]])
    expect(on({}, 2)).toEqual([])
    expect(on({ allDay: true }, 5)).toEqual([[0, 24]])
    expect(on({ allDay: true }, 6)).toEqual([])
    expect(on({ start: '' }, 1)).toEqual([])
  })

  it('carries a window past midnight into the next day', () => {
    const night = { workDays: [1, 7], start: '22:00', end: '02:00' }
    expect(on(night, 1)).toEqual([
      [0, 2],
      [22, 24],
    ])
    expect(on(night, 2)).toEqual([[0, 2]])
    expect(on(night, 3)).toEqual([])
    expect(on({ ...night, end: '00:00' }, 2)).toEqual([])
  })
})
