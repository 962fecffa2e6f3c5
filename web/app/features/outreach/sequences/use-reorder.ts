import { type KeyboardEvent, type PointerEvent, type RefObject, useEffect, useEffectEvent, useRef } from 'react'

/**
 * Reorders list children with `data-step`, by pointer or arrow keys.
 * @param keys the values of `data-step`, in order
 * @returns a function that returns the props of an item's handle, by its key
 */
export function useReorder(
  list: RefObject<HTMLElement | null>,
  keys: readonly string[],
  move: (from: number, to: number) => void,
) {
  const focusOn = useRef<string | null>(null)
  const itemOf = (key: string | undefined) => list.current?.querySelector<HTMLElement>(`[data-step="${key}"]`)

  // Restores the focus, which an element loses when it moves in the document.
  useEffect(() => {
    if (focusOn.current === null) return
    itemOf(focusOn.current)?.querySelector<HTMLElement>('[data-handle]')?.focus()
    focusOn.current = null
  })

  const moveTo = useEffectEvent((key: string, y: number) => {
    const from = keys.indexOf(key)
    const middle = (at: number) => {
      const box = itemOf(keys[at])?.getBoundingClientRect()
      return box && box.top + box.height / 2
    }
    const [above, below] = [middle(from - 1), middle(from + 1)]
    if (above !== undefined && y < above) move(from, from - 1)
    else if (below !== undefined && y > below) move(from, from + 1)
  })

  const dragging = useRef<AbortController | null>(null)
  useEffect(() => () => dragging.current?.abort(), [])

  return (key: string) => ({
    'data-handle': '',
    onKeyDown(event: KeyboardEvent) {
      const by = event.key === 'ArrowUp' ? -1 : event.key === 'ArrowDown' ? 1 : 0
      if (by === 0) return
      event.preventDefault()
      focusOn.current = key
      move(keys.indexOf(key), keys.indexOf(key) + by)
    },
    onPointerDown(event: PointerEvent) {
      if (event.button !== 0) return
      dragging.current?.abort()
      const drag = new AbortController()
      dragging.current = drag
      itemOf(key)?.setAttribute('data-dragged', '')
      drag.signal.addEventListener('abort', () => itemOf(key)?.removeAttribute('data-dragged'))
      const options = { signal: drag.signal }
      addEventListener('pointermove', ({ clientY }) => moveTo(key, clientY), options)
      for (const end of ['pointerup', 'pointercancel']) addEventListener(end, () => drag.abort(), options)
    },
  })
}
