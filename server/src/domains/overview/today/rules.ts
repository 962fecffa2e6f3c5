import type { Need } from '@x-automated/contract/overview/today'
import { PLANS, type PlanLevel } from '@x-automated/contract/platform/plans'
import type { PauseReason } from '@x-automated/contract/reason'
import { DAY_MS } from '@x-automated/contract/time'
import { graceEnd, limitOf, usageResetsAt, warningFrom } from '../../platform/billing/rules.ts'

/** How long Home shows that a plan has ended. */
const ENDED_MS = 14 * DAY_MS

interface Findings {
  /** The X app of the workspace's accounts that has no credits; null: all have some. */
  funds: { isOwnApp: boolean; since: Date } | null
  /** This month's X spending if it is near its limit or has reached it; else null. */
  spending: { spentCents: number; limitCents: number; isReached: boolean; resetsAt: string } | null
  lostHandles: readonly string[]
  /** X accounts whose conversations wait for the caller's decision. */
  undecided: readonly { id: string; handle: string }[]
  paused: readonly { id: string; name: string; reason: PauseReason; detail: string | null }[]
  /** The campaign with the most unapproved openers. */
  drafts: { id: string; name: string; count: number } | null
  /** API keys that wait for an admin; null: there are none, or the caller must not see them. */
  suspendedKeys: { count: number; name: string } | null
  /** Why replies are not detected; null: they are detected. */
  detectionProblem: string | null
  plan: PlanLevel
  subscription: { planId: string; status: string; currentPeriodEnd: Date; pastDueSince: Date | null } | null
  /** This month's usage. */
  used: Record<'scrapedLeads' | 'dms', number>
  isOwner: boolean
  now: Date
}

/** The settings page that shows what X charges. */
const X_COSTS_PATH = '/settings?tab=x-costs'

/** What needs the user's attention: payments first, then what stops sending, then other tasks and limits. */
export function needsOf({
  funds,
  spending,
  lostHandles,
  undecided,
  paused,
  drafts,
  suspendedKeys,
  detectionProblem,
  isOwner,
  now,
  ...billing
}: Findings): Need[] {
  const { plan, subscription, used } = billing
  const needs: Need[] = isOwner && subscription ? paymentNeeds(subscription, plan, now) : []
  if (funds)
    needs.push({
      code: 'funds',
      params: { isOwnApp: funds.isOwnApp, since: funds.since.toISOString() },
      path: X_COSTS_PATH,
    })
  if (spending) needs.push({ code: 'spending', params: { ...spending }, path: X_COSTS_PATH })
  for (const handle of lostHandles) needs.push({ code: 'x_disconnected', params: { handle }, path: '/twitter' })
  for (const { id, handle } of undecided)
    needs.push({ code: 'consent_missing', params: { handle }, path: `/twitter?consent=${id}` })
  for (const { id, name, reason, detail } of paused) {
    const params = { ...reason.params, campaign: name, reason: reason.code, detail }
    needs.push({ code: 'campaign_paused', params, path: `/campaigns/${id}` })
  }
  if (drafts)
    needs.push({
      code: 'openers_waiting',
      params: { campaign: drafts.name, count: drafts.count },
      path: `/campaigns/${drafts.id}/openers`,
    })
  if (detectionProblem !== null)
    needs.push({ code: 'detection_degraded', params: { problem: detectionProblem }, path: '/twitter' })
  if (suspendedKeys) needs.push({ code: 'key_suspended', params: { ...suspendedKeys }, path: '/settings?tab=api' })
  for (const what of ['scrapedLeads', 'dms'] as const) {
    const limit = limitOf(plan, what)
    if (used[what] < warningFrom(limit)) continue
    const params = { limited: what, used: used[what], limit, resetsAt: usageResetsAt(now).toISOString() }
    needs.push({ code: 'usage_high', params, path: '/billing' })
  }
  return needs
}

function paymentNeeds(subscription: NonNullable<Findings['subscription']>, plan: PlanLevel, now: Date): Need[] {
  const { planId, status, currentPeriodEnd, pastDueSince } = subscription
  const planName = PLANS.find(({ id }) => id === planId)?.name ?? 'paid'
  if (status === 'past_due') {
    const params = { planName, until: graceEnd(pastDueSince ?? currentPeriodEnd).toISOString() }
    return [{ code: 'payment_failed', params, path: '/billing' }]
  }
  const since = now.getTime() - currentPeriodEnd.getTime()
  const isEnded = status === 'canceled' && plan === 'free' && since >= 0 && since < ENDED_MS
  return isEnded ? [{ code: 'plan_ended', params: { planName }, path: '/billing' }] : []
}
