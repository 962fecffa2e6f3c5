import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { formatNumber } from '@x-automated/contract/format'
import type { Unreadable } from '@x-automated/contract/overview/operator'
import { FileQuestion } from 'lucide-react'
import { useState } from 'react'
import { api, errorText } from '../../../api'
import { type Column, PagedTable } from '../../../paged-table'
import { DateTime } from '../../../ui/date-time'
import { EmptyState } from '../../../ui/empty-state'
import { unreadableText } from './operator-text'

const PAGE_SIZE = 25

const columns: readonly Column<Unreadable>[] = [
  { name: 'Last', cell: ({ lastAt }) => <DateTime value={lastAt} /> },
  { name: 'Kind', cell: ({ source }) => unreadableText[source] },
  { name: 'Event or call', className: 'min-w-36 wrap-anywhere', cell: ({ name }) => <code>{name}</code> },
  {
    name: 'Fields',
    className: 'wrap-anywhere',
    cell: ({ keys }) => (keys.length > 0 ? <code className="text-xs">{keys.join(', ')}</code> : 'None'),
  },
  { name: 'Times', end: true, cell: ({ count }) => formatNumber(count) },
]

/** What X sent in the last 7 days that the product could not read, latest first. */
export function UnreadableFromX() {
  const [page, setPage] = useState(1)
  const unreadable = useQuery(
    api.operator.unreadable.queryOptions({ input: { page, pageSize: PAGE_SIZE }, placeholderData: keepPreviousData }),
  )
  return (
    <PagedTable
      label="Unreadable from X"
      query={unreadable}
      rows={unreadable.data?.unreadable}
      columns={columns}
      loading="Loading what X sent…"
      failure={(error) => errorText(error, 'Failed to load what X sent.')}
      empty={
        <EmptyState icon={<FileQuestion aria-hidden />} title="Everything X sent could be read">
          Events, answers and errors of X in a form that this version does not know appear here for 7 days, with the
          names of their fields and never with their contents.
        </EmptyState>
      }
      above={
        <p className="mb-4 text-sm text-muted">
          In the last 7 days X sent these in a form that this version does not know. Until it does, an event counts as a
          reply, and nothing is sent on an answer that cannot be read. Only names of fields are stored.
        </p>
      }
      page={page}
      pageSize={PAGE_SIZE}
      onChange={setPage}
      noun="forms"
    />
  )
}
