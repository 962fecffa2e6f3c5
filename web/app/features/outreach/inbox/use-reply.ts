import { useMutation } from '@tanstack/react-query'
import { useEffect, useRef } from 'react'
import { generatePath, useNavigate } from 'react-router'
import { api, client, errorCode } from '../../../api'
import { paths } from '../../../paths'
import { toast } from '../../../ui/toast'
import { useRefresh } from '../../../use-refresh'
import { beginAnswer } from './answers-under-way'
import { newerIn, problemTitle } from './reply-problem'
import { useRestoreDraft, type useSavedDraft } from './use-saved-draft'

/** An answer, and the newest message that its author has seen. */
export interface SentAnswer {
  text: string
  /** The user has chosen to send the answer's variables as they are. */
  asWritten: boolean
  afterMessageId: string
}

interface ReplyOptions {
  conversationId: string
  /** The lead's name or handle. */
  name: string
  lastMessageId: string
  text: string
  setText: (change: string | ((text: string) => string)) => void
  draftSaves: ReturnType<typeof useSavedDraft>
  /** Called with the answer when it is sent, and with null when the call has ended. */
  onSending: (reply: SentAnswer | null) => void
}

/**
 * Sends an answer. Clears the reply box, and restores the text if it was not sent. If the box has
 * closed by then, the text becomes the draft again, and a toast says so.
 */
export function useReply({ conversationId, name, lastMessageId, text, setText, draftSaves, onSending }: ReplyOptions) {
  // A message that arrives while the user types may change their answer, so the server rejects the first attempt.
  const seenMessageId = useRef(lastMessageId)
  if (text === '') seenMessageId.current = lastMessageId
  const refresh = useRefresh()
  const navigate = useNavigate()
  const restoreDraft = useRestoreDraft(conversationId)
  const isClosed = useRef(false)
  useEffect(() => {
    isClosed.current = false
    return () => {
      isClosed.current = true
    }
  }, [])
  const reply = useMutation({
    async mutationFn({ endAnswer: _, ...sent }: SentAnswer & { endAnswer: () => void }) {
      // A save that finishes later would recreate the draft.
      await draftSaves.settled()
      return sendAnswer({ id: conversationId, ...sent })
    },
    onSuccess(message) {
      seenMessageId.current = message.id
    },
    onError(error, sent) {
      seenMessageId.current = newerIn(error)[0]?.id ?? sent.afterMessageId
      // An answer that was not sent can be edited and sent again. Text typed in the meantime stays.
      const isRestored = errorCode(error) !== 'DM_UNSETTLED'
      if (isRestored && !isClosed.current) setText((now) => now || sent.text)
      if (!isClosed.current) return
      if (isRestored) restoreDraft(sent.text)
      const onClick = () => void navigate(generatePath(paths.conversation, { conversationId }))
      toast.error(`${name}: ${problemTitle(error)}`, { action: { label: 'Open', onClick } })
    },
    async onSettled(_message, _error, { endAnswer }) {
      await refresh(api.conversations)
      endAnswer()
      onSending(null)
    },
  })
  return {
    ...reply,
    send(typed: Pick<SentAnswer, 'text' | 'asWritten'>) {
      const sent = { ...typed, afterMessageId: seenMessageId.current }
      // Before the call, because the box may close right after it and would save its text as a draft.
      draftSaves.discard()
      setText('')
      onSending(sent)
      reply.mutate({ ...sent, endAnswer: beginAnswer(conversationId) })
    },
  }
}

type Answer = Parameters<typeof client.conversations.answer>[0]
/** Calls without a response so far, by conversation. The reply box may have closed and opened again. */
const lostCalls = new Map<string, { body: Answer; idempotencyKey: string }>()

/** Sends an answer. After a lost response, sending the same text repeats that call, so it is never sent twice. */
async function sendAnswer(body: Answer) {
  const lost = lostCalls.get(body.id)
  const call = lost?.body.text === body.text ? lost : { body, idempotencyKey: crypto.randomUUID() }
  lostCalls.set(body.id, call)
  try {
    const message = await client.conversations.answer(call.body, { context: { idempotencyKey: call.idempotencyKey } })
    lostCalls.delete(body.id)
    return message
  } catch (error) {
    if (errorCode(error) !== null) lostCalls.delete(body.id)
    throw error
  }
}
