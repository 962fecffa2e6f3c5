import type { ListedLead } from '@x-automated/contract/leads/leads'
import { Ban, Ellipsis, ListPlus, PanelRightOpen, Send, Trash2 } from 'lucide-react'
import type { KeyboardEvent, PointerEvent } from 'react'
import { StatusDot } from '../../../ui/badge'
import { IconButton } from '../../../ui/button'
import { Checkbox } from '../../../ui/choice'
import { cn } from '../../../ui/cn'
import { DateTime } from '../../../ui/date-time'
import { Menu, MenuItem, MenuSeparator } from '../../../ui/menu'
import { Skeleton } from '../../../ui/skeleton'
import { SortTh } from '../../../ui/sort-th'
import { ActionsTh, Table, Td, Th, Tr } from '../../../ui/table'
import { useIsOffered } from '../../identity/people/use-role'
import { LeadBio, LeadFollowers, LeadIdentity } from './lead-parts'
import { displayStatusOf, unsendableText } from './lead-status'
import { columnLook, fieldOf, fieldText, type TableLayout, tableWidth, widthOf, withWidth } from './leads-columns'
import { basisLabels } from './leads-url'
import { moveFocus } from './row-focus'
import { TagBadges } from './tag-badge'
import type { LeadRow, LeadsSelection } from './use-leads-table'

interface LeadsTableProps extends LeadActions {
  selection: LeadsSelection
  layout: TableLayout
  /** @param isDragging true if more layouts follow soon */
  onLayout: (layout: TableLayout, isDragging?: boolean) => void
  /** Whether the first page is loading. */
  loading: boolean
  /** Whether the previous page is shown while the next one loads. */
  stale: boolean
}

interface LeadActions {
  onOpen: (lead: ListedLead) => void
  onSend: (lead: ListedLead) => void
  onList: (lead: ListedLead) => void
  onSuppress: (lead: ListedLead) => void
  onRemove: (lead: ListedLead) => void
}

/** The width of the checkbox, in pixels. */
const CHECKBOX_WIDTH = 40

/** Moves between checkboxes with the arrow keys. With Shift, also checks the old and the new one. */
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

/** Leads with their status and actions. Queued, sent and suppressed leads cannot be messaged. */
export function LeadsTable({ selection, layout, onLayout, loading, stale, ...actions }: LeadsTableProps) {
  const { table } = selection
  const mayWrite = useIsOffered('member')
  return (
    <Table
      label="Leads"
      stale={stale}
      plain
      narrow="rows"
      minWidth={`min(${tableWidth(layout) + CHECKBOX_WIDTH}px, var(--leads-min-width))`}
      className="-mx-4 [--leads-min-width:0px] md:-mx-6 md:[--leads-min-width:999rem]"
    >
      <thead>
        <tr className="text-xs">
          {mayWrite && (
            <Th className="w-10 ps-4 pe-0 md:w-12 md:ps-6">
              <SelectPageCheckbox table={table} />
            </Th>
          )}
          {table.getFlatHeaders().map(({ column }) => (
            <HeaderCell key={column.id} column={column} layout={layout} onLayout={onLayout} />
          ))}
          <ActionsTh className="w-11 p-0! pointer-coarse:w-14 md:w-0 md:pointer-coarse:w-14" />
        </tr>
      </thead>
      <tbody
        className="text-ui"
        onKeyDown={(event) => {
          const step = ({ ArrowDown: 1, ArrowUp: -1 } as const)[event.key]
          if (!step || event.shiftKey || !(event.target as Element).matches('[data-opens]')) return
          event.preventDefault()
          moveFocus(step)
        }}
      >
        {loading ? (
          <LeadsSkeleton rows={layout.pageSize} columns={layout.shown} pickable={mayWrite} />
        ) : (
          table
            .getRowModel()
            .rows.map((row) => <LeadTr key={row.id} row={row} layout={layout} mayWrite={mayWrite} {...actions} />)
        )}
      </tbody>
    </Table>
  )
}

/** Classes for a column on phones, which only show the name and the status. */
const onPhones = (id: string) => (id === 'dmStatus' ? 'max-md:w-24 max-md:ps-0' : id === 'name' ? '' : 'max-md:hidden')

interface HeaderCellProps extends Pick<LeadsTableProps, 'layout' | 'onLayout'> {
  column: ReturnType<LeadsSelection['table']['getFlatHeaders']>[number]['column']
}

function HeaderCell({ column, layout, onLayout }: HeaderCellProps) {
  const { id } = column
  const { name, end = false } = columnLook(id)
  const width = widthOf(id, layout)
  const drag = (event: PointerEvent<HTMLElement>) => {
    event.preventDefault()
    const before = event.currentTarget.closest('th')?.offsetWidth ?? 0
    const stop = new AbortController()
    const { signal } = stop
    let next = layout
    const move = ({ clientX }: globalThis.PointerEvent) => {
      next = withWidth(layout, id, before + clientX - event.clientX)
      onLayout(next, true)
    }
    const end = () => {
      stop.abort()
      onLayout(next)
    }
    addEventListener('pointermove', move, { signal })
    for (const ends of ['pointerup', 'pointercancel']) addEventListener(ends, end, { signal })
  }
  const props = {
    end,
    className: cn('md:w-(--column-width)', onPhones(id)),
    style: { '--column-width': width === null ? 'auto' : `${width}px` },
  }
  const content = (
    <>
      <bdi className="truncate">{name}</bdi>
      {/* Keyboard users change widths in the columns menu. */}
      <span
        aria-hidden
        className="absolute inset-y-2 end-0 z-1 w-2 cursor-col-resize touch-none border-e border-transparent hover:border-control max-md:hidden"
        onPointerDown={drag}
        onClick={(event) => event.stopPropagation()}
      />
    </>
  )
  return column.getCanSort() ? (
    <SortTh column={column} {...props}>
      {content}
    </SortTh>
  ) : (
    <Th {...props}>{content}</Th>
  )
}

interface LeadTrProps extends LeadActions {
  row: LeadRow
  layout: TableLayout
  mayWrite: boolean
}

function LeadTr({ row, layout, mayWrite, ...actions }: LeadTrProps) {
  const lead = row.original
  return (
    <Tr
      selected={row.getIsSelected()}
      data-row={lead.id}
      className="group/row h-14 not-aria-selected:hover:bg-sunken not-aria-selected:focus-within:bg-sunken md:h-12 [&>td]:border-hair!"
    >
      {mayWrite && (
        <Td className="py-0 ps-4 pe-0 md:ps-6">
          {/* As tall as the row, so that it is easy to press. */}
          <span className="flex h-12 items-center">
            <Checkbox
              aria-label={`Select @${lead.twitterHandle}`}
              checked={row.getIsSelected()}
              data-lead={lead.id}
              disabled={!row.getCanSelect()}
              title={row.getCanSelect() ? undefined : (unsendableText(lead) ?? undefined)}
              onKeyDown={moveByArrow}
              onChange={row.getToggleSelectedHandler()}
            />
          </span>
        </Td>
      )}
      <Td className={cn('py-0', !mayWrite && 'md:ps-6')}>
        <LeadIdentity lead={lead} onOpen={() => actions.onOpen(lead)}>
          <TagBadges ids={lead.tagIds} max={2} />
        </LeadIdentity>
      </Td>
      {layout.shown.map((id) => (
        <Td key={id} end={columnLook(id).end ?? false} className={cn('truncate py-0 text-muted', onPhones(id))}>
          <LeadCell id={id} lead={lead} />
        </Td>
      ))}
      <Td className="relative p-0 pe-1 md:pe-0">
        <RowActions row={row} mayWrite={mayWrite} {...actions} />
      </Td>
    </Tr>
  )
}

/** The content of a column's cell. */
function LeadCell({ id, lead }: { id: string; lead: ListedLead }) {
  const field = fieldOf(id)
  if (field !== null) {
    const text = fieldText(lead, field)
    return text === null ? NOTHING : <bdi title={text}>{text}</bdi>
  }
  switch (id) {
    case 'bio':
      return <LeadBio bio={lead.bio} />
    case 'followerCount':
      return <LeadFollowers followerCount={lead.followerCount} />
    case 'followingCount':
      return <LeadFollowers followerCount={lead.followingCount} />
    case 'dmStatus':
      return <StatusDot status={displayStatusOf(lead)} />
    case 'createdAt':
      return <DateTime value={lead.createdAt} precision="day" />
    case 'basis':
      return lead.basis === 'none' ? NOTHING : basisLabels[lead.basis]
    case 'location':
      return lead.location ? <bdi>{lead.location}</bdi> : NOTHING
  }
}

const NOTHING = <span className="text-faint">–</span>

/** A lead's actions. They appear at the end of the row when it is hovered or focused; on touch screens, in a menu. */
function RowActions({
  row,
  mayWrite,
  onOpen,
  onSend,
  onList,
  onSuppress,
  onRemove,
}: { row: LeadRow; mayWrite: boolean } & LeadActions) {
  const lead = row.original
  const unsendable = unsendableText(lead)
  const overlay =
    'flex items-center justify-end md:pointer-fine:absolute md:pointer-fine:inset-y-0 md:pointer-fine:end-0 md:pointer-fine:ps-10 md:pointer-fine:pe-4 md:pointer-fine:opacity-0 md:pointer-fine:group-focus-within/row:opacity-100 md:pointer-fine:group-hover/row:opacity-100 md:pointer-fine:has-data-popup-open:opacity-100 md:pointer-fine:bg-linear-to-r md:pointer-fine:from-transparent md:pointer-fine:from-0% md:pointer-fine:to-sunken md:pointer-fine:to-40% md:pointer-fine:group-aria-selected/row:to-selected'
  if (!mayWrite)
    return (
      <span className={overlay}>
        <IconButton
          size="sm"
          icon={<PanelRightOpen />}
          label={`Show details of @${lead.twitterHandle}`}
          onClick={() => onOpen(lead)}
        />
      </span>
    )
  return (
    <span className={overlay}>
      <IconButton
        size="sm"
        icon={<Send />}
        disabled={unsendable !== null}
        title={unsendable ?? 'Send DM'}
        className="max-md:hidden pointer-coarse:hidden"
        label={`Send DM to @${lead.twitterHandle}`}
        onClick={() => onSend(lead)}
      />
      <IconButton
        size="sm"
        icon={<ListPlus />}
        title="Add to list (L)"
        className="max-md:hidden pointer-coarse:hidden"
        label={`Add @${lead.twitterHandle} to a list`}
        onClick={() => onList(lead)}
      />
      <Menu trigger={<IconButton icon={<Ellipsis />} label={`More for @${lead.twitterHandle}`} size="sm" />}>
        <MenuItem icon={<PanelRightOpen />} onSelect={() => onOpen(lead)}>
          Show details
        </MenuItem>
        <MenuItem icon={<Send />} disabled={unsendable !== null} onSelect={() => onSend(lead)}>
          Send DM
        </MenuItem>
        <MenuItem icon={<ListPlus />} onSelect={() => onList(lead)}>
          Add to list
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

function LeadsSkeleton({ rows, columns, pickable }: { rows: number; columns: readonly string[]; pickable: boolean }) {
  return Array.from({ length: rows }, (_, row) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: the rows are identical and never move
    <Tr key={row} aria-hidden className="h-14 md:h-12 [&>td]:border-hair!">
      {pickable && (
        <Td className="py-0 ps-4 pe-0 md:ps-6">
          <Skeleton className="size-4.5 rounded-sm!" />
        </Td>
      )}
      <Td className={cn('py-0', !pickable && 'md:ps-6')}>
        <span className="flex items-center gap-3">
          <Skeleton className="size-7 shrink-0 rounded-full!" />
          <Skeleton className="h-3.5 w-28" />
        </span>
      </Td>
      {columns.map((id) => (
        <Td key={id} className={cn('py-0', onPhones(id))}>
          <Skeleton className="h-3.5 w-4/5" />
        </Td>
      ))}
      <Td className="p-0" />
    </Tr>
  ))
}

/** Selects all selectable leads on the page. */
function SelectPageCheckbox({ table }: Pick<LeadsSelection, 'table'>) {
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
