import { formatNumber } from '@x-automated/contract/format'
import type { Campaign } from '@x-automated/contract/outreach/campaigns'
import { type finishedPeople, progressOf } from './campaign-progress'

interface CampaignBarProps {
  campaign: Campaign
  /** If set, the bar counts finished people instead of messages. */
  finished?: ReturnType<typeof finishedPeople>
}

/** The sent and failed shares of a campaign, as a bar. The numbers are displayed next to it. */
export function CampaignBar({ campaign, finished = null }: CampaignBarProps) {
  const { total, sent, failed, skipped, queued } = progressOf(campaign)
  const width = (part: number, whole = total) => ({ width: `${whole === 0 ? 0 : (part / whole) * 100}%` })
  const skippedText = skipped > 0 ? `, ${formatNumber(skipped)} skipped` : ''
  return (
    <span
      role="img"
      aria-label={
        finished === null
          ? `${formatNumber(sent)} sent, ${formatNumber(failed)} failed, ${formatNumber(queued)} queued${skippedText}`
          : `${formatNumber(finished.finished)} of ${formatNumber(finished.people)} finished${skippedText}`
      }
      className="flex h-1.5 w-full overflow-hidden rounded-full bg-line"
    >
      <span
        className="bg-ink transition-[width] duration-slow"
        style={finished === null ? width(sent) : width(finished.finished, finished.people)}
      />
      {finished === null && (
        <span className="bg-status-failed transition-[width] duration-slow" style={width(failed)} />
      )}
    </span>
  )
}
