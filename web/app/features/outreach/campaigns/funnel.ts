import type { Campaign } from '@x-automated/contract/outreach/campaigns'

type Counts = Pick<
  Campaign,
  'dmsQueuedCount' | 'dmsSentCount' | 'dmsFailedCount' | 'dmsDeliveredCount' | 'dmsRepliedCount'
>

export interface FunnelStep {
  label: string
  /** Messages that reached this step. */
  count: number
  /** The count of the previous step; null for the first. */
  before: number | null
  /** The CSS class of its bar. */
  tone: string
}

/** A campaign's messages by step. Each step includes those after it. */
export function funnelOf(campaign: Counts): [FunnelStep, ...FunnelStep[]] {
  const { dmsSentCount: sent, dmsDeliveredCount: delivered, dmsRepliedCount: replied } = campaign
  const all = campaign.dmsQueuedCount + sent + campaign.dmsFailedCount
  return [
    { label: 'Queued', count: all, before: null, tone: 'bg-status-queued' },
    { label: 'Sent', count: sent, before: all, tone: 'bg-status-sent' },
    { label: 'Delivered', count: delivered, before: sent, tone: 'bg-status-delivered' },
    { label: 'Replied', count: replied, before: delivered, tone: 'bg-status-replied' },
  ]
}
