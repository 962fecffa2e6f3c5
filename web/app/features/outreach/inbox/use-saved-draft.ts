import { type QueryClient, useQueryClient } from '@tanstack/react-query'
import { MESSAGE_MAX } from '@x-automated/contract/outreach/template'
import { useEffect, useLayoutEffect, useRef, useState } from 'react'
import { api, client } from '../../../api'
import { cacheDraft } from './conversation-cache'
import { addToReply } from './reply-focus'
import { draftText, forgetSaved, keepUnsaved, unsavedDraft } from './unsaved-drafts'

const SAVE_AFTER_MS = 800

/** Saves a draft whenever its text differs from the last saved one. @param saved the last saved text */
export function createDraftSaves(saved: string, send: (text: string) => Promise<unknown>) {
  let saving: Promise<unknown> = Promise.resolve()
  return {
    save(text: string) {
      if (text === saved || text.length > MESSAGE_MAX) return
      const before = saved
      saved = text
      // If the call fails, the next `save` sends the text again.
      saving = send(text).catch(() => {
        if (saved === text) saved = before
      })
    },
    settled: () => saving,
    isSaved: (text: string) => text === saved,
    /** Marks the draft as deleted, because the server has deleted it or is about to. */
    discard() {
      saved = ''
    },
  }
}

/** Conversations whose reply box is open. Nothing else may save their draft. */
const openIds = new Set<string>()

/** The text of a reply box, saved shortly after each change. @param saved the draft; undefined if unknown */
export function useSavedDraft(id: string, saved: string | undefined) {
  const queries = useQueryClient()
  const [text, setText] = useState(() => draftText(saved, unsavedDraft(id)))
  const isKnown = saved !== undefined
  const [wasKnown, setWasKnown] = useState(isKnown)
  if (isKnown && !wasKnown) {
    setWasKnown(true)
    setText(draftText(saved, { text, isAddition: unsavedDraft(id)?.isAddition ?? true }))
  }
  useAddition(id, isKnown ? null : text)
  const drafts = useDraftAutosave(id, isKnown ? text : null, saved ?? '')
  return {
    text,
    setText,
    isKnown,
    settled: drafts.settled,
    /** Removes the draft here. The server deletes it when the answer is sent. */
    discard() {
      drafts.discard()
      keepUnsaved(id, null)
      cacheDraft(queries, id, '')
    },
  }
}

/** Returns a function that restores the draft of a conversation whose reply box has closed. */
export function useRestoreDraft(id: string): (text: string) => void {
  const queries = useQueryClient()
  return (text) => {
    // It may be open again. Its box then saves the text.
    if (addToReply(text, id)) return
    // If the call fails, the text stays stored in this tab.
    void saveDraft(queries, id, draftText(unsavedDraft(id)?.text, { text, isAddition: true })).catch(() => {})
  }
}

/** Stores text typed before the draft has loaded. Saves it if the user leaves the conversation before that. */
export function useAddition(id: string, text: string | null) {
  const queries = useQueryClient()
  const isAddition = text !== null
  useLayoutEffect(() => {
    if (text !== null) keepUnsaved(id, { text, isAddition: unsavedDraft(id)?.isAddition ?? true })
  }, [id, text])
  useEffect(() => {
    if (!isAddition) return
    openIds.add(id)
    return () => {
      openIds.delete(id)
      if (unsavedDraft(id)?.isAddition) void saveAddition(queries, id)
    }
  }, [queries, id, isAddition])
}

/** Saves text from a conversation that the user left before its draft had loaded. */
async function saveAddition(queries: QueryClient, id: string): Promise<void> {
  try {
    const { draft, isEncrypted, suppression } = await client.conversations.find({ id })
    const addition = unsavedDraft(id)
    if (!addition?.isAddition || openIds.has(id)) return
    if (isEncrypted || suppression === 'suppressed') return keepUnsaved(id, null)
    await saveDraft(queries, id, draftText(draft?.text ?? '', addition))
  } catch {
    // The text stays stored in this tab, and appears in the reply box next time.
  }
}

/** Saves a draft. This tab stores it until the server has it. */
async function saveDraft(queries: QueryClient, id: string, text: string): Promise<void> {
  keepUnsaved(id, { text, isAddition: false })
  cacheDraft(queries, id, text)
  await client.conversations.saveDraft({ id, text })
  if (unsavedDraft(id)?.text !== text) return
  keepUnsaved(id, null)
  // A response that predates the save would restore the old draft.
  const { queryKey } = api.conversations.find.infiniteOptions({
    input: (cursor: string | undefined) => ({ id, cursor }),
    initialPageParam: undefined,
    getNextPageParam: () => undefined,
  })
  if (queries.isFetching({ queryKey })) await queries.invalidateQueries({ queryKey })
  else cacheDraft(queries, id, text)
}

/**
 * Saves the complete draft shortly after each change, and when the box or the page closes.
 * @param text null if unknown
 */
function useDraftAutosave(id: string, text: string | null, savedBefore: string) {
  const queries = useQueryClient()
  const saves = useRef<ReturnType<typeof createDraftSaves>>(null)
  if (text !== null) saves.current ??= createDraftSaves(savedBefore, (next) => saveDraft(queries, id, next))
  const latest = useRef(text)
  useLayoutEffect(() => {
    latest.current = text
    if (text === null || !saves.current) return
    if (!saves.current.isSaved(text)) keepUnsaved(id, { text, isAddition: false })
    else if (unsavedDraft(id)?.text !== text) keepUnsaved(id, null)
    else forgetSaved(id, text)
  }, [id, text])
  useEffect(() => {
    if (text === null) return
    const timer = setTimeout(() => saves.current?.save(text), SAVE_AFTER_MS)
    return () => clearTimeout(timer)
  }, [text])
  useEffect(() => {
    const save = () => {
      if (latest.current !== null) saves.current?.save(latest.current)
    }
    addEventListener('pagehide', save)
    return () => {
      removeEventListener('pagehide', save)
      save()
    }
  }, [])
  return {
    settled: async () => saves.current?.settled(),
    discard() {
      saves.current?.discard()
      latest.current = ''
    },
  }
}
