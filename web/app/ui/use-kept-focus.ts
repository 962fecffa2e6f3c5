import { type FocusEvent, useEffect, useRef } from 'react'
import { POPUPS } from './use-keys'

const KEEPER = '[data-keeps-focus]'
const rowsOf = (keeper: Element) => [...keeper.querySelectorAll<HTMLElement>('tbody tr')]

/** What takes the focus of an element once that is removed; null: it isn't. */
type Heir = () => HTMLElement | null

/** Of the element that had the focus last, also while a menu or dialog that it opened has it. */
let latestHeir: Heir | null = null

function heirOf(focused: Element): Heir {
  const keepers: { keeper: HTMLElement; row: number }[] = []
  for (let at = focused.closest<HTMLElement>(KEEPER); at; at = at.parentElement?.closest<HTMLElement>(KEEPER) ?? null)
    keepers.push({ keeper: at, row: rowsOf(at).findIndex((row) => row.contains(focused)) })
  return () => {
    if (focused.isConnected && !focused.matches(':disabled')) return null
    const left = keepers.find(({ keeper }) => keeper.isConnected)
    if (!left) return null
    const row = rowsOf(left.keeper)[left.row]
    if (row) row.tabIndex = -1
    return row ?? left.keeper
  }
}

/** The `finalFocus` of a dialog. By default what opened it, or its heir once that is gone. */
export function finalFocus(returnsTo?: () => HTMLElement | null | undefined): HTMLElement | boolean {
  // Someone may have moved on while the dialog faded.
  if (!document.activeElement?.matches('body, main, [data-closed], [data-closed] *')) return false
  const target = returnsTo?.()
  if (target) return target
  const heir = latestHeir?.()
  heir?.focus({ preventScroll: true })
  return !heir
}

/** Props of an element that takes the focus when its focused part is removed. In a table, the next row takes it. */
export function useKeptFocus<E extends HTMLElement>() {
  const ref = useRef<E>(null)
  const heir = useRef<Heir | null>(null)
  useEffect(() => {
    if (!document.activeElement?.matches('body, main')) return
    heir.current?.()?.focus({ preventScroll: true })
  })
  return {
    ref,
    tabIndex: -1,
    'data-keeps-focus': true,
    onFocus({ currentTarget, target }: FocusEvent<E>) {
      // React's events also come from the menus and dialogs of its parts.
      if (!currentTarget.contains(target)) return
      heir.current = heirOf(target)
      latestHeir = heir.current
    },
    onBlur({ currentTarget, target, relatedTarget }: FocusEvent<E>) {
      // A disabled button loses the focus, too.
      if (!currentTarget.contains(target) || target.matches(':disabled')) return
      heir.current = null
      if (!relatedTarget?.closest(POPUPS)) latestHeir = null
    },
  }
}
