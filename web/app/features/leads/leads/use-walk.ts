import { formatNumber } from '@x-automated/contract/format'
import type { ListedLead } from '@x-automated/contract/leads/leads'
import { useState } from 'react'
import type { LeadSheetProps } from './lead-sheet'

interface WalkInput {
  /** The current page; undefined while it loads. */
  leads: readonly ListedLead[] | undefined
  /** How many leads are on earlier pages. */
  first: number
  /** Null if unknown. */
  total: number | null
  hasNextPage: boolean
  opened: string | null
  onOpen: (id: string) => void
  onPage: (by: 1 | -1) => void
}

/** Moves from the open lead to its neighbors, across pages. */
export function useWalk({
  leads,
  first,
  total,
  hasNextPage,
  opened,
  onOpen,
  onPage,
}: WalkInput): Pick<LeadSheetProps, 'position' | 'onNext' | 'onPrevious'> {
  // Which lead opens when the requested page has loaded: 1 for its first, -1 for its last.
  const [entry, setEntry] = useState<1 | -1 | null>(null)
  if (entry !== null && leads && !leads.some(({ id }) => id === opened)) {
    setEntry(null)
    const lead = leads.at(entry === 1 ? 0 : -1)
    if (lead && opened) onOpen(lead.id)
  }
  const at = leads?.findIndex(({ id }) => id === opened) ?? -1
  if (!leads || at < 0) return { position: null, onNext: null, onPrevious: null }
  const step = (by: 1 | -1) => {
    const next = leads[at + by]
    if (next) return () => onOpen(next.id)
    const position = first + at + by
    if (position < 0 || (by > 0 && !hasNextPage)) return null
    return () => {
      setEntry(by)
      onPage(by)
    }
  }
  return {
    position:
      total === null ? formatNumber(first + at + 1) : `${formatNumber(first + at + 1)} of ${formatNumber(total)}`,
    onNext: step(1),
    onPrevious: step(-1),
  }
}
