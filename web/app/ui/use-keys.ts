import { type RefObject, useEffect, useEffectEvent } from 'react'

/** What each key does: 'j', '?', 'escape'. */
export type Keys = Readonly<Record<string, (event: KeyboardEvent) => void>>

interface KeysOptions {
  /** They act only while this element is on screen. */
  onScreen?: RefObject<HTMLElement | null>
  /** Keys that act again while they are held. */
  repeated?: string
}

const TYPED_INTO = 'input:not([type=checkbox], [type=radio]), textarea, select, [contenteditable]'
const POPUPS = '[role=dialog], [role=alertdialog], [role=menu], [role=listbox]'

/** Single keys of a screen. They do nothing while someone types or a popup is open. */
export function useKeys(keys: Keys, { onScreen, repeated = '' }: KeysOptions = {}): void {
  const press = useEffectEvent((event: KeyboardEvent) => {
    const key = event.key.toLowerCase()
    const act = keys[key]
    if (!act || event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return
    if (event.repeat && !repeated.includes(key)) return
    if (event.target instanceof Element && event.target.closest(TYPED_INTO)) return
    const { current: element = null } = onScreen ?? {}
    // A list on the screen itself is no popup.
    if ([...document.querySelectorAll(POPUPS)].some((popup) => !element?.contains(popup))) return
    if (onScreen && !isOnScreen(element)) return
    // The key must not be typed into a field that it focuses.
    event.preventDefault()
    act(event)
  })
  useEffect(() => {
    const listen = (event: KeyboardEvent) => press(event)
    document.addEventListener('keydown', listen)
    return () => document.removeEventListener('keydown', listen)
  }, [])
}

function isOnScreen(element: HTMLElement | null): boolean {
  const box = element?.getBoundingClientRect()
  return box !== undefined && box.bottom >= 0 && box.top <= innerHeight
}
