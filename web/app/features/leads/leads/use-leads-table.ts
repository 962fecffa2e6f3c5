import {
  type ColumnDef,
  functionalUpdate,
  type Row,
  type RowSelectionState,
  rowSelectionFeature,
  rowSortingFeature,
  tableFeatures,
  useTable,
} from '@tanstack/react-table'
import type { LeadFilter, LeadSort, ListedLead } from '@x-automated/contract/leads/leads'
import { useState } from 'react'
import { canBeMessaged } from './lead-status'

const features = tableFeatures({
  rowSelectionFeature,
  rowSortingFeature,
  columnMeta: {} as { end?: boolean; className?: string },
})
const columns: ColumnDef<typeof features, ListedLead>[] = [
  { accessorKey: 'name', header: 'Lead' },
  { accessorKey: 'bio', header: 'Bio' },
  { accessorKey: 'followerCount', header: 'Followers', sortDescFirst: true, meta: { end: true } },
  { accessorKey: 'dmStatus', header: 'Status' },
  { accessorKey: 'createdAt', header: 'Added', sortDescFirst: true, meta: { className: 'max-lg:hidden' } },
]
const NONE: readonly ListedLead[] = []

export type LeadRow = Row<typeof features, ListedLead>

interface Kept {
  /** The filter it was made with: changing the filter clears the selection. */
  filterKey: string
  rows: RowSelectionState
  all: boolean
}

interface LeadsTableInput {
  /** The current page; undefined while it loads. */
  leads: readonly ListedLead[] | undefined
  filter: LeadFilter
  sort: LeadSort
  onSort: (sort: LeadSort) => void
}

/** The table of a page of leads, sorted by the server, with a selection across all pages. */
export function useLeadsTable({ leads = NONE, filter, sort, onSort }: LeadsTableInput) {
  const filterKey = JSON.stringify(filter)
  const [kept, setKept] = useState<Kept>({ filterKey, rows: {}, all: false })
  const isCurrent = kept.filterKey === filterKey
  /** Unchecking one lead of "all" leaves only the current page selected. */
  const rowsOf = ({ rows, all, filterKey: of }: Kept): RowSelectionState => {
    const selected = new Set(of !== filterKey ? [] : all ? leads.map(({ id }) => id) : Object.keys(rows))
    for (const lead of leads) if (!canBeMessaged(lead)) selected.delete(lead.id)
    return Object.fromEntries([...selected].map((id) => [id, true]))
  }
  const rowSelection = rowsOf(kept)
  const sorting = [{ id: sort.replace('-', ''), desc: sort.startsWith('-') }]
  const table = useTable({
    features,
    columns,
    data: leads,
    getRowId: ({ id }) => id,
    enableRowSelection: ({ original }) => canBeMessaged(original),
    manualSorting: true,
    enableSortingRemoval: false,
    sortDescFirst: false,
    state: { rowSelection, sorting },
    // Uses the latest state: several changes can arrive before the next render.
    onRowSelectionChange: (change) =>
      setKept((before) => ({ filterKey, rows: functionalUpdate(change, rowsOf(before)), all: false })),
    onSortingChange: (change) => {
      const [by] = functionalUpdate(change, sorting)
      if (by) onSort(`${by.desc ? '-' : ''}${by.id}` as LeadSort)
    },
  })
  return {
    table,
    ids: Object.keys(rowSelection),
    /** Everyone who matches is selected, on every page. */
    all: isCurrent && kept.all,
    pickAll: () => setKept({ filterKey, rows: {}, all: true }),
    clear: () => table.resetRowSelection(true),
  }
}
