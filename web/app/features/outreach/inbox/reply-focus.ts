import { type RefObject, useLayoutEffect } from 'react'

/** Focuses the field for an answer, or the note that there is none. */
export function focusReply(): void {
  const field = document.querySelector<HTMLElement>('[data-reply]')
  focusInPlace(field)
  // In a text that was never edited, the cursor would be at the start.
  if (field instanceof HTMLTextAreaElement && field.selectionEnd === 0) moveToEnd(field)
}

/** Focuses a field, scrolling no more than needed. */
export function focusInPlace(field: HTMLElement | null): void {
  field?.focus({ preventScroll: true })
  field?.scrollIntoView({ block: 'nearest' })
}

function moveToEnd(field: HTMLTextAreaElement): void {
  field.setSelectionRange(field.value.length, field.value.length)
}

/** The conversation whose focused field is being replaced. */
let left: string | null = null

/** Moves the focus when one field of a conversation replaces another, so that no keystroke is lost. */
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
      // By then, the replacement has been rendered.
      queueMicrotask(() => {
        left = null
      })
    }
  }, [id, ref])
}
