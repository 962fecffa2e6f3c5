import type { RowSelectionState } from '@tanstack/react-table'
import { formatNumber } from '@x-automated/contract/format'

/** Unsaved changes, from a lead's id to whether it should be in the list. */
type PendingChanges = ReadonlyMap<string, boolean>

export const noChanges: PendingChanges = new Map()

/** The selected leads of a page, derived from unsaved changes and memberships. */
export function selectionOf(
  leadIds: readonly string[],
  members: ReadonlySet<string>,
  pending: PendingChanges,
): RowSelectionState {
  return Object.fromEntries(leadIds.filter((id) => pending.get(id) ?? members.has(id)).map((id) => [id, true]))
}

/** The changes after selecting these leads of a page. Returning a lead to its saved state is not a change. */
export function withSelection(
  pending: PendingChanges,
  leadIds: readonly string[],
  members: ReadonlySet<string>,
  selection: RowSelectionState,
): PendingChanges {
  const next = new Map(pending)
  for (const id of leadIds) {
    const isSelected = selection[id] === true
    if (members.has(id) === isSelected) next.delete(id)
    else next.set(id, isSelected)
  }
  return next
}

/** The ids of the leads to add and to remove. */
export interface Changes {
  add: string[]
  remove: string[]
}

/** Splits the pending changes by direction. */
export function changesOf(pending: PendingChanges): Changes {
  const changes: Changes = { add: [], remove: [] }
  for (const [id, checked] of pending) changes[checked ? 'add' : 'remove'].push(id)
  return changes
}

/** '3 to add, 1 to remove', or '' if nothing changes. */
export function changesText({ add, remove }: Changes): string {
  return [
    ...(add.length > 0 ? [`${formatNumber(add.length)} to add`] : []),
    ...(remove.length > 0 ? [`${formatNumber(remove.length)} to remove`] : []),
  ].join(', ')
}
