import type { Campaign } from '@x-automated/contract/campaigns'
import { formatNumber } from '@x-automated/contract/format'
import type { Waiting } from '@x-automated/contract/sending-settings'
import { isNotable, WAIT_TEXT } from '../sending-settings/limits-text'

type Counts = Pick<Campaign, 'totalLeadsInList' | 'dmsQueuedCount' | 'dmsSentCount' | 'dmsFailedCount'>

export interface CampaignProgress {
  total: number
  sent: number
  failed: number
  queued: number
  /** Sent or failed: nothing more will happen to these. */
  done: number
}

/** How far a campaign is, in leads. */
export function progressOf(campaign: Counts): CampaignProgress {
  const { dmsQueuedCount: queued, dmsSentCount: sent, dmsFailedCount: failed } = campaign
  const done = sent + failed
  return { total: Math.max(campaign.totalLeadsInList, done + queued), sent, failed, queued, done }
}

/** '68%'; '–' of nothing. Never '100%' while something is missing, never '0%' where there is something. */
export function shareText(part: number, whole: number): string {
  if (whole <= 0) return '–'
  const percent = (part / whole) * 100
  if (part > 0 && percent < 1) return '<1%'
  if (part < whole && percent > 99) return '99%'
  return `${Math.round(percent)}%`
}

/** What an asking says, from the last answer; where none has come and one has failed, nobody can tell. */
export function secondsLeftOf({
  data,
  errorUpdateCount,
}: {
  data: { seconds: number | null } | undefined
  errorUpdateCount: number
}): number | null | undefined {
  if (data) return data.seconds
  return errorUpdateCount > 0 ? null : undefined
}

/** 'about 5 min left', for people. @param seconds undefined while it is not known */
export function timeLeftText(seconds: number | undefined): string {
  return seconds === undefined ? 'estimating time left' : `${durationText(seconds)} left`
}

/** 'about 5 min', for people. */
export function durationText(seconds: number): string {
  if (seconds < 60) return 'less than a minute'
  const minutes = Math.round(seconds / 60)
  if (minutes < 60) return `about ${minutes} min`
  const hours = Math.floor(minutes / 60)
  if (hours < 24) return minutes % 60 === 0 ? `about ${hours} h` : `about ${hours} h ${minutes % 60} min`
  const days = Math.round(hours / 24)
  return `about ${days} ${days === 1 ? 'day' : 'days'}`
}

/**
 * Is it active while nothing can be sent, as the X account that sends is not connected?
 * @param connected undefined while that is not known
 */
export function isDisconnected(
  campaign: Pick<Campaign, 'status' | 'channel'>,
  connected: boolean | undefined,
): boolean {
  return campaign.status === 'active' && campaign.channel === 'api' && connected === false
}

/** What an active campaign waits for, if it is more than the usual seconds between two messages. */
export function notableWait(
  { status, waiting, waitingFor }: Pick<Campaign, 'status' | 'waiting' | 'waitingFor'>,
  disconnected: boolean,
  now: number,
): Waiting | null {
  return status === 'active' && !waiting && !disconnected && isNotable(waitingFor, now) ? waitingFor : null
}

/** Says how many messages of a paused or archived campaign may still go out; null: none. */
export function inFlightText({
  status,
  messagesInFlight,
}: Pick<Campaign, 'status' | 'messagesInFlight'>): string | null {
  if (messagesInFlight === 0 || (status !== 'paused' && status !== 'archived')) return null
  return messagesInFlight === 1
    ? '1 message is still being sent'
    : `${formatNumber(messagesInFlight)} messages are still being sent`
}

/** What is happening to a campaign now, in a sentence without its end. @param disconnected see `isDisconnected` @param rest see `notableWait` @param noSender see real-send/no-sender.ts */
export function activityText(
  campaign: Pick<Campaign, 'status' | 'waiting' | 'messagesInFlight'> & Counts,
  disconnected = false,
  rest: Waiting | null = null,
  noSender = false,
): string {
  const { total, done, queued } = progressOf(campaign)
  const number = (n: number) => formatNumber(n)
  const inFlight = inFlightText(campaign)
  switch (campaign.status) {
    case 'draft':
      return 'Not launched yet'
    case 'paused':
      if (inFlight) return `Paused: ${inFlight}`
      return total === 0 ? 'Saved, nothing queued yet' : 'Paused'
    case 'active':
      if (disconnected) return 'Not sending: its X account is not connected'
      if (campaign.waiting) return 'Waiting: an older campaign on this X account sends first'
      if (rest) return `Waiting: ${WAIT_TEXT[rest.reason]}`
      if (noSender) return 'Waiting for a browser that sends'
      return queued === 0 ? 'Finishing' : `Sending message ${number(Math.min(done + 1, total))} of ${number(total)}`
    case 'completed':
      return 'Completed'
    case 'archived':
      return inFlight ? `Archived: ${inFlight}` : 'Archived'
  }
}

/** Campaigns that were on their way when last seen and are complete now. */
export function newlyCompleted<C extends Pick<Campaign, 'id' | 'status'>>(
  seen: ReadonlyMap<string, Campaign['status']>,
  now: readonly C[],
): C[] {
  return now.filter(({ id, status }) => {
    const before = seen.get(id)
    return status === 'completed' && before !== undefined && before !== 'completed' && before !== 'archived'
  })
}
