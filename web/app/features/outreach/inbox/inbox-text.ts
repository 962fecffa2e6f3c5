import { formatDate, formatRelative, formatUnit } from '@x-automated/contract/format'
import type { ReplyLabel } from '@x-automated/contract/leads/leads'
import type { Campaign } from '@x-automated/contract/outreach/campaigns'
import type { Message } from '@x-automated/contract/outreach/conversations'
import { DAY_MS, HOUR_MS, MINUTE_MS } from '@x-automated/contract/time'
import { stepText } from '../../leads/leads/history-text'

/** The color of each label, as a text class. */
export const LABEL_COLORS: Record<ReplyLabel, string> = {
  interested: 'text-good',
  meeting: 'text-tag-violet',
  question: 'text-info',
  later: 'text-warn',
  referral: 'text-tag-teal',
  not_interested: 'text-muted',
  opted_out: 'text-bad',
  auto_reply: 'text-muted',
  booked: 'text-good',
}

/** How long ago something was: 'now', '26m', '3h', 'Mon', 'Nov 3'. */
export function ageText(at: string, now: number): string {
  const age = now - Date.parse(at)
  if (age < MINUTE_MS) return 'now'
  if (age < HOUR_MS) return formatUnit(Math.floor(age / MINUTE_MS), 'minute')
  if (age < DAY_MS) return formatUnit(Math.floor(age / HOUR_MS), 'hour')
  return formatDate(at, age < 6 * DAY_MS ? { weekday: 'short' } : { month: 'short', day: 'numeric' })
}

/** '2 minutes ago', 'just now'. */
export function sinceText(at: string, now: number): string {
  const minutes = Math.floor((now - Date.parse(at)) / MINUTE_MS)
  if (minutes < 1) return 'just now'
  if (minutes < 60) return formatRelative(-minutes, 'minute')
  return minutes < 24 * 60
    ? formatRelative(-Math.floor(minutes / 60), 'hour')
    : formatRelative(-Math.floor(minutes / 60 / 24), 'day')
}

/** 'Today', 'Yesterday', 'Tomorrow' or 'Fri, Nov 20'. With `inSentence`, 'today'. */
export function dayText(at: string | number, now: number, { inSentence = false } = {}): string {
  const day = new Date(at)
  const name = NEAR_DAYS[daysUntil(at, now)]
  if (name) return inSentence ? name.toLowerCase() : name
  const isThisYear = day.getFullYear() === new Date(now).getFullYear()
  return formatDate(day, {
    weekday: 'short',
    month: 'short',
    day: 'numeric',
    ...(isThisYear ? {} : { year: 'numeric' }),
  })
}

const NEAR_DAYS: Record<number, string> = { [-1]: 'Yesterday', 0: 'Today', 1: 'Tomorrow' }

// Rounds, because a day with a clock change has 23 or 25 hours.
const daysUntil = (at: string | number, now: number) => Math.round((startOfDay(at) - startOfDay(now)) / DAY_MS)

function startOfDay(at: string | number): number {
  return new Date(at).setHours(0, 0, 0, 0)
}

/** '14:05', in the user's locale. */
export function timeText(at: string | number): string {
  return formatDate(at, { hour: 'numeric', minute: '2-digit' })
}

/** 'today 17:00', 'Wed, Dec 16 09:00': when a snooze ends, within a sentence. */
export function snoozeText(at: string | Date, now: number): string {
  const time = new Date(at).getTime()
  return `${dayText(time, now, { inSentence: true })} ${timeText(time)}`
}

const STATUS_TEXTS = {
  queued: 'Sending…',
  sent: 'Sent',
  delivered: 'Read',
  // A reply implies that the message was read.
  replied: 'Read',
  failed: 'Failed',
} as const

const TOGETHER_MS = 5 * 60_000

/**
 * Whether the next message is grouped with this one: same sender, within five minutes, neither one
 * failed or part of a campaign.
 */
export function sharesLine(message: Message, next: Message): boolean {
  return (
    message.author !== 'campaign' &&
    message.status !== 'failed' &&
    next.author === message.author &&
    next.memberId === message.memberId &&
    next.status !== 'failed' &&
    Date.parse(next.at) - Date.parse(message.at) < TOGETHER_MS
  )
}

/** The line below a message: 'Step 2, variant B · 14:22 · Read'. */
export function messageFacts(message: Message, authorName: string | undefined): string {
  const { author, at, status, isOurs, stepNumber, variant } = message
  return [
    author === 'campaign' && (stepText(stepNumber, variant) ?? 'Step 1'),
    author === 'owner' && 'Written on X',
    author === 'member' && authorName,
    timeText(at),
    isOurs && status && STATUS_TEXTS[status],
  ]
    .filter(Boolean)
    .join(' · ')
}

type Sends = Pick<Campaign, 'status' | 'dmsQueuedCount' | 'nextFollowUpAt' | 'waitingFor'>

/** When campaigns send next, as a sentence. */
export function nextSendText(campaigns: readonly Sends[], now: number): string {
  const times = campaigns.flatMap(({ status, dmsQueuedCount, nextFollowUpAt, waitingFor }) => {
    if (status !== 'active' || waitingFor?.until === null) return []
    const follows = nextFollowUpAt ? [Date.parse(nextFollowUpAt)] : []
    if (dmsQueuedCount === 0) return follows
    return [...follows, waitingFor ? Date.parse(waitingFor.until) : now]
  })
  if (times.length === 0) return 'No campaign is sending.'
  const next = Math.min(...times)
  if (next - now < MINUTE_MS) return 'Messages are going out now.'
  const days = daysUntil(next, now)
  const when = days === 0 ? '' : days === 1 ? 'tomorrow ' : `on ${dayText(next, now)} `
  return `Next messages go out ${when}at ${timeText(next)}.`
}

/** Handles mentioned in a text, without the @ and in lower case. Those in `except` are left out. */
export function namedHandles(text: string, except: readonly string[]): string[] {
  const excluded = new Set(except.map((handle) => handle.toLowerCase()))
  const named = [...text.matchAll(/(?<![\w@.])@(\w{1,15})(?!\w)/g)].map(([, handle = '']) => handle.toLowerCase())
  return [...new Set(named)].filter((handle) => !excluded.has(handle))
}
