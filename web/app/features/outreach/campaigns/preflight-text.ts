import { formatCount, formatDate, formatNumber, pluralize } from '@x-automated/contract/format'
import { type Preflight, type PreflightWarning, REPLIES_ONE_IN } from '@x-automated/contract/outreach/preflight'
import { readSegments } from '@x-automated/contract/outreach/template'
import type { SkipReason } from '@x-automated/contract/reason'
import { DAY_MS } from '@x-automated/contract/time'

/** Labels the number of people who are skipped for this reason. */
export function skippedLabel({ code, params }: SkipReason): string {
  if (code === 'suppressed' && (params.reason === 'opted_out' || params.reason === 'replied_stop')) return 'Opted out'
  if (code === 'contacted' && params.how === 'campaign') return `Messaged by “${params.campaign}”`
  if (code === 'queued_elsewhere' && params.how === 'campaign') return `In the campaign “${params.campaign}”`
  return SKIPPED[code]
}

const SKIPPED: Record<SkipReason['code'], string> = {
  suppressed: 'On your suppression list',
  replied: 'Replied to you',
  contacted: 'Already messaged',
  queued_elsewhere: 'Already queued',
  written_by_hand: 'Messaged by you on X',
  person: 'Stopped by your workspace',
  no_basis: 'No contact basis',
  duplicate: 'Duplicates of messaged leads',
  closed_inbox: "Don't accept messages from this account",
  premium_only: 'Accept messages from X Premium accounts only',
  identity: 'Handle and X user ID belong to different people',
  lead_missing: 'Lead deleted',
  condition: 'Condition not met',
  sample: 'Sample data, never messaged on X',
  placeholder: 'Messages with an unfilled variable',
}

/** '@a, @b and 5 more'. */
export function sampleText({ sample, count }: Preflight['skipped'][number]): string {
  const handles = sample.map((handle) => `@${handle}`).join(', ')
  return count > sample.length ? `${handles} and ${formatNumber(count - sample.length)} more` : handles
}

/** What the bill assumes. */
export const BILL_ASSUMES = `Assumes that every message is sent, 1 in ${REPLIES_ONE_IN} people replies, and each message and reply is read once.`

/** Texts of the warnings that `launchText` and `missingText` do not cover. */
const WARNINGS: Record<Exclude<PreflightWarning, 'plan' | 'no_first_name'>, string> = {
  no_basis: 'X allows automated messages only to people with a contact basis. Set one on the leads page.',
  no_detection: "Replies can't be detected without a connected X account, so follow-ups will wait.",
  no_x_account: 'Connect an X account to send this campaign.',
  closed_inboxes: 'Most of these people take no DMs from strangers.',
  spending: 'This would exceed your X spending limit for this month, so some messages will wait.',
  never_ends: "Nothing can be sent: check this account's daily cap and sending window.",
}

/** What may go wrong after launch, and what to do about it. */
export const warningText = (warning: keyof typeof WARNINGS) => WARNINGS[warning]

/** '50 now, 38 on Dec 1', or null if everyone gets a message now. */
export function launchText({ willSend, limitNow, waitUntil, plan }: LaunchParts): string | null {
  if (waitUntil === null) return null
  const others = willSend - limitNow
  const day = formatDate(waitUntil, { month: 'short', day: 'numeric', timeZone: 'UTC' })
  const inOneMonth = plan.limit === null || others <= plan.limit
  const later = inOneMonth ? `on ${day}` : `from ${day}, ${formatNumber(plan.limit ?? 0)} a month`
  return `${limitNow === 0 ? 'Nobody' : formatNumber(limitNow)} now, ${formatNumber(others)} ${later}`
}

type LaunchParts = Pick<Preflight, 'willSend' | 'limitNow' | 'waitUntil'> & { plan: Pick<Preflight['plan'], 'limit'> }

/**
 * 'The other 50 follow on Dec 1, when your limit resets, or when you upgrade.', 'The other 180 follow
 * from Dec 1, 50 a month, or when you upgrade.' @param others null if their number is unknown
 * @param limit messages per month
 */
export function othersText(others: number | null, { limit, resetsAt }: Pick<Preflight['plan'], 'limit' | 'resetsAt'>) {
  const day = formatDate(resetsAt, { month: 'short', day: 'numeric', timeZone: 'UTC' })
  const who =
    others === null ? 'others follow' : `other ${formatNumber(others)} ${pluralize(others, 'follows', 'follow')}`
  const inOneMonth = others === null || limit === null || others <= limit
  const when = inOneMonth ? `on ${day}, when your limit resets` : `from ${day}, ${formatNumber(limit)} a month`
  return `The ${who} ${when}, or when you upgrade.`
}

/**
 * '2 of the first 1,000 leads have no {company} and get the fallback.', '12 people have no first
 * name; their message says “there”.'
 */
export function missingText({ place: placeholder, leads }: Preflight['missing'][number], preflight: Preflight): string {
  const [variable] = readSegments(placeholder)
  const isFirstName = variable?.kind === 'firstName'
  const peopleText = (count: number) =>
    isFirstName ? formatCount(count, 'person', 'people') : formatCount(count, 'lead')
  const who =
    preflight.checked < preflight.leads
      ? `${formatNumber(leads)} of the first ${peopleText(preflight.checked)}`
      : peopleText(leads)
  if (isFirstName) {
    const says = variable.fallback === '' ? 'leaves it out' : `says “${variable.fallback}”`
    return `${who} ${pluralize(leads, 'has', 'have')} no first name; their message ${says}.`
  }
  if (leads === preflight.leads) return `No lead has a ${placeholder}; everyone gets the fallback.`
  return `${who} ${pluralize(leads, 'has', 'have')} no ${placeholder} and ${pluralize(leads, 'gets', 'get')} the fallback.`
}

/** A day in the calendar. `count` is 0 if nothing is sent. */
interface CalendarDay {
  date: string
  count: number
  followUps: number
}

const WEEKS_MAX = 5

/** Full weeks from Monday, starting with the week in which something is first sent. At most five. */
export function calendarOf(perDay: Preflight['perDay']): CalendarDay[] {
  const [first, last] = [perDay[0], perDay.at(-1)]
  if (!first || !last) return []
  const weekday = (new Date(first.date).getUTCDay() + 6) % 7
  const monday = Date.parse(first.date) - weekday * DAY_MS
  const weeks = Math.min(WEEKS_MAX, Math.floor((Date.parse(last.date) - monday) / (7 * DAY_MS)) + 1)
  return Array.from({ length: weeks * 7 }, (_, index) => {
    const date = new Date(monday + index * DAY_MS).toISOString().slice(0, 10)
    return perDay.find((day) => day.date === date) ?? { date, count: 0, followUps: 0 }
  })
}
