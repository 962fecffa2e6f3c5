import { type RefObject, useLayoutEffect } from 'react'

/** Focuses what takes an answer, or says that nothing does. */
export function focusReply(): void {
  const field = document.querySelector<HTMLElement>('[data-reply]')
  focusInPlace(field)
  // A text that was never edited has its cursor at the start.
  if (field instanceof HTMLTextAreaElement && field.selectionEnd === 0) moveToEnd(field)
}

/** Focuses a field, and scrolls no further than it takes to show it. */
export function focusInPlace(field: HTMLElement | null): void {
  field?.focus({ preventScroll: true })
  field?.scrollIntoView({ block: 'nearest' })
}

function moveToEnd(field: HTMLTextAreaElement): void {
  field.setSelectionRange(field.value.length, field.value.length)
}

/** The conversation whose focused field is being replaced. */
let left: string | null = null

/** Passes the focus on when one field of a conversation replaces another, so that no key is lost. */
export function useReplyFocus(id: string, ref: RefObject<HTMLElement | null>): void {
  useLayoutEffect(() => {
    const field = ref.current
    if (left === id) {
      focusInPlace(field)
      if (field instanceof HTMLTextAreaElement) moveToEnd(field)
    }
    return () => {
      if (document.activeElement !== field) return
      left = id
      // What replaces it is shown before this runs.
      queueMicrotask(() => {
        left = null
      })
    }
  }, [id, ref])
}
