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
  texts: readonly string[]
}

/** The texts of single drafts. */
export const textsOf = (drafts: readonly Draft[]): string[] =>
  drafts.flatMap((draft) => ('text' in draft ? [draft.text] : []))

/**
 * Suggests answers to a message without being asked. Calls the model at most once per message and tab,
 * even after a reload or an error. Nobody asked, so an error shows nothing.
 * @param messageId null: there is nothing to answer @param mayAsk whether to call the model
 */
export function useEarlySuggestions(conversationId: string, messageId: string | null, mayAsk: boolean) {
  const queries = useQueryClient()
  const [isOpenLong, setOpenLong] = useState(false)
  useEffect(() => {
    const timer = setTimeout(() => setOpenLong(true), OPEN_FOR_MS)
    return () => clearTimeout(timer)
  }, [])
  const queryKey = ['earlySuggestions', conversationId, messageId]
  const { data } = useQuery({
    queryKey,
    queryFn: () => suggest(conversationId, messageId ?? ''),
    enabled: messageId !== null && mayAsk && isOpenLong && localStorage.getItem(SUGGESTED_ANSWERS) !== 'off',
    initialData: messageId === null ? undefined : storedTexts(conversationId, messageId),
    staleTime: Number.POSITIVE_INFINITY,
  })
  return {
    texts: data ?? [],
    drop() {
      if (messageId === null) return
      storeTexts({ conversationId, messageId, texts: [] })
      queries.setQueryData(queryKey, [])
    },
  }
}

/** Suggests answers to a message, from this tab's storage or else from the model. Never rejects. */
export async function suggest(conversationId: string, messageId: string): Promise<readonly string[]> {
  const stored = storedTexts(conversationId, messageId)
  if (stored) return stored
  // Stored before the call, so that a reload does not repeat it.
  storeTexts({ conversationId, messageId, texts: [] })
  try {
    const texts = textsOf((await readDrafts({ kind: 'reply', conversationId })).drafts)
    storeTexts({ conversationId, messageId, texts })
    return texts
  } catch {
    return []
  }
}

/** The suggestions that this tab has stored for a message; undefined if it never asked. */
export function storedTexts(conversationId: string, messageId: string): readonly string[] | undefined {
  const isSame = (suggested: Suggested) =>
    suggested.conversationId === conversationId && suggested.messageId === messageId
  return readStored().find(isSame)?.texts
}

function storeTexts(suggested: Suggested): void {
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
