import type { List, ListLead } from '@x-automated/contract/leads/lists'
import { Users } from 'lucide-react'
import { refusalText } from '../../../api'
import { Button } from '../../../ui/button'
import { Dialog } from '../../../ui/dialog'
import { EmptyState } from '../../../ui/empty-state'
import { useIsOffered } from '../../identity/people/use-role'
import { XHandle } from '../../platform/x-account/x-handle'
import { LeadFollowers } from '../leads/lead-parts'
import type { LeadColumn } from './leads-panel'
import { ListLeads } from './list-leads'

const columns: LeadColumn<ListLead>[] = [
  { head: 'Twitter Handle', cell: (lead) => <XHandle handle={lead.twitterHandle} /> },
  {
    head: 'Name',
    cell: (lead) => <bdi className="wrap-anywhere">{lead.name || <span className="text-faint">N/A</span>}</bdi>,
  },
  { head: 'Followers', end: true, cell: ({ followerCount }) => <LeadFollowers followerCount={followerCount} /> },
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
  const mayWrite = useIsOffered('member')
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
      <ListLeads
        list={list}
        label={`Leads of ${list.name}`}
        failure={(error) => refusalText(error, 'Failed to load campaign leads. Please try again.')}
        columns={columns}
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
