import { type RefObject, useEffect, useEffectEvent } from 'react'

/** Where letters have another meaning. */
const TYPED_INTO = 'input, textarea, select, [contenteditable]'
const OPEN_LAYER = '[role="dialog"], [role="alertdialog"], [role="menu"]'

/**
 * Single letters that act while an element is on screen, nobody types and nothing is open above it.
 * @param keys by lower-case letter
 */
export function useKeysOnScreen(element: RefObject<HTMLElement | null>, keys: Readonly<Record<string, () => void>>) {
  const onKeyDown = useEffectEvent((event: KeyboardEvent) => {
    const act = keys[event.key.toLowerCase()]
    if (!act || event.defaultPrevented || event.repeat || event.ctrlKey || event.metaKey || event.altKey) return
    if (event.target instanceof Element && event.target.closest(TYPED_INTO)) return
    const box = element.current?.getBoundingClientRect()
    if (!box || box.bottom < 0 || box.top > innerHeight || document.querySelector(OPEN_LAYER)) return
    event.preventDefault()
    act()
  })
  useEffect(() => {
    const listen = (event: KeyboardEvent) => onKeyDown(event)
    addEventListener('keydown', listen)
    return () => removeEventListener('keydown', listen)
  }, [])
}
