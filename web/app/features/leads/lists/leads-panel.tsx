import {
  type RowSelectionState,
  rowSelectionFeature,
  tableFeatures,
  type Updater,
  useTable,
} from '@tanstack/react-table'
import type { Lead } from '@x-automated/contract/leads/leads'
import type { ReactNode } from 'react'
import { QueryError } from '../../../query-error'
import { Checkbox } from '../../../ui/choice'
import { Pager } from '../../../ui/pager'
import { LoadingText, SkeletonRows } from '../../../ui/skeleton'
import { Table, Td, Th, Tr } from '../../../ui/table'
import { LeadFollowers, LeadIdentity } from '../leads/lead-parts'

const features = tableFeatures({ rowSelectionFeature })
const NONE: readonly never[] = []

/** The query of a page of leads. */
interface LeadsQuery<L> {
  data: { leads: readonly L[]; total: number } | undefined
  error: Error | null
  isPending: boolean
  isPlaceholderData: boolean
  isFetching: boolean
  refetch: () => unknown
}

export interface LeadColumn<L> {
  head: string
  end?: boolean
  cell: (lead: L) => ReactNode
}

/** The first columns of most lead tables. */
export const leadColumns: LeadColumn<Lead>[] = [
  { head: 'Lead', cell: (lead) => <LeadIdentity lead={lead} /> },
  { head: 'Followers', end: true, cell: ({ followerCount }) => <LeadFollowers followerCount={followerCount} /> },
]

interface LeadsPanelProps<L extends Lead> {
  label: string
  query: LeadsQuery<L>
  /** The text of an error. */
  failure: (error: Error) => string
  /** Shown if there are no leads. */
  empty: ReactNode
  columns: readonly LeadColumn<L>[]
  page: number
  pageSize: number
  onPage: (page: number) => void
  /** Skeleton rows while the first page loads. */
  expected?: number
  /** The selected leads of the page. */
  selection?: { rows: RowSelectionState; onChange: (change: Updater<RowSelectionState>) => void; disabled: boolean }
  /** Shown above the table. */
  above?: ReactNode
}

/** A paged table of leads for dialogs, with its loading, error and empty states. */
export function LeadsPanel<L extends Lead>({
  label,
  query,
  failure,
  empty,
  columns,
  page,
  pageSize,
  onPage,
  expected = 5,
  selection,
  above,
}: LeadsPanelProps<L>) {
  const table = useTable({
    features,
    columns: [],
    data: query.data?.leads ?? NONE,
    getRowId: ({ id }) => id,
    state: { rowSelection: selection?.rows ?? {} },
    onRowSelectionChange: selection?.onChange,
  })
  if (query.error && !query.data) return <QueryError query={query}>{failure(query.error)}</QueryError>
  if (query.data?.total === 0 && !query.isPlaceholderData) return empty
  const [first, ...others] = columns
  return (
    <div>
      {query.isPending && <LoadingText>Loading leads…</LoadingText>}
      {above}
      <Table label={label} maxHeight="min(24rem, 45dvh)" stale={query.isPlaceholderData}>
        <thead>
          <tr>
            {selection && (
              <Th className="md:w-px md:pe-0">
                <Checkbox
                  aria-label="Select all on this page"
                  disabled={selection.disabled || table.getRowModel().rows.length === 0}
                  checked={table.getIsAllPageRowsSelected()}
                  indeterminate={table.getIsSomePageRowsSelected() && !table.getIsAllPageRowsSelected()}
                  onChange={table.getToggleAllPageRowsSelectedHandler()}
                />
              </Th>
            )}
            {columns.map(({ head, end }) => (
              <Th key={head} end={end ?? false}>
                {head}
              </Th>
            ))}
          </tr>
        </thead>
        <tbody>
          {query.data ? (
            table.getRowModel().rows.map((row) => (
              <Tr key={row.id} {...(selection ? { selected: row.getIsSelected() } : {})}>
                {selection && (
                  <Td corner className="md:pe-0">
                    <Checkbox
                      aria-label={`Select ${row.original.name || row.original.twitterHandle}`}
                      disabled={selection.disabled}
                      checked={row.getIsSelected()}
                      onChange={row.getToggleSelectedHandler()}
                    />
                  </Td>
                )}
                <Td>{first?.cell(row.original)}</Td>
                {others.map(({ head, end, cell }) => (
                  <Td key={head} label={head} end={end ?? false}>
                    {cell(row.original)}
                  </Td>
                ))}
              </Tr>
            ))
          ) : (
            <SkeletonRows columns={columns.length + (selection ? 1 : 0)} rows={Math.max(1, Math.min(expected, 5))} />
          )}
        </tbody>
      </Table>
      <Pager page={page} pageSize={pageSize} query={query} onChange={onPage} noun="leads" />
    </div>
  )
}
