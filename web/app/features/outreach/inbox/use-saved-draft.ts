import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useRef } from 'react'
import { client } from '../../../api'
import { cacheDraft } from './conversation-cache'

const SAVE_AFTER_MS = 800

/** Saves the text some time after it has changed, and when the box or the page closes. */
export function useSavedDraft(id: string, text: string, savedBefore: string) {
  const queries = useQueryClient()
  const saved = useRef(savedBefore)
  const saving = useRef<Promise<unknown>>(Promise.resolve())
  const latest = useRef(text)
  latest.current = text
  const save = useRef(() => {
    if (latest.current === saved.current) return
    const next = latest.current
    saved.current = next
    cacheDraft(queries, id, next)
    // The next change saves it again.
    saving.current = client.conversations.saveDraft({ id, text: next }).catch(() => {
      if (saved.current === next) saved.current = ''
    })
  })
  // biome-ignore lint/correctness/useExhaustiveDependencies: each change starts the time again
  useEffect(() => {
    const timer = setTimeout(save.current, SAVE_AFTER_MS)
    return () => clearTimeout(timer)
  }, [text])
  useEffect(() => {
    const { current } = save
    addEventListener('pagehide', current)
    return () => {
      removeEventListener('pagehide', current)
      current()
    }
  }, [])
  return {
    settled: () => saving.current,
    /** The server deletes the draft of what is sent. */
    discard() {
      saved.current = ''
      latest.current = ''
      cacheDraft(queries, id, '')
    },
  }
}
