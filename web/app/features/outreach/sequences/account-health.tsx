import { formatCount, formatNumber } from '@x-automated/contract/format'
import type { WarmUp } from '@x-automated/contract/outreach/sending-settings'
import { warmUpText } from '../sending-settings/limits-text'

interface Account {
  capNow: number
  countedInDay: number
  warmUp: WarmUp | null
  refusals: number
  checked: number
}

/**
 * '0 refusals in the last 50 messages, closed inboxes aside'. Messages to closed inboxes fail, too,
 * but say nothing about the account.
 */
function refusalsText(refusals: number, checked: number): string {
  return `${formatCount(refusals, 'refusal')} in the last ${formatCount(checked, 'message')}, closed inboxes aside`
}

/** How much of the account's daily cap is used, and how often X refuses its messages. */
export function AccountHealth({ account: { capNow, countedInDay, warmUp, refusals, checked } }: { account: Account }) {
  const used = capNow === 0 ? 0 : Math.min(1, countedInDay / capNow)
  return (
    <p className="flex items-center gap-3" data-numeric>
      <svg aria-hidden viewBox="0 0 36 36" className="size-9 -rotate-90">
        <circle cx="18" cy="18" r="15.5" fill="none" strokeWidth="4" className="stroke-line" />
        <circle
          cx="18"
          cy="18"
          r="15.5"
          fill="none"
          strokeWidth="4"
          pathLength="1"
          strokeDasharray={`${used} 1`}
          className="stroke-ink"
        />
      </svg>
      <span className="grid">
        <span>
          <span className="font-strong">
            {formatNumber(countedInDay)} of {formatNumber(capNow)}
          </span>{' '}
          in 24 hours
        </span>
        <span className="text-xs text-muted">
          {warmUp && `${warmUpText(warmUp)}${checked > 0 ? ' · ' : ''}`}
          {checked > 0 && refusalsText(refusals, checked)}
        </span>
      </span>
    </p>
  )
}
