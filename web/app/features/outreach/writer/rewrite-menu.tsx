import { faultText } from '@x-automated/contract/outreach/writer-text'
import { WandSparkles } from 'lucide-react'
import { type RefObject, useState } from 'react'
import { Button } from '../../../ui/button'
import { Popover } from '../../../ui/popover'
import { Select } from '../../../ui/select'
import { toast } from '../../../ui/toast'
import { undoable } from '../sequences/undoable'
import { LANGUAGES } from './languages'
import { useDrafts } from './use-drafts'
import { writerProblem } from './writer-text'

const REWRITES = [
  { label: 'Shorter', instruction: 'shorter' },
  { label: 'Friendlier', instruction: 'friendlier' },
  { label: 'More direct', instruction: 'more direct' },
] as const

/** Toast duration. Longer than usual: a model may take a minute, so the user may have looked away when it fails. */
const FAILED_MS = 10_000
const failed = (problem: string) =>
  toast.error(`${problem} Your text is unchanged.`, { duration: FAILED_MS, id: 'rewrite-failed', replaces: true })

interface RewriteMenuProps {
  textarea: RefObject<HTMLTextAreaElement | null>
  value: string
  onChange: (value: string) => void
}

/** Rewrites the selected part of a text, or all of it. */
export function RewriteMenu({ textarea, value, onChange }: RewriteMenuProps) {
  const [isOpen, setOpen] = useState(false)
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
    <Popover
      label="Rewrite"
      open={isOpen}
      onOpenChange={setOpen}
      trigger={
        <Button
          size="sm"
          variant="ghost"
          icon={<WandSparkles />}
          disabled={value.trim() === ''}
          loading={status === 'writing'}
        >
          {status === 'writing' ? 'Rewriting…' : 'Rewrite'}
        </Button>
      }
    >
      <div className="grid gap-2 p-2">
        <p className="text-muted">The selected words, or the whole message</p>
        <div className="flex flex-wrap gap-1.5">
          {REWRITES.map(({ label, instruction }) => (
            <Button key={label} size="sm" onClick={() => void rewrite(instruction)}>
              {label}
            </Button>
          ))}
        </div>
        <Select
          aria-label="Translate"
          placeholder="Translate into…"
          options={LANGUAGES.map((value) => ({ value, label: value }))}
          value=""
          onChange={(event) => void rewrite('translate', event.currentTarget.value)}
        />
      </div>
    </Popover>
  )
}
