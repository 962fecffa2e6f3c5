const ROWS = 'tr[data-row]'

/** The lead whose row has the focus. */
export function focusedLead(): string | undefined {
  return document.activeElement?.closest<HTMLElement>(ROWS)?.dataset.row
}

/** Moves focus to the name in the next or previous row, starting with the first. */
export function moveFocus(step: 1 | -1): void {
  const rows = [...document.querySelectorAll<HTMLElement>(ROWS)]
  const at = rows.findIndex(({ dataset }) => dataset.row === focusedLead())
  const next = at < 0 ? rows[0] : rows[at + step]
  next?.querySelector<HTMLElement>('[data-opens]')?.focus()
}
