import { keepPreviousData, useQuery } from '@tanstack/react-query'
import type { List, ListLead } from '@x-automated/contract/leads/lists'
import { Users } from 'lucide-react'
import { useState } from 'react'
import { api, errorText } from '../../../api'
import { Button } from '../../../ui/button'
import { Dialog } from '../../../ui/dialog'
import { EmptyState } from '../../../ui/empty-state'
import { useIsOffered } from '../../overview/settings/use-role'
import { ContactBadge } from './contact-badge'
import { type LeadColumn, LeadsPanel, leadColumns } from './leads-panel'
import { ContactCounts } from './list-counts'

const PAGE_SIZE = 25

const columns: LeadColumn<ListLead>[] = [
  ...leadColumns,
  { head: 'Status', cell: (lead) => <ContactBadge lead={lead} /> },
]

interface ListLeadsDialogProps {
  list: List
  open: boolean
  onClose: () => void
  /** Opens the selection of leads, or the filter of a smart list. */
  onManage: () => void
}

/** The leads of a list, read-only. */
export function ListLeadsDialog({ list, open, onClose, onManage }: ListLeadsDialogProps) {
  const [page, setPage] = useState(1)
  const mayWrite = useIsOffered('member')
  const leads = useQuery(
    api.lists.leads.queryOptions({
      input: { id: list.id, page, pageSize: PAGE_SIZE },
      placeholderData: keepPreviousData,
    }),
  )
  return (
    <Dialog
      open={open}
      onClose={onClose}
      size="wide"
      title={`Leads in ${list.name}`}
      description={list.description}
      footer={<Button onClick={onClose}>Close</Button>}
    >
      <LeadsPanel
        label={`Leads in ${list.name}`}
        query={leads}
        failure={(error) => `Failed to fetch leads for list: ${errorText(error)}`}
        columns={columns}
        page={page}
        pageSize={PAGE_SIZE}
        onPage={setPage}
        expected={list.leadCount}
        above={
          <p className="pb-2">
            <ContactCounts list={list} />
          </p>
        }
        empty={
          list.filter ? (
            <EmptyState
              icon={<Users aria-hidden />}
              title="No matches yet"
              action={mayWrite && <Button onClick={onManage}>Edit filter</Button>}
            >
              New matches are added automatically.
            </EmptyState>
          ) : (
            <EmptyState
              icon={<Users aria-hidden />}
              title="No leads in this list yet"
              action={mayWrite && <Button onClick={onManage}>Manage Leads</Button>}
            >
              Add leads that you've scraped or imported.
            </EmptyState>
          )
        }
      />
    </Dialog>
  )
}
