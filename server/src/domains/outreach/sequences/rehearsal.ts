import { DAY_MS } from '@x-automated/contract/time'
import {
  type AccountLimits,
  capAt,
  MEAN_JITTER,
  type ProductLimits,
  pauseSecondsOf,
  type SendingWindow,
  type SentBefore,
  type WorkingHours,
  windowsFrom,
} from '../../../core/messages/limits.ts'
import { type Delay, UNIT_MS } from '../../../core/sequences/delays.ts'
import { FIRST_OF } from '../../../core/tables/messages.ts'

/** How many days `perDay` lists. Later days count only for `lastSendAt`. */
const DAYS_LISTED = 366
/**
 * After this many days, windows simply repeat every week: a clock change moves them by an hour,
 * which does not matter for planning.
 */
const EXACT_DAYS = 400
const YEARS_MAX = 100
/** Follow-ups whose due times are this close are treated as due together. */
const TOGETHER_MS = 15 * UNIT_MS.minutes

/** The time until a step follows: a delay, or calendar days for re-engagement. */
export type FollowUp = Delay | { afterDays: number }

/** The messages that an account will send. */
export interface Plan {
  /** First messages of older campaigns, which go first. */
  ahead: number
  /** People who get the first message. */
  people: number
  /** The delays of the steps after the first, and of re-engagement. */
  followUps: readonly FollowUp[]
  /** Only for a running campaign: people who are due for one of `followUps` (from 0) or the first message (-1). */
  due: readonly { followUp: number; at: Date; people: number }[]
}

/** The account that sends, at the moment of the rehearsal. */
export interface RehearsedAccount {
  accountLimits: AccountLimits
  /** The product's limits. The account's share of the X app replaces the cap if it is lower. */
  limits: ProductLimits
  before: SentBefore
}

interface Rehearsal {
  /** The days on which the campaign sends, in the account's time zone. At most 366. */
  perDay: { date: string; count: number; followUps: number }[]
  /** Null: nothing is sent. */
  firstSendAt: Date | null
  /** Null: nothing is sent, or with these limits sending never ends. */
  lastSendAt: Date | null
}

/** People who are due for the same follow-up at about the same time. */
interface Cohort {
  dueAt: number
  people: number
  /** Index of the window in which they got the previous message. */
  sentIn: number
}

/** The cohorts of one follow-up, in the order in which they are due. */
interface Queue {
  followUp: number
  cohorts: Cohort[]
  /** The index of the first cohort that is left. */
  head: number
}

/** Messages of the last 24 hours that were sent one interval apart. */
interface Stretch {
  from: number
  count: number
}

/**
 * The dates of a plan under the rules that sending follows, if nobody replies and every condition
 * is met. Many messages are handled in one step, so 100,000 people take milliseconds.
 */
export function rehearse(plan: Plan, { accountLimits, limits, before }: RehearsedAccount, now: Date): Rehearsal {
  const eachMs = Math.round(pauseSecondsOf(accountLimits, limits) * MEAN_JITTER * 1_000)
  const windows = windowLine(accountLimits, now)
  const room = createCap(accountLimits, limits, before, eachMs, now)
  const line = createLine(plan, windows, eachMs)
  const result: Rehearsal = { perDay: [], firstSendAt: null, lastSendAt: null }
  const pausesUntil = before.lastAt ? before.lastAt.getTime() + eachMs : 0
  let at = Math.max(now.getTime(), pausesUntil, before.restsUntil?.getTime() ?? 0)
  let lastAt: number | null = null
  for (let index = 0; line.isLeft(); ) {
    const window = windows(index)
    if (!window || window.opensAt > now.getTime() + YEARS_MAX * 366 * DAY_MS) return result
    if (at >= window.closesAt) {
      index += 1
      continue
    }
    at = Math.max(at, window.opensAt)
    const waiting = line.dueAfter(at)
    if (waiting !== null) {
      at = waiting
      continue
    }
    const free = room.at(at)
    if (free.count === 0) {
      if (free.until === null) return result
      at = free.until
      continue
    }
    const fits = eachMs > 0 ? Math.ceil((window.closesAt - at) / eachMs) : Number.POSITIVE_INFINITY
    const sent = line.take(at, index, Math.min(free.count, fits))
    room.use(at, sent.count)
    if (sent.isOurs) {
      const day = result.perDay.at(-1)
      if (day?.date === window.day) {
        day.count += sent.count
        day.followUps += sent.isFollowUp ? sent.count : 0
      } else if (result.perDay.length < DAYS_LISTED) {
        result.perDay.push({ date: window.day, count: sent.count, followUps: sent.isFollowUp ? sent.count : 0 })
      }
      result.firstSendAt ??= new Date(at)
      lastAt = at + (sent.count - 1) * eachMs
    }
    at += sent.count * eachMs
  }
  return { ...result, lastSendAt: lastAt === null ? null : new Date(lastAt) }
}

/** The sending windows by their index from now; undefined: there are no windows. */
function windowLine(hours: WorkingHours, now: Date): (index: number) => SendingWindow | undefined {
  const exact = windowsFrom(hours, now, EXACT_DAYS)
  const windows: SendingWindow[] = []
  return (index) => {
    while (windows.length <= index) {
      const next = exact.next()
      const weekBefore = windows[windows.length - hours.workDays.length]
      if (!next.done) windows.push(next.value)
      else if (weekBefore) windows.push(aWeekAfter(weekBefore))
      else return undefined
    }
    return windows[index]
  }
}

function aWeekAfter({ day, opensAt, closesAt }: SendingWindow): SendingWindow {
  const later = new Date(Date.parse(day) + 7 * DAY_MS).toISOString().slice(0, 10)
  return { day: later, opensAt: opensAt + 7 * DAY_MS, closesAt: closesAt + 7 * DAY_MS }
}

/** The cap over any 24 hours, with warm-up. */
function createCap(
  accountLimits: AccountLimits,
  limits: ProductLimits,
  { firstAt, lastAt, inDay }: SentBefore,
  eachMs: number,
  now: Date,
) {
  let startedAt = firstAt
  let current: { cap: number; growsAt: Date | null } | null = null
  let used = inDay
  const stretches: Stretch[] = []
  let oldest = 0
  if (inDay > 0) stretches.push({ from: (lastAt ?? now).getTime() - (inDay - 1) * eachMs, count: inDay })
  return {
    /** How many messages may start at `at`, one interval apart. If none may, when to check again. */
    at(at: number): { count: number; until: number | null } {
      if (!current || (current.growsAt && current.growsAt.getTime() <= at)) {
        current = capAt(accountLimits, limits, startedAt, new Date(at))
      }
      const { cap, growsAt } = current
      if (!(cap > 0)) return { count: 0, until: null }
      for (let first = stretches[oldest]; first; first = stretches[oldest]) {
        if (first.from + (first.count - 1) * eachMs + DAY_MS > at) break
        used -= first.count
        oldest += 1
      }
      if (used < cap) return { count: cap - used, until: null }
      const first = stretches[oldest]
      const leavesAt = (first?.from ?? at) + DAY_MS
      // As new messages of a stretch are sent, its old ones leave the 24 hours at the same interval.
      if (leavesAt <= at) return { count: first?.count ?? 0, until: null }
      return { count: 0, until: growsAt ? Math.min(leavesAt, growsAt.getTime()) : leavesAt }
    },
    use(at: number, count: number): void {
      if (!startedAt) [startedAt, current] = [new Date(at), null]
      const first = stretches[oldest]
      if (first && first.from + DAY_MS <= at) {
        const left = Math.min(first.count, count)
        used -= left
        first.count -= left
        first.from += left * eachMs
        if (first.count === 0) oldest += 1
      }
      used += count
      const last = stretches.at(-1)
      if (last && oldest < stretches.length && last.from + last.count * eachMs === at) last.count += count
      else stretches.push({ from: at, count })
    },
  }
}

type Windows = (index: number) => SendingWindow | undefined

/** When a follow-up is due after a message that was sent at this time, in this window. */
function dueAfter(delay: FollowUp, at: number, sentIn: number, windows: Windows): number {
  if ('afterDays' in delay) return at + delay.afterDays * DAY_MS
  if (delay.unit !== 'days') return at + delay.amount * UNIT_MS[delay.unit]
  const [from, to] = [windows(sentIn), windows(sentIn + delay.amount)]
  return (to?.opensAt ?? at) + at - (from?.opensAt ?? at)
}

/** The queue whose next people have been due longest; null: no follow-ups are left. */
function longestDue(queues: readonly Queue[]): { queue: Queue; cohort: Cohort } | null {
  let longest: { queue: Queue; cohort: Cohort } | null = null
  for (const queue of queues) {
    const cohort = queue.cohorts[queue.head]
    if (cohort && (!longest || cohort.dueAt < longest.cohort.dueAt)) longest = { queue, cohort }
  }
  return longest
}

/** A plan's messages in the order of sending. */
function createLine(plan: Plan, windows: Windows, eachMs: number) {
  let { ahead, people } = plan
  // People who are due now have their own queues, so that in each queue a new cohort is never due
  // before an earlier one.
  const emptyQueues = () => plan.followUps.map((_, followUp): Queue => ({ followUp, cohorts: [], head: 0 }))
  const early: Queue[] = [...emptyQueues(), { followUp: -1, cohorts: [], head: 0 }]
  const fresh = emptyQueues()
  const queues = plan.due.length > 0 ? [...early, ...fresh] : fresh
  for (const { followUp, at, people } of [...plan.due].sort((a, b) => a.at.getTime() - b.at.getTime())) {
    early.find((queue) => queue.followUp === followUp)?.cohorts.push({ dueAt: at.getTime(), people, sentIn: -1 })
  }
  let next = longestDue(queues)
  let inFollowUps = plan.due.reduce((sum, { people }) => sum + people, 0)
  let sinceFirst = 0

  /** Makes people due for a follow-up (from 0), if there is one. */
  function enqueue(followUp: number, at: number, count: number, sentIn: number): void {
    const [queue, delay] = [fresh[followUp], plan.followUps[followUp]]
    if (!queue || !delay) return
    inFollowUps += count
    const dueAt = dueAfter(delay, at, sentIn, windows)
    const last = queue.cohorts.length > queue.head ? queue.cohorts.at(-1) : undefined
    const isTogether = 'unit' in delay && delay.unit !== 'days' ? last && dueAt - last.dueAt < TOGETHER_MS : true
    if (last && last.sentIn === sentIn && isTogether) last.people += count
    else queue.cohorts.push({ dueAt, people: count, sentIn })
  }

  return {
    isLeft: () => people > 0 || inFollowUps > 0,
    /** When the next message is due; null: one is due at `at`. */
    dueAfter(at: number): number | null {
      if (ahead + people > 0) return null
      return next && next.cohort.dueAt > at ? next.cohort.dueAt : null
    },
    /** Takes at most `most` messages of one kind, to be sent from `at` in this window. */
    take(at: number, sentIn: number, most: number): { count: number; isOurs: boolean; isFollowUp: boolean } {
      const upcoming = next
      const isDue = upcoming !== null && upcoming.cohort.dueAt <= at
      const areFirstsLeft = ahead + people > 0
      if (isDue && !(areFirstsLeft && sinceFirst === FIRST_OF - 1)) {
        const isFollowUp = upcoming.queue.followUp >= 0
        const untilFirst = areFirstsLeft ? FIRST_OF - 1 - sinceFirst : Number.POSITIVE_INFINITY
        const count = Math.min(upcoming.cohort.people, most, untilFirst)
        upcoming.cohort.people -= count
        if (upcoming.cohort.people === 0) upcoming.queue.head += 1
        inFollowUps -= count
        if (areFirstsLeft) sinceFirst += count
        enqueue(upcoming.queue.followUp + 1, at, count, sentIn)
        next = longestDue(queues)
        return { count, isOurs: true, isFollowUp }
      }
      const untilDue =
        upcoming && eachMs > 0
          ? Math.max(1, Math.ceil((upcoming.cohort.dueAt - at) / eachMs))
          : Number.POSITIVE_INFINITY
      const isOurs = ahead === 0
      const count = Math.min(isOurs ? people : ahead, most, isDue ? 1 : untilDue)
      sinceFirst = 0
      if (isOurs) {
        people -= count
        enqueue(0, at, count, sentIn)
        next = longestDue(queues)
      } else ahead -= count
      return { count, isOurs, isFollowUp: false }
    },
  }
}
