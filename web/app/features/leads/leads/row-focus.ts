const ROWS = 'tr[data-row]'

/** The lead whose row has the focus. */
export function focusedLead(): string | undefined {
  return document.activeElement?.closest<HTMLElement>(ROWS)?.dataset.row
}

/** Focuses the name in the next row, or in the previous one; at first that of the first row. */
export function moveFocus(step: 1 | -1): void {
  const rows = [...document.querySelectorAll<HTMLElement>(ROWS)]
  const at = rows.findIndex(({ dataset }) => dataset.row === focusedLead())
  const next = at < 0 ? rows[0] : rows[at + step]
  next?.querySelector<HTMLElement>('[data-opens]')?.focus()
}
