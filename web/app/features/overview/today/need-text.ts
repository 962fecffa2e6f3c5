import { formatCount, formatDate, formatMoney, formatNumber } from '@x-automated/contract/format'
import type { Need } from '@x-automated/contract/overview/today'
import { type PauseReason, pauseText } from '@x-automated/contract/reason'
import type { Role } from '@x-automated/contract/route'

interface NeedText {
  title: string
  text: string
  /** The button's label. */
  action: string
  /** The role required for the button. */
  role: Role
}

const day = (moment: unknown) => formatDate(String(moment ?? ''), { month: 'long', day: 'numeric', timeZone: 'UTC' })

/** A unique key, because accounts share a path and campaigns can share a name. */
export const needKey = (need: Need) => `${need.path} ${needText(need).title}`

/** A need as text: the fact, the next step and its button. */
export function needText({ code, params }: Need): NeedText {
  switch (code) {
    case 'funds':
      return {
        title: 'X has no credits left',
        text: params.isOwnApp
          ? 'Nothing is sent or read until you add credits to your X app. We try again every hour.'
          : 'Nothing is sent or read for now. The operator of this server has been notified, and we try again every hour.',
        action: 'View',
        role: 'viewer',
      }
    case 'spending': {
      const limit = formatMoney(Number(params.limitCents))
      return {
        title: params.isReached
          ? `X spending limit of ${limit} reached`
          : `${formatMoney(Number(params.spentCents))} of ${limit} spent on X`,
        text: params.isReached
          ? `Sending and reading wait until ${day(params.resetsAt)}, unless an owner raises the limit.`
          : `At the limit, sending and reading wait until ${day(params.resetsAt)}.`,
        action: 'View',
        role: 'viewer',
      }
    }
    case 'x_disconnected':
      return {
        title: `@${params.handle} is disconnected`,
        text: 'Sending from this account is paused until you connect it again.',
        action: 'Connect',
        role: 'admin',
      }
    case 'consent_missing':
      return {
        title: `Store conversations of @${params.handle}?`,
        text: 'Until you decide, replies are kept without their text.',
        action: 'Decide',
        role: 'member',
      }
    case 'campaign_paused': {
      const reason = { code: params.reason, params } as PauseReason
      const detail = typeof params.detail === 'string' ? params.detail : null
      return {
        title: `“${params.campaign}” was paused automatically`,
        text: pauseText(reason, detail),
        action: 'Review',
        role: 'member',
      }
    }
    case 'detection_degraded':
      return {
        title: 'Replies may arrive late',
        text: String(params.problem) || 'X does not notify us of replies. We check every 90 seconds.',
        action: 'View',
        role: 'viewer',
      }
    case 'openers_waiting':
      return {
        title: `${formatCount(Number(params.count), 'opener')} to approve`,
        text: `Without approval, “${params.campaign}” sends the fallback.`,
        action: 'Review',
        role: 'member',
      }
    case 'usage_high': {
      const what = params.limited === 'dms' ? 'DMs' : 'leads'
      return {
        title: `${formatNumber(Number(params.used))} of ${formatNumber(Number(params.limit))} ${what} used`,
        text: `Your limits reset on ${day(params.resetsAt)}.`,
        action: 'Plans',
        role: 'owner',
      }
    }
    case 'key_suspended':
      return {
        title: `${formatCount(Number(params.count), 'API key')} to adopt`,
        text: `The creator of “${params.name}” is no longer an admin. Keys stop working until an admin adopts them.`,
        action: 'Review',
        role: 'admin',
      }
    case 'payment_failed':
      return {
        title: `The payment for your ${params.planName} plan failed`,
        text: `You keep your plan until ${day(params.until)}.`,
        action: 'Pay',
        role: 'owner',
      }
    case 'plan_ended':
      return {
        title: `Your ${params.planName} plan has ended`,
        text: 'Queued messages are still sent. Choose a plan to get your limits back.',
        action: 'Plans',
        role: 'owner',
      }
  }
}
