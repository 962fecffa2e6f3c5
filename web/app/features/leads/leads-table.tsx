import type { Lead } from '@x-automated/contract/leads'
import { Ellipsis, Send, Trash2 } from 'lucide-react'
import { StatusBadge } from '../../ui/badge'
import { Button, IconButton } from '../../ui/button'
import { Checkbox } from '../../ui/choice'
import { Menu, MenuItem } from '../../ui/menu'
import { Skeleton } from '../../ui/skeleton'
import { Table, Td, Th, Tr } from '../../ui/table'
import { LEADS_ON_A_PAGE } from './lead-address'
import { LeadBio, LeadFollowers, LeadIdentity } from './lead-parts'
import type { useLeadSelection } from './lead-selection'
import { canBeMessaged } from './lead-standing'

export interface LeadsTableProps {
  /** Undefined while the first page loads. */
  leads: readonly Lead[] | undefined
  /** An earlier page is still shown while the next one loads. */
  stale: boolean
  selection: ReturnType<typeof useLeadSelection>
  onSend: (lead: Lead) => void
  onRemove: (lead: Lead) => void
}

/** Leads, each with its status and what can be done with it. Queued and sent ones cannot be picked. */
export function LeadsTable({ leads, stale, selection, onSend, onRemove }: LeadsTableProps) {
  return (
    <Table label="Leads" stale={stale}>
      <thead>
        <tr>
          <Th className="max-md:hidden md:w-px md:pe-0">
            <PagePick selection={selection} label="Select all leads on this page" />
          </Th>
          <Th>Lead</Th>
          <Th>Bio</Th>
          <Th end>Followers</Th>
          <Th>Status</Th>
          <Th className="w-px">
            <span className="sr-only">Actions</span>
          </Th>
        </tr>
      </thead>
      <tbody>
        {leads ? (
          leads.map((lead) => {
            const open = canBeMessaged(lead)
            return (
              <Tr key={lead.id} selected={selection.has(lead)}>
                <Td corner className="md:pe-0">
                  <Checkbox
                    aria-label={`Select @${lead.twitterHandle}`}
                    checked={selection.has(lead)}
                    disabled={!open}
                    onChange={() => selection.toggle(lead)}
                  />
                </Td>
                <Td className="md:max-w-72 md:min-w-52">
                  <span className="grid min-w-0 max-md:pe-9">
                    <LeadIdentity lead={lead} />
                  </span>
                </Td>
                <Td className="min-w-56 text-muted">
                  <LeadBio bio={lead.bio} />
                </Td>
                <Td label="Followers" end>
                  <LeadFollowers followerCount={lead.followerCount} />
                </Td>
                <Td label="Status">
                  <StatusBadge status={lead.dmStatus} />
                </Td>
                <Td>
                  <span className="flex items-center gap-1 max-md:w-full">
                    <Button
                      size="sm"
                      icon={<Send aria-hidden />}
                      disabled={!open}
                      className="max-md:flex-1"
                      aria-label={`Send DM to @${lead.twitterHandle}`}
                      onClick={() => onSend(lead)}
                    >
                      Send DM
                    </Button>
                    <Menu
                      trigger={
                        <IconButton label={`More for @${lead.twitterHandle}`} size="sm">
                          <Ellipsis aria-hidden />
                        </IconButton>
                      }
                    >
                      <MenuItem danger icon={<Trash2 aria-hidden />} onSelect={() => onRemove(lead)}>
                        Delete lead
                      </MenuItem>
                    </Menu>
                  </span>
                </Td>
              </Tr>
            )
          })
        ) : (
          <LeadsComing />
        )}
      </tbody>
    </Table>
  )
}

/** A page of leads that is on its way, in their shape. */
function LeadsComing() {
  return Array.from({ length: LEADS_ON_A_PAGE }, (_, row) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: the rows are all alike and never move
    <Tr key={row} aria-hidden>
      <Td corner className="md:pe-0">
        <Skeleton className="size-4.5 rounded-sm!" />
      </Td>
      <Td className="md:max-w-72 md:min-w-52">
        <span className="flex items-center gap-3">
          <Skeleton className="size-7 shrink-0 rounded-full!" />
          <span className="grid gap-1.5 py-0.5">
            <Skeleton className="h-3.5 w-28" />
            <Skeleton className="h-3.5 w-20" />
          </span>
        </span>
      </Td>
      <Td className="w-1/2">
        <Skeleton className="h-3.5 w-52 max-w-full" />
      </Td>
      <Td label="Followers" end>
        <Skeleton className="h-3.5 w-12 md:ms-auto" />
      </Td>
      <Td label="Status">
        <Skeleton className="h-6 w-20" />
      </Td>
      <Td>
        <Skeleton className="h-8 w-32 max-md:w-full" />
      </Td>
    </Tr>
  ))
}

/** Picks what can be picked of the page in sight. */
export function PagePick({ selection, label }: Pick<LeadsTableProps, 'selection'> & { label: string }) {
  return (
    <Checkbox
      aria-label={label}
      checked={selection.page === 'all'}
      indeterminate={selection.page === 'some'}
      disabled={selection.selectableHere === 0}
      onChange={selection.togglePage}
    />
  )
}
