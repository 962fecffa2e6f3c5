import { type FocusEvent, useEffect, useRef } from 'react'
import { POPUPS } from './use-keys'

const KEEPER = '[data-keeps-focus]'
const rowsOf = (keeper: Element) => [...keeper.querySelectorAll<HTMLElement>('tbody tr')]

/** Finds what takes the focus from an element that was removed or disabled. Null if the element can keep it. */
type FindFallback = () => HTMLElement | null

/** The fallback for the last focused element. Stays while a menu or dialog of that element has the focus. */
let latestFallback: FindFallback | null = null

function fallbackFor(focused: Element): FindFallback {
  const keepers: { keeper: HTMLElement; row: number }[] = []
  for (let at = focused.closest<HTMLElement>(KEEPER); at; at = at.parentElement?.closest<HTMLElement>(KEEPER) ?? null)
    keepers.push({ keeper: at, row: rowsOf(at).findIndex((row) => row.contains(focused)) })
  return () => {
    if (focused.isConnected && !focused.matches(':disabled')) return null
    const left = keepers.find(({ keeper }) => keeper.isConnected)
    if (!left) return null
    const rows = rowsOf(left.keeper)
    const row = rows[Math.min(left.row, rows.length - 1)]
    if (row) row.tabIndex = -1
    return row ?? left.keeper
  }
}

/** The `finalFocus` of a dialog: the element that opened it or, if that is gone, its fallback. */
export function finalFocus(returnsTo?: () => HTMLElement | null | undefined): HTMLElement | boolean {
  // The user may have moved on during the closing animation.
  if (!document.activeElement?.matches('body, main, [data-closed], [data-closed] *')) return false
  const target = returnsTo?.()
  if (target) return target
  const fallback = latestFallback?.()
  fallback?.focus({ preventScroll: true })
  return !fallback
}

/**
 * Props of an element that takes the focus when a focused part of it is removed or disabled. In a
 * table, the next row takes it, or the last row.
 */
export function useFocusFallback<E extends HTMLElement>() {
  const ref = useRef<E>(null)
  const fallback = useRef<FindFallback | null>(null)
  const keepFocus = () => {
    if (!document.activeElement?.matches('body, main')) return
    fallback.current?.()?.focus({ preventScroll: true })
  }
  useEffect(keepFocus)
  return {
    ref,
    tabIndex: -1,
    'data-keeps-focus': true,
    onFocus({ currentTarget, target }: FocusEvent<E>) {
      // In React, events also bubble from menus and dialogs that its parts render.
      if (!currentTarget.contains(target)) return
      fallback.current = fallbackFor(target)
      latestFallback = fallback.current
    },
    onBlur({ currentTarget, target, relatedTarget }: FocusEvent<E>) {
      if (!currentTarget.contains(target)) return
      if (target.matches(':disabled')) {
        // A disabled button only loses the focus once the browser has rendered it.
        setTimeout(keepFocus)
        return
      }
      fallback.current = null
      if (!relatedTarget?.closest(POPUPS)) latestFallback = null
    },
  }
}
