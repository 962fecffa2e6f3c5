import type { Campaign } from '@x-automated/contract/campaigns'
import { useExtensionHere } from '../extension/use-extension'
import type { ExtensionHere } from './extension-link'
import { useExtensionRun } from './extension-run'

/** One message through X's pages takes less than this, its wait aside: a browser that is quiet for longer is gone. */
const QUIET_MS = 60_000

type Sent = Pick<
  Campaign,
  'id' | 'channel' | 'status' | 'dmsQueuedCount' | 'waiting' | 'waitingFor' | 'lastRunAt' | 'updatedAt'
>

/**
 * Does an active campaign of the extension have messages queued that no browser sends? Its pace aside, which says by itself
 * when the next one is due.
 * @param here the extension of this browser: null where there is none, undefined while that is not known
 */
export function hasNoSender(
  campaign: Sent,
  { runId, here }: { runId: string | null; here: ExtensionHere | null | undefined },
  now: number,
): boolean {
  const { channel, status, dmsQueuedCount, waiting, waitingFor } = campaign
  if (channel !== 'extension' || status !== 'active' || dmsQueuedCount === 0 || waiting || waitingFor) return false
  if (runId === campaign.id || here === undefined || (here && isAtWork(here))) return false
  const heardOf = Math.max(Date.parse(campaign.updatedAt), campaign.lastRunAt ? Date.parse(campaign.lastRunAt) : 0)
  return now - heardOf > QUIET_MS
}

/** Does it send, for a page or by itself? */
function isAtWork({ activity, pairedWith, sendsInBackground, paused, pageChanged }: ExtensionHere): boolean {
  if (activity?.doing === 'sending' || activity?.doing === 'waiting') return true
  return pairedWith !== null && sendsInBackground && !paused && pageChanged === null && activity?.doing !== 'stopped'
}

/**
 * As `hasNoSender`, with what this tab knows.
 * @param campaigns what the page shows
 * @param now when it was asked for, in milliseconds: `dataUpdatedAt` of its query
 */
export function useNoSender(campaigns: readonly Sent[] | undefined, now: number): (campaign: Sent) => boolean {
  const runId = useExtensionRun()?.campaignId ?? null
  const here = useExtensionHere(
    campaigns?.some(({ channel, status }) => channel === 'extension' && status === 'active') ?? false,
  )
  return (campaign) => hasNoSender(campaign, { runId, here }, now)
}
