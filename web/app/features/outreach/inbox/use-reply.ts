import { useMutation } from '@tanstack/react-query'
import { useRef } from 'react'
import { api, client, errorCode } from '../../../api'
import { useRefresh } from '../../../use-refresh'
import { newerIn } from './reply-problem'
import type { useSavedDraft } from './use-saved-draft'

/** An answer, and the newest message that its author has seen. */
export interface SentAnswer {
  text: string
  /** The user has chosen to send the answer's variables as they are. */
  asWritten: boolean
  afterMessageId: string
}

interface ReplyOptions {
  conversationId: string
  lastMessageId: string
  text: string
  setText: (change: string | ((text: string) => string)) => void
  draftSaves: ReturnType<typeof useSavedDraft>
  /** Called with the answer when it is sent, and with null when the call has ended. */
  onSending: (reply: SentAnswer | null) => void
}

/** Sends an answer. Clears the reply box, and restores the text if it was not sent. */
export function useReply({ conversationId, lastMessageId, text, setText, draftSaves, onSending }: ReplyOptions) {
  // A message that arrives while the user types may change their answer, so the server rejects the first attempt.
  const seenMessageId = useRef(lastMessageId)
  if (text === '') seenMessageId.current = lastMessageId
  const refresh = useRefresh()
  const sendReply = useAnswer()
  const reply = useMutation({
    async mutationFn(sent: SentAnswer) {
      // A save that finishes later would recreate the draft.
      await draftSaves.settled()
      return sendReply({ id: conversationId, ...sent })
    },
    onMutate(sent) {
      draftSaves.discard()
      setText('')
      onSending(sent)
    },
    onSuccess(message) {
      seenMessageId.current = message.id
    },
    onError(error, sent) {
      seenMessageId.current = newerIn(error)[0]?.id ?? sent.afterMessageId
      // An answer that was not sent can be edited and sent again. Text typed in the meantime stays.
      if (errorCode(error) !== 'DM_UNSETTLED') setText((now) => now || sent.text)
    },
    onSettled: async () => {
      await refresh(api.conversations)
      onSending(null)
    },
  })
  return {
    ...reply,
    send: (sent: Pick<SentAnswer, 'text' | 'asWritten'>) =>
      reply.mutate({ ...sent, afterMessageId: seenMessageId.current }),
  }
}

/** Sends an answer. After a lost response, sending the same text repeats that call, so it is never sent twice. */
function useAnswer() {
  type Answer = Parameters<typeof client.conversations.answer>[0]
  const lost = useRef<{ body: Answer; idempotencyKey: string } | null>(null)
  return async (body: Answer) => {
    const call = lost.current?.body.text === body.text ? lost.current : { body, idempotencyKey: crypto.randomUUID() }
    lost.current = call
    try {
      const message = await client.conversations.answer(call.body, { context: { idempotencyKey: call.idempotencyKey } })
      lost.current = null
      return message
    } catch (error) {
      if (errorCode(error) !== null) lost.current = null
      throw error
    }
  }
}
