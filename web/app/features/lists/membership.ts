/** Ticks that differ from what the list held when they were made: lead id → shall it be in the list? */
export type PendingChanges = ReadonlyMap<string, boolean>

export const noChanges: PendingChanges = new Map()

/** Is the lead ticked: as wished, or else as it is? */
export function isTicked(leadId: string, members: ReadonlySet<string>, wishes: PendingChanges): boolean {
  return wishes.get(leadId) ?? members.has(leadId)
}

/**
 * The wishes after ticking (or unticking) these leads. Back to what is, is no wish.
 * @param members those of these leads who are in the list
 */
export function withTicks(
  wishes: PendingChanges,
  members: ReadonlySet<string>,
  leadIds: readonly string[],
  ticked: boolean,
): PendingChanges {
  const next = new Map(wishes)
  for (const id of leadIds) {
    if (members.has(id) === ticked) next.delete(id)
    else next.set(id, ticked)
  }
  return next
}

/** What saving has to add and to remove. */
export function changesOf(wishes: PendingChanges): { added: string[]; removed: string[] } {
  const added: string[] = []
  const removed: string[] = []
  for (const [id, ticked] of wishes) (ticked ? added : removed).push(id)
  return { added, removed }
}

/** '3 to add, 1 to remove'; '' where nothing changes. */
export function changesText({ added, removed }: { added: readonly string[]; removed: readonly string[] }): string {
  return [
    ...(added.length > 0 ? [`${added.length.toLocaleString('en-US')} to add`] : []),
    ...(removed.length > 0 ? [`${removed.length.toLocaleString('en-US')} to remove`] : []),
  ].join(', ')
}
