import type { ListedLead } from '@x-automated/contract/leads/leads'
import { Ban, Ellipsis, PanelRightOpen, Send, Trash2 } from 'lucide-react'
import type { KeyboardEvent } from 'react'
import { StatusBadge } from '../../../ui/badge'
import { Button, IconButton } from '../../../ui/button'
import { Checkbox } from '../../../ui/choice'
import { DateTime } from '../../../ui/date-time'
import { Menu, MenuItem, MenuSeparator } from '../../../ui/menu'
import { Skeleton } from '../../../ui/skeleton'
import { SortTh } from '../../../ui/sort-th'
import { ActionsTh, Table, Td, type TdProps, Th, Tr } from '../../../ui/table'
import { useIsOffered } from '../../identity/people/use-role'
import { LeadBio, LeadFollowers, LeadIdentity, SuppressedBadge } from './lead-parts'
import { SUPPRESSED_HINT } from './lead-status'
import { basisLabels, LEADS_PER_PAGE } from './leads-url'
import { TagBadges } from './tag-badge'
import type { LeadRow, useLeadsTable } from './use-leads-table'

export interface LeadsTableProps extends LeadActions {
  table: ReturnType<typeof useLeadsTable>['table']
  /** The first page is loading. */
  loading: boolean
  /** The previous page stays while the next one loads. */
  stale: boolean
}

interface LeadActions {
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
export function LeadsTable({ table, loading, stale, ...actions }: LeadsTableProps) {
  const mayWrite = useIsOffered('member')
  return (
    <Table label="Leads" stale={stale}>
      <thead>
        <tr>
          {mayWrite && (
            <Th className="max-md:hidden md:w-px md:pe-0">
              <SelectPageCheckbox table={table} />
            </Th>
          )}
          {table.getFlatHeaders().map((header) => (
            <SortTh key={header.id} column={header.column} {...header.column.columnDef.meta}>
              <table.FlexRender header={header} />
            </SortTh>
          ))}
          <ActionsTh className="w-px" />
        </tr>
      </thead>
      <tbody>
        {loading ? (
          <LeadsSkeleton pickable={mayWrite} />
        ) : (
          table.getRowModel().rows.map((row) => <LeadTr key={row.id} row={row} mayWrite={mayWrite} {...actions} />)
        )}
      </tbody>
    </Table>
  )
}

function LeadTr({ row, mayWrite, ...actions }: { row: LeadRow; mayWrite: boolean } & LeadActions) {
  const lead = row.original
  return (
    <Tr selected={row.getIsSelected()}>
      {mayWrite && (
        <Td corner className="md:pe-0">
          <Checkbox
            aria-label={`Select @${lead.twitterHandle}`}
            checked={row.getIsSelected()}
            data-lead={lead.id}
            disabled={!row.getCanSelect()}
            title={lead.suppressed ? SUPPRESSED_HINT : undefined}
            onKeyDown={moveByArrow}
            onChange={row.getToggleSelectedHandler()}
          />
        </Td>
      )}
      <Td className="md:max-w-72 md:min-w-52">
        <span className="grid min-w-0 gap-1.5 max-md:pe-9">
          <LeadIdentity lead={lead} onOpen={() => actions.onOpen(lead)} />
          {(lead.tagIds.length > 0 || lead.basis !== 'none' || lead.suppressed) && (
            <span className="flex flex-wrap items-center gap-1 md:ps-10">
              {lead.suppressed && <SuppressedBadge />}
              <TagBadges ids={lead.tagIds} />
              {lead.basis !== 'none' && <span className="text-2xs text-muted">{basisLabels[lead.basis]}</span>}
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
          <RowActions row={row} {...actions} />
        ) : (
          <Button size="sm" aria-label={`Show details of @${lead.twitterHandle}`} onClick={() => actions.onOpen(lead)}>
            Details
          </Button>
        )}
      </Td>
    </Tr>
  )
}

function RowActions({ row, onOpen, onSend, onSuppress, onRemove }: { row: LeadRow } & LeadActions) {
  const lead = row.original
  return (
    <span className="flex items-center gap-1 max-md:w-full">
      <Button
        size="sm"
        icon={<Send />}
        disabled={!row.getCanSelect()}
        title={lead.suppressed ? SUPPRESSED_HINT : undefined}
        className="max-md:flex-1"
        aria-label={`Send DM to @${lead.twitterHandle}`}
        onClick={() => onSend(lead)}
      >
        Send DM
      </Button>
      <Menu trigger={<IconButton icon={<Ellipsis />} label={`More for @${lead.twitterHandle}`} size="sm" />}>
        <MenuItem icon={<PanelRightOpen />} onSelect={() => onOpen(lead)}>
          Show details
        </MenuItem>
        <MenuSeparator />
        <MenuItem danger icon={<Ban />} disabled={lead.suppressed} onSelect={() => onSuppress(lead)}>
          Suppress
        </MenuItem>
        <MenuItem danger icon={<Trash2 />} onSelect={() => onRemove(lead)}>
          Delete lead
        </MenuItem>
      </Menu>
    </span>
  )
}

const skeletons: (TdProps & { skeleton: string })[] = [
  { className: 'w-1/2', skeleton: 'h-3.5 w-52 max-w-full' },
  { label: 'Followers', end: true, skeleton: 'h-3.5 w-12 md:ms-auto' },
  { label: 'Status', skeleton: 'h-6 w-20' },
  { label: 'Added', className: 'md:max-lg:hidden', skeleton: 'h-3.5 w-12' },
  { skeleton: 'h-8 w-32 max-md:w-full' },
]

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
      {skeletons.map(({ skeleton, ...td }) => (
        <Td key={skeleton} {...td}>
          <Skeleton className={skeleton} />
        </Td>
      ))}
    </Tr>
  ))
}

/** Selects every messageable lead on the page. */
export function SelectPageCheckbox({ table }: Pick<LeadsTableProps, 'table'>) {
  return (
    <Checkbox
      aria-label="Select all leads on this page"
      checked={table.getIsAllPageRowsSelected()}
      indeterminate={table.getIsSomePageRowsSelected() && !table.getIsAllPageRowsSelected()}
      disabled={!table.getRowModel().rows.some((row) => row.getCanSelect())}
      onChange={table.getToggleAllPageRowsSelectedHandler()}
    />
  )
}
