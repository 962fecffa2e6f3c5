import { DAY_MS } from '@x-automated/contract/time'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  type AccountLimits,
  capAt,
  cooldownOf,
  defaultLimits,
  MEAN_JITTER,
  minuteOf,
  nextWorkingMoment,
  pauseSecondsOf,
  windowsFrom,
} from '../../../core/messages/limits.ts'
import { delayedFrom, reengagedFrom } from '../../../core/sequences/delays.ts'
import { type FollowUp, type Plan, type RehearsedAccount, rehearse } from './rehearsal.ts'

const at = (text: string) => new Date(text)
const monday = at('2026-11-23T00:00:00Z')
const open = defaultLimits(false)
const office: AccountLimits = {
  ...open,
  workDays: [1, 2, 3, 4, 5],
  startMinute: minuteOf('09:00'),
  endMinute: minuteOf('18:00'),
}
const nothing = { firstAt: null, lastAt: null, inDay: 0, restsUntil: null }
const account = (accountLimits: AccountLimits, more: Partial<RehearsedAccount> = {}): RehearsedAccount => ({
  accountLimits,
  limits: { dailyDmCap: 500, sendIntervalSeconds: 60 },
  before: nothing,
  ...more,
})
const plan = (people: number, followUps: FollowUp[] = [], more: Partial<Plan> = {}): Plan => ({
  ahead: 0,
  people,
  followUps,
  due: [],
  ...more,
})
const days = (amount: number) => ({ amount, unit: 'days' }) as const

describe('rehearse', () => {
  it('sends one message per interval within the cap and the sending window', () => {
    const { perDay, firstSendAt, lastSendAt } = rehearse(plan(100), account({ ...office, dailyCap: 40 }), monday)
    expect(perDay).toEqual([
      { date: '2026-11-23', count: 40, followUps: 0 },
      { date: '2026-11-24', count: 40, followUps: 0 },
      { date: '2026-11-25', count: 20, followUps: 0 },
    ])
    expect(firstSendAt).toEqual(at('2026-11-23T09:00:00Z'))
    // Jitter makes pauses a tenth longer on average.
    expect(lastSendAt).toEqual(at('2026-11-25T09:20:54Z'))
  })

  it('skips days off and grows with warm-up', () => {
    const { perDay } = rehearse(plan(150), account({ ...office, warmUp: true }), at('2026-11-26T00:00:00Z'))
    expect(perDay).toEqual([
      { date: '2026-11-26', count: 20, followUps: 0 },
      { date: '2026-11-27', count: 22, followUps: 0 },
      { date: '2026-11-30', count: 29, followUps: 0 },
      { date: '2026-12-01', count: 32, followUps: 0 },
      { date: '2026-12-02', count: 35, followUps: 0 },
      { date: '2026-12-03', count: 12, followUps: 0 },
    ])
  })

  it('sends follow-ups first, with a first message in every ten', () => {
    const { perDay } = rehearse(plan(100, [days(1)]), account({ ...office, dailyCap: 20 }), monday)
    expect(perDay.slice(0, 4)).toEqual([
      { date: '2026-11-23', count: 20, followUps: 0 },
      { date: '2026-11-24', count: 20, followUps: 18 },
      { date: '2026-11-25', count: 20, followUps: 4 },
      { date: '2026-11-26', count: 20, followUps: 16 },
    ])
    expect(perDay.reduce((sum, { count }) => sum + count, 0)).toBe(200)
    expect(perDay.reduce((sum, { followUps }) => sum + followUps, 0)).toBe(100)
  })

  it('waits for delays and re-engagement after the last message', () => {
    const followUps = [{ amount: 2, unit: 'hours' } as const, days(3), { afterDays: 30 }]
    const { perDay, lastSendAt } = rehearse(plan(1, followUps), account(office), monday)
    expect(perDay).toEqual([
      { date: '2026-11-23', count: 2, followUps: 1 },
      { date: '2026-11-26', count: 1, followUps: 1 },
      // 30 days later is Saturday, December 26.
      { date: '2026-12-28', count: 1, followUps: 1 },
    ])
    expect(lastSendAt).toEqual(at('2026-12-28T09:00:00Z'))
  })

  it('waits behind older campaigns without counting them', () => {
    const { perDay } = rehearse(plan(10, [], { ahead: 45 }), account({ ...office, dailyCap: 20 }), monday)
    expect(perDay).toEqual([{ date: '2026-11-25', count: 10, followUps: 0 }])
  })

  it('covers what is left of a running campaign', () => {
    const due = [{ followUp: 0, at: at('2026-11-24T12:00:00Z'), people: 3 }]
    const { perDay, firstSendAt } = rehearse(plan(0, [days(1), days(2)], { due }), account(office), monday)
    expect(firstSendAt).toEqual(at('2026-11-24T12:00:00Z'))
    expect(perDay).toEqual([
      { date: '2026-11-24', count: 3, followUps: 3 },
      { date: '2026-11-26', count: 3, followUps: 3 },
    ])
  })

  it('considers what the account has sent and a wait that X requires', () => {
    const before = { ...nothing, lastAt: at('2026-11-23T08:59:00Z'), inDay: 19 }
    const limited = account({ ...office, dailyCap: 20 }, { before })
    const now = at('2026-11-23T09:00:00Z')
    expect(rehearse(plan(3), limited, now).perDay).toEqual([
      { date: '2026-11-23', count: 1, followUps: 0 },
      { date: '2026-11-24', count: 2, followUps: 0 },
    ])
    const resting = account(office, { before: { ...nothing, restsUntil: at('2026-11-23T17:59:30Z') } })
    expect(rehearse(plan(2), resting, now)).toMatchObject({
      firstSendAt: at('2026-11-23T17:59:30Z'),
      lastSendAt: at('2026-11-24T09:00:00Z'),
    })
  })

  it.each([
    ['a cap of 0', account(open, { limits: { dailyDmCap: 0, sendIntervalSeconds: 60 } })],
    ['an unknown time zone', account({ ...open, timeZone: 'Mars/Base' })],
    ['no day with a window', account({ ...office, workDays: [] })],
    ['a cap that takes centuries', account({ ...office, workDays: [1], dailyCap: 1 })],
  ])('never ends with %s', (_, limited) => {
    expect(rehearse(plan(100_000), limited, monday).lastSendAt).toBeNull()
  })

  it('lists at most 366 days of a launch whose parts take many years', () => {
    const due = Array.from({ length: 1_000 }, (_, month) => {
      const at = new Date(monday)
      at.setUTCMonth(at.getUTCMonth() + month)
      return { followUp: -1, at, people: 50 }
    })
    const { perDay, lastSendAt } = rehearse(plan(0, [days(3), { afterDays: 30 }], { due }), account(office), monday)
    expect([perDay.length, lastSendAt?.getUTCFullYear()]).toEqual([366, 2110])
  })

  it('has no dates if nothing is sent', () => {
    expect(rehearse(plan(0, [days(1)]), account(open), monday)).toEqual({
      perDay: [],
      firstSendAt: null,
      lastSendAt: null,
    })
  })

  it('takes less than 200 ms of processor time for 100,000 people and ten steps', () => {
    const followUps = [...Array.from({ length: 9 }, (_, i) => days(i + 1)), { afterDays: 30 }]
    const warm: AccountLimits = { ...office, timeZone: 'Europe/Berlin', warmUp: true }
    const milliseconds = Array.from({ length: 9 }, () => {
      const before = process.cpuUsage()
      const { lastSendAt } = rehearse(plan(100_000, followUps), account(warm), monday)
      expect(lastSendAt).not.toBeNull()
      return process.cpuUsage(before).user / 1_000
    })
    expect(milliseconds.sort((a, b) => a - b)[4]).toBeLessThan(200)
  })

  const limits = fc.record({
    timeZone: fc.constantFrom('UTC', 'Europe/Berlin', 'America/New_York'),
    workDays: fc.uniqueArray(fc.integer({ min: 1, max: 7 }), { minLength: 1 }),
    hours: fc.constantFrom([null, null], [540, 1_080], [1_320, 150]),
    dailyCap: fc.constantFrom(null, 3, 20),
    warmUp: fc.boolean(),
    pauseSeconds: fc.constantFrom(null, 600),
  })
  const followUp = fc.oneof(
    fc.record({ amount: fc.integer({ min: 1, max: 5 }), unit: fc.constantFrom('hours' as const, 'days' as const) }),
    fc.record({ afterDays: fc.integer({ min: 1, max: 10 }) }),
  )
  const moment = fc.date({ noInvalidDate: true, min: at('2026-01-01T00:00:00Z'), max: at('2027-12-01T00:00:00Z') })

  it('agrees with a sender that takes message by message', () => {
    fc.assert(
      fc.property(
        limits,
        fc.integer({ min: 1, max: 80 }),
        fc.integer({ min: 0, max: 20 }),
        fc.array(followUp, { maxLength: 3 }),
        moment,
        ({ hours: [startMinute = null, endMinute = null], ...set }, people, ahead, followUps, now) => {
          const limited = account({ ...open, ...set, startMinute, endMinute })
          const dates = rehearse(plan(people, followUps, { ahead }), limited, now)
          const sent = sendOneByOne(plan(people, followUps, { ahead }), limited, now)
          expect(dates.perDay.reduce((sum, { count }) => sum + count, 0)).toBe(sent.length)
          expect(dates.firstSendAt).toEqual(sent[0])
          // Without follow-ups, the dates agree exactly. With them, the rehearsal handles people in
          // groups.
          const [early, late] = [dates.lastSendAt!, sent.at(-1)!].sort((a, b) => a.getTime() - b.getTime())
          if (followUps.length === 0) expect(early).toEqual(late)
          const between = [...windowsFrom(limited.accountLimits, early!, 40)].filter(
            ({ opensAt }) => opensAt > early!.getTime() && opensAt <= late!.getTime(),
          )
          expect(between.length).toBeLessThanOrEqual(3 + dates.perDay.length / 20)
        },
      ),
      { numRuns: 100 },
    )
  })
})

/** Sends a plan message by message, as `cooldownOf` allows. @returns when the plan's messages were sent */
function sendOneByOne({ ahead, people, followUps }: Plan, { accountLimits, limits }: RehearsedAccount, now: Date) {
  const eachMs = Math.round(pauseSecondsOf(accountLimits, limits) * MEAN_JITTER * 1_000)
  // The interval with its average jitter.
  const jittered = { ...limits, sendIntervalSeconds: eachMs / 1_000 }
  const all: number[] = []
  const ours: Date[] = []
  const due: { at: number; followUp: number }[] = []
  let [others, firsts, sinceFirst, clock] = [ahead, people, 0, now.getTime()]
  while (firsts > 0 || due.length > 0) {
    const time = new Date(clock)
    const cap = capAt(accountLimits, limits, all[0] === undefined ? null : new Date(all[0]), time)
    const filling = all.filter((sentAt) => sentAt > clock - DAY_MS).at(-cap.cap)
    const lastAt = all.at(-1)
    const cooldown = cooldownOf(
      accountLimits,
      jittered,
      cap,
      {
        lastAt: lastAt === undefined ? null : new Date(lastAt),
        leavesAt: filling === undefined ? null : new Date(filling + DAY_MS),
        restsUntil: null,
        appUntil: null,
      },
      time,
    )
    if (cooldown) {
      clock = cooldown.until.getTime()
      continue
    }
    due.sort((a, b) => a.at - b.at)
    const next = due[0]
    const areFirstsLeft = others + firsts > 0
    if (next && next.at <= clock && !(areFirstsLeft && sinceFirst === 9)) {
      due.shift()
      if (areFirstsLeft) sinceFirst += 1
      ours.push(time)
      enqueue(next.followUp + 1, time)
    } else if (areFirstsLeft) {
      sinceFirst = 0
      if (others > 0) others -= 1
      else {
        firsts -= 1
        ours.push(time)
        enqueue(0, time)
      }
    } else {
      clock = next!.at
      continue
    }
    all.push(clock)
  }
  return ours

  function enqueue(followUp: number, sentAt: Date) {
    const next = followUps[followUp]
    if (!next) return
    const dueAt =
      'afterDays' in next
        ? reengagedFrom(sentAt, next.afterDays, accountLimits.timeZone)
        : delayedFrom(sentAt, next, accountLimits)
    due.push({ at: (nextWorkingMoment(accountLimits, dueAt) ?? dueAt).getTime(), followUp })
  }
}
