import { faultText } from '@x-automated/contract/outreach/writer-text'
import { RefreshCw, Sparkles, X } from 'lucide-react'
import { type KeyboardEvent, useId, useState } from 'react'
import { Button, IconButton } from '../../../ui/button'
import { Kbd } from '../../../ui/kbd'
import { useDrafts } from './use-drafts'
import { useModel } from './use-model'
import { writerProblem } from './writer-text'

const REWRITES = [
  { label: 'Shorter', instruction: 'shorter' },
  { label: 'Friendlier', instruction: 'friendlier' },
] as const

interface ReplySuggestionsOptions {
  conversationId: string
  /** Whether the reply is empty, so that a suggestion is shown in its place. */
  isEmpty: boolean
  onInsert: (text: string) => void
}

/** Suggests two answers, one at a time, in an empty reply. A person inserts and sends them. */
export function useReplySuggestions({ conversationId, isEmpty, onInsert }: ReplySuggestionsOptions) {
  const textId = useId()
  const [shown, setShown] = useState(0)
  /** Rewritten suggestions, by the text that they replace. */
  const [rewritten, setRewritten] = useState<ReadonlyMap<string, string>>(new Map())
  const suggesting = useDrafts()
  const rewriting = useDrafts()
  const hasModel = Boolean(useModel())
  if (!hasModel) return { button: null, bar: null, insertButton: null, ghost: null, onKeyDown: () => false }

  const drafted = suggesting.drafts.flatMap((draft) => ('text' in draft ? [draft.text] : []))
  const original = drafted[shown % Math.max(1, drafted.length)]
  const suggestion = original && (rewritten.get(original) ?? original)
  const isWriting = suggesting.status === 'writing'
  const isRewriting = rewriting.status === 'writing'
  const reset = () => {
    suggesting.reset()
    rewriting.reset()
    setRewritten(new Map())
    setShown(0)
  }
  const ask = () => {
    reset()
    void suggesting.write({ kind: 'reply', conversationId })
  }
  const rewrite = async (instruction: string) => {
    if (!original || !suggestion) return
    const done = await rewriting.write({ kind: 'rewrite', text: suggestion, instruction })
    const [draft] = done?.drafts ?? []
    if (draft && 'text' in draft) setRewritten((before) => new Map(before).set(original, draft.text))
  }
  const insert = () => {
    if (!suggestion) return
    onInsert(suggestion)
    reset()
  }
  const failed = [rewriting, suggesting].find(({ status }) => status === 'failed')
  const fault = suggestion ? null : suggesting.done?.fault
  const problem = failed ? writerProblem(failed.error) : fault && faultText(fault)
  return {
    button: (
      <IconButton
        size="sm"
        label="Suggest replies"
        title="Suggest replies"
        icon={<Sparkles />}
        className="text-muted"
        loading={isWriting}
        onClick={ask}
      />
    ),
    bar: suggesting.status !== 'idle' && (
      <section
        aria-label="Suggested replies"
        aria-busy={isWriting || isRewriting || undefined}
        className="flex items-center gap-1 border-b border-hair py-1 ps-3.5 pe-2 text-xs text-muted"
      >
        <Sparkles aria-hidden className="size-3.5 shrink-0" />
        <div role="status" className="me-auto grid min-w-0 ps-1">
          <span className={problem ? 'wrap-anywhere' : 'truncate'}>
            {problem ??
              (suggestion ? `Suggested, ${(shown % drafted.length) + 1} of ${drafted.length}` : 'Writing suggestions…')}
          </span>
          {suggestion && (
            <span id={textId} className={isEmpty ? 'sr-only' : 'truncate text-ink'}>
              {suggestion}
            </span>
          )}
        </div>
        {suggestion &&
          REWRITES.map(({ label, instruction }) => (
            <Button
              key={label}
              size="sm"
              variant="ghost"
              className="max-sm:hidden"
              disabled={isRewriting}
              onClick={() => void rewrite(instruction)}
            >
              {label}
            </Button>
          ))}
        {drafted.length > 1 && (
          <IconButton
            size="sm"
            label="Another suggestion"
            title="Another suggestion"
            icon={<RefreshCw />}
            loading={isRewriting}
            onClick={() => setShown(shown + 1)}
          />
        )}
        <IconButton size="sm" label="Close suggestions" title="Close suggestions" icon={<X />} onClick={reset} />
      </section>
    ),
    insertButton: suggestion && (
      <Button size="sm" variant="ghost" aria-describedby={textId} onClick={insert}>
        Insert {isEmpty && <Kbd>Tab</Kbd>}
      </Button>
    ),
    /** Shown in the empty reply. */
    ghost: isEmpty && suggestion ? suggestion : null,
    /** Whether the suggestion has used the key: Tab inserts it into an empty reply, Escape closes it. */
    onKeyDown(event: KeyboardEvent): boolean {
      const isPlain = !event.shiftKey && !event.metaKey && !event.ctrlKey && !event.altKey
      if (!suggestion || !isEmpty || !isPlain) return false
      if (event.key === 'Tab') insert()
      else if (event.key === 'Escape') reset()
      else return false
      event.preventDefault()
      return true
    },
  }
}
