import type { List } from '@x-automated/contract/leads/lists'
import { Users } from 'lucide-react'
import { errorText } from '../../../api'
import { Button } from '../../../ui/button'
import { Dialog } from '../../../ui/dialog'
import { EmptyState } from '../../../ui/empty-state'
import { useIsOffered } from '../../identity/people/use-role'
import { leadColumns } from './leads-panel'
import { ListLeads } from './list-leads'

interface ListLeadsDialogProps {
  list: List
  open: boolean
  onClose: () => void
  /** Opens the selection of leads, or the filter of a smart list. */
  onManage: () => void
}

/** The leads of a list, read-only. */
export function ListLeadsDialog({ list, open, onClose, onManage }: ListLeadsDialogProps) {
  const mayWrite = useIsOffered('member')
  return (
    <Dialog
      open={open}
      onClose={onClose}
      size="wide"
      title={`Leads in ${list.name}`}
      description={list.description}
      footer={<Button onClick={onClose}>Close</Button>}
    >
      <ListLeads
        list={list}
        label={`Leads in ${list.name}`}
        failure={(error) => `Failed to fetch leads for list: ${errorText(error)}`}
        columns={leadColumns}
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
