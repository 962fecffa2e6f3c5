import type { LeadSort, ListedLead } from '@x-automated/contract/leads'
import { Ban, Ellipsis, PanelRightOpen, Send, Trash2 } from 'lucide-react'
import type { KeyboardEvent } from 'react'
import { StatusBadge } from '../../ui/badge'
import { Button, IconButton } from '../../ui/button'
import { Checkbox } from '../../ui/choice'
import { DateTime } from '../../ui/date-time'
import { Menu, MenuItem, MenuSeparator } from '../../ui/menu'
import { Skeleton } from '../../ui/skeleton'
import { SortTh } from '../../ui/sort-th'
import { ActionsTh, Table, Td, Th, Tr } from '../../ui/table'
import { useIsOffered } from '../settings/use-role'
import { LeadBio, LeadFollowers, LeadIdentity, SuppressedBadge } from './lead-parts'
import type { useLeadSelection } from './lead-selection'
import { canBeMessaged, SUPPRESSED_HINT } from './lead-status'
import { basisLabels, LEADS_PER_PAGE } from './leads-url'
import { TagBadges } from './tag-badge'

export interface LeadsTableProps {
  /** Undefined while the first page loads. */
  leads: readonly ListedLead[] | undefined
  /** The previous page stays while the next one loads. */
  stale: boolean
  sort: LeadSort
  onSort: (sort: LeadSort) => void
  selection: ReturnType<typeof useLeadSelection>
  onOpen: (lead: ListedLead) => void
  onSend: (lead: ListedLead) => void
  onSuppress: (lead: ListedLead) => void
  onRemove: (lead: ListedLead) => void
}

/** Arrow keys move between checkboxes; with Shift they also check what they pass. */
function moveByArrow(event: KeyboardEvent<HTMLInputElement>): void {
  const step = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0
  if (step === 0) return
  event.preventDefault()
  const boxes = [
    ...(event.currentTarget.closest('tbody')?.querySelectorAll<HTMLInputElement>('input[data-lead]:enabled') ?? []),
  ]
  const here = event.currentTarget
  const next = boxes[boxes.indexOf(here) + step]
  if (!next) return
  next.focus()
  if (!event.shiftKey) return
  if (!here.checked) here.click()
  if (!next.checked) next.click()
}

/** Leads with their status and actions. Queued, sent and suppressed leads can't be selected. */
export function LeadsTable({
  leads,
  stale,
  sort,
  onSort,
  selection,
  onOpen,
  onSend,
  onSuppress,
  onRemove,
}: LeadsTableProps) {
  const sorting = { sort, onSort }
  const mayWrite = useIsOffered('member')
  return (
    <Table label="Leads" stale={stale}>
      <thead>
        <tr>
          {mayWrite && (
            <Th className="max-md:hidden md:w-px md:pe-0">
              <SelectPageCheckbox selection={selection} label="Select all leads on this page" />
            </Th>
          )}
          <SortTh up="name" down="-name" {...sorting}>
            Lead
          </SortTh>
          <SortTh up="bio" down="-bio" {...sorting}>
            Bio
          </SortTh>
          <SortTh up="followerCount" down="-followerCount" first="down" end {...sorting}>
            Followers
          </SortTh>
          <SortTh up="dmStatus" down="-dmStatus" {...sorting}>
            Status
          </SortTh>
          <SortTh up="createdAt" down="-createdAt" first="down" className="max-lg:hidden" {...sorting}>
            Added
          </SortTh>
          <ActionsTh className="w-px" />
        </tr>
      </thead>
      <tbody>
        {leads ? (
          leads.map((lead) => {
            const messageable = canBeMessaged(lead)
            return (
              <Tr key={lead.id} selected={selection.has(lead)}>
                {mayWrite && (
                  <Td corner className="md:pe-0">
                    <Checkbox
                      aria-label={`Select @${lead.twitterHandle}`}
                      checked={selection.has(lead)}
                      data-lead={lead.id}
                      disabled={!messageable}
                      title={lead.suppressed ? SUPPRESSED_HINT : undefined}
                      onKeyDown={moveByArrow}
                      onChange={(event) =>
                        selection.toggle(
                          lead,
                          (event.nativeEvent as unknown as { shiftKey?: boolean }).shiftKey === true,
                        )
                      }
                    />
                  </Td>
                )}
                <Td className="md:max-w-72 md:min-w-52">
                  <span className="grid min-w-0 gap-1.5 max-md:pe-9">
                    <LeadIdentity lead={lead} onOpen={() => onOpen(lead)} />
                    {(lead.tagIds.length > 0 || lead.basis !== 'none' || lead.suppressed) && (
                      <span className="flex flex-wrap items-center gap-1 md:ps-10">
                        {lead.suppressed && <SuppressedBadge />}
                        <TagBadges ids={lead.tagIds} />
                        {lead.basis !== 'none' && (
                          <span className="text-2xs text-muted">{basisLabels[lead.basis]}</span>
                        )}
                      </span>
                    )}
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
                <Td label="Added" className="whitespace-nowrap text-muted md:max-lg:hidden">
                  <DateTime value={lead.createdAt} precision="day" />
                </Td>
                <Td>
                  {mayWrite ? (
                    <span className="flex items-center gap-1 max-md:w-full">
                      <Button
                        size="sm"
                        icon={<Send aria-hidden />}
                        disabled={!messageable}
                        title={lead.suppressed ? SUPPRESSED_HINT : undefined}
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
                        <MenuItem icon={<PanelRightOpen aria-hidden />} onSelect={() => onOpen(lead)}>
                          Show details
                        </MenuItem>
                        <MenuSeparator />
                        <MenuItem
                          danger
                          icon={<Ban aria-hidden />}
                          disabled={lead.suppressed}
                          onSelect={() => onSuppress(lead)}
                        >
                          Suppress
                        </MenuItem>
                        <MenuItem danger icon={<Trash2 aria-hidden />} onSelect={() => onRemove(lead)}>
                          Delete lead
                        </MenuItem>
                      </Menu>
                    </span>
                  ) : (
                    <Button
                      size="sm"
                      aria-label={`Show details of @${lead.twitterHandle}`}
                      onClick={() => onOpen(lead)}
                    >
                      Details
                    </Button>
                  )}
                </Td>
              </Tr>
            )
          })
        ) : (
          <LeadsSkeleton pickable={mayWrite} />
        )}
      </tbody>
    </Table>
  )
}

function LeadsSkeleton({ pickable }: { pickable: boolean }) {
  return Array.from({ length: LEADS_PER_PAGE }, (_, row) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: the rows are identical and never move
    <Tr key={row} aria-hidden>
      {pickable && (
        <Td corner className="md:pe-0">
          <Skeleton className="size-4.5 rounded-sm!" />
        </Td>
      )}
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
      <Td label="Added" className="md:max-lg:hidden">
        <Skeleton className="h-3.5 w-12" />
      </Td>
      <Td>
        <Skeleton className="h-8 w-32 max-md:w-full" />
      </Td>
    </Tr>
  ))
}

/** Selects every messageable lead on the page. */
export function SelectPageCheckbox({ selection, label }: Pick<LeadsTableProps, 'selection'> & { label: string }) {
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
