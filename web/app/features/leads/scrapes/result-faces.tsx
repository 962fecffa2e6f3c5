import { formatNumber } from '@x-automated/contract/format'
import type { Lead } from '@x-automated/contract/leads/leads'
import { useEffect, useState } from 'react'
import { Avatar } from '../../../ui/avatar'
import { cn } from '../../../ui/cn'
import { isInFilter, type ResultsFilter } from './results-filter'

/** Twenty faces a second. */
const FACE_EVERY_MS = 50

interface ResultFacesProps {
  leads: readonly Lead[]
  /** The total number of leads. */
  total: number
  filter: ResultsFilter
  /** Whether the scrape is in progress. Its faces then appear one by one. */
  isLive: boolean
}

/** The faces of these leads. Those outside of the filter fade, but keep their position. */
export function ResultFaces({ leads, total, filter, isLive }: ResultFacesProps) {
  const visibleCount = useRevealed(leads.length, isLive)
  return (
    // Hidden from screen readers, because the cards below name the same people.
    <div aria-hidden className="flex flex-wrap items-center gap-2">
      {leads.slice(0, visibleCount).map((lead) => (
        <span
          key={lead.id}
          className={cn(
            'transition duration-slow starting:scale-75 starting:opacity-0',
            !isInFilter(lead, filter) && 'opacity-20 grayscale',
          )}
        >
          <Avatar name={lead.name || lead.twitterHandle} src={lead.pictureUrl} />
        </span>
      ))}
      {total > leads.length && (
        <span className="px-1 text-muted" data-numeric>
          +{formatNumber(total - leads.length)}
        </span>
      )}
    </div>
  )
}

/** How many of `count` faces to show. Increases one by one if `isLive`, except with reduced motion. */
function useRevealed(count: number, isLive: boolean): number {
  const [visibleCount, setVisibleCount] = useState(isLive ? 0 : count)
  const isBehind = visibleCount < count
  useEffect(() => {
    if (!isBehind) return
    if (!isLive || matchMedia('(prefers-reduced-motion: reduce)').matches) return setVisibleCount(count)
    const revealing = setInterval(() => setVisibleCount((before) => before + 1), FACE_EVERY_MS)
    return () => clearInterval(revealing)
  }, [isBehind, isLive, count])
  return visibleCount
}
