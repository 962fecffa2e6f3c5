import { ArrowDown, ArrowUp, ChevronsUpDown } from 'lucide-react'
import type { ReactNode } from 'react'
import { Th } from './table'

interface SortThProps {
  /** A column of TanStack Table. */
  column: {
    getIsSorted: () => 'asc' | 'desc' | false
    getToggleSortingHandler: () => ((event: unknown) => void) | undefined
  }
  end?: boolean
  children: ReactNode
}

/** A sortable column header. */
export function SortTh({ column, children, ...rest }: SortThProps) {
  const order = column.getIsSorted()
  const Sign = order === 'asc' ? ArrowUp : order === 'desc' ? ArrowDown : ChevronsUpDown
  return (
    <Th {...rest} aria-sort={order ? `${order}ending` : 'none'}>
      <button
        type="button"
        onClick={column.getToggleSortingHandler()}
        className="group/sort -mx-1.5 inline-flex items-center gap-1 rounded-sm px-1.5 py-1 hover:bg-hover hover:text-ink aria-pressed:text-ink [&_svg]:size-3.5"
      >
        {children}
        <Sign aria-hidden className={order ? '' : 'text-faint'} />
      </button>
    </Th>
  )
}
