import { ArrowDown, ArrowUp, ChevronsUpDown } from 'lucide-react'
import type { ReactNode } from 'react'
import { Th } from './table'

export interface SortThProps<S extends string> {
  /** The ascending and descending sort keys. */
  up: S
  down: S
  /** The current sort key. */
  sort: S
  onSort: (sort: S) => void
  /** The first click's order; numbers and dates start descending. */
  first?: 'up' | 'down'
  end?: boolean
  className?: string
  children: ReactNode
}

/** A sortable column header. */
export function SortTh<S extends string>({
  up,
  down,
  sort,
  onSort,
  first = 'up',
  end,
  className,
  children,
}: SortThProps<S>) {
  const way = sort === up ? 'up' : sort === down ? 'down' : null
  const Sign = way === 'up' ? ArrowUp : way === 'down' ? ArrowDown : ChevronsUpDown
  const next = way === null ? first : way === 'up' ? 'down' : 'up'
  return (
    <Th
      end={end ?? false}
      aria-sort={way === 'up' ? 'ascending' : way === 'down' ? 'descending' : 'none'}
      className={className}
    >
      <button
        type="button"
        onClick={() => onSort(next === 'up' ? up : down)}
        className="group/sort -mx-1.5 inline-flex items-center gap-1 rounded-sm px-1.5 py-1 hover:bg-hover hover:text-ink aria-pressed:text-ink [&_svg]:size-3.5"
      >
        {children}
        <Sign aria-hidden className={way ? '' : 'text-faint'} />
      </button>
    </Th>
  )
}
