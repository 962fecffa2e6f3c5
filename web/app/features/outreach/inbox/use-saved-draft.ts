import { useQueryClient } from '@tanstack/react-query'
import { MESSAGE_MAX } from '@x-automated/contract/outreach/template'
import { useEffect, useRef, useState } from 'react'
import { client } from '../../../api'
import { cacheDraft } from './conversation-cache'

const SAVE_AFTER_MS = 800

/** Saves a draft's text if it differs from the last one that was saved. @param saved that text */
export function createDraftSaves(saved: string, send: (text: string) => Promise<unknown>) {
  let saving: Promise<unknown> = Promise.resolve()
  return {
    save(text: string) {
      if (text === saved || text.length > MESSAGE_MAX) return
      const before = saved
      saved = text
      // The next change saves it again.
      saving = send(text).catch(() => {
        if (saved === text) saved = before
      })
    },
    settled: () => saving,
    /** The server has deleted the draft, or will. */
    discard() {
      saved = ''
    },
  }
}

/** Saves the text shortly after each change, and when the box or the page closes. */
export function useSavedDraft(id: string, text: string, savedBefore: string) {
  const queries = useQueryClient()
  const [saves] = useState(() =>
    createDraftSaves(savedBefore, (next) => {
      cacheDraft(queries, id, next)
      return client.conversations.saveDraft({ id, text: next })
    }),
  )
  const latest = useRef(text)
  latest.current = text
  useEffect(() => {
    const timer = setTimeout(() => saves.save(text), SAVE_AFTER_MS)
    return () => clearTimeout(timer)
  }, [saves, text])
  useEffect(() => {
    const save = () => saves.save(latest.current)
    addEventListener('pagehide', save)
    return () => {
      removeEventListener('pagehide', save)
      save()
    }
  }, [saves])
  return {
    settled: saves.settled,
    /** The server deletes the draft of what is sent. */
    discard() {
      saves.discard()
      latest.current = ''
      cacheDraft(queries, id, '')
    },
  }
}
