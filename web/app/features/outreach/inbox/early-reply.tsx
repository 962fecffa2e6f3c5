import { type KeyboardEvent, useEffect, useRef, useState } from 'react'
import { toast } from '../../../ui/toast'
import { leaveQueued, queueAnswer, queuedAnswer } from './answers-under-way'
import { useReplyFocus } from './reply-focus'
import { sends } from './send-keys'
import { unsavedDraft } from './unsaved-drafts'
import { useAddition } from './use-saved-draft'

/** Accepts typing before the conversation has loaded. The reply box then continues with the text. */
export function EarlyReply({ id }: { id: string }) {
  const ref = useRef<HTMLTextAreaElement>(null)
  const [text, setText] = useState(() => unsavedDraft(id)?.text ?? '')
  const queue = useQueuedAnswer(id)
  useReplyFocus(id, ref)
  useAddition(id, text)
  return (
    <>
      <textarea
        ref={ref}
        data-reply={id}
        dir="auto"
        aria-label="Reply"
        placeholder="Reply"
        className="block min-h-18 w-full resize-none rounded-lg border border-control bg-surface px-3.5 pt-3 pb-1 text-sm placeholder:text-faint pointer-coarse:text-base"
        value={text}
        onChange={(event) => setText(event.currentTarget.value)}
        readOnly={queue.queued !== null}
        onKeyDown={(event) => {
          if (queue.onKeyDown(event)) return
          if (sends(event) && text.trim() !== '') queue.add(text.trim())
          else if (event.key === 'Escape') event.currentTarget.blur()
        }}
      />
      {queue.note}
    </>
  )
}

/**
 * An answer that is sent once its conversation has loaded. Until then the reply box does not change,
 * because what the user types next is meant for the next person. It becomes a draft if the user leaves before.
 * @param name of the recipient; undefined if unknown
 */
export function useQueuedAnswer(id: string, name?: string) {
  const [queued, setQueued] = useState(() => queuedAnswer(id))
  const add = (text: string | null) => {
    queueAnswer(id, text)
    setQueued(text)
  }
  useEffect(
    () => () => {
      const isBoxOpen = document.querySelector(`textarea[data-reply="${id}"]`) !== null
      if (!leaveQueued(id, isBoxOpen)) return
      toast.info(
        `${name ? `${name}: not` : 'Not'} sent, because the conversation had not loaded. Your answer is a draft.`,
      )
    },
    [id, name],
  )
  return {
    queued,
    add,
    /** Esc cancels the sending. @returns whether it has handled the key */
    onKeyDown(event: KeyboardEvent): boolean {
      if (queued === null) return false
      if (event.key === 'Escape') add(null)
      // Tab still leaves the box.
      if (event.key !== 'Tab') event.preventDefault()
      return event.key !== 'Tab'
    },
    note: (
      <p role="status" className="text-xs text-muted empty:hidden">
        {queued !== null && 'Sent once the conversation has loaded. Press Esc to keep editing.'}
      </p>
    ),
  }
}

/** Ignores typed text, because a space would scroll the page. Esc leaves the field. */
function ignoreText(event: KeyboardEvent<HTMLElement>): void {
  if (event.key === 'Escape') event.currentTarget.blur()
  else if (event.key.length === 1 && !event.ctrlKey && !event.metaKey) event.preventDefault()
}

/** Absorbs typing if no answer is possible, and says so. The keys must not act as shortcuts. */
export function NoReply({ id }: { id: string }) {
  const ref = useRef<HTMLDivElement>(null)
  const [isFocused, setFocused] = useState(false)
  useReplyFocus(id, ref)
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: only a key focuses it, and it only says why nothing happens
    <div
      ref={ref}
      data-reply
      data-takes-keys
      tabIndex={-1}
      className="text-xs text-muted outline-none"
      onFocus={() => setFocused(true)}
      onBlur={() => setFocused(false)}
      onKeyDown={ignoreText}
    >
      <p role="status">{isFocused && "You can't reply here, so keys do nothing. Press Esc to use shortcuts again."}</p>
    </div>
  )
}
