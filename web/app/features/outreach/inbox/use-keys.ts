import { useEffect, useRef } from 'react'

/** What each key does: 'j', '?', '1'. */
export type Keys = Record<string, () => void>

const TYPED_INTO = 'input:not([type=checkbox], [type=radio]), textarea, select, [contenteditable]'
const POPUPS = '[role=dialog], [role=alertdialog], [role=menu], [role=listbox]'

/** Single keys of a screen. They do nothing while someone types or a popup is open. */
export function useKeys(keys: Keys): void {
  const current = useRef(keys)
  current.current = keys
  useEffect(() => {
    const press = (event: KeyboardEvent) => {
      if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return
      if (event.target instanceof Element && event.target.closest(`${TYPED_INTO}, ${POPUPS}`)) return
      const act = current.current[event.key.length === 1 ? event.key.toLowerCase() : event.key]
      // A key that is held only moves on: it must not change one conversation after another.
      if (!act || (event.repeat && !/^[jk]$/i.test(event.key))) return
      // The key must not be typed into a field that it focuses.
      event.preventDefault()
      act()
    }
    document.addEventListener('keydown', press)
    return () => document.removeEventListener('keydown', press)
  }, [])
}
