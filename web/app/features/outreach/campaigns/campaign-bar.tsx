import { formatNumber } from '@x-automated/contract/format'
import type { Campaign } from '@x-automated/contract/outreach/campaigns'
import { progressOf } from './campaign-progress'

/** Sent and failed shares of a campaign as a bar. The numbers are shown next to it. */
export function CampaignBar({ campaign }: { campaign: Campaign }) {
  const { total, sent, failed, queued } = progressOf(campaign)
  const width = (part: number) => ({ width: `${total === 0 ? 0 : (part / total) * 100}%` })
  return (
    <span
      role="img"
      aria-label={`${formatNumber(sent)} sent, ${formatNumber(failed)} failed, ${formatNumber(queued)} queued`}
      className="flex h-1.5 w-full overflow-hidden rounded-full bg-line"
    >
      <span className="bg-accent-line transition-[width] duration-slow" style={width(sent)} />
      <span className="bg-status-failed transition-[width] duration-slow" style={width(failed)} />
    </span>
  )
}
