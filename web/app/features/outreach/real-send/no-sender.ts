import type { Campaign } from '@x-automated/contract/outreach/campaigns'
import { useExtensionHere } from '../extension/use-extension'
import type { ExtensionHere } from './extension-link'
import { useExtensionRun } from './extension-run'

/** Sending one message is faster than this, so a browser that is silent for longer has stopped. */
const QUIET_MS = 60_000

type SentCampaign = Pick<
  Campaign,
  'id' | 'channel' | 'status' | 'dmsQueuedCount' | 'waiting' | 'waitingFor' | 'lastRunAt' | 'updatedAt'
>

/** Whether no browser sends an active campaign's due messages. @param here undefined while unknown */
export function hasNoSender(
  campaign: SentCampaign,
  { runId, here }: { runId: string | null; here: ExtensionHere | null | undefined },
  now: number,
): boolean {
  const { channel, status, dmsQueuedCount, waiting, waitingFor } = campaign
  if (channel !== 'extension' || status !== 'active' || dmsQueuedCount === 0 || waiting || waitingFor) return false
  if (runId === campaign.id || here === undefined || (here && isSending(here))) return false
  const lastActive = Math.max(Date.parse(campaign.updatedAt), campaign.lastRunAt ? Date.parse(campaign.lastRunAt) : 0)
  return now - lastActive > QUIET_MS
}

/** Whether the extension is sending, for a page or in the background. */
function isSending({ activity, pairedWith, sendsInBackground, paused, pageChanged }: ExtensionHere): boolean {
  if (activity?.doing === 'sending' || activity?.doing === 'waiting') return true
  return pairedWith !== null && sendsInBackground && !paused && pageChanged === null && activity?.doing !== 'stopped'
}

/** `hasNoSender` with this tab's state. @param now the campaigns' `dataUpdatedAt` */
export function useNoSender(
  campaigns: readonly SentCampaign[] | undefined,
  now: number,
): (campaign: SentCampaign) => boolean {
  const runId = useExtensionRun()?.campaignId ?? null
  const here = useExtensionHere(
    campaigns?.some(({ channel, status }) => channel === 'extension' && status === 'active') ?? false,
  )
  return (campaign) => hasNoSender(campaign, { runId, here }, now)
}
