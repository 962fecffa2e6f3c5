import { type RefObject, useLayoutEffect } from 'react'
import { draftText } from './unsaved-drafts'

/** Focuses the field for an answer, or the note that there is none. */
export function focusReply(): void {
  const field = document.querySelector<HTMLElement>('[data-reply]')
  focusInPlace(field)
  // In a text that was never edited, the cursor would be at the start.
  if (field instanceof HTMLTextAreaElement && field.selectionEnd === 0) moveToEnd(field)
}

/** Adds a text to the reply box on the screen. @param id only to that of this conversation @returns false if there is none */
export function addToReply(text: string, id?: string): boolean {
  const box = document.querySelector<HTMLElement>(id === undefined ? '[data-reply]' : `[data-reply="${id}"]`)
  if (!(box instanceof HTMLTextAreaElement)) return false
  if (text === '') return true
  box.setRangeText(draftText(box.value, { text, isAddition: true }), 0, box.value.length, 'end')
  box.dispatchEvent(new Event('input', { bubbles: true }))
  return true
}

/** Presses the keys that send the answer in the reply box on the screen. */
export function pressSend(): void {
  const keys = { key: 'Enter', ctrlKey: true, bubbles: true, cancelable: true }
  document.querySelector('textarea[data-reply]')?.dispatchEvent(new KeyboardEvent('keydown', keys))
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
/** The conversation that opens with its field focused. */
let opening: string | null = null

/** Focuses the field of a conversation as soon as that opens. */
export function focusOnOpen(id: string): void {
  opening = id
}

/** Moves the focus when one field of a conversation replaces another, so that no keystroke is lost. */
export function useReplyFocus(id: string, ref: RefObject<HTMLElement | null>): void {
  useLayoutEffect(() => {
    const field = ref.current
    if (left === id || opening === id) {
      focusInPlace(field)
      if (field instanceof HTMLTextAreaElement) moveToEnd(field)
    }
    opening = null
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
