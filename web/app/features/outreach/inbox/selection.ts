/** Which conversations of the list are selected. */
export interface Selection {
  /** Whether rows show their checkboxes. */
  isOn: boolean
  ids: ReadonlySet<string>
  /** The selection includes matching conversations that have not been loaded. */
  hasAll: boolean
  /** The row where a range starts. */
  anchor: string | null
}

export const NOTHING_SELECTED: Selection = { isOn: false, ids: new Set(), hasAll: false, anchor: null }

/**
 * Selects or deselects a row.
 * @param loaded all rows, in order
 * @param isRange selects all rows from the anchor to this one
 */
export function toggled(
  { ids, hasAll, anchor }: Selection,
  id: string,
  loaded: readonly string[],
  isRange = false,
): Selection {
  const next = new Set(hasAll ? loaded : ids)
  const from = isRange && anchor !== null ? loaded.indexOf(anchor) : -1
  const to = loaded.indexOf(id)
  if (from >= 0) for (const rowId of loaded.slice(Math.min(from, to), Math.max(from, to) + 1)) next.add(rowId)
  else if (!next.delete(id)) next.add(id)
  return { isOn: next.size > 0, ids: next, hasAll: false, anchor: id }
}
