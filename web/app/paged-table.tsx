import type { ReactNode } from 'react'
import { QueryError } from './query-error'
import { Pager, type PagerProps } from './ui/pager'
import { LoadingText } from './ui/skeleton'
import { type Head, Table, type TableProps, Td, Tr } from './ui/table'
import { useFocusFallback } from './ui/use-focus-fallback'

/** A column and its cells. `className` applies to the header and to the cells. */
export interface Column<Row> extends Head {
  /** On cards, the cell appears without the column's name. */
  bare?: boolean
  /** The column's name on cards, if `name` is a button. */
  label?: string
  corner?: boolean
  cell: (row: Row) => ReactNode
}

interface PagedTableProps<Row>
  extends Pick<TableProps, 'label' | 'narrow' | 'stacked' | 'maxHeight' | 'skeletonRows' | 'dense'>,
    PagerProps {
  query: PagerProps['query'] & {
    error: Error | null
    isPending: boolean
    isPlaceholderData: boolean
    refetch: () => unknown
  }
  /** Undefined while the first page loads. */
  rows: readonly Row[] | undefined
  columns: readonly (Column<Row> | false)[]
  /** Announced to screen readers while the first page loads. */
  loading: string
  failureTitle?: string
  /** The error's text. Defaults to the server's message. */
  failure?: (error: Error) => string
  /** Shown instead of an empty table. */
  empty: ReactNode
  isSelected?: (row: Row) => boolean
  /** Shown above the table. */
  above?: ReactNode
}

/** A page of rows with its loading, error and empty states. */
export function PagedTable<Row extends { id: string }>({
  label,
  narrow,
  stacked,
  maxHeight,
  dense,
  query,
  rows,
  columns,
  loading,
  failureTitle,
  failure,
  empty,
  skeletonRows,
  isSelected,
  above,
  ...paging
}: PagedTableProps<Row>) {
  const visible = columns.filter((column) => column !== false)
  // Removing the last row also removes the table, and the focus with it.
  const focusFallback = useFocusFallback<HTMLDivElement>()
  if (query.error && !query.data)
    return (
      <QueryError query={query} title={failureTitle}>
        {failure?.(query.error)}
      </QueryError>
    )
  if (query.data?.total === 0 && !query.isPlaceholderData)
    return (
      <div {...focusFallback} className="outline-none">
        {empty}
      </div>
    )
  return (
    <div {...focusFallback} className="outline-none">
      {query.isPending && <LoadingText>{loading}</LoadingText>}
      {above}
      <Table
        label={label}
        narrow={narrow}
        stacked={stacked}
        maxHeight={maxHeight}
        dense={dense}
        stale={query.isPlaceholderData}
        columns={visible}
        skeletonRows={skeletonRows}
      >
        {rows?.map((row) => (
          <Tr key={row.id} selected={isSelected?.(row)}>
            {visible.map(({ name, label = name, hidden, bare, end, corner, className, cell }, index) => (
              <Td
                // biome-ignore lint/suspicious/noArrayIndexKey: columns never move
                key={index}
                label={typeof label === 'string' && !bare && !hidden ? label : undefined}
                end={end}
                corner={corner}
                className={className}
              >
                {cell(row)}
              </Td>
            ))}
          </Tr>
        ))}
      </Table>
      <Pager query={query} {...paging} />
    </div>
  )
}
