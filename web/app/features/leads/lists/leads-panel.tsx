import type { Lead } from '@x-automated/contract/leads/leads'
import type { ReactNode } from 'react'
import { QueryError } from '../../../query-error'
import { Pager } from '../../../ui/pager'
import { LoadingText, SkeletonRows } from '../../../ui/skeleton'
import { Table, Td, Th, Tr } from '../../../ui/table'
import { LeadFollowers, LeadIdentity } from '../leads/lead-parts'

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
  /** Checkboxes of the header and the rows. */
  pick?: { all: ReactNode; one: (lead: L) => ReactNode; isPicked: (lead: L) => boolean }
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
  pick,
  above,
}: LeadsPanelProps<L>) {
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
            {pick && <Th className="md:w-px md:pe-0">{pick.all}</Th>}
            {columns.map(({ head, end }) => (
              <Th key={head} end={end ?? false}>
                {head}
              </Th>
            ))}
          </tr>
        </thead>
        <tbody>
          {query.data ? (
            query.data.leads.map((lead) => (
              <Tr key={lead.id} {...(pick ? { selected: pick.isPicked(lead) } : {})}>
                {pick && (
                  <Td corner className="md:pe-0">
                    {pick.one(lead)}
                  </Td>
                )}
                <Td>{first?.cell(lead)}</Td>
                {others.map(({ head, end, cell }) => (
                  <Td key={head} label={head} end={end ?? false}>
                    {cell(lead)}
                  </Td>
                ))}
              </Tr>
            ))
          ) : (
            <SkeletonRows columns={columns.length + (pick ? 1 : 0)} rows={Math.max(1, Math.min(expected, 5))} />
          )}
        </tbody>
      </Table>
      <Pager
        page={page}
        pageSize={pageSize}
        total={query.data?.total}
        stale={query.isFetching}
        onChange={onPage}
        noun="leads"
        disabled={query.isPlaceholderData}
      />
    </div>
  )
}
