import { formatCount, formatDate, formatNumber, formatPercent, pluralize } from '@x-automated/contract/format'
import type { Campaign } from '@x-automated/contract/outreach/campaigns'
import type { CampaignWait } from '@x-automated/contract/outreach/sending-settings'
import { isNotable, WAIT_TEXT } from '../sending-settings/limits-text'

type Counts = Pick<
  Campaign,
  'totalLeadsInList' | 'dmsQueuedCount' | 'dmsSentCount' | 'dmsFailedCount' | 'dmsSkippedCount' | 'peopleSkipped'
>

interface CampaignProgress {
  total: number
  sent: number
  /** Without the skipped ones. */
  failed: number
  /** Neither progress nor part of `total`. */
  skipped: number
  queued: number
  /** Sent or failed. */
  done: number
}

/** A campaign's progress in messages. `total` counts at least one message per lead who is not skipped. */
export function progressOf(campaign: Counts): CampaignProgress {
  const { dmsQueuedCount: queued, dmsSentCount: sent, dmsSkippedCount: skipped } = campaign
  const failed = campaign.dmsFailedCount - skipped
  const done = sent + failed
  const total = Math.max(campaign.totalLeadsInList - campaign.peopleSkipped, done + queued)
  return { total, sent, failed, skipped, queued, done }
}

/** How many of a campaign's people will get no more messages; null if it has no follow-ups. Skipped people do not count. */
export function finishedPeople(
  campaign: Counts & Pick<Campaign, 'stepCount' | 'nextFollowUpAt' | 'openEnrollments'>,
): { finished: number; people: number } | null {
  const { stepCount, nextFollowUpAt, totalLeadsInList, peopleSkipped, openEnrollments } = campaign
  if (stepCount <= 1 && nextFollowUpAt === null) return null
  // The campaign's first message can be added again for someone who was skipped.
  const people = Math.max(totalLeadsInList - peopleSkipped, openEnrollments)
  return { finished: people - openEnrollments, people }
}

/** How many people are left out of a partial launch until the plan allows more. Too low once follow-ups are sent. */
export function waitingForPlan(campaign: Counts & Pick<Campaign, 'status' | 'openEnrollments'>): number {
  const { done, queued } = progressOf(campaign)
  const unqueued = campaign.totalLeadsInList - campaign.peopleSkipped - done - queued
  return campaign.status === 'active' ? Math.max(0, Math.min(unqueued, campaign.openEnrollments)) : 0
}

/** '68%', or '–' if `whole` is 0. '100%' and '0%' only appear for all and none. */
export function shareText(part: number, whole: number): string {
  if (whole <= 0) return '–'
  const share = part / whole
  if (part > 0 && share < 0.01) return `<${formatPercent(0.01)}`
  return formatPercent(part < whole ? Math.min(share, 0.99) : share)
}

/** The seconds left, from a preflight query. Null if there is no estimate, undefined while loading. */
export function secondsLeftOf(
  { data, errorUpdateCount }: { data: { lastSendAt: string | null } | undefined; errorUpdateCount: number },
  now: number,
): number | null | undefined {
  if (!data) return errorUpdateCount > 0 ? null : undefined
  return data.lastSendAt === null ? null : Math.max(0, (Date.parse(data.lastSendAt) - now) / 1_000)
}

/** 'about 5 min left'. @param seconds undefined while loading */
export function timeLeftText(seconds: number | undefined): string {
  return seconds === undefined ? 'estimating time left' : `${durationText(seconds)} left`
}

/** 'about 5 min'. */
function durationText(seconds: number): string {
  if (seconds < 60) return 'under a minute'
  const minutes = Math.round(seconds / 60)
  if (minutes < 60) return `about ${minutes} min`
  const hours = Math.floor(minutes / 60)
  if (hours < 24) return minutes % 60 === 0 ? `about ${hours} h` : `about ${hours} h ${minutes % 60} min`
  const days = Math.round(hours / 24)
  return `about ${formatCount(days, 'day')}`
}

/** Whether an active campaign's X account is disconnected. @param connected undefined while unknown */
export function isDisconnected(
  campaign: Pick<Campaign, 'status' | 'channel'>,
  connected: boolean | undefined,
): boolean {
  return campaign.status === 'active' && campaign.channel === 'api' && connected === false
}

/**
 * What an active campaign waits for, if that is worth displaying (`isNotable`). Null if it waits
 * for an older campaign or is disconnected.
 */
export function notableWait(
  { status, waiting, waitingFor }: Pick<Campaign, 'status' | 'waiting' | 'waitingFor'>,
  disconnected: boolean,
  now: number,
): CampaignWait | null {
  return status === 'active' && !waiting && !disconnected && isNotable(waitingFor, now) ? waitingFor : null
}

/** 'Tue, Dec 2' or, for today, the time: '8:55 PM'. */
export function dayText(value: string, now: number): string {
  const day = (at: string | number) => formatDate(at, { weekday: 'short', month: 'short', day: 'numeric' })
  return day(value) === day(now) ? formatDate(value, { hour: 'numeric', minute: '2-digit' }) : day(value)
}

/** How many messages of a paused or archived campaign are still being sent, or null if there are none. */
export function inFlightText({
  status,
  messagesInFlight,
}: Pick<Campaign, 'status' | 'messagesInFlight'>): string | null {
  if (messagesInFlight === 0 || (status !== 'paused' && status !== 'archived')) return null
  return `${formatCount(messagesInFlight, 'message')} ${pluralize(messagesInFlight, 'is', 'are')} still being sent`
}

/** What a campaign is doing now. @param wait see `notableWait` @param noSender see `hasNoSender` */
export function activityText(
  campaign: Pick<Campaign, 'status' | 'waiting' | 'messagesInFlight' | 'nextFollowUpAt'> & Counts,
  disconnected = false,
  wait: CampaignWait | null = null,
  noSender = false,
): string {
  const { total, done, queued } = progressOf(campaign)
  const inFlight = inFlightText(campaign)
  switch (campaign.status) {
    case 'draft':
      return 'Not launched yet'
    case 'paused':
      if (inFlight) return `Paused: ${inFlight}`
      return total === 0 ? 'Saved, nothing queued yet' : 'Paused'
    case 'active':
      if (disconnected) return 'Paused: X account disconnected'
      if (campaign.waiting) return 'Waiting for an older campaign to finish'
      if (wait) return `Waiting: ${WAIT_TEXT[wait.reason]}`
      if (noSender) return 'No browser is sending'
      if (queued === 0 && campaign.nextFollowUpAt)
        return `Next follow-up ${dayText(campaign.nextFollowUpAt, Date.now())}`
      return queued === 0
        ? 'Finishing'
        : `Sending message ${formatNumber(Math.min(done + 1, total))} of ${formatNumber(total)}`
    case 'completed':
      return 'Completed'
    case 'archived':
      return inFlight ? `Archived: ${inFlight}` : 'Archived'
  }
}

/** Campaigns that have completed since the last check. */
export function newlyCompleted<C extends Pick<Campaign, 'id' | 'status'>>(
  seen: ReadonlyMap<string, Campaign['status']>,
  now: readonly C[],
): C[] {
  return now.filter(({ id, status }) => {
    const before = seen.get(id)
    return status === 'completed' && before !== undefined && before !== 'completed' && before !== 'archived'
  })
}
