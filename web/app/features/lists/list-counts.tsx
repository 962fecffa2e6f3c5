import type { List } from '@x-automated/contract/lists'

const count = (n: number) => n.toLocaleString('en-US')

/** How many of a list its campaigns have written to, and how many they have not. */
export function ContactCounts({ list: { leadCount, contactedCount } }: { list: List }) {
  return (
    <span className="text-muted" data-numeric>
      {count(contactedCount)} contacted · {count(Math.max(0, leadCount - contactedCount))} pending
    </span>
  )
}
