import { formatCount, formatDate, formatMoney, formatNumber, formatPercent } from '@x-automated/contract/format'
import type { NotificationFacts, NotificationKind } from '@x-automated/contract/platform/notifications'
import { X_APP_PROBLEM_TEXT } from '@x-automated/contract/platform/x-apps'
import { CONNECTION_LOST, pauseText } from '@x-automated/contract/reason'
import { LABEL_NAMES } from '@x-automated/contract/reply-labels'

export interface NotificationText {
  title: string
  /** '' if the title is enough. */
  text: string
  path: string
}

/** The text of a notification, and the page it links to. @param personName the name of `facts.personId` */
export function notificationText(
  kind: NotificationKind,
  facts: NotificationFacts,
  personName = 'Someone',
): NotificationText {
  const campaign = `Campaign “${facts.campaignName ?? ''}”`
  const path = facts.campaignId ? `/campaigns/${facts.campaignId}` : '/campaigns'
  const planName = facts.planName ?? ''
  switch (kind) {
    case 'x_disconnected':
      return {
        title: `@${facts.handle ?? ''} is disconnected`,
        text: `Sending from this account is paused. ${facts.reason ?? CONNECTION_LOST}`,
        path: '/twitter',
      }
    case 'campaign_paused':
      return { title: `${campaign} was paused automatically`, text: pauseTextOf(facts), path }
    case 'campaign_completed':
      return { title: `${campaign} is complete`, text: resultText(facts), path }
    case 'test_decided':
      return {
        title: `The test of step ${facts.step ?? '1'} in ${campaign} has a result`,
        text: facts.reason ?? '',
        path,
      }
    case 'lead_replied':
      return {
        title: `${facts.leadName ?? 'A lead'} replied`,
        text: facts.label ? `Labeled ${LABEL_NAMES[facts.label]}.` : '',
        path: facts.conversationId ? `/inbox/${facts.conversationId}` : '/inbox',
      }
    case 'detection_failing':
      return {
        title: `Replies to @${facts.handle ?? ''} can't be read`,
        text: `Follow-ups have been waiting for a day. ${facts.reason ?? ''}`.trim(),
        path: '/twitter',
      }
    case 'x_app_problem':
      return {
        title: 'X no longer accepts your own X app',
        text: facts.problem ? X_APP_PROBLEM_TEXT[facts.problem] : '',
        path: '/settings?tab=sending',
      }
    case 'usage_high':
      return { ...usageText(facts), path: '/billing' }
    case 'payment_failed':
      return {
        title: `The payment for your ${planName} plan failed`,
        text: `You keep your plan until ${day(facts.until)}. Pay the open invoice or update your card before then.`,
        path: '/billing',
      }
    case 'trial_ending':
      return {
        title: `Your ${planName} trial ends on ${day(facts.until)}`,
        text: "We'll charge your card then, unless you cancel first.",
        path: '/billing',
      }
    case 'plan_ended':
      return {
        title: `Your ${planName} plan has ended`,
        text: 'Queued messages will still be sent. Choose a plan to get your limits back.',
        path: '/billing',
      }
    case 'funds':
      return {
        title: 'Your X app has no credits left',
        text: 'Nothing is sent or read until you add credits in the developer console of X. We try again every hour, and nobody is skipped.',
        path: X_COSTS_PATH,
      }
    case 'spending':
      return { ...spendingText(facts), path: X_COSTS_PATH }
    case 'api_key_created':
      return {
        title: `An API key was ${facts.isAdopted ? 'adopted' : 'created'}`,
        text: `${personName} ${facts.isAdopted ? 'adopted' : 'created'} “${facts.keyName ?? ''}”.`,
        path: API_KEYS_PATH,
      }
    case 'api_key_suspended':
      return { ...suspensionText(facts, personName), path: API_KEYS_PATH }
  }
}

/** The settings page that shows what X charges. */
const X_COSTS_PATH = '/settings?tab=x-costs'
const API_KEYS_PATH = '/settings?tab=api'

function suspensionText({ keyName = '', keys = 1, until }: NotificationFacts, personName: string) {
  const which = keys === 1 ? `“${keyName}”` : `“${keyName}” and ${formatNumber(keys - 1)} more`
  const [title, tense] = keys === 1 ? ['An API key', 'was'] : [formatCount(keys, 'API key'), 'were']
  const next =
    keys === 1
      ? 'Adopt it if it is still needed. Otherwise delete it.'
      : 'Adopt those still needed, and delete the rest.'
  return until
    ? {
        title: `${title} will be suspended on ${day(until)}`,
        text: `The creator of ${which} is no longer an admin. ${next}`,
      }
    : { title: `${title} ${tense} suspended`, text: `${personName} is no longer an admin: ${which}. ${next}` }
}

function spendingText({ spentCents = 0, limitCents = 0, isReached = false, until }: NotificationFacts) {
  const spent = `X charges about ${formatMoney(spentCents)} so far`
  return isReached
    ? {
        title: `This month's X spending limit of ${formatMoney(limitCents)} is reached`,
        text: `${spent}. Nothing is sent or read until ${day(until)}, unless you raise the limit.`,
      }
    : {
        title: "80% of this month's X spending limit is used",
        text: `${spent}. At ${formatMoney(limitCents)}, sending and reading wait until ${day(until)}.`,
      }
}

/** The text of a pause. Older notifications have only a text, in `reason`. */
function pauseTextOf({ pause, reason }: NotificationFacts): string {
  return pause ? pauseText(pause, reason ?? null) : (reason ?? '')
}

function usageText({ used = 0, limit = 1, limited, reason = '' }: NotificationFacts) {
  const what = limited === 'dms' ? 'DM' : 'scraped lead'
  if (used >= limit) return { title: `You've used all ${formatCount(limit, what)} this month`, text: reason }
  // Rounded down, because 99.9% is not everything.
  const share = formatPercent(Math.floor((100 * used) / limit) / 100)
  return {
    title: `You've used ${share} of this month's ${what}s`,
    text: `${formatNumber(used)} of ${formatCount(limit, what)} used. ${reason}`.trim(),
  }
}

/** A date such as "November 21, 2026", in UTC. */
function day(moment: string | undefined): string {
  return formatDate(moment ?? 0, { day: 'numeric', month: 'long', year: 'numeric', timeZone: 'UTC' })
}

/** A result such as "18 sent, 2 failed, 3 skipped." */
function resultText({ sent = 0, failed = 0, skipped = 0 }: NotificationFacts): string {
  const others = [
    ...(failed > 0 ? [`${formatNumber(failed)} failed`] : []),
    ...(skipped > 0 ? [`${formatNumber(skipped)} skipped`] : []),
  ]
  return `${[`${formatNumber(sent)} sent`, ...others].join(', ')}.`
}

/** Completes "Email notifications are on for …" and "emails about …". */
export const KIND_TOPICS: Record<NotificationKind, string> = {
  x_disconnected: 'disconnected X accounts',
  campaign_paused: 'paused campaigns',
  campaign_completed: 'completed campaigns',
  test_decided: 'decided A/B tests',
  lead_replied: 'replies',
  detection_failing: 'X accounts that cannot be read',
  x_app_problem: 'problems of your own X app',
  usage_high: 'plan limits',
  payment_failed: 'failed payments',
  trial_ending: 'the end of a trial',
  plan_ended: 'the end of a plan',
  funds: 'the credits of your X app',
  spending: 'X spending limits',
  api_key_created: 'new API keys',
  api_key_suspended: 'suspended API keys',
}
