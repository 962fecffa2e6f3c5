import { formatDate, formatNumber } from '@x-automated/contract/format'
import { DEFAULT_HOURS } from '@x-automated/contract/outreach/sending-limits'
import type { CampaignWait, SendingLimits, WarmUp } from '@x-automated/contract/outreach/sending-settings'

export const DAYS = ['Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat', 'Sun'] as const

/** Why nothing is being sent. `waitText` appends the time. */
export const WAIT_TITLES: Record<CampaignWait['reason'], string> = {
  hours: 'Outside the sending window',
  cap: 'Daily cap reached',
  warm_up: "Today's warm-up limit is reached",
  pause: 'Waiting for the interval',
  x: 'X is limiting this account',
  plan: "Your plan's monthly limit is reached",
  funds: 'The X app has no credits, or the X spending limit is reached',
  app: "The X app's limit of messages in 24 hours is reached",
  account: 'The X account is not connected',
  turn: 'An older campaign sends first',
  detection: 'Follow-ups wait until replies are checked',
  day_apart: 'These people got another message in the past 24 hours',
  inbox_unclear: "X didn't show whether the next people can be messaged",
}

/** The reasons of WAIT_TITLES, phrased to follow "Waiting: ". */
export const WAIT_TEXT: Record<CampaignWait['reason'], string> = {
  hours: 'outside the sending window',
  cap: 'daily cap reached',
  warm_up: "today's warm-up limit is reached",
  pause: 'interval between messages',
  x: 'X is limiting this account',
  plan: "your plan's monthly limit",
  funds: "the X app's credits or the X spending limit",
  app: "the X app's limit of messages in 24 hours",
  account: 'the X account is not connected',
  turn: 'an older campaign sends first',
  detection: 'replies must be checked first',
  day_apart: 'these people got another message in the past 24 hours',
  inbox_unclear: "X didn't show whether the next people can be messaged",
}

/** Whether a wait is worth displaying: a pause of a few seconds is normal. */
export function isNotable(waiting: CampaignWait | null, now: number): waiting is CampaignWait {
  if (waiting?.reason !== 'pause') return waiting !== null
  return waiting.until !== null && new Date(waiting.until).getTime() - now > 15_000
}

/** "9:00 AM", with the day if it is not today. */
export function momentText(iso: string, now: Date): string {
  const at = new Date(iso)
  const isToday = at.toDateString() === now.toDateString()
  return formatDate(at, {
    hour: 'numeric',
    minute: '2-digit',
    ...(isToday ? {} : { weekday: 'short', month: 'short', day: 'numeric' }),
  })
}

/** "Daily cap reached: nothing will be sent until 9:00 AM." */
export function waitText({ reason, until }: CampaignWait, now: Date): string {
  if (until === null) return `${WAIT_TITLES[reason]}.`
  return `${WAIT_TITLES[reason]}: nothing will be sent until ${momentText(until, now)}.`
}

/** 'Warm-up, day 1: 20 today, 500 from about Dec 31'. */
export function warmUpText({ day, capNow, fullCap, fullOn }: WarmUp): string {
  const end = formatDate(fullOn, { month: 'short', day: 'numeric', timeZone: 'UTC' })
  return `Warm-up, day ${formatNumber(day)}: ${formatNumber(capNow)} today, ${formatNumber(fullCap)} from about ${end}`
}

/** Says on the stand-in X that its limits are not those of the real X. */
export const STAND_IN_LIMITS =
  'This is the stand-in X, so limits are off unless you set them. On the real X, accounts start with 20 messages a day, from 9:00 to 18:00.'

/** "12 of 20, 9 sent": failed and unconfirmed attempts count toward the cap, too. */
export function capUsageText({
  countedInDay,
  capNow,
  sentInDay,
}: Pick<SendingLimits, 'countedInDay' | 'capNow' | 'sentInDay'>) {
  const used = `${formatNumber(countedInDay)} of ${formatNumber(capNow)}`
  return sentInDay === countedInDay ? used : `${used}, ${formatNumber(sentInDay)} sent`
}

export interface LimitsDraft
  extends Pick<SendingLimits, 'timeZone' | 'workDays' | 'dailyCap' | 'warmUp' | 'pauseSeconds'> {
  allDay: boolean
  start: string
  end: string
}

/** The form's values. @param defaults the window to suggest if messages are sent all day */
export function draftOf(
  { timeZone, workDays, hours, dailyCap, warmUp, pauseSeconds }: SendingLimits,
  defaults: { start: string; end: string },
): LimitsDraft {
  return { timeZone, workDays, allDay: hours === null, ...(hours ?? defaults), dailyCap, warmUp, pauseSeconds }
}

/** Cautious limits: office hours on weekdays, with the number of messages growing daily. */
export const SAFE_LIMITS = {
  workDays: [1, 2, 3, 4, 5],
  allDay: false,
  ...DEFAULT_HOURS,
  warmUp: true,
} as const satisfies Partial<Omit<LimitsDraft, 'workDays'>> & { workDays: readonly number[] }

/** When messages are sent on a day, in hours from its midnight. @param day 1 is Monday */
export function hoursOn({ workDays, allDay, start, end }: LimitsDraft, day: number): [from: number, to: number][] {
  if (allDay) return workDays.includes(day) ? [[0, 24]] : []
  const [from, to] = [hourOf(start), hourOf(end)]
  if (from === null || to === null) return []
  if (from < to) return workDays.includes(day) ? [[from, to]] : []
  // A window that passes midnight also covers the next day's early hours.
  const early: [number, number][] = workDays.includes(day === 1 ? 7 : day - 1) && to > 0 ? [[0, to]] : []
  return workDays.includes(day) ? [...early, [from, 24]] : early
}

function hourOf(time: string): number | null {
  const [hour, minute] = time.split(':').map(Number)
  return hour === undefined || minute === undefined ? null : hour + minute / 60
}

export type LimitsProblems = Partial<Record<'timeZone' | 'workDays' | 'end' | 'dailyCap' | 'pauseSeconds', string>>

/** Form errors by field, or {} if the form is valid. */
export function problemsOf(draft: LimitsDraft, limits: { dailyCap: number; pauseSeconds: number }): LimitsProblems {
  const problems: LimitsProblems = {}
  if (draft.timeZone === '') problems.timeZone = 'Choose a time zone.'
  if (draft.workDays.length === 0) problems.workDays = 'Choose at least one day.'
  if (!draft.allDay && (draft.start === '' || draft.end === '')) problems.end = 'Fill in both times.'
  else if (!draft.allDay && draft.start === draft.end) problems.end = 'The end must differ from the start.'
  if (!isWithin(draft.dailyCap, 1, limits.dailyCap))
    problems.dailyCap = `Enter a whole number from 1 to ${formatNumber(limits.dailyCap)}.`
  if (!isWithin(draft.pauseSeconds, Math.ceil(limits.pauseSeconds), 86_400))
    problems.pauseSeconds = `Enter a whole number of seconds from ${formatNumber(Math.ceil(limits.pauseSeconds))} to ${formatNumber(86_400)}.`
  return problems
}

function isWithin(value: number | null, min: number, max: number): boolean {
  return value === null || (value >= min && value <= max)
}

/** The form's values in the API's format. */
export function limitsInput(xAccountId: string | null, { allDay, start, end, ...draft }: LimitsDraft) {
  return { ...draft, xAccountId, workDays: draft.workDays.toSorted(), hours: allDay ? null : { start, end } }
}
