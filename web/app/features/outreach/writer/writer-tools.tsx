import { Sparkles } from 'lucide-react'
import { lazy, type RefObject, Suspense } from 'react'
import { Button } from '../../../ui/button'
import { useDialogs } from '../../../ui/use-dialogs'
import { draftFromTexts } from '../sequences/sequence-draft'
import { undoable } from '../sequences/undoable'
import type { SequenceEditor } from '../sequences/use-sequence-draft'
import { ConnectModel } from './connect-model'
import { RewriteMenu } from './rewrite-menu'
import { useModel } from './use-model'

// Loaded when it is first opened.
const DraftSheet = lazy(() => import('./draft-sheet').then((module) => ({ default: module.DraftSheet })))

interface WriterToolsProps {
  textarea: RefObject<HTMLTextAreaElement | null>
  value: string
  onChange: (value: string) => void
}

/** Drafts a message, and rewrites the text in its field. */
export function WriterTools({ textarea, value, onChange }: WriterToolsProps) {
  const sheet = useDialogs<null>()
  const hasModel = Boolean(useModel())
  return (
    <>
      <Button size="sm" variant="ghost" icon={<Sparkles />} onClick={() => sheet.show(null)}>
        Write with AI
      </Button>
      {hasModel && <RewriteMenu textarea={textarea} value={value} onChange={onChange} />}
      {sheet.render((_, props) => (
        <Suspense>
          <DraftSheet
            {...props}
            kind="message"
            onInsert={([step]) => {
              onChange(step?.text ?? value)
              if (value.trim() !== '') undoable('Message replaced.', () => onChange(value))
            }}
          />
        </Suspense>
      ))}
    </>
  )
}

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
          <DraftSheet
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

/** Shown once below several messages if there is no model. */
export function RewritesNeedModel() {
  return useModel() === null && <ConnectModel what="Rewrites and translations need a model." />
}
