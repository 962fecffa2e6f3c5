import type { Campaign } from '@x-automated/contract/campaigns'

type Counts = Pick<
  Campaign,
  'dmsQueuedCount' | 'dmsSentCount' | 'dmsFailedCount' | 'dmsDeliveredCount' | 'dmsRepliedCount'
>

export interface FunnelStep {
  label: string
  /** Messages that have come this far. */
  count: number
  /** Those of the step before; null for the first. */
  before: number | null
  /** The class of its bar. */
  tone: string
}

/** How many messages of a campaign have come how far: each step holds those of the steps after it. */
export function funnelOf(campaign: Counts): [FunnelStep, ...FunnelStep[]] {
  const { dmsSentCount: sent, dmsDeliveredCount: delivered, dmsRepliedCount: replied } = campaign
  const all = campaign.dmsQueuedCount + sent + campaign.dmsFailedCount
  return [
    { label: 'All DMs', count: all, before: null, tone: 'bg-status-queued' },
    { label: 'Sent', count: sent, before: all, tone: 'bg-status-sent' },
    { label: 'Delivered', count: delivered, before: sent, tone: 'bg-status-delivered' },
    { label: 'Replied', count: replied, before: delivered, tone: 'bg-status-replied' },
  ]
}
