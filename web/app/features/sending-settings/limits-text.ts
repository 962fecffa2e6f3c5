import type { SendingLimits, Waiting } from '@x-automated/contract/sending-settings'

export const DAYS = ['Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat', 'Sun'] as const

/** Why nothing is sent at the moment, as the beginning of a sentence that goes on with 'until …'. */
export const WAIT_WORDS: Record<Waiting['reason'], string> = {
  hours: 'Outside working hours',
  cap: 'The daily cap is reached',
  warm_up: 'The account is warming up, and today’s share is sent',
  pause: 'Pausing between two messages',
  x: 'X takes no more for now',
}

/** The same after 'Waiting: '. */
export const REST_WORDS: Record<Waiting['reason'], string> = {
  hours: 'outside working hours',
  cap: 'the daily cap is reached',
  warm_up: 'the account is warming up',
  pause: 'pausing between two messages',
  x: 'X takes no more for now',
}

/** A pause of a few seconds is part of sending, and no news. */
export function isWorthSaying(waiting: Waiting | null, now: number): waiting is Waiting {
  return waiting !== null && (waiting.reason !== 'pause' || new Date(waiting.until).getTime() - now > 15_000)
}

/** '9:00 AM', or with its day where that is not today. */
export function momentInWords(iso: string, now: Date): string {
  const at = new Date(iso)
  const isToday = at.toDateString() === now.toDateString()
  return at.toLocaleString('en-US', {
    hour: 'numeric',
    minute: '2-digit',
    ...(isToday ? {} : { weekday: 'short', month: 'short', day: 'numeric' }),
  })
}

/** 'The daily cap is reached: nothing is sent until 9:00 AM.' */
export function restInWords({ reason, until }: Waiting, now: Date): string {
  return `${WAIT_WORDS[reason]}: nothing is sent until ${momentInWords(until, now)}.`
}

/** '12 of 20, 9 of them sent': what X did not take, or what nobody knows the outcome of, counts for the cap too. */
export function shareOfCap({
  countedInDay,
  capNow,
  sentInDay,
}: Pick<SendingLimits, 'countedInDay' | 'capNow' | 'sentInDay'>) {
  const number = (n: number) => n.toLocaleString('en-US')
  const used = `${number(countedInDay)} of ${number(capNow)}`
  return sentInDay === countedInDay ? used : `${used}, ${number(sentInDay)} of them sent`
}

/** What somebody fills in, as the fields hold it. */
export interface LimitsDraft {
  timeZone: string
  workDays: number[]
  allDay: boolean
  start: string
  end: string
  dailyCap: string
  warmUp: boolean
  pauseSeconds: string
}

export function draftOf(pace: SendingLimits, defaults: { start: string; end: string }): LimitsDraft {
  return {
    timeZone: pace.timeZone,
    workDays: [...pace.workDays],
    allDay: pace.hours === null,
    start: pace.hours?.start ?? defaults.start,
    end: pace.hours?.end ?? defaults.end,
    dailyCap: pace.dailyCap === null ? '' : String(pace.dailyCap),
    warmUp: pace.warmUp,
    pauseSeconds: pace.pauseSeconds === null ? '' : String(pace.pauseSeconds),
  }
}

export type LimitsProblems = Partial<Record<'timeZone' | 'workDays' | 'end' | 'dailyCap' | 'pauseSeconds', string>>

/** What is wrong with what was filled in, by field; {}: nothing. */
export function problemsOf(draft: LimitsDraft, limits: { dailyCap: number; pauseSeconds: number }): LimitsProblems {
  const problems: LimitsProblems = {}
  if (draft.timeZone === '') problems.timeZone = 'Choose a time zone.'
  if (draft.workDays.length === 0) problems.workDays = 'Choose at least one day.'
  if (!draft.allDay && (draft.start === '' || draft.end === '')) problems.end = 'Fill in both times.'
  else if (!draft.allDay && draft.start === draft.end) problems.end = 'The end must differ from the start.'
  if (draft.dailyCap !== '' && !isWhole(draft.dailyCap, 1, limits.dailyCap))
    problems.dailyCap = `A whole number from 1 to ${limits.dailyCap}.`
  if (draft.pauseSeconds !== '' && !isWhole(draft.pauseSeconds, Math.ceil(limits.pauseSeconds), 86_400))
    problems.pauseSeconds = `A whole number of seconds from ${Math.ceil(limits.pauseSeconds)} to 86,400.`
  return problems
}

function isWhole(text: string, min: number, max: number): boolean {
  return /^\d+$/.test(text.trim()) && Number(text) >= min && Number(text) <= max
}

/** What is sent to be saved. */
export function limitsInput(xAccountId: string | null, draft: LimitsDraft) {
  const number = (text: string) => (text.trim() === '' ? null : Number(text))
  return {
    xAccountId,
    timeZone: draft.timeZone,
    workDays: [...draft.workDays].sort(),
    hours: draft.allDay ? null : { start: draft.start, end: draft.end },
    dailyCap: number(draft.dailyCap),
    warmUp: draft.warmUp,
    pauseSeconds: number(draft.pauseSeconds),
  }
}
