import { useQuery } from '@tanstack/react-query'
import { formatList, formatNumber } from '@x-automated/contract/format'
import { type Conversation, type Draft, isWaiting } from '@x-automated/contract/outreach/conversations'
import { MESSAGE_MAX } from '@x-automated/contract/outreach/template'
import { lintText } from '@x-automated/contract/outreach/writer-text'
import { Slash } from 'lucide-react'
import { type RefObject, useEffect, useEffectEvent, useState } from 'react'
import { api } from '../../../api'
import { Button, IconButton } from '../../../ui/button'
import { Callout } from '../../../ui/callout'
import { Kbd } from '../../../ui/kbd'
import { toast } from '../../../ui/toast'
import { undoable } from '../sequences/undoable'
import { SuggestionsNeedModel } from '../writer/connect-model'
import { useReplySuggestions } from '../writer/reply-suggestions'
import { useQueuedAnswer } from './early-reply'
import { EmojiMenu } from './emoji-menu'
import { sinceText } from './inbox-text'
import { useReplyFocus } from './reply-focus'
import { ReplyProblem } from './reply-problem'
import { sendKeys, sends } from './send-keys'
import { variablesIn, withValues } from './snippet-insertion'
import { useSnippetList } from './snippet-list'
import { type SentAnswer, useReply } from './use-reply'
import { useSavedDraft } from './use-saved-draft'

interface ReplyBoxProps {
  conversation: Pick<Conversation, 'id' | 'lead' | 'status' | 'label' | 'suppression' | 'lastMessage'>
  lastMessageId: string
  /** Undefined if unknown. */
  draft: Draft | null | undefined
  otherDrafts: readonly { userId: string; name: string; updatedAt: string }[]
  textarea: RefObject<HTMLTextAreaElement | null>
  /** Called with the answer when it is sent, and with null when the call has ended. */
  onSending: (reply: SentAnswer | null) => void
  /** Opens the next person who waits, after an answer was sent by keyboard. */
  onNext?: () => void
}

/** The field for an answer. The draft is saved while the user types. The answer is sent immediately. */
export function ReplyBox({
  conversation,
  lastMessageId,
  draft,
  otherDrafts,
  textarea,
  onSending,
  onNext,
}: ReplyBoxProps) {
  const { id, lead } = conversation
  const name = lead.name || `@${lead.twitterHandle}`
  const draftSaves = useSavedDraft(id, draft === undefined ? undefined : (draft?.text ?? ''))
  const { text, setText, isKnown } = draftSaves
  useReplyFocus(id, textarea)
  const reply = useReply({ conversationId: id, name, lastMessageId, text, setText, draftSaves, onSending })
  const { firstName = null, metadata = {} } =
    useQuery(api.leads.find.queryOptions({ input: { id: lead.id } })).data ?? {}
  const recipient = { ...lead, firstName, metadata }
  const trimmed = text.trim()
  const variables = variablesIn(trimmed)
  const [asWritten, setAsWritten] = useState('')
  const isTooLong = text.length > MESSAGE_MAX
  const isWhole = trimmed !== '' && !isTooLong && (variables.length === 0 || asWritten === trimmed)
  const isReady = isKnown && isWhole
  const submit = () => {
    if (isReady && !reply.isPending) reply.send({ text: trimmed, asWritten: variables.length > 0 })
    return isReady && !reply.isPending
  }
  const queue = useQueuedAnswer(id, name)
  const sendAndOpenNext = () => {
    if (!isKnown && isWhole) queue.add(trimmed)
    else if (submit()) onNext?.()
  }
  const sendQueued = useEffectEvent(() => {
    const { queued } = queue
    queue.add(null)
    // If the text now includes a saved draft, the user has not confirmed the complete text.
    if (queued === trimmed) sendAndOpenNext()
    else toast.info('Not sent, because you had already begun a reply. Check the text, then send it.')
  })
  const isDue = isKnown && queue.queued !== null
  useEffect(() => {
    if (isDue) sendQueued()
  }, [isDue])
  const snippets = useSnippetList({ text, setText, textarea, recipient })
  const insert = (inserted: string) => {
    const start = textarea.current?.selectionStart ?? text.length
    const end = textarea.current?.selectionEnd ?? start
    setText(text.slice(0, start) + inserted + text.slice(end))
    requestAnimationFrame(() => textarea.current?.setSelectionRange(start + inserted.length, start + inserted.length))
  }
  // Calls cost something, so only people who wait get them, and only in the inbox.
  const isSuggested = onNext !== undefined && isWaiting(conversation) && Boolean(conversation.lastMessage.text)
  const suggestions = useReplySuggestions({
    conversationId: id,
    isEmpty: text === '',
    messageId: isSuggested && isKnown && !reply.isPending ? lastMessageId : null,
    onInsert(suggested) {
      setText(suggested)
      if (trimmed !== '') undoable('Reply replaced.', () => setText(text))
      textarea.current?.focus()
    },
    onClose: () => textarea.current?.focus(),
  })
  return (
    // A single column, so that long words cannot widen it.
    <div className="grid grid-cols-1 gap-2">
      {otherDrafts.map(({ userId, name, updatedAt }) => (
        <p key={userId} className="text-xs text-muted">
          <bdi>{name}</bdi> started a reply {sinceText(updatedAt, Date.now())}
        </p>
      ))}
      {reply.isError && <ReplyProblem error={reply.error} />}
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
              dir="auto"
              className="pointer-events-none px-3.5 pt-3 pb-1 text-sm wrap-anywhere whitespace-pre-wrap text-faint pointer-coarse:text-base"
            >
              {suggestions.ghost}
            </p>
          )}
          <textarea
            ref={textarea}
            dir={text === '' ? undefined : 'auto'}
            data-reply={id}
            aria-label="Reply"
            aria-keyshortcuts="R"
            placeholder={suggestions.ghost ? '' : `Reply to ${name}`}
            className="block max-h-60 min-h-18 w-full resize-none overflow-y-auto bg-transparent px-3.5 pt-3 pb-1 text-sm outline-none field-sizing-content placeholder:text-faint pointer-coarse:text-base"
            value={text}
            readOnly={queue.queued !== null}
            onChange={(event) => {
              setText(event.currentTarget.value)
              if (reply.isError) reply.reset()
            }}
            onSelect={snippets.onSelect}
            {...snippets.props}
            onKeyDown={(event) => {
              if (queue.onKeyDown(event) || snippets.onKeyDown(event) || suggestions.onKeyDown(event)) return
              if (sends(event)) {
                event.preventDefault()
                sendAndOpenNext()
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
          <span className={`me-2 ms-auto text-xs ${isTooLong ? 'text-bad' : 'text-muted'}`} data-numeric>
            {isTooLong && `${lintText({ code: 'too_long', params: { max: formatNumber(MESSAGE_MAX) } })} `}
            {text !== '' && formatNumber(text.length)}
            <span className="sr-only"> characters</span>
          </span>
          <Button
            size="sm"
            variant="primary"
            title={onNext && `${sendKeys()} also opens the next person who waits`}
            disabled={!isReady}
            loading={reply.isPending}
            onClick={submit}
          >
            Send{' '}
            <span className="max-lg:hidden">
              <Kbd>{sendKeys()}</Kbd>
            </span>
          </Button>
        </div>
      </div>
      {queue.note}
      {suggestions.announcement}
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

/** Asks what to do with variables, because answers are sent as typed. */
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
