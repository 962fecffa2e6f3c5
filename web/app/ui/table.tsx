import { MoveHorizontal } from 'lucide-react'
import { type ComponentProps, type ReactNode, useEffect, useRef, useState } from 'react'
import { cn } from './cn'
import { SkeletonRows } from './skeleton'
import { useFocusFallback } from './use-focus-fallback'

/** A column's heading. `end` aligns numbers to the end. `hidden` keeps it for screen readers only. */
export interface Head {
  name: ReactNode
  end?: boolean
  hidden?: boolean
  /** Set if the column's name is a button that sorts. */
  sorted?: 'ascending' | 'none'
  className?: string
}

export interface TableProps {
  /** For screen readers: 'Leads'. */
  label: string
  /** On narrow screens, rows become cards (set `label` on each Td), the table scrolls, or nothing changes. */
  narrow?: 'cards' | 'scroll' | 'rows' | undefined
  /** From 768 to 1279 px, rows have two lines of five columns. Set `row-start-2` on columns for the second line. */
  stacked?: boolean | undefined
  /** Omits the border around the table. */
  plain?: boolean
  /** Rows of 48 px on wide screens, for cells of one or two lines. */
  dense?: boolean
  /** The table's minimum width. Setting it also makes the column widths fixed. */
  minWidth?: string | undefined
  /** For dialogs: '22rem'. By default, the table is as tall as its rows. */
  maxHeight?: string
  /** Dims the previous page while the next one loads. */
  stale?: boolean
  className?: string
  /** The header. Omit it if the header needs more than names. */
  columns?: readonly (string | Head)[]
  /** Number of placeholder rows. Defaults to 5. */
  skeletonRows?: number
  /** Rows (Tr), or undefined while loading. Without `columns`: thead and tbody. */
  children?: ReactNode
}

/** A table with a sticky header. Overflow scrolls within its frame. */
export function Table({
  label,
  narrow = 'cards',
  stacked = false,
  plain = false,
  dense = false,
  minWidth,
  maxHeight,
  stale,
  className,
  columns,
  skeletonRows,
  children,
}: TableProps) {
  const frame = useRef<HTMLDivElement>(null)
  // A row's action may replace its button or remove the row, and the focus with it.
  const focusFallback = useFocusFallback<HTMLDivElement>()
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
    // A table must never widen the page.
    <div {...focusFallback} className={cn('contain-inline-size', className)}>
      {overflowing && (
        <p className="flex items-center justify-end gap-1.5 pb-2 text-xs text-muted">
          <MoveHorizontal aria-hidden className="size-3.5" />
          Swipe to see more
        </p>
      )}
      <div
        ref={frame}
        data-scrolls={scrolls || undefined}
        // Scrollable regions must be focusable and named.
        {...(scrolls ? { tabIndex: 0, role: 'region', 'aria-label': label } : {})}
        style={maxHeight ? { maxHeight } : undefined}
        // Positioned, so that visually hidden text in cells is clipped, too.
        className={cn(
          'group relative overflow-clip data-scrolls:overflow-auto data-scrolls:overscroll-x-contain',
          !plain &&
            (maxHeight
              ? 'rounded-lg border border-line bg-surface'
              : 'max-md:rounded-lg max-md:border max-md:border-line'),
        )}
      >
        <table
          aria-label={label}
          aria-busy={stale || undefined}
          data-narrow={narrow}
          data-stacked={stacked || undefined}
          data-plain={plain || undefined}
          data-open={(!plain && !maxHeight) || undefined}
          style={minWidth ? { minWidth } : undefined}
          className={cn(
            minWidth && 'table-fixed',
            'w-full border-separate border-spacing-0 aria-busy:cursor-progress md:data-open:text-ui',
            dense && 'md:[&_td]:h-12 md:[&_td]:py-0',
            narrow === 'scroll' && 'max-md:w-max max-md:min-w-full max-md:[&_td]:max-w-64',
          )}
        >
          {columns ? (
            <>
              <thead>
                <tr>
                  {columns.map((column, index) => (
                    // biome-ignore lint/suspicious/noArrayIndexKey: columns never move
                    <ColumnTh key={index} column={column} />
                  ))}
                </tr>
              </thead>
              <tbody>{children ?? <SkeletonRows rows={skeletonRows} columns={columns.length} />}</tbody>
            </>
          ) : (
            children
          )}
        </table>
      </div>
    </div>
  )
}

const align = { start: 'text-start', end: 'text-end' }

/** A table row. */
export function Tr({ selected, className, ...rest }: ComponentProps<'tr'> & { selected?: boolean }) {
  return (
    <tr
      {...rest}
      aria-selected={selected}
      className={cn(
        '[&:last-child>td]:border-b-0 max-md:[table[data-narrow=cards]_&:not(:last-child)]:border-b max-md:border-line',
        'aria-selected:bg-hover md:[table[data-open]_tbody_&:hover]:bg-hover',
        className,
      )}
    />
  )
}

/** A column's heading. It stays visible while the table scrolls. */
export function Th({ end, className, ...rest }: ComponentProps<'th'> & { end?: boolean }) {
  return (
    <th
      scope="col"
      {...rest}
      className={cn(
        'sticky top-(--spacing-header) z-10 h-9 border-b border-line bg-canvas px-4 text-ui font-normal whitespace-nowrap text-muted group-data-scrolls:top-0',
        'md:[table[data-open]_&]:first:ps-2 md:[table[data-open]_&]:last:pe-2',
        align[end ? 'end' : 'start'],
        className,
      )}
    />
  )
}

function ColumnTh({ column }: { column: string | Head }) {
  if (typeof column === 'string') return <Th>{column}</Th>
  const { name, hidden, end, sorted, className } = column
  return (
    <Th end={end} aria-sort={sorted} className={className}>
      {hidden ? <span className="sr-only">{name}</span> : name}
    </Th>
  )
}

/** The heading of an actions column, for screen readers. */
export function ActionsTh(props: Omit<ComponentProps<typeof Th>, 'children'>) {
  return (
    <Th {...props}>
      <span className="sr-only">Actions</span>
    </Th>
  )
}

interface TdProps extends ComponentProps<'td'> {
  /** The column's name on cards. */
  label?: string
  /** Aligns to the end, for numbers. */
  end?: boolean
  /**
   * On narrow screens, puts the cell in the card's upper corner; otherwise, keeps its column as narrow
   * as possible. For checkboxes and menus.
   */
  corner?: boolean
}

/** A cell. On narrow screens, it is a line of the row's card. */
export function Td({ label, end, corner, className, ...rest }: TdProps) {
  return (
    <td
      {...rest}
      data-label={label}
      data-corner={corner || undefined}
      className={cn(
        'px-4 py-3 align-middle data-corner:w-px md:border-b md:border-hair md:[table[data-open]_&]:first:ps-2 md:[table[data-open]_&]:last:pe-2',
        'max-md:[table:not([data-narrow=cards])_&]:border-b max-md:border-line',
        align[end ? 'end' : 'start'],
        className,
      )}
    />
  )
}
