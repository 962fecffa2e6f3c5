import { MoveHorizontal } from 'lucide-react'
import { type ComponentProps, type ReactNode, useEffect, useRef, useState } from 'react'
import { cx } from './cx'

export interface TableProps {
  /** What the rows are: 'Leads'. Read aloud, not shown. */
  label: string
  /** On narrow screens rows become cards (give each Td its `label`), or the table scrolls inside its frame. */
  narrow?: 'cards' | 'scroll'
  /** The frame's own height, in dialogs ('22rem'); without it the table is as long as its rows. */
  maxHeight?: string
  /** An earlier page is still shown while the next one loads. */
  stale?: boolean
  className?: string
  /** thead and tbody of Tr, Th and Td. */
  children: ReactNode
}

/** Rows and columns. The head stays in sight; what does not fit scrolls inside the table's own frame. */
export function Table({ label, narrow = 'cards', maxHeight, stale, className, children }: TableProps) {
  const frame = useRef<HTMLDivElement>(null)
  const [overflowing, setOverflowing] = useState(false)

  useEffect(() => {
    const node = frame.current
    const table = node?.firstElementChild
    if (!node || !table) return
    const measure = () => setOverflowing(table.scrollWidth > node.clientWidth + 1)
    const observer = new ResizeObserver(measure)
    observer.observe(node)
    observer.observe(table)
    return () => observer.disconnect()
  }, [])

  const scrolls = overflowing || maxHeight !== undefined
  return (
    // However wide its columns are, a table never widens the page around it.
    <div className={cx('contain-inline-size', className)}>
      {overflowing && (
        <p className="flex items-center justify-end gap-1.5 pb-2 text-xs text-muted">
          <MoveHorizontal aria-hidden className="size-3.5" />
          Swipe to see more
        </p>
      )}
      <div
        ref={frame}
        data-scrolls={scrolls || undefined}
        // A frame that scrolls has to be reachable by keyboard, and then has to say what it is.
        {...(scrolls ? { tabIndex: 0, role: 'region', 'aria-label': label } : {})}
        style={maxHeight ? { maxHeight } : undefined}
        // Positioned, so that words for screen readers in its cells are clipped with them.
        className="group relative rounded-lg border border-line bg-surface overflow-clip data-scrolls:overflow-auto data-scrolls:overscroll-x-contain"
      >
        <table
          aria-label={label}
          aria-busy={stale || undefined}
          data-narrow={narrow}
          className={cx(
            'w-full border-separate border-spacing-0 aria-busy:cursor-progress',
            narrow === 'scroll' && 'max-md:w-max max-md:min-w-full max-md:[&_td]:max-w-64',
          )}
        >
          {children}
        </table>
      </div>
    </div>
  )
}

const align = { start: 'text-start', end: 'text-end' }

/** A row; `selected` marks it as picked. */
export function Tr({ selected, className, ...rest }: ComponentProps<'tr'> & { selected?: boolean }) {
  return (
    <tr
      {...rest}
      aria-selected={selected}
      className={cx(
        '[&:last-child>td]:border-b-0 max-md:[table[data-narrow=cards]_&:not(:last-child)]:border-b max-md:border-line',
        'aria-selected:bg-accent-soft',
        className,
      )}
    />
  )
}

export function Th({ end, className, ...rest }: ComponentProps<'th'> & { end?: boolean }) {
  return (
    <th
      scope="col"
      {...rest}
      className={cx(
        'sticky top-(--spacing-header) z-10 h-10 border-b border-line bg-sunken px-4 font-normal whitespace-nowrap text-muted group-data-scrolls:top-0 first:rounded-tl-lg last:rounded-tr-lg',
        align[end ? 'end' : 'start'],
        className,
      )}
    />
  )
}

/** The head of a column of buttons: read aloud, not shown. */
export function ActionsTh(props: Omit<ComponentProps<typeof Th>, 'children'>) {
  return (
    <Th {...props}>
      <span className="sr-only">Actions</span>
    </Th>
  )
}

export interface TdProps extends ComponentProps<'td'> {
  /** The column's name; stands before the value where rows are cards. */
  label?: string
  /** Numbers stand at the end of their column. */
  end?: boolean
  /** Stands in the upper corner where rows are cards, and takes no more room than it needs in a column: a checkbox, a menu. */
  corner?: boolean
}

export function Td({ label, end, corner, className, ...rest }: TdProps) {
  return (
    <td
      {...rest}
      data-label={label}
      data-corner={corner || undefined}
      className={cx(
        'px-4 py-3 align-middle data-corner:w-px md:border-b md:border-line',
        'max-md:[table[data-narrow=scroll]_&]:border-b max-md:border-line',
        align[end ? 'end' : 'start'],
        className,
      )}
    />
  )
}
