import { faultText } from '@x-automated/contract/outreach/writer-text'
import { Sparkles, X } from 'lucide-react'
import { IconButton } from '../../../ui/button'
import { SkeletonText } from '../../../ui/skeleton'
import { useDrafts } from './use-drafts'
import { useModel } from './use-model'
import { writerProblem } from './writer-text'

/** Suggested answers: a button that asks for two, and their list. A person inserts and sends them. */
export function useReplySuggestions(conversationId: string, onInsert: (text: string) => void) {
  const { status, drafts, done, error, write, reset } = useDrafts()
  const hasModel = Boolean(useModel())
  if (!hasModel) return { button: null, list: null }
  const isWriting = status === 'writing'
  const texts = drafts.flatMap((draft) => ('text' in draft ? [draft.text] : []))
  const problem =
    status === 'failed' ? writerProblem(error) : done?.fault && texts.length === 0 ? faultText(done.fault) : null
  return {
    button: (
      <IconButton
        size="sm"
        label="Suggest replies"
        title="Suggest replies"
        icon={<Sparkles />}
        className="text-muted"
        loading={isWriting}
        onClick={() => void write({ kind: 'reply', conversationId })}
      />
    ),
    list: status !== 'idle' && (
      <section
        aria-label="Suggested replies"
        aria-live="polite"
        aria-busy={isWriting || undefined}
        className="grid gap-1 border-b border-hair p-1.5"
      >
        <div className="flex items-center gap-2 ps-2 text-xs text-muted">
          <span className="me-auto">
            {problem ?? (isWriting ? 'Writing suggestions…' : 'Choose one, then edit it')}
          </span>
          <IconButton size="sm" label="Close suggestions" icon={<X />} onClick={reset} />
        </div>
        {texts.map((text) => (
          <button
            key={text}
            type="button"
            className="rounded-md px-2 py-1.5 text-start text-sm wrap-anywhere whitespace-pre-wrap transition-colors hover:bg-hover"
            onClick={() => {
              onInsert(text)
              reset()
            }}
          >
            {text}
          </button>
        ))}
        {isWriting && texts.length < 2 && (
          <span className="p-2">
            <SkeletonText lines={2} />
          </span>
        )}
      </section>
    ),
  }
}
