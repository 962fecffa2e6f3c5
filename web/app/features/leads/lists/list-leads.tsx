import { keepPreviousData, useQuery } from '@tanstack/react-query'
import type { List, ListLead } from '@x-automated/contract/leads/lists'
import { type ReactNode, useState } from 'react'
import { api } from '../../../api'
import { ContactBadge } from './contact-badge'
import { type LeadColumn, LeadsPanel } from './leads-panel'
import { ContactCounts } from './list-counts'

const PAGE_SIZE = 25
const status: LeadColumn<ListLead> = { head: 'Status', cell: (lead) => <ContactBadge lead={lead} /> }

interface ListLeadsProps {
  list: List
  label: string
  /** The text of an error. */
  failure: (error: Error) => string
  /** Before the status. */
  columns: readonly LeadColumn<ListLead>[]
  empty: ReactNode
}

/** A list's leads with their status, in a dialog. */
export function ListLeads({ list, label, failure, columns, empty }: ListLeadsProps) {
  const [page, setPage] = useState(1)
  const leads = useQuery(
    api.lists.leads.queryOptions({
      input: { id: list.id, page, pageSize: PAGE_SIZE },
      placeholderData: keepPreviousData,
    }),
  )
  return (
    <LeadsPanel
      label={label}
      query={leads}
      failure={failure}
      columns={[...columns, status]}
      page={page}
      pageSize={PAGE_SIZE}
      onPage={setPage}
      expected={list.leadCount}
      above={
        <p className="pb-2">
          <ContactCounts list={list} />
        </p>
      }
      empty={empty}
    />
  )
}
