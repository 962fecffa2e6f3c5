import type { RowSelectionState } from '@tanstack/react-table'
import { formatNumber } from '@x-automated/contract/format'

/** Unsaved changes: lead id → whether it should be in the list. */
export type PendingChanges = ReadonlyMap<string, boolean>

export const noChanges: PendingChanges = new Map()

/** The selected leads of a page: unsaved changes, or else memberships. */
export function selectionOf(
  leadIds: readonly string[],
  members: ReadonlySet<string>,
  pending: PendingChanges,
): RowSelectionState {
  return Object.fromEntries(leadIds.filter((id) => pending.get(id) ?? members.has(id)).map((id) => [id, true]))
}

/** The changes after selecting these leads of a page: back to a lead's membership is no change. */
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

/** What saving adds and removes. */
export function changesOf(pending: PendingChanges): { added: string[]; removed: string[] } {
  const added: string[] = []
  const removed: string[] = []
  for (const [id, checked] of pending) (checked ? added : removed).push(id)
  return { added, removed }
}

/** '3 to add, 1 to remove'; '' if nothing changes. */
export function changesText({ added, removed }: { added: readonly string[]; removed: readonly string[] }): string {
  return [
    ...(added.length > 0 ? [`${formatNumber(added.length)} to add`] : []),
    ...(removed.length > 0 ? [`${formatNumber(removed.length)} to remove`] : []),
  ].join(', ')
}
