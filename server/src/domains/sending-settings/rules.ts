import { DEFAULT_HOURS } from '@x-automated/contract/sending-limits'
import { WARM_UP_GROWTH, WARM_UP_START, type WaitReason } from '@x-automated/contract/sending-settings'

const DAY_MS = 86_400_000
const MINUTE_MS = 60_000
const WEEK_MS = 7 * 86_400_000
const MINUTES_A_DAY = 1_440
/** If a setting is unreadable, nothing is sent and the account is retried after this time. */
const RETRY_MS = 3_600_000

export interface WorkingHours {
  timeZone: string
  /** Days on which they start: 1 (Monday) to 7. */
  workDays: readonly number[]
  /** Minutes after midnight; both null: all day. An end not after the start is on the next day. */
  startMinute: number | null
  endMinute: number | null
}

/** The limits set for an account. */
export interface AccountLimits extends WorkingHours {
  dailyCap: number | null
  warmUp: boolean
  /** Warm-up starts with the first message after this time. */
  warmUpSince: Date | null
  pauseSeconds: number | null
}

/** Product-wide limits that no setting can exceed. */
export interface ProductLimits {
  sendIntervalSeconds: number
  dailyDmCap: number
}

export const EVERY_DAY: readonly number[] = [1, 2, 3, 4, 5, 6, 7]

/** Defaults: careful on the real X, unlimited on the stand-in. */
export function defaultLimits(isRealX: boolean): AccountLimits {
  return {
    timeZone: 'UTC',
    workDays: EVERY_DAY,
    startMinute: isRealX ? minuteOf(DEFAULT_HOURS.start) : null,
    endMinute: isRealX ? minuteOf(DEFAULT_HOURS.end) : null,
    dailyCap: null,
    warmUp: isRealX,
    warmUpSince: null,
    pauseSeconds: null,
  }
}

/** '09:30' → 570 */
export function minuteOf(clock: string): number {
  const [hours = 0, minutes = 0] = clock.split(':').map(Number)
  return hours * 60 + minutes
}

/** 570 → '09:30' */
export function clockOf(minute: number): string {
  const two = (n: number) => String(n).padStart(2, '0')
  return `${two(Math.floor(minute / 60))}:${two(minute % 60)}`
}

/** Seconds between two campaign messages, before jitter lengthens them. */
export function pauseSecondsOf(accountLimits: Pick<AccountLimits, 'pauseSeconds'>, limits: ProductLimits): number {
  return Math.max(limits.sendIntervalSeconds, accountLimits.pauseSeconds ?? 0)
}

export interface Cap {
  /** Messages in any 24 hours that end now. */
  cap: number
  /** When warm-up raises it next; null: it is at its maximum. */
  growsAt: Date | null
}

/**
 * The cap at `now`. @param firstSentAt the first message since warm-up was turned on; null: none
 * yet
 */
export function capAt(accountLimits: AccountLimits, limits: ProductLimits, firstSentAt: Date | null, now: Date): Cap {
  const full = Math.min(limits.dailyDmCap, accountLimits.dailyCap ?? limits.dailyDmCap)
  if (!accountLimits.warmUp) return { cap: full, growsAt: null }
  const days = firstSentAt ? Math.max(0, Math.floor((now.getTime() - firstSentAt.getTime()) / DAY_MS)) : 0
  // Floating point can end up just below a whole number.
  const warm = Math.floor(WARM_UP_START * WARM_UP_GROWTH ** days + 1e-9)
  if (warm >= full) return { cap: full, growsAt: null }
  return { cap: warm, growsAt: firstSentAt ? new Date(firstSentAt.getTime() + (days + 1) * DAY_MS) : null }
}

/** What decides when an account may send next. */
export interface Sent {
  lastAt: Date | null
  /** If the cap is reached, when the oldest counted message is a day old; else null. */
  leavesAt: Date | null
  /** X accepts no messages before this time. */
  restsUntil: Date | null
}

export interface Rest {
  until: Date
  reason: WaitReason
}

/** Until when an account must wait, and why; null: it may send now. */
export function restOf(
  accountLimits: AccountLimits,
  limits: ProductLimits,
  { cap, growsAt }: Cap,
  sent: Sent,
  now: Date,
): Rest | null {
  if (!(cap > 0)) return { until: new Date(now.getTime() + RETRY_MS), reason: 'cap' }
  const room = sent.leavesAt && growsAt && growsAt < sent.leavesAt ? growsAt : sent.leavesAt
  const pause = sent.lastAt && new Date(sent.lastAt.getTime() + pauseSecondsOf(accountLimits, limits) * 1_000)
  let latest: Rest | null = null
  const causes: [Date | null, WaitReason][] = [
    [pause, 'pause'],
    [sent.restsUntil, 'x'],
    [room, growsAt ? 'warm_up' : 'cap'],
  ]
  for (const [until, reason] of causes) {
    if (until && until > (latest?.until ?? now)) latest = { until, reason }
  }
  const from = latest?.until ?? now
  const working = nextWorkingMoment(accountLimits, from)
  if (!working) return { until: new Date(now.getTime() + RETRY_MS), reason: 'hours' }
  return working > from ? { until: working, reason: 'hours' } : latest
}

/** When a restored account is checked again. */
const UNREAD_MS = 15_000

/**
 * After a restore, an account's recent messages are not read from X yet, so its usage is unknown.
 */
export function unreadRest(now: Date): Rest {
  return { until: new Date(now.getTime() + UNREAD_MS), reason: 'x' }
}

/** Past messages of an account that affect when it can send the next ones. */
export interface SentBefore {
  /** The first message since warm-up was turned on; null: none yet. */
  firstAt: Date | null
  lastAt: Date | null
  /** Messages in the last 24 hours. */
  inDay: { count: number; firstAt: Date | null }
  /** X accepts no messages before this time. */
  restsUntil: Date | null
}

/** Jitter lengthens pauses by up to a fifth (sending/rules.ts), a tenth on average. */
const MEAN_JITTER = 1.1
/** Consecutive messages, `everyMs` apart. */
interface Run {
  at: number
  everyMs: number
  count: number
}
/** The state of the forecast at the end of a week. */
interface WeekEnd {
  /** Messages not sent yet. */
  left: number
  /** See `stateAt`. The same state has the same future. */
  state: string
}
/** If no state repeats in this many weeks, the second half of them is taken as the pattern. */
const WEEKS_MAX = 8
/** A safety limit that no valid settings reach. */
const STEPS_MAX = 10_000

/**
 * Forecasts when the last of `messages` is sent. Simulates runs of messages until a week's end
 * state repeats, then skips whole weeks. Null: never (cap 0, or unreadable hours).
 */
export function lastOf(
  messages: number,
  accountLimits: AccountLimits,
  limits: ProductLimits,
  before: SentBefore,
  now: Date,
): Date | null {
  const eachMs = pauseSecondsOf(accountLimits, limits) * 1_000 * MEAN_JITTER
  const lastAt = before.lastAt?.getTime() ?? Number.NEGATIVE_INFINITY
  const runs: Run[] = []
  if (before.inDay.firstAt) {
    const { count, firstAt } = before.inDay
    const spanMs = Math.max(0, lastAt - firstAt.getTime())
    runs.push({ at: firstAt.getTime(), everyMs: count > 1 ? spanMs / (count - 1) : 0, count })
  }
  let { firstAt } = before
  let left = messages
  let last = now.getTime()
  let at = Math.max(now.getTime(), lastAt + eachMs, before.restsUntil?.getTime() ?? 0)
  /** Set once the cap is at its maximum; null after the repeating weeks were applied. */
  let weeks: { from: number; ends: WeekEnd[] } | null | undefined
  for (let steps = 0; left > 0; steps += 1) {
    const time = steps < STEPS_MAX ? workingTime(accountLimits, new Date(at)) : null
    if (!time) return null
    at = Math.max(at, time.from.getTime())
    const { cap, growsAt } = capAt(accountLimits, limits, firstAt, new Date(at))
    if (!(cap > 0)) return null
    dropExpired(runs, at - DAY_MS)
    if (growsAt === null && firstAt !== null && weeks === undefined) weeks = { from: at, ends: [] }
    if (weeks && at >= endOf(weeks)) {
      const end = { left, state: stateAt(endOf(weeks), at, runs) }
      const period = periodOf(weeks.ends, end)
      weeks.ends.push(end)
      if (period) {
        const times = Math.floor((left - 1) / period.messages)
        const weeksMs = times * period.weeks * WEEK_MS
        const ms = weeksMs - (offsetMs(accountLimits.timeZone, at + weeksMs) - offsetMs(accountLimits.timeZone, at))
        left -= times * period.messages
        at += ms
        for (const run of runs) run.at += ms
        weeks = null
        continue
      }
    }
    const room = cap - runs.reduce((sum, { count }) => sum + count, 0)
    if (room <= 0) {
      const leaves = momentOf(runs, 1 - room) + DAY_MS
      at = Math.max(at + 1, Math.min(leaves, growsAt?.getTime() ?? leaves))
      continue
    }
    const [oldest] = runs
    // At the cap, a message is sent when one of the day before expires, so at the pace of those.
    const everyMs = room === 1 ? Math.max(eachMs, oldest?.everyMs ?? 0) : eachMs
    const follows = oldest && everyMs >= oldest.everyMs && oldest.at + DAY_MS <= at + room * everyMs
    const until = Math.min(
      time.until.getTime(),
      ...[growsAt?.getTime(), weeks ? endOf(weeks) : undefined].filter((end) => end !== undefined),
    )
    const fits = everyMs > 0 ? Math.max(1, Math.ceil((until - at) / everyMs)) : Number.POSITIVE_INFINITY
    const count = Math.min(left, follows ? room + oldest.count : room, fits)
    runs.push({ at, everyMs, count })
    firstAt ??= new Date(at)
    left -= count
    last = at + (count - 1) * everyMs
    at = last + eachMs
  }
  return new Date(last)
}

/** The end of the current week, or the start of the first. */
function endOf({ from, ends }: { from: number; ends: readonly WeekEnd[] }): number {
  return from + ends.length * WEEK_MS
}

/** The next send time and the runs that count toward the cap, relative to `moment`, in seconds. */
function stateAt(moment: number, nextAt: number, runs: readonly Run[]): string {
  const since = (at: number) => Math.round((at - moment) / 1_000)
  return [since(nextAt), ...runs.map(({ at, everyMs, count }) => `${since(at)}/${everyMs}/${count}`)].join()
}

/** The repeating weeks up to now and their number of messages; null while unknown. */
function periodOf(ends: readonly WeekEnd[], now: WeekEnd): { weeks: number; messages: number } | null {
  const same = ends.findLastIndex(({ state }) => state === now.state)
  const since = same < 0 && ends.length >= WEEKS_MAX ? ends.length - WEEKS_MAX / 2 : same
  const then = ends[since]
  return then && then.left > now.left ? { weeks: ends.length - since, messages: then.left - now.left } : null
}

/** Drops messages sent up to `until`, which no longer count. */
function dropExpired(runs: Run[], until: number): void {
  for (let run = runs[0]; run && run.at <= until; run = runs[0]) {
    const gone = run.everyMs > 0 ? Math.min(run.count, Math.floor((until - run.at) / run.everyMs) + 1) : run.count
    if (gone === run.count) runs.shift()
    else Object.assign(run, { at: run.at + gone * run.everyMs, count: run.count - gone })
  }
}

/** When the nth message was sent. @param nth from 1 */
function momentOf(runs: readonly Run[], nth: number): number {
  let before = 0
  for (const { at, everyMs, count } of runs) {
    if (nth <= before + count) return at + (nth - before - 1) * everyMs
    before += count
  }
  return Number.POSITIVE_INFINITY
}

/** The first moment in working hours at or after `from`; null if the time zone is unknown. */
export function nextWorkingMoment(hours: WorkingHours, from: Date): Date | null {
  return workingTime(hours, from)?.from ?? null
}

/** The current working hours, from `from` on, or the next ones; null as above. */
function workingTime(hours: WorkingHours, from: Date): { from: Date; until: Date } | null {
  const start = hours.startMinute ?? 0
  const end = hours.endMinute ?? MINUTES_A_DAY
  const length = end > start ? end - start : end - start + MINUTES_A_DAY
  try {
    const today = Math.floor((from.getTime() + offsetMs(hours.timeZone, from.getTime())) / DAY_MS) * DAY_MS
    // Yesterday's hours can last into today. Two weeks, because a clock change can skip one day's
    // hours.
    for (let day = -1; day <= 14; day += 1) {
      const midnight = today + day * DAY_MS
      if (!hours.workDays.includes(weekdayOf(midnight))) continue
      const begins = Math.max(...momentsOf(hours.timeZone, midnight + start * MINUTE_MS))
      const ends = Math.min(...momentsOf(hours.timeZone, midnight + (start + length) * MINUTE_MS))
      if (ends > begins && ends > from.getTime())
        return { from: new Date(Math.max(begins, from.getTime())), until: new Date(ends) }
    }
  } catch (error) {
    if (!(error instanceof RangeError)) throw error
  }
  return null
}

/** 1 (Monday) to 7. @param midnight local midnight as if it were UTC */
function weekdayOf(midnight: number): number {
  return new Date(midnight).getUTCDay() || 7
}

/**
 * The moments of a local time, given as if it were UTC: two if clocks repeat it. If they skip it,
 * the moments by the offsets before and after the change.
 */
function momentsOf(timeZone: string, local: number): number[] {
  const candidates = [local - offsetMs(timeZone, local - DAY_MS), local - offsetMs(timeZone, local + DAY_MS)]
  const shown = candidates.filter((at) => at + offsetMs(timeZone, at) === local)
  return shown.length > 0 ? shown : candidates
}

const clocks = new Map<string, Intl.DateTimeFormat>()

/** A time zone's offset from UTC, in milliseconds. @throws RangeError for an unknown time zone */
function offsetMs(timeZone: string, at: number): number {
  let clock = clocks.get(timeZone)
  if (!clock) {
    clock = new Intl.DateTimeFormat('en-US', {
      timeZone,
      hourCycle: 'h23',
      year: 'numeric',
      month: 'numeric',
      day: 'numeric',
      hour: 'numeric',
      minute: 'numeric',
      second: 'numeric',
    })
    clocks.set(timeZone, clock)
  }
  const shown: Record<string, number> = {}
  for (const { type, value } of clock.formatToParts(at)) shown[type] = Number(value)
  const { year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0 } = shown
  return Date.UTC(year, month - 1, day, hour, minute, second) - Math.floor(at / 1_000) * 1_000
}
