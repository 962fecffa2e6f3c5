import { formatCount, formatNumber, formatRate } from '@x-automated/contract/format'
import type { CampaignWait } from '@x-automated/contract/outreach/sending-settings'
import type { Today } from '@x-automated/contract/overview/today'
import { REPLIES_WAITING_MAX } from '@x-automated/contract/reply-labels'
import { DAY_MS, HOUR_MS } from '@x-automated/contract/time'
import { isNotable } from '../../outreach/sending-settings/limits-text'
import { waitsForCredits } from '../../platform/x-costs/x-costs-text'

/** '4', or '1,000+' if counting stopped at its maximum. */
export function waitingText(repliesWaiting: number): string {
  return `${formatNumber(repliesWaiting)}${repliesWaiting >= REPLIES_WAITING_MAX ? '+' : ''}`
}

/** Home's headline. @param isMember whether the user may answer */
export function headline({ repliesWaiting, campaigns, nextSendAt, needs }: Today, isMember: boolean): string {
  if (isMember && repliesWaiting === 1) return '1 person is waiting for your answer'
  if (isMember && repliesWaiting > 1) return `${waitingText(repliesWaiting)} people are waiting for your answer`
  const sending = sendingText({ campaigns, nextSendAt, needs })
  return isMember ? `Nobody is waiting. ${sending}.` : sending
}

function sendingText({ campaigns, nextSendAt, needs }: Sending): string {
  const isRunning = campaigns.some(({ status }) => status === 'active')
  const untilNext = nextSendAt === null ? Number.POSITIVE_INFINITY : Date.parse(nextSendAt) - Date.now()
  if (!isRunning && untilNext >= DAY_MS)
    return campaigns.length > 0 ? 'Your campaigns are paused' : 'Nothing is scheduled'
  const isPaidFor = !needs.some(({ code, params }) => code === 'spending' && params.isReached)
  if (waitsForCredits({ needs }) || !isPaidFor || waitOfAll({ campaigns })) return 'Sending is on hold'
  if (untilNext < HOUR_MS) return 'Messages are on their way'
  return isRunning ? 'Your campaigns are running' : 'Messages are scheduled'
}

type Sending = Pick<Today, 'campaigns' | 'nextSendAt' | 'needs'>

/** Why no active campaign can send now: the wait that ends first. Null if one can send, or if no campaign is active. */
export function waitOfAll({ campaigns }: Pick<Today, 'campaigns'>): CampaignWait | null {
  const active = campaigns.filter(({ status }) => status === 'active')
  const waits = active.flatMap(({ waitingFor }) => (isNotable(waitingFor, Date.now()) ? waitingFor : []))
  if (waits.length < active.length) return null
  return waits.toSorted((a, b) => endOf(a) - endOf(b))[0] ?? null
}

const endOf = ({ until }: CampaignWait) => (until === null ? Number.POSITIVE_INFINITY : Date.parse(until))

/** Sums over all days. */
export function totals({ days }: Pick<Today, 'days'>): { sent: number; replied: number; positive: number } {
  const total = { sent: 0, replied: 0, positive: 0 }
  for (const { sent, replied, positive } of days) {
    total.sent += sent
    total.replied += replied
    total.positive += positive
  }
  return total
}

/** '6.6% of 392 messages', for positive replies. */
export function shareText(positive: number, sent: number): string {
  return sent > 0 ? `${formatRate(positive / sent)} of ${formatCount(sent, 'message')}` : 'Nothing sent yet'
}

/** The top of the chart: the daily cap, but at least the highest day, and at most twice that. */
export function chartTop({ days, capNow }: Pick<Today, 'days' | 'capNow'>): number {
  const most = Math.max(0, ...days.map(({ sent }) => sent))
  if (most === 0) return Math.max(1, capNow)
  return Math.max(most, Math.min(capNow, most * 2))
}
