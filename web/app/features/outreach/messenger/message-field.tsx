import { useRef } from 'react'
import { Field } from '../../../ui/field'
import { Textarea } from '../../../ui/input'
import { InsertButton } from '../../../ui/insert-button'
import { unknownPlaceholders } from '../campaigns/message-template'

const MESSAGE_MAX = 10_000
const VARIABLES = [
  { text: '{{name}}', hint: "The lead's name" },
  { text: '{{handle}}', hint: 'The X handle, with @' },
] as const

interface MessageFieldProps {
  value: string
  onChange: (value: string) => void
  error: string | undefined
  disabled: boolean
}

/** The message with buttons that insert variables at the cursor. */
export function MessageField({ value, onChange, error, disabled }: MessageFieldProps) {
  const box = useRef<HTMLTextAreaElement>(null)
  const insert = (variable: string) => {
    const { selectionStart = value.length, selectionEnd = value.length } = box.current ?? {}
    onChange(`${value.slice(0, selectionStart)}${variable}${value.slice(selectionEnd)}`.slice(0, MESSAGE_MAX))
    requestAnimationFrame(() => {
      box.current?.focus()
      box.current?.setSelectionRange(selectionStart + variable.length, selectionStart + variable.length)
    })
  }
  const [unknown] = unknownPlaceholders(value, 'messenger')
  return (
    <div className="grid gap-2">
      <Field
        label="Message template"
        error={error ?? (unknown ? `Unknown variable: ${unknown}. Use {{name}} or {{handle}}.` : undefined)}
      >
        <Textarea
          ref={box}
          value={value}
          maxLength={MESSAGE_MAX}
          disabled={disabled}
          placeholder="Hi {{name}}, I came across {{handle}} and…"
          onChange={(event) => onChange(event.currentTarget.value)}
          className="min-h-36"
        />
      </Field>
      <fieldset className="flex flex-wrap items-center gap-2" disabled={disabled}>
        <legend className="sr-only">Insert a variable</legend>
        <span aria-hidden className="text-muted">
          Insert
        </span>
        {VARIABLES.map(({ text, hint }) => (
          <InsertButton key={text} text={text} hint={hint} onInsert={insert} />
        ))}
      </fieldset>
    </div>
  )
}
