import { DEFAULT_HOURS } from '@x-automated/contract/outreach/sending-limits'
import { WARM_UP_GROWTH, WARM_UP_START, type WaitReason } from '@x-automated/contract/outreach/sending-settings'
import { DAY_MS } from '@x-automated/contract/time'
import { Temporal } from 'temporal-polyfill'

const MINUTES_A_DAY = 1_440
/** If a setting is unreadable, nothing is sent and the account is retried after this time. */
const RETRY_MS = 3_600_000

export interface WorkingHours {
  timeZone: string
  /** Days on which working hours start: 1 (Monday) to 7. */
  workDays: readonly number[]
  /** When working hours start, in minutes after midnight; null, like `endMinute`: all day. */
  startMinute: number | null
  /** When working hours end, in minutes after midnight. If not after the start, they end on the next day. */
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
  /** The maximum number of messages in 24 hours. */
  cap: number
  /** When warm-up raises the cap next; null: the cap is at its maximum, or warm-up has not started yet. */
  growsAt: Date | null
}

/** The cap at `now`. @param firstSentAt the time of the first message since warm-up was turned on; null: none yet */
export function capAt(accountLimits: AccountLimits, limits: ProductLimits, firstSentAt: Date | null, now: Date): Cap {
  const full = Math.min(limits.dailyDmCap, accountLimits.dailyCap ?? limits.dailyDmCap)
  if (!accountLimits.warmUp) return { cap: full, growsAt: null }
  const days = firstSentAt ? Math.max(0, Math.floor((now.getTime() - firstSentAt.getTime()) / DAY_MS)) : 0
  // Floating point can end up just below a whole number.
  const warm = Math.floor(WARM_UP_START * WARM_UP_GROWTH ** days + 1e-9)
  if (warm >= full) return { cap: full, growsAt: null }
  return { cap: warm, growsAt: firstSentAt ? new Date(firstSentAt.getTime() + (days + 1) * DAY_MS) : null }
}

/** The times that decide when an account may send next. */
interface Sent {
  lastAt: Date | null
  /** When the oldest counted message will be a day old, if the cap is reached; else null. */
  leavesAt: Date | null
  /** X accepts no messages before this time. */
  restsUntil: Date | null
  /** Before this time, the X app has no credits, or the spending limit leaves no room. */
  fundsUntil?: Date | null
  /** When the X app may send again, if it has used up its messages of 24 hours; else null. */
  appUntil: Date | null
}

export interface Cooldown {
  until: Date
  reason: WaitReason
}

/** Until when an account must wait, and why; null: the account may send now. */
export function cooldownOf(
  accountLimits: AccountLimits,
  limits: ProductLimits,
  { cap, growsAt }: Cap,
  sent: Sent,
  now: Date,
): Cooldown | null {
  if (sent.fundsUntil && sent.fundsUntil > now) return { until: sent.fundsUntil, reason: 'funds' }
  if (!(cap > 0)) return { until: new Date(now.getTime() + RETRY_MS), reason: 'cap' }
  const room = sent.leavesAt && growsAt && growsAt < sent.leavesAt ? growsAt : sent.leavesAt
  const pause = sent.lastAt && new Date(sent.lastAt.getTime() + pauseSecondsOf(accountLimits, limits) * 1_000)
  let latest: Cooldown | null = null
  const causes: [Date | null, WaitReason][] = [
    [pause, 'pause'],
    [sent.restsUntil, 'x'],
    [sent.appUntil, 'app'],
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

/**
 * Decides what a message waits for if both its sender's limits and a reason of its own delay it. If
 * both ends are known, the later one counts. If its own reason has no end, the limits count. The
 * interval counts last.
 */
export function holdOf<Own extends { until: Date | null }>(
  limits: Cooldown | null,
  own: Own | null,
): Cooldown | Own | null {
  if (!limits || !own) return limits ?? own
  if (limits.reason === 'pause') return own
  return own.until && own.until >= limits.until ? own : limits
}

/** How soon a restored account is checked again. */
const UNREAD_MS = 15_000

/** The cooldown after a restore: until the account's recent messages are read from X, its usage is unknown. */
export function unreadCooldown(now: Date): Cooldown {
  return { until: new Date(now.getTime() + UNREAD_MS), reason: 'x' }
}

/** Past messages of an account that affect when it can send the next ones. */
export interface SentBefore {
  /** The time of the first message since warm-up was turned on; null: none yet. */
  firstAt: Date | null
  lastAt: Date | null
  /** Messages in the last 24 hours. */
  inDay: number
  /** X accepts no messages before this time. */
  restsUntil: Date | null
}

/** Jitter lengthens pauses by up to a fifth (pace.ts), a tenth on average. */
export const MEAN_JITTER = 1.1

/**
 * About how many seconds pass until the last of `messages` is sent, if each working day sends what
 * the cap and the hours allow. Null: never (cap 0, or unreadable hours).
 */
export function secondsFor(
  messages: number,
  accountLimits: AccountLimits,
  limits: ProductLimits,
  { firstAt, lastAt, inDay, restsUntil }: SentBefore,
  now: Date,
): number | null {
  const each = pauseSecondsOf(accountLimits, limits) * MEAN_JITTER
  const readyAt = Math.max(now.getTime(), (lastAt?.getTime() ?? 0) + each * 1_000, restsUntil?.getTime() ?? 0)
  const begins = nextWorkingMoment(accountLimits, new Date(readyAt))
  if (!begins) return null
  const fits = each > 0 ? Math.ceil((minutesOf(accountLimits) * 60) / each) : Number.POSITIVE_INFINITY
  const rest = Math.max(0, messages - 1)
  let days = 0
  let left = inDay + rest
  for (;;) {
    const day = new Date(begins.getTime() + days * DAY_MS)
    const { cap, growsAt } = capAt(accountLimits, limits, firstAt ?? begins, day)
    if (!(cap > 0)) return null
    const share = Math.min(cap, fits)
    if (growsAt === null || left < share) {
      days += Math.floor(left / share)
      left %= share
      break
    }
    left -= share
    days += 1
  }
  const calendarDays = Math.round((days * 7) / accountLimits.workDays.length)
  return Math.round(
    (begins.getTime() - now.getTime()) / 1_000 + calendarDays * 86_400 + (days === 0 ? rest : left) * each,
  )
}

/** How long working hours last, in minutes. */
function minutesOf({ startMinute, endMinute }: WorkingHours): number {
  const length = (endMinute ?? MINUTES_A_DAY) - (startMinute ?? 0)
  return length > 0 ? length : length + MINUTES_A_DAY
}

/** The first moment in working hours at or after `from`; null if the time zone is unknown. */
export function nextWorkingMoment(hours: WorkingHours, from: Date): Date | null {
  // Two weeks, because a clock change can skip one day's hours.
  const [next] = windowsFrom(hours, from, 14)
  return next ? new Date(Math.max(next.opensAt, from.getTime())) : null
}

/** A sending window, in milliseconds since 1970. */
export interface SendingWindow {
  /** The local day on which the window opens, '2026-11-20'. */
  day: string
  opensAt: number
  closesAt: number
}

/**
 * The windows that are open at `from` or open in the `days` after it. There are no windows if the
 * time zone is unknown.
 */
export function* windowsFrom(hours: WorkingHours, from: Date, days: number): Generator<SendingWindow> {
  const start = hours.startMinute ?? 0
  const length = minutesOf(hours)
  try {
    const now = Temporal.Instant.fromEpochMilliseconds(from.getTime())
    const today = now.toZonedDateTimeISO(hours.timeZone).toPlainDate()
    // Yesterday's hours can last into today.
    for (let after = -1; after <= days; after += 1) {
      const day = today.add({ days: after })
      if (!hours.workDays.includes(day.dayOfWeek)) continue
      const moment = (minutes: number, disambiguation: 'earlier' | 'later') =>
        day.toPlainDateTime().add({ minutes }).toZonedDateTime(hours.timeZone, { disambiguation }).epochMilliseconds
      // A clock change can repeat or skip a local time: hours start late and end early.
      const opensAt = moment(start, 'later')
      const closesAt = moment(start + length, 'earlier')
      if (closesAt > opensAt && closesAt > from.getTime()) yield { day: day.toString(), opensAt, closesAt }
    }
  } catch (error) {
    if (!(error instanceof RangeError)) throw error
  }
}

/** The later of two moments. */
export function latest(a: Date | null, b: Date | null): Date | null {
  return a && b ? (a > b ? a : b) : (a ?? b)
}

/**
 * Applies an account's share of its X app's daily limit. A share that is lower than the cap
 * replaces it, and messages for which the app has no room today count as sent. @param share null:
 * the app has no daily limit
 */
export function withShare(
  limits: ProductLimits,
  accountLimits: AccountLimits,
  share: { now: number; perDay: number } | null,
  before: SentBefore,
): { limits: ProductLimits; before: SentBefore; appShare: number | null } {
  if (!share) return { limits, before, appShare: null }
  const cap = Math.min(limits.dailyDmCap, accountLimits.dailyCap ?? limits.dailyDmCap)
  const capPerDay = Math.min(cap, share.perDay)
  return {
    limits: { ...limits, dailyDmCap: capPerDay },
    before: { ...before, inDay: Math.max(before.inDay, capPerDay - share.now) },
    appShare: Math.min(cap, share.now),
  }
}
