import type { Campaign } from '@x-automated/contract/campaigns'
import { progressOf } from './campaign-progress'

/** How much of a campaign was sent, how much failed, how much is left. Figures stand beside it; the colours alone say nothing new. */
export function CampaignBar({ campaign }: { campaign: Campaign }) {
  const { total, sent, failed, queued } = progressOf(campaign)
  const width = (part: number) => ({ width: `${total === 0 ? 0 : (part / total) * 100}%` })
  return (
    <span
      role="img"
      aria-label={`${sent} sent, ${failed} failed, ${queued} queued`}
      className="flex h-1.5 w-full overflow-hidden rounded-full bg-line"
    >
      <span className="bg-accent-line transition-[width] duration-slow" style={width(sent)} />
      <span className="bg-status-failed transition-[width] duration-slow" style={width(failed)} />
    </span>
  )
}
