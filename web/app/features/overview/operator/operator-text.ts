import { formatPercent } from '@x-automated/contract/format'
import type { OperatorAction, UnreadableSource } from '@x-automated/contract/overview/operator'
import { DAY_MS } from '@x-automated/contract/time'
import type { HoldReason } from '@x-automated/contract/waitlist/waitlist'

/** Why a referral is held. */
export const reasonText: Record<HoldReason, string> = {
  disposable_domain: 'Disposable email address',
  address_burst: 'Many sign-ups from one network',
  own_network: "The referrer's own network (rewards only)",
  no_mail_server: 'Domain without a mail server (rewards only)',
}

/** Log entries by action. */
export const actionText: Record<OperatorAction, string> = {
  release: 'Released a referral',
  refuse: 'Rejected a referral',
  undo: 'Held a referral again',
  invite: 'Invited members',
  export: 'Exported members',
}

/** What X sent that the product cannot read. */
export const unreadableText: Record<UnreadableSource, string> = {
  event: 'Event',
  group: 'Event of a group, ignored',
  account: 'Event of an unconnected account',
  answer: 'Answer to a call',
  error: 'Undocumented error',
  parameter: 'Refused parameter',
}

/** Joins ÷ views as '12.5%'. May exceed 100%, because visits can begin on other pages. */
export function conversionText({ views, joins }: { views: number; joins: number }): string {
  if (views === 0) return '–'
  return formatPercent(joins / views, 1)
}

/** A UTC day, '2026-11-20'. */
export function utcDay(now: Date, daysBefore = 0): string {
  return new Date(now.getTime() - daysBefore * DAY_MS).toISOString().slice(0, 10)
}

/** Progress from 0 to 100, or null. @param received number of lines so far, including the header */
export function exportPercent(received: number, total: number | null): number | null {
  return total ? Math.min(100, Math.floor(((received - 1) / total) * 100)) : null
}
