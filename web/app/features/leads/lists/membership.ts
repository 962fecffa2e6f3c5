import { formatNumber } from '@x-automated/contract/format'
/** Unsaved changes: lead id → whether it should be in the list. */
export type PendingChanges = ReadonlyMap<string, boolean>

export const noChanges: PendingChanges = new Map()

/** Whether the lead's box is checked: the unsaved change, or else its membership. */
export function isChecked(leadId: string, members: ReadonlySet<string>, pending: PendingChanges): boolean {
  return pending.get(leadId) ?? members.has(leadId)
}

/**
 * The changes after checking or unchecking these leads. @param members those of them in the list:
 * back to that is no change
 */
export function withChecked(
  pending: PendingChanges,
  members: ReadonlySet<string>,
  leadIds: readonly string[],
  checked: boolean,
): PendingChanges {
  const next = new Map(pending)
  for (const id of leadIds) {
    if (members.has(id) === checked) next.delete(id)
    else next.set(id, checked)
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
