import { useQuery, useQueryClient } from '@tanstack/react-query'
import type { Draft } from '@x-automated/contract/outreach/writer'
import { useEffect, useState } from 'react'
import { localStorage, sessionStorage } from '../../../browser-storage'
import { typedKey } from '../../../typed-text'
import { readDrafts } from './use-drafts'

/** Key in local storage: 'off' suggests answers in this browser only on request. */
export const SUGGESTED_ANSWERS = 'suggestedAnswers'

/** Conversations that are only passed with J and K cost no call. */
const OPEN_FOR_MS = 500
/** How many conversations' suggestions a tab keeps. */
const STORED_MAX = 50

interface Suggested {
  conversationId: string
  /** The message that is answered. */
  messageId: string
  /** Null while the model is writing. */
  texts: readonly string[] | null
}

/** The texts of single drafts. */
export const textsOf = (drafts: readonly Draft[]): string[] =>
  drafts.flatMap((draft) => ('text' in draft ? [draft.text] : []))

/**
 * Suggests answers to a message without being asked. Calls the model at most once while a conversation is
 * open, and once per message and tab, even after a reload or an error. Nobody asked, so an error shows nothing.
 * @param messageId null: there is nothing to answer @param mayAsk whether to call the model
 */
export function useEarlySuggestions(conversationId: string, messageId: string | null, mayAsk: boolean) {
  const queries = useQueryClient()
  const [isOpenLong, setOpenLong] = useState(false)
  /** The message for which the model was called, or null if it may still be called. */
  const [askedFor, setAskedFor] = useState<string | null>(null)
  useEffect(() => {
    const timer = setTimeout(() => setOpenLong(true), OPEN_FOR_MS)
    return () => clearTimeout(timer)
  }, [])
  const isDue = messageId !== null && mayAsk && isOpenLong && localStorage.getItem(SUGGESTED_ANSWERS) !== 'off'
  if (isDue && askedFor === null) setAskedFor(messageId)
  const queryKey = ['earlySuggestions', conversationId, messageId]
  const { data, isFetching } = useQuery({
    queryKey,
    queryFn: () => suggest(conversationId, messageId ?? ''),
    enabled: isDue && askedFor === messageId,
    initialData: () => (messageId === null ? undefined : storedTexts(conversationId, messageId)),
    staleTime: Number.POSITIVE_INFINITY,
  })
  return {
    texts: data ?? [],
    isWriting: isFetching,
    /** Drops the suggestions, and those that the model is still writing. */
    drop() {
      setAskedFor(messageId ?? '')
      if (messageId === null) return
      storeTexts({ conversationId, messageId, texts: [] })
      void queries.cancelQueries({ queryKey })
      queries.setQueryData(queryKey, [])
    },
  }
}

/** Suggests answers to a message, from this tab's storage or else from the model. Never rejects. */
export async function suggest(conversationId: string, messageId: string): Promise<readonly string[]> {
  const stored = storedTexts(conversationId, messageId)
  if (stored) return stored
  // Stored before the call, so that a reload does not repeat it.
  storeTexts({ conversationId, messageId, texts: null })
  try {
    const texts = textsOf((await readDrafts({ kind: 'reply', conversationId })).drafts)
    // Dropped, or replaced by those for a newer message.
    if (findStored(conversationId, messageId)?.texts !== null) return []
    storeTexts({ conversationId, messageId, texts })
    return texts
  } catch {
    return []
  }
}

/** The suggestions that this tab has stored for a message; undefined if it never asked. */
export function storedTexts(conversationId: string, messageId: string): readonly string[] | undefined {
  const suggested = findStored(conversationId, messageId)
  return suggested && (suggested.texts ?? [])
}

function findStored(conversationId: string, messageId: string): Suggested | undefined {
  return readStored().find(
    (suggested) => suggested.conversationId === conversationId && suggested.messageId === messageId,
  )
}

/** Stores suggestions in this tab, instead of those for an earlier message. */
export function storeTexts(suggested: Suggested): void {
  const key = typedKey('suggestions')
  if (key === null) return
  const others = readStored().filter(({ conversationId }) => conversationId !== suggested.conversationId)
  sessionStorage.setItem(key, JSON.stringify([suggested, ...others].slice(0, STORED_MAX)))
}

function readStored(): readonly Suggested[] {
  const key = typedKey('suggestions')
  try {
    return key === null ? [] : (JSON.parse(sessionStorage.getItem(key) ?? '[]') as Suggested[])
  } catch {
    return []
  }
}
