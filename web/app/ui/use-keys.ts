import { type RefObject, useEffect, useEffectEvent } from 'react'
import { localStorage } from '../browser-storage'

/** What each key or sequence does: 'j', '?', 'escape', 'g i'. */
export type Keys = Readonly<Record<string, (event: KeyboardEvent) => void>>

/** Shortcuts and what they do, for the shortcuts dialog: ['J', 'Next conversation']. */
export interface KeyGroup {
  title: string
  keys: readonly (readonly [string, string])[]
}

interface KeysOptions {
  /** The shortcuts only work while this element is on screen. */
  onScreen?: RefObject<HTMLElement | null>
  /** Keys that repeat while they are held down. */
  repeated?: string
  /** Listed in the shortcuts dialog while the screen is open. Must not change. */
  groups?: readonly KeyGroup[]
}

/** Elements that receive all keys while focused: fields, and elements with `data-takes-keys`. */
const TYPED_INTO = 'input:not([type=checkbox], [type=radio]), textarea, select, [contenteditable], [data-takes-keys]'
/** A selector for popups, which open on top of a page. */
export const POPUPS = '[role=dialog], [role=alertdialog], [role=menu], [role=listbox]'
/** The longest time between the first and second key of a sequence. */
const SEQUENCE_MS = 1_500

/** Key in local storage: 'off' turns off single-character shortcuts (WCAG 2.1.4). */
export const LETTER_KEYS = 'letterKeys'

/** Whether single-character shortcuts are on in this browser. */
function letterKeysAreOn(): boolean {
  return localStorage.getItem(LETTER_KEYS) !== 'off'
}

const openGroups = new Set<KeyGroup>()

/** The shortcuts of the open screens, in the order in which they opened. */
export function activeKeys(): KeyGroup[] {
  return [...openGroups]
}

/** The first key of a sequence, and the key that followed it. */
let begun: { key: string; event: KeyboardEvent; next?: KeyboardEvent } | null = null

/** The key's name. For the second key of a sequence, it includes both keys, so that other screens ignore it. */
function nameOf(event: KeyboardEvent): string {
  const key = event.key.toLowerCase()
  if (!begun || begun.event === event) return key
  begun.next ??= event
  const isSecond = begun.next === event && event.timeStamp - begun.event.timeStamp < SEQUENCE_MS
  return isSecond ? `${begun.key} ${key}` : key
}

/** Sets a screen's shortcuts. They do nothing while someone types or a popup is open. */
export function useKeys(keys: Keys, { onScreen, repeated = '', groups }: KeysOptions = {}): void {
  const press = useEffectEvent((event: KeyboardEvent) => {
    if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return
    if (event.key.length === 1 && !letterKeysAreOn()) return
    const key = nameOf(event)
    const act = keys[key]
    const begins = Object.keys(keys).some((other) => other.startsWith(`${key} `))
    if (!act && !begins) return
    if (event.repeat && !repeated.includes(key)) return
    if (event.target instanceof Element && event.target.closest(TYPED_INTO)) return
    const { current: element = null } = onScreen ?? {}
    // A list box that is part of the screen is not a popup.
    if ([...document.querySelectorAll(POPUPS)].some((popup) => !element?.contains(popup))) return
    if (onScreen && !isOnScreen(element)) return
    if (begins) begun = { key, event }
    if (!act) return
    // The key must not be typed into a field that it focuses.
    event.preventDefault()
    act(event)
  })
  useEffect(() => {
    const listen = (event: KeyboardEvent) => press(event)
    document.addEventListener('keydown', listen)
    return () => document.removeEventListener('keydown', listen)
  }, [])
  useEffect(() => {
    for (const group of groups ?? []) openGroups.add(group)
    return () => {
      for (const group of groups ?? []) openGroups.delete(group)
    }
  }, [groups])
}

function isOnScreen(element: HTMLElement | null): boolean {
  const box = element?.getBoundingClientRect()
  return box !== undefined && box.bottom >= 0 && box.top <= innerHeight
}
