import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { formatCount } from '@x-automated/contract/format'
import { ScrollText } from 'lucide-react'
import { useState } from 'react'
import { api } from '../../../api'
import { QueryError } from '../../../query-error'
import { DateTime } from '../../../ui/date-time'
import { EmptyState } from '../../../ui/empty-state'
import { Pager } from '../../../ui/pager'
import { Table, Td, Tr } from '../../../ui/table'
import { actionText } from './operator-text'

const PAGE_SIZE = 25

/** Operator actions, newest first. */
export function OperatorLog() {
  const [page, setPage] = useState(1)
  const log = useQuery(
    api.operator.log.queryOptions({ input: { page, pageSize: PAGE_SIZE }, placeholderData: keepPreviousData }),
  )
  if (log.isError) return <QueryError query={log} fallback="Failed to load the log." />
  if (log.data?.total === 0)
    return (
      <EmptyState icon={<ScrollText aria-hidden />} title="No activity yet">
        Decisions, invitations and exports appear here.
      </EmptyState>
    )
  return (
    <div>
      <Table label="Log" columns={['When', 'Operator', 'Action', 'Member']} stale={log.isPlaceholderData}>
        {log.data?.actions.map((entry) => (
          <Tr key={entry.id}>
            <Td label="When">
              <DateTime value={entry.at} />
            </Td>
            <Td label="Operator" className="wrap-anywhere">
              {entry.operatorEmail ?? 'Deleted account'}
            </Td>
            <Td label="Action">{actionText[entry.action]}</Td>
            <Td label="Member" className="wrap-anywhere">
              {entry.count === null ? (entry.memberEmail ?? 'Deleted member') : formatCount(entry.count, 'member')}
            </Td>
          </Tr>
        ))}
      </Table>
      <Pager page={page} pageSize={PAGE_SIZE} query={log} onChange={setPage} noun="entries" />
    </div>
  )
}
