import { type FocusEvent, useEffect, useRef } from 'react'

/** Props of an element that takes the focus if its focused part is removed: in a table, the row that takes its place. */
export function useKeptFocus<E extends HTMLElement>() {
  const ref = useRef<E>(null)
  const focused = useRef<{ row: number } | null>(null)
  const rowsOf = (element: E) => [...element.querySelectorAll('tbody tr')]
  useEffect(() => {
    const element = ref.current
    if (!element || !focused.current || !document.activeElement?.matches('body, main')) return
    const row = rowsOf(element)[focused.current.row] as HTMLElement | undefined
    if (row) row.tabIndex = -1
    ;(row ?? element).focus({ preventScroll: true })
  })
  return {
    ref,
    tabIndex: -1,
    onFocus({ currentTarget, target }: FocusEvent<E>) {
      // React's events also come from the menus and dialogs of its parts.
      if (!currentTarget.contains(target)) return
      const row = rowsOf(currentTarget).findIndex((one) => one.contains(target))
      focused.current = { row }
    },
    onBlur({ target }: FocusEvent<E>) {
      // A disabled button loses the focus, too.
      if (!target.matches(':disabled')) focused.current = null
    },
  }
}
