import { CircleAlert, TriangleAlert } from 'lucide-react'
import { type ReactNode, useRef } from 'react'
import { cn } from '../../../ui/cn'
import { FieldError } from '../../../ui/field'
import { writtenPieces } from '../campaigns/message-template'
import { AiMenu } from '../writer/ai-menu'
import { useLint } from '../writer/use-lint'
import { InsertMenu } from './insert-menu'
import { type Remark, remarksOf } from './lint'

interface MessageEditorProps {
  /** The text field's id, because its label is elsewhere. */
  id: string
  value: string
  onChange: (value: string) => void
  placeholder: string
  hint?: ReactNode
  /** The server's problem with this text, if any. */
  problem: string | undefined
  remarks: readonly Remark[]
  /** The id of a saved campaign. */
  campaignId?: string | undefined
}

/** The style of the text field and of the layer behind it that marks variables, so that both have the same height. */
const TEXT = 'col-start-1 row-start-1 min-h-20 px-3 pt-2.5 pb-1 leading-normal whitespace-pre-wrap wrap-anywhere'
const marks = { filled: 'bg-accent-mark', missing: '', opener: '', unknown: 'bg-bad/15' }

/** A message's text with its variables, problem and remarks. */
export function MessageEditor({ id, value, onChange, placeholder, hint, problem, ...more }: MessageEditorProps) {
  const textarea = useRef<HTMLTextAreaElement>(null)
  const remarks = [...more.remarks, ...remarksOf(useLint(value, more.campaignId))]
  const notes = [hint && `${id}-hint`, problem && `${id}-error`, remarks.length > 0 && `${id}-remarks`].filter(Boolean)
  return (
    <div className="grid grid-cols-1 gap-2">
      <div className="control p-0!">
        <div className="grid grid-cols-1 max-h-96 overflow-y-auto">
          <div aria-hidden dir="auto" className={cn(TEXT, 'text-transparent')}>
            {writtenPieces(value).map(({ kind, text }, index) =>
              kind === 'text' ? (
                text
              ) : (
                // biome-ignore lint/suspicious/noArrayIndexKey: pieces have no other identity
                <mark key={index} className={cn('rounded-sm text-transparent', marks[kind])}>
                  {text}
                </mark>
              ),
            )}
            {/* Otherwise, an empty last line would have no height. */}
            {'\u200b'}
          </div>
          <textarea
            id={id}
            ref={textarea}
            placeholder={placeholder}
            className={cn(TEXT, 'resize-none overflow-hidden bg-transparent outline-none placeholder:text-faint')}
            dir="auto"
            required
            aria-invalid={problem ? true : undefined}
            aria-describedby={notes.join(' ') || undefined}
            value={value}
            onChange={(event) => onChange(event.currentTarget.value)}
          />
        </div>
        <div className="flex flex-wrap items-center p-1">
          <InsertMenu textarea={textarea} onChange={onChange} />
          <AiMenu textarea={textarea} value={value} onChange={onChange} />
        </div>
      </div>
      {problem && <FieldError id={`${id}-error`}>{problem}</FieldError>}
      {remarks.length > 0 && (
        <Remarks
          id={`${id}-remarks`}
          remarks={remarks}
          onShow={({ start, end }) => {
            textarea.current?.focus()
            textarea.current?.setSelectionRange(start, end)
          }}
        />
      )}
      {hint && (
        <p id={`${id}-hint`} className="text-muted">
          {hint}
        </p>
      )}
    </div>
  )
}

const looks = {
  warn: { icon: TriangleAlert, className: 'text-warn' },
  bad: { icon: CircleAlert, className: 'text-bad' },
}

interface RemarksProps {
  id: string
  remarks: readonly Remark[]
  /** Called to select the part of the text that a remark is about. */
  onShow: (range: NonNullable<Remark['range']>) => void
}

function Remarks({ id, remarks, onShow }: RemarksProps) {
  return (
    <ul id={id} className="flex min-w-0 flex-wrap gap-x-4 gap-y-1 text-xs">
      {remarks.map(({ tone, text, range }) => {
        const { icon: Icon, className } = looks[tone]
        return (
          <li key={`${text} ${range?.start}`} className={cn('flex items-start gap-1.5', className)}>
            <Icon aria-hidden className="mt-px size-3.5 shrink-0" />
            {range ? (
              <button
                type="button"
                title="Show in the text"
                className="text-start underline-offset-4 hover:underline pointer-coarse:min-h-6"
                onClick={() => onShow(range)}
              >
                {text}
              </button>
            ) : (
              text
            )}
          </li>
        )
      })}
    </ul>
  )
}
