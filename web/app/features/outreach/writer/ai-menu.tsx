import { faultText } from '@x-automated/contract/outreach/writer-text'
import { Sparkles } from 'lucide-react'
import { type RefObject, Suspense, useState } from 'react'
import { Button } from '../../../ui/button'
import { Popover } from '../../../ui/popover'
import { Select } from '../../../ui/select'
import { toast } from '../../../ui/toast'
import { useDialogs } from '../../../ui/use-dialogs'
import { undoable } from '../sequences/undoable'
import { ConnectModel } from './connect-model'
import { LANGUAGES } from './languages'
import { LazyDraftSheet } from './lazy-draft-sheet'
import { useDrafts } from './use-drafts'
import { useModel } from './use-model'
import { REWRITES, writerProblem } from './writer-text'

/** Toast duration. Longer than usual: a model may take a minute, so the user may have looked away when it fails. */
const FAILED_MS = 10_000
const failed = (problem: string) =>
  toast.error(`${problem} Your text is unchanged.`, { duration: FAILED_MS, id: 'rewrite-failed', replaces: true })

interface AiMenuProps {
  textarea: RefObject<HTMLTextAreaElement | null>
  value: string
  onChange: (value: string) => void
}

/** Drafts a message, and rewrites the selected part of its text, or all of it. */
export function AiMenu({ textarea, value, onChange }: AiMenuProps) {
  const [isOpen, setOpen] = useState(false)
  const sheet = useDialogs<null>()
  const model = useModel()
  const { status, write } = useDrafts({
    onError: (error) => failed(writerProblem(error)),
  })
  const rewrite = async (instruction: string, language?: string) => {
    setOpen(false)
    const box = textarea.current
    if (!box) return
    const isPart = box.selectionStart < box.selectionEnd
    const [start, end] = isPart ? [box.selectionStart, box.selectionEnd] : [0, value.length]
    const text = value.slice(start, end)
    const done = await write({ kind: 'rewrite', text, instruction, ...(language ? { language } : {}) })
    if (!done) return
    const [draft] = done.drafts
    if (!draft || !('text' in draft)) {
      failed(done.fault ? faultText(done.fault) : 'There is no other version.')
      return
    }
    // If the user has typed in the meantime, keep their text.
    if (box.value !== value) {
      toast.info('Not rewritten, because you changed the text.')
      return
    }
    onChange(value.slice(0, start) + draft.text + value.slice(end))
    undoable(isPart ? 'Selection rewritten.' : 'Message rewritten.', () => onChange(value))
  }
  return (
    <>
      <Popover
        label="AI"
        open={isOpen}
        onOpenChange={setOpen}
        trigger={
          <Button size="sm" variant="ghost" icon={<Sparkles />} loading={status === 'writing'}>
            {status === 'writing' ? 'Rewriting…' : 'AI'}
          </Button>
        }
      >
        <div className="grid gap-3 p-2">
          <Button
            size="sm"
            onClick={() => {
              setOpen(false)
              sheet.show(null)
            }}
          >
            Write with AI
          </Button>
          {model && (
            <div className="grid gap-2">
              <p className="text-muted">Rewrite the selected words, or the whole message</p>
              <div className="flex flex-wrap gap-1.5">
                {REWRITES.map(({ label, instruction }) => (
                  <Button
                    key={label}
                    size="sm"
                    disabled={value.trim() === ''}
                    onClick={() => void rewrite(instruction)}
                  >
                    {label}
                  </Button>
                ))}
              </div>
              <Select
                aria-label="Translate"
                placeholder="Translate into…"
                disabled={value.trim() === ''}
                options={LANGUAGES.map((value) => ({ value, label: value }))}
                value=""
                onChange={(event) => void rewrite('translate', event.currentTarget.value)}
              />
            </div>
          )}
          {model === null && <ConnectModel what="Rewrites and translations need a model." />}
        </div>
      </Popover>
      {sheet.render((_, props) => (
        <Suspense>
          <LazyDraftSheet
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
