import { keepPreviousData, useQuery } from '@tanstack/react-query'
import type { List, ListLead } from '@x-automated/contract/leads/lists'
import { Users } from 'lucide-react'
import { useState } from 'react'
import { api, refusalText } from '../../../api'
import { Button } from '../../../ui/button'
import { Dialog } from '../../../ui/dialog'
import { EmptyState } from '../../../ui/empty-state'
import { useIsOffered } from '../../overview/settings/use-role'
import { XHandle } from '../../platform/x-account/x-handle'
import { LeadFollowers } from '../leads/lead-parts'
import { ContactBadge } from './contact-badge'
import { type LeadColumn, LeadsPanel } from './leads-panel'
import { ContactCounts } from './list-counts'

const PAGE_SIZE = 25

const columns: LeadColumn<ListLead>[] = [
  { head: 'Twitter Handle', cell: (lead) => <XHandle handle={lead.twitterHandle} /> },
  {
    head: 'Name',
    cell: (lead) => <bdi className="wrap-anywhere">{lead.name || <span className="text-faint">N/A</span>}</bdi>,
  },
  { head: 'Followers', end: true, cell: ({ followerCount }) => <LeadFollowers followerCount={followerCount} /> },
  { head: 'Status', cell: (lead) => <ContactBadge lead={lead} /> },
]

interface ListCardDialogProps {
  list: List
  open: boolean
  onClose: () => void
  /** Opens the selection of leads. */
  onAdd: () => void
}

/** The leads of a card on the Lead Lists tab, with their status. */
export function ListCardDialog({ list, open, onClose, onAdd }: ListCardDialogProps) {
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
      title={list.name}
      description={list.description}
      footer={
        <>
          <Button onClick={onClose}>Close</Button>
          {mayWrite && (
            <Button variant="primary" onClick={onAdd}>
              {list.filter ? 'Edit filter' : 'Add Leads'}
            </Button>
          )}
        </>
      }
    >
      <LeadsPanel
        label={`Leads of ${list.name}`}
        query={leads}
        failure={(error) => refusalText(error, 'Failed to load campaign leads. Please try again.')}
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
          <EmptyState
            icon={<Users aria-hidden />}
            title="No leads in this campaign yet. Add leads from your dashboard."
          />
        }
      />
    </Dialog>
  )
}
