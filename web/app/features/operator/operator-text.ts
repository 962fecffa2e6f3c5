import { formatCount, formatPercent } from '@x-automated/contract/format'
import type { HoldReason, OperatorAction } from '@x-automated/contract/operator'

/** Why a credit is held, for who decides. */
export const reasonText: Record<HoldReason, string> = {
  disposable_domain: 'Disposable email address',
  address_burst: 'Many sign-ups from one network',
}

/** What an operator did, as a sentence begins. */
export const actionText: Record<OperatorAction, string> = {
  release: 'Released a referral',
  refuse: 'Refused a referral',
  undo: 'Held a referral again',
  invite: 'Invited members',
  export: 'Exported members',
}

/** '1 member', '12 members'. */
export function peopleText(count: number): string {
  return formatCount(count, 'member')
}

/** Joins per hundred views, '12.5%'; '–' where nobody looked. A visit's page may be counted as viewed fewer times than joined from: then it is no share. */
export function conversionText({ views, joins }: { views: number; joins: number }): string {
  if (views === 0) return '–'
  return formatPercent(joins / views, 1)
}

/** The UTC day so many days before now, '2026-11-20'. */
export function utcDay(now: Date, daysBefore = 0): string {
  return new Date(now.getTime() - daysBefore * 86_400_000).toISOString().slice(0, 10)
}

/** Share of an export that has come, 0 to 100; null while it cannot be told. @param received lines so far, with the header */
export function exportPercent(received: number, total: number | null): number | null {
  return total ? Math.min(100, Math.floor(((received - 1) / total) * 100)) : null
}
