import { formatCount, formatNumber, formatRate } from '@x-automated/contract/format'
import type { Today } from '@x-automated/contract/overview/today'
import { REPLIES_WAITING_MAX } from '@x-automated/contract/reply-labels'
import { DAY_MS } from '@x-automated/contract/time'
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

function sendingText({ campaigns, nextSendAt, needs }: Pick<Today, 'campaigns' | 'nextSendAt' | 'needs'>): string {
  const isRunning = campaigns.some(({ status }) => status === 'active')
  const isSoon = nextSendAt !== null && Date.parse(nextSendAt) - Date.now() < DAY_MS
  if (!isRunning && !isSoon) return campaigns.length > 0 ? 'Your campaigns are paused' : 'Nothing is scheduled'
  if (waitsForCredits({ needs }) || needs.some(({ code, params }) => code === 'spending' && params.isReached))
    return 'Messages are waiting'
  return isSoon ? 'Messages are on their way' : 'Your campaigns are running'
}

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
