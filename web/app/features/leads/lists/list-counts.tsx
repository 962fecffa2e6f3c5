import { formatNumber } from '@x-automated/contract/format'
import type { List } from '@x-automated/contract/leads/lists'

/** How many leads of a list its campaigns have contacted, and how many are left. */
export function ContactCounts({ list: { leadCount, contactedCount } }: { list: List }) {
  return (
    <span className="text-muted" data-numeric>
      {formatNumber(contactedCount)} contacted · {formatNumber(Math.max(0, leadCount - contactedCount))} pending
    </span>
  )
}
