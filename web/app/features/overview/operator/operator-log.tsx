import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { formatCount } from '@x-automated/contract/format'
import type { LoggedAction } from '@x-automated/contract/overview/operator'
import { ScrollText } from 'lucide-react'
import { useState } from 'react'
import { api, errorText } from '../../../api'
import { type Column, PagedTable } from '../../../paged-table'
import { DateTime } from '../../../ui/date-time'
import { EmptyState } from '../../../ui/empty-state'
import { actionText } from './operator-text'

const PAGE_SIZE = 25

const columns: readonly Column<LoggedAction>[] = [
  { name: 'When', cell: ({ at }) => <DateTime value={at} /> },
  { name: 'Operator', className: 'wrap-anywhere', cell: ({ operatorEmail }) => operatorEmail ?? 'Deleted account' },
  { name: 'Action', cell: ({ action }) => actionText[action] },
  {
    name: 'Member',
    className: 'wrap-anywhere',
    cell: ({ count, memberEmail }) =>
      count === null ? (memberEmail ?? 'Deleted member') : formatCount(count, 'member'),
  },
]

/** Operator actions, newest first. */
export function OperatorLog() {
  const [page, setPage] = useState(1)
  const log = useQuery(
    api.operator.log.queryOptions({ input: { page, pageSize: PAGE_SIZE }, placeholderData: keepPreviousData }),
  )
  return (
    <PagedTable
      label="Log"
      query={log}
      rows={log.data?.actions}
      columns={columns}
      loading="Loading the log…"
      failure={(error) => errorText(error, 'Failed to load the log.')}
      empty={
        <EmptyState icon={<ScrollText aria-hidden />} title="No activity yet">
          Decisions, invitations and exports appear here.
        </EmptyState>
      }
      page={page}
      pageSize={PAGE_SIZE}
      onChange={setPage}
      noun="entries"
    />
  )
}
