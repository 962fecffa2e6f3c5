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
import { columnLook, isSortable, type TableLayout } from './leads-columns'

const features = tableFeatures({
  rowSelectionFeature,
  rowSortingFeature,
  columnMeta: {} as { end?: boolean },
})
const FROM_HIGH = ['followerCount', 'createdAt']
const NONE: readonly ListedLead[] = []
const NOBODY = { rows: {}, unsendable: [], all: null }

export type LeadRow = Row<typeof features, ListedLead>
export type LeadsSelection = ReturnType<typeof useLeadsTable>

/** All matching leads, on all pages: those that can be messaged, or everyone. */
type AllLeads = 'messageable' | 'everyone'

interface SelectionState {
  /** The filter that the selection belongs to. Another filter clears it. */
  filterKey: string
  /** Whether leads that cannot be messaged can be selected, too. Nothing is sent to such a selection. */
  includesMessaged: boolean
  rows: RowSelectionState
  /** Ids among `rows` of leads that cannot be messaged. */
  unsendable: readonly string[]
  /** Set if all matching leads are selected. */
  all: AllLeads | null
}

interface LeadsTableInput {
  /** The current page; undefined while it loads. */
  leads: readonly ListedLead[] | undefined
  filter: LeadFilter
  sort: LeadSort
  onSort: (sort: LeadSort) => void
  layout: TableLayout
}

/** The table of a page of leads. The server sorts it, and the selection spans all pages. */
export function useLeadsTable({ leads = NONE, filter, sort, onSort, layout }: LeadsTableInput) {
  const filterKey = JSON.stringify(filter)
  const [state, setState] = useState<SelectionState>({ filterKey, includesMessaged: false, ...NOBODY })
  const { includesMessaged } = state
  const canSelect = (lead: ListedLead) => includesMessaged || canBeMessaged(lead)
  const isCurrent = state.filterKey === filterKey
  /**
   * The selected rows. If "all" are selected, these are the current page's rows: unchecking one
   * keeps only the others.
   */
  const rowsOf = ({ rows, all, filterKey: of }: SelectionState): RowSelectionState => {
    const ofAll = all === 'messageable' ? leads.filter(canBeMessaged) : leads
    const selected = new Set(of !== filterKey ? [] : all ? ofAll.map(({ id }) => id) : Object.keys(rows))
    for (const lead of leads) if (!canSelect(lead)) selected.delete(lead.id)
    return Object.fromEntries([...selected].map((id) => [id, true]))
  }
  const rowSelection = rowsOf(state)
  const sorting = [{ id: sort.replace('-', ''), desc: sort.startsWith('-') }]
  const columns = ['name', ...layout.shown].map((id): ColumnDef<typeof features, ListedLead> => {
    const { name, end = false } = columnLook(id)
    return {
      id,
      header: name,
      // The server sorts the rows.
      accessorFn: () => null,
      enableSorting: isSortable(id),
      sortDescFirst: FROM_HIGH.includes(id),
      meta: { end },
    }
  })
  const table = useTable({
    features,
    columns,
    data: leads,
    getRowId: ({ id }) => id,
    enableRowSelection: ({ original }) => canSelect(original),
    manualSorting: true,
    enableSortingRemoval: false,
    sortDescFirst: false,
    state: { rowSelection, sorting },
    // Uses the latest state, because several changes can arrive before the next render.
    onRowSelectionChange: (selectedRows) =>
      setState((before) => {
        const rows = functionalUpdate(selectedRows, rowsOf(before))
        const here = leads.filter((lead) => !canBeMessaged(lead)).map(({ id }) => id)
        const unsendable = [...new Set([...before.unsendable, ...here])].filter((id) => rows[id])
        return { ...before, filterKey, rows, unsendable, all: null }
      }),
    onSortingChange: (change) => {
      const [by] = functionalUpdate(change, sorting)
      if (by) onSort(`${by.desc ? '-' : ''}${by.id}` as LeadSort)
    },
  })
  const change = (next: Partial<SelectionState>) => setState({ ...state, filterKey, ...next })
  return {
    table,
    ids: Object.keys(rowSelection),
    /** Set if all matching leads are selected, on all pages. */
    all: isCurrent ? state.all : null,
    pickAll: () => change({ ...NOBODY, all: includesMessaged ? 'everyone' : 'messageable' }),
    clear: () => change(NOBODY),
    includesMessaged,
    /** Keeps what is selected. Turned off, those who cannot be messaged are deselected. */
    toggleMessaged: () => {
      const kept = Object.entries(rowSelection).filter(([id]) => !includesMessaged || !state.unsendable.includes(id))
      change({
        includesMessaged: !includesMessaged,
        rows: Object.fromEntries(kept),
        unsendable: [],
        all: isCurrent && state.all ? 'messageable' : null,
      })
    },
  }
}
