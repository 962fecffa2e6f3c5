import { Sparkles } from 'lucide-react'
import { Suspense } from 'react'
import { Button } from '../../../ui/button'
import { useDialogs } from '../../../ui/use-dialogs'
import { draftFromTexts } from '../sequences/sequence-draft'
import { undoable } from '../sequences/undoable'
import type { SequenceEditor } from '../sequences/use-sequence-draft'
import { LazyDraftSheet } from './lazy-draft-sheet'

/** Drafts all messages of a campaign. Not offered once a message has been sent, because its step would be removed. */
export function SequenceWriter({ editor: { draft, change } }: { editor: SequenceEditor }) {
  const sheet = useDialogs<null>()
  if (draft.steps.some(({ variants }) => variants.some(({ isFrozen }) => isFrozen))) return null
  return (
    <>
      <Button size="sm" variant="ghost" icon={<Sparkles />} onClick={() => sheet.show(null)}>
        Write a sequence
      </Button>
      {sheet.render((_, props) => (
        <Suspense>
          <LazyDraftSheet
            {...props}
            kind="sequence"
            onInsert={(steps) => {
              change((now) => ({ ...now, steps: draftFromTexts(steps).steps }))
              undoable('Messages replaced.', () => change(draft))
            }}
          />
        </Suspense>
      ))}
    </>
  )
}
