import { faultText } from '@x-automated/contract/outreach/writer-text'
import { RefreshCw, Sparkles, X } from 'lucide-react'
import { type KeyboardEvent, useId, useState } from 'react'
import { Button, IconButton } from '../../../ui/button'
import { Kbd } from '../../../ui/kbd'
import { textsOf, useEarlySuggestions } from './early-suggestions'
import { useDrafts } from './use-drafts'
import { useModel } from './use-model'
import { REWRITES, writerProblem } from './writer-text'

/** The bar has room for two. */
const REWRITES_IN_BAR = REWRITES.slice(0, 2)

interface ReplySuggestionsOptions {
  conversationId: string
  /** Whether the reply box is empty, so that the suggestion appears in it. */
  isEmpty: boolean
  /** The message of a person who waits for an answer, which is suggested without being asked for; or null. */
  messageId: string | null
  onInsert: (text: string) => void
  /** Called when the bar closes. It may have had the focus. */
  onClose: () => void
}

const NO_SUGGESTIONS = {
  button: null,
  bar: null,
  insertButton: null,
  ghost: null,
  announcement: null,
  onKeyDown: () => false,
}

/**
 * Suggests answers, one at a time, in an empty reply box. The user inserts and sends one. The bar with
 * their number and other actions opens on request.
 */
export function useReplySuggestions(options: ReplySuggestionsOptions) {
  const { conversationId, isEmpty, messageId, onInsert, onClose } = options
  const textId = useId()
  const hasModel = Boolean(useModel())
  const early = useEarlySuggestions(conversationId, hasModel ? messageId : null, isEmpty)
  const suggestions = useSuggestions(conversationId, early)
  const { suggestion, reset } = suggestions
  if (!hasModel) return NO_SUGGESTIONS

  const close = () => {
    reset()
    onClose()
  }
  const insert = () => {
    if (!suggestion) return
    onInsert(suggestion)
    reset()
  }
  return {
    button: (
      <IconButton
        size="sm"
        label="Suggest replies"
        title="Suggest replies"
        icon={<Sparkles />}
        className="text-muted"
        loading={suggestions.isWriting}
        onClick={suggestions.open}
      />
    ),
    bar: suggestions.isOpen && (
      <SuggestionBar {...suggestions} textId={textId} isTextHidden={isEmpty} onClose={close} />
    ),
    insertButton: suggestion && (isEmpty || suggestions.isOpen) && (
      <Button size="sm" variant="ghost" aria-describedby={textId} onClick={insert}>
        Insert{' '}
        {isEmpty && (
          <span className="max-lg:hidden">
            <Kbd>Tab</Kbd>
          </span>
        )}
      </Button>
    ),
    /** Appears in the empty reply box. */
    ghost: isEmpty && suggestion ? suggestion : null,
    /** For screen readers. The open bar announces it itself. */
    announcement: (
      <p role="status" className="sr-only">
        {isEmpty && suggestion && !suggestions.isOpen && (
          <>
            Suggested answer: <span id={textId}>{suggestion}</span> Press Tab in the reply box to insert it, or Esc to
            drop it.
          </>
        )}
      </p>
    ),
    /**
     * Handles Tab, which inserts a suggestion into an empty reply box, and Escape, which closes the
     * suggestions.
     * @returns whether it has handled the key
     */
    onKeyDown(event: KeyboardEvent): boolean {
      const isPlain = !event.shiftKey && !event.metaKey && !event.ctrlKey && !event.altKey
      if (!(suggestions.isOpen || suggestion) || !isEmpty || !isPlain) return false
      if (event.key === 'Tab' && suggestion) insert()
      else if (event.key === 'Escape') reset()
      else return false
      event.preventDefault()
      return true
    },
  }
}

/** The suggested answers, which one is displayed, and why there are none. */
function useSuggestions(conversationId: string, early: ReturnType<typeof useEarlySuggestions>) {
  const [isOpen, setOpen] = useState(false)
  const [position, setPosition] = useState(0)
  /** Rewritten suggestions, by the text that each one replaces. */
  const [rewritten, setRewritten] = useState<ReadonlyMap<string, string>>(new Map())
  const suggesting = useDrafts()
  const rewriting = useDrafts()
  const drafted = suggesting.status === 'idle' ? early.texts : textsOf(suggesting.drafts)
  const index = position % Math.max(1, drafted.length)
  const original = drafted[index]
  const suggestion = original && (rewritten.get(original) ?? original)
  const failed = [rewriting, suggesting].find(({ status }) => status === 'failed')
  const fault = suggestion ? null : suggesting.done?.fault
  const reset = () => {
    early.drop()
    setOpen(false)
    suggesting.reset()
    rewriting.reset()
    setRewritten(new Map())
    setPosition(0)
  }
  return {
    isOpen,
    isWriting: suggesting.status === 'writing' || (suggesting.status === 'idle' && early.isWriting),
    isRewriting: rewriting.status === 'writing',
    suggestion,
    index,
    count: drafted.length,
    problem: failed ? writerProblem(failed.error) : fault && faultText(fault),
    reset,
    /** Opens the bar. Asks for suggestions if there are none, or if it is open already. */
    open() {
      const isAsking = isOpen || !suggestion
      if (isAsking) reset()
      setOpen(true)
      if (isAsking) void suggesting.write({ kind: 'reply', conversationId })
    },
    showNext() {
      rewriting.reset()
      setPosition(position + 1)
    },
    async rewrite(instruction: string) {
      if (!original || !suggestion || rewriting.status === 'writing') return
      const done = await rewriting.write({ kind: 'rewrite', text: suggestion, instruction })
      const [draft] = done?.drafts ?? []
      if (draft && 'text' in draft) setRewritten((before) => new Map(before).set(original, draft.text))
    },
  }
}

interface SuggestionBarProps extends ReturnType<typeof useSuggestions> {
  textId: string
  /** The suggestion appears in the reply box instead. */
  isTextHidden: boolean
  onClose: () => void
}

function SuggestionBar({ textId, isTextHidden, onClose, suggestion, problem, ...suggestions }: SuggestionBarProps) {
  const { isWriting, isRewriting, index, count } = suggestions
  return (
    <section
      aria-label="Suggested replies"
      aria-busy={isWriting || isRewriting || undefined}
      className="flex items-center gap-1 border-b border-hair py-1 ps-3.5 pe-2 text-xs text-muted"
    >
      <Sparkles aria-hidden className="size-3.5 shrink-0" />
      <div role="status" className="me-auto grid min-w-0 ps-1">
        <span className={problem ? 'wrap-anywhere' : 'truncate'}>
          {problem ?? (suggestion ? `Suggested, ${index + 1} of ${count}` : 'Writing suggestions…')}
        </span>
        {suggestion && (
          <span id={textId} className={isTextHidden ? 'sr-only' : 'truncate text-ink'}>
            {suggestion}
          </span>
        )}
      </div>
      {suggestion &&
        REWRITES_IN_BAR.map(({ label, instruction }) => (
          <Button
            key={label}
            size="sm"
            variant="ghost"
            className="max-sm:hidden"
            aria-disabled={isRewriting || undefined}
            onClick={() => void suggestions.rewrite(instruction)}
          >
            {label}
          </Button>
        ))}
      {count > 1 && (
        <IconButton
          size="sm"
          label="Another suggestion"
          title="Another suggestion"
          icon={<RefreshCw />}
          loading={isRewriting}
          onClick={suggestions.showNext}
        />
      )}
      <IconButton size="sm" label="Close suggestions" title="Close suggestions" icon={<X />} onClick={onClose} />
    </section>
  )
}
