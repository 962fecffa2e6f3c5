import { formatNumber } from '@x-automated/contract/format'
import { Check, CircleAlert, TriangleAlert } from 'lucide-react'
import { type ReactNode, useRef } from 'react'
import { cn } from '../../../ui/cn'
import { FieldError } from '../../../ui/field'
import { Textarea } from '../../../ui/input'
import { InsertVariables, MESSAGE_MAX } from '../campaigns/message-field'
import { placeholders } from '../campaigns/message-template'
import type { Remark } from './lint'

interface MessageEditorProps {
  /** Of the text field; its label is elsewhere. */
  id: string
  value: string
  onChange: (value: string) => void
  placeholder: string
  hint?: ReactNode
  /** The server's problem with this text. */
  problem: string | undefined
  remarks: readonly Remark[]
}

/** The text of a message with its variables, problem and remarks. */
export function MessageEditor({ id, value, onChange, placeholder, hint, problem, remarks }: MessageEditorProps) {
  const textarea = useRef<HTMLTextAreaElement>(null)
  const notes = [hint && `${id}-hint`, problem && `${id}-error`, remarks.length > 0 && `${id}-remarks`].filter(Boolean)
  return (
    <div className="grid gap-2">
      <Textarea
        id={id}
        ref={textarea}
        placeholder={placeholder}
        className="min-h-20!"
        maxLength={MESSAGE_MAX}
        required
        aria-invalid={problem ? true : undefined}
        aria-describedby={notes.join(' ') || undefined}
        value={value}
        onChange={(event) => onChange(event.currentTarget.value)}
      />
      {problem && <FieldError id={`${id}-error`}>{problem}</FieldError>}
      <InsertVariables textarea={textarea} variables={placeholders} onChange={onChange} />
      {value !== '' && (
        <div className="flex items-start justify-between gap-4 text-xs">
          <Remarks id={`${id}-remarks`} remarks={remarks} />
          <span className="text-muted" data-numeric>
            {formatNumber(value.length)}
            <span className="sr-only"> characters</span>
          </span>
        </div>
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
  good: { icon: Check, className: 'text-muted', iconClass: 'text-good' },
  warn: { icon: TriangleAlert, className: 'text-warn', iconClass: '' },
  bad: { icon: CircleAlert, className: 'text-bad', iconClass: '' },
}

function Remarks({ id, remarks }: { id: string; remarks: readonly Remark[] }) {
  return (
    <ul id={id} className="flex min-w-0 flex-wrap gap-x-4 gap-y-1">
      {remarks.map(({ tone, text }) => {
        const { icon: Icon, className, iconClass } = looks[tone]
        return (
          <li key={text} className={cn('flex items-start gap-1.5', className)}>
            <Icon aria-hidden className={cn('mt-px size-3.5 shrink-0', iconClass)} />
            {text}
          </li>
        )
      })}
    </ul>
  )
}
