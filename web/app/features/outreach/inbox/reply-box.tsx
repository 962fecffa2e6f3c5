import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { formatList, formatNumber } from '@x-automated/contract/format'
import type { Conversation, Draft, Message } from '@x-automated/contract/outreach/conversations'
import { Slash } from 'lucide-react'
import { type RefObject, useEffect, useRef, useState } from 'react'
import { api, client, errorCode, errorText } from '../../../api'
import { Button, IconButton } from '../../../ui/button'
import { Callout } from '../../../ui/callout'
import { Kbd } from '../../../ui/kbd'
import { useRefresh } from '../../../use-refresh'
import { MESSAGE_MAX } from '../campaigns/message-field'
import { undoable } from '../sequences/undoable'
import { SuggestionsNeedModel } from '../writer/connect-model'
import { useReplySuggestions } from '../writer/reply-suggestions'
import { cacheDraft } from './conversation-cache'
import { EmojiMenu } from './emoji-menu'
import { sinceText } from './inbox-text'
import { sendKeys } from './send-keys'
import { variablesIn, withValues } from './snippet-insertion'
import { useSnippetList } from './snippet-list'

const SAVE_AFTER_MS = 800

interface ReplyBoxProps {
  conversation: Pick<Conversation, 'id' | 'lead'>
  lastMessageId: string
  draft: Draft | null
  otherDrafts: readonly { userId: string; name: string; updatedAt: string }[]
  textarea: RefObject<HTMLTextAreaElement | null>
  /** What is on its way; null: nothing. */
  onSending: (text: string | null) => void
}

/** An answer: saved as it is written, and sent immediately. */
export function ReplyBox({ conversation, lastMessageId, draft, otherDrafts, textarea, onSending }: ReplyBoxProps) {
  const { id, lead } = conversation
  const [text, setText] = useState(draft?.text ?? '')
  const draftSaves = useSavedDraft(id, text, draft?.text ?? '')
  // What arrives while someone writes may change their answer, so the server refuses it once.
  const seenMessageId = useRef(lastMessageId)
  if (text === '') seenMessageId.current = lastMessageId
  const refresh = useRefresh()
  const answer = useAnswer()
  const send = useMutation({
    async mutationFn(sent: { text: string; afterMessageId: string }) {
      // A save that ends later would leave the draft behind.
      await draftSaves.settled()
      return answer({ id, ...sent })
    },
    onMutate(sent) {
      draftSaves.discard()
      setText('')
      onSending(sent.text)
    },
    onSuccess(message) {
      seenMessageId.current = message.id
    },
    onError(error, sent) {
      seenMessageId.current = newerIn(error)[0]?.id ?? sent.afterMessageId
      // What was not sent can be changed and sent again; what is typed meanwhile stays.
      if (errorCode(error) !== 'DM_UNSETTLED') setText((now) => now || sent.text)
    },
    onSettled: async () => {
      await refresh(api.conversations)
      onSending(null)
    },
  })
  const recipient = {
    ...lead,
    metadata: useQuery(api.leads.find.queryOptions({ input: { id: lead.id } })).data?.metadata ?? {},
  }
  const trimmed = text.trim()
  const variables = variablesIn(trimmed)
  const [asWritten, setAsWritten] = useState('')
  const isReady = trimmed !== '' && text.length <= MESSAGE_MAX && (variables.length === 0 || asWritten === trimmed)
  const submit = () => {
    if (isReady && !send.isPending) send.mutate({ text: trimmed, afterMessageId: seenMessageId.current })
  }
  const snippets = useSnippetList({ text, setText, textarea, recipient })
  const insert = (inserted: string) => {
    const start = textarea.current?.selectionStart ?? text.length
    const end = textarea.current?.selectionEnd ?? start
    setText(text.slice(0, start) + inserted + text.slice(end))
    requestAnimationFrame(() => textarea.current?.setSelectionRange(start + inserted.length, start + inserted.length))
  }
  const suggestions = useReplySuggestions({
    conversationId: id,
    isEmpty: text === '',
    onInsert(suggested) {
      setText(suggested)
      if (trimmed !== '') undoable('Reply replaced.', () => setText(text))
      textarea.current?.focus()
    },
  })
  const problem = send.isError && !send.isPending ? problemOf(send.error) : null
  return (
    // One column that a long word cannot widen.
    <div className="grid grid-cols-1 gap-2">
      {otherDrafts.map(({ userId, name, updatedAt }) => (
        <p key={userId} className="text-xs text-muted">
          <bdi>{name}</bdi> started a reply {sinceText(updatedAt, Date.now())}
        </p>
      ))}
      {problem && (
        <Callout tone={problem.tone} title={problem.title}>
          {problem.newer.map((message) => (
            <p key={message.id} className="wrap-anywhere">
              <span className="text-muted">{message.isOurs ? 'Your team: ' : 'They: '}</span>
              <bdi>{message.text ?? 'Text not stored'}</bdi>
            </p>
          ))}
          {problem.text}
        </Callout>
      )}
      {variables.length > 0 && asWritten !== trimmed && (
        <Variables
          names={variables}
          filled={withValues(text, recipient)}
          text={text}
          onFill={setText}
          onKeep={() => setAsWritten(trimmed)}
        />
      )}
      {/* biome-ignore lint/a11y/noStaticElementInteractions: a press beside the text focuses it */}
      {/* biome-ignore lint/a11y/useKeyWithClickEvents: the keyboard reaches the text itself */}
      <div
        className="relative rounded-lg border border-control bg-surface shadow-xs focus-within:border-accent-line focus-within:outline-2 focus-within:-outline-offset-1 focus-within:outline-accent-line"
        onClick={(event) => event.target === event.currentTarget && textarea.current?.focus()}
      >
        {snippets.list}
        {suggestions.bar}
        <div className="grid *:col-start-1 *:row-start-1">
          {suggestions.ghost && (
            <p
              aria-hidden
              className="pointer-events-none px-3.5 pt-3 pb-1 text-sm wrap-anywhere whitespace-pre-wrap text-faint pointer-coarse:text-base"
            >
              {suggestions.ghost}
            </p>
          )}
          <textarea
            ref={textarea}
            aria-label="Reply"
            aria-keyshortcuts="R"
            placeholder={suggestions.ghost ? '' : `Reply to ${lead.name || `@${lead.twitterHandle}`}`}
            maxLength={MESSAGE_MAX}
            className="block max-h-60 min-h-18 w-full resize-none overflow-y-auto bg-transparent px-3.5 pt-3 pb-1 text-sm outline-none field-sizing-content placeholder:text-faint pointer-coarse:text-base"
            value={text}
            onChange={(event) => {
              setText(event.currentTarget.value)
              if (send.isError) send.reset()
            }}
            onSelect={snippets.onSelect}
            {...snippets.props}
            onKeyDown={(event) => {
              if (snippets.onKeyDown(event) || suggestions.onKeyDown(event)) return
              if (event.key === 'Enter' && (event.metaKey || event.ctrlKey)) {
                event.preventDefault()
                submit()
              }
              if (event.key === 'Escape') event.currentTarget.blur()
            }}
          />
        </div>
        <div className="flex items-center gap-1 p-2">
          <IconButton
            size="sm"
            label="Snippets"
            title="Snippets (/)"
            icon={<Slash />}
            className="text-muted"
            onClick={snippets.open}
          />
          <EmojiMenu textarea={textarea} onPick={insert} />
          {suggestions.button}
          {suggestions.insertButton}
          <span className="me-2 ms-auto text-xs text-muted" data-numeric>
            {text !== '' && formatNumber(text.length)}
            <span className="sr-only"> characters</span>
          </span>
          <Button size="sm" variant="primary" disabled={!isReady} loading={send.isPending} onClick={submit}>
            Send <Kbd>{sendKeys()}</Kbd>
          </Button>
        </div>
      </div>
      <SuggestionsNeedModel />
    </div>
  )
}

interface VariablesProps {
  names: readonly string[]
  text: string
  /** The text with the values that the lead has. */
  filled: string
  onFill: (text: string) => void
  onKeep: () => void
}

/** Answers are sent as they are written, so a variable needs its value before. */
function Variables({ names, text, filled, onFill, onKeep }: VariablesProps) {
  const missing = variablesIn(filled)
  return (
    <Callout
      tone="warn"
      title={
        missing.length > 0 ? `No value for ${formatList(missing)}` : `${formatList(names)} would be sent as written`
      }
      action={
        <span className="flex flex-wrap gap-2">
          {filled !== text && (
            <Button size="sm" onClick={() => onFill(filled)}>
              Fill in
            </Button>
          )}
          <Button size="sm" variant="ghost" onClick={onKeep}>
            Keep as written
          </Button>
        </span>
      }
    >
      {missing.length > 0 ? 'Replace it before you send.' : null}
    </Callout>
  )
}

/** Sends an answer. If the response to it was lost, the same text repeats that call: never sent twice. */
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

/** Saves the text some time after it has changed, and when the box or the page closes. */
function useSavedDraft(id: string, text: string, savedBefore: string) {
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

interface Problem {
  tone: 'warn' | 'bad'
  title: string
  text: string
  newer: readonly Pick<Message, 'id' | 'text' | 'isOurs'>[]
}

/** What was said since the author looked, newest first; empty for other errors. */
function newerIn(error: unknown): readonly Message[] {
  const { data } = error as { data?: unknown }
  return errorCode(error) === 'CONVERSATION_CHANGED' && Array.isArray(data) ? data : []
}

const UNKNOWN = 'It is unknown whether this was sent'

/** What went wrong, and what to do. */
function problemOf(error: unknown): Problem {
  const text = errorText(error, 'Failed to send. Please try again.')
  switch (errorCode(error)) {
    case 'CONVERSATION_CHANGED':
      return {
        tone: 'warn',
        title: 'Not sent: the conversation has changed',
        text: 'Send again if it still fits.',
        newer: newerIn(error),
      }
    case 'DM_UNSETTLED':
      return { tone: 'warn', title: UNKNOWN, text, newer: [] }
    // No response: the same text again is sent at most once.
    case null:
      return { tone: 'warn', title: UNKNOWN, text: `${text} Sending it again sends it only once.`, newer: [] }
    default:
      return { tone: 'bad', title: 'Not sent', text, newer: [] }
  }
}
