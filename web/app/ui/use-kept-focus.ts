import { type FocusEvent, useEffect, useRef } from 'react'

/** Props of an element that takes the focus when its focused part is removed. In a table, the next row takes it. */
export function useKeptFocus<E extends HTMLElement>() {
  const ref = useRef<E>(null)
  /** The table row with the focus, -1 outside of rows; null: the focus is elsewhere. */
  const focusedRow = useRef<number | null>(null)
  const rowsOf = (element: E) => [...element.querySelectorAll('tbody tr')]
  useEffect(() => {
    const element = ref.current
    if (!element || focusedRow.current === null || !document.activeElement?.matches('body, main')) return
    const row = rowsOf(element)[focusedRow.current] as HTMLElement | undefined
    if (row) row.tabIndex = -1
    ;(row ?? element).focus({ preventScroll: true })
  })
  return {
    ref,
    tabIndex: -1,
    onFocus({ currentTarget, target }: FocusEvent<E>) {
      // React's events also come from the menus and dialogs of its parts.
      if (!currentTarget.contains(target)) return
      focusedRow.current = rowsOf(currentTarget).findIndex((row) => row.contains(target))
    },
    onBlur({ target }: FocusEvent<E>) {
      // A disabled button loses the focus, too.
      if (!target.matches(':disabled')) focusedRow.current = null
    },
  }
}
