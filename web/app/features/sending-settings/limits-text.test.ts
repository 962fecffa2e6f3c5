import { describe, expect, it } from 'vitest'
import {
  isWorthSaying,
  type LimitsDraft,
  limitsInput,
  momentInWords,
  problemsOf,
  restInWords,
  shareOfCap,
} from './limits-text'

const draft: LimitsDraft = {
  timeZone: 'Europe/Berlin',
  workDays: [5, 1],
  allDay: false,
  start: '09:00',
  end: '18:00',
  dailyCap: '',
  warmUp: true,
  pauseSeconds: '',
}
const limits = { dailyCap: 500, pauseSeconds: 60 }

describe('what is filled in', () => {
  it.each([
    ['as it should be', {}, {}],
    ['no zone', { timeZone: '' }, { timeZone: 'Choose a time zone.' }],
    ['no day', { workDays: [] }, { workDays: 'Choose at least one day.' }],
    ['no time', { start: '' }, { end: 'Fill in both times.' }],
    ['no hours between', { end: '09:00' }, { end: 'The end must differ from the start.' }],
    ['over midnight', { start: '22:00', end: '02:00' }, {}],
    ['a cap beyond the product’s', { dailyCap: '501' }, { dailyCap: 'A whole number from 1 to 500.' }],
    ['a cap of words', { dailyCap: 'ten' }, { dailyCap: 'A whole number from 1 to 500.' }],
    [
      'a pause that is too short',
      { pauseSeconds: '59' },
      { pauseSeconds: 'A whole number of seconds from 60 to 86,400.' },
    ],
  ])('%s', (_, change, problems) => expect(problemsOf({ ...draft, ...change }, limits)).toEqual(problems))

  it('is sent with nothing where nothing was filled in', () => {
    expect(limitsInput('a', draft)).toEqual({
      xAccountId: 'a',
      timeZone: 'Europe/Berlin',
      workDays: [1, 5],
      hours: { start: '09:00', end: '18:00' },
      dailyCap: null,
      warmUp: true,
      pauseSeconds: null,
    })
    expect(limitsInput(null, { ...draft, allDay: true, dailyCap: '40' })).toMatchObject({ hours: null, dailyCap: 40 })
  })
})

describe('what is waited for', () => {
  const now = Date.parse('2026-11-20T12:00:00Z')
  const until = (seconds: number) => new Date(now + seconds * 1000).toISOString()
  it.each([
    [null, false],
    [{ reason: 'pause' as const, until: until(3) }, false],
    [{ reason: 'pause' as const, until: until(40) }, true],
    [{ reason: 'hours' as const, until: until(3) }, true],
  ])('%j', (waiting, said) => expect(isWorthSaying(waiting, now)).toBe(said))

  it('says the day only where it is another', () => {
    const at = new Date(2026, 10, 20, 9, 5)
    expect(momentInWords(at.toISOString(), new Date(2026, 10, 20, 7))).toBe('9:05 AM')
    expect(momentInWords(at.toISOString(), new Date(2026, 10, 18))).toBe('Fri, Nov 20, 9:05 AM')
    expect(restInWords({ reason: 'cap', until: at.toISOString() }, new Date(2026, 10, 20, 7))).toBe(
      'The daily cap is reached: nothing is sent until 9:05 AM.',
    )
  })
})

it('what counts for the cap is shown against it, and what of it was sent', () => {
  expect(shareOfCap({ countedInDay: 1_200, sentInDay: 1_200, capNow: 5_000 })).toBe('1,200 of 5,000')
  expect(shareOfCap({ countedInDay: 20, sentInDay: 17, capNow: 20 })).toBe('20 of 20, 17 of them sent')
})
