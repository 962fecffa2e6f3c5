import { type KeyGroup, useKeys } from '../../../ui/use-keys'
import { type Picked, pickedCount } from './lead-selection'
import type { LeadsAction } from './leads-toolbar'
import { focusedLead, moveFocus } from './row-focus'
import type { LeadsSelection } from './use-leads-table'

const READING_KEYS: KeyGroup['keys'] = [
  ['J', 'Next lead'],
  ['K', 'Previous lead'],
  ['E', 'Open the lead'],
  ['F', 'Filter'],
  ['/', 'Search'],
]
const VIEWER_KEYS: readonly KeyGroup[] = [{ title: 'Leads', keys: READING_KEYS }]
const LEADS_KEYS: readonly KeyGroup[] = [
  { title: 'Leads', keys: [...READING_KEYS, ['X', 'Include people already messaged']] },
  {
    title: 'Selected or open leads',
    keys: [
      ['T', 'Tags'],
      ['L', 'Add to list'],
      ['R', 'Message the open lead'],
      ['Esc', 'Clear the selection'],
    ],
  },
]

interface LeadsKeys {
  selection: LeadsSelection
  picked: Picked
  act: (action: LeadsAction, picked: Picked) => void
  onOpen: (id: string) => void
  mayWrite: boolean
}

/** Keyboard shortcuts of the page. They act on the selected leads, or on the focused row. */
export function useLeadsKeys({ selection, picked, act, onOpen, mayWrite }: LeadsKeys) {
  const { table, toggleMessaged, clear } = selection
  const open = () => {
    const id = focusedLead() ?? table.getRowModel().rows[0]?.id
    if (id) onOpen(id)
  }
  const actOnTarget = (action: LeadsAction) => () => {
    const id = focusedLead()
    if (pickedCount(picked) > 0) act(action, picked)
    else if (id) act(action, { ids: [id] })
  }
  useKeys(
    {
      j: () => moveFocus(1),
      k: () => moveFocus(-1),
      e: open,
      ...(mayWrite && { x: toggleMessaged, t: actOnTarget('tag'), l: actOnTarget('list') }),
      ...((selection.all || selection.ids.length > 0) && { escape: clear }),
    },
    { repeated: 'jk', groups: mayWrite ? LEADS_KEYS : VIEWER_KEYS },
  )
}
