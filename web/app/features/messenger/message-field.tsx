import { useRef } from 'react'
import { Field } from '../../ui/field'
import { Textarea } from '../../ui/input'
import { InsertButton } from '../../ui/insert-button'
import { unknownPlaceholders } from '../campaigns/message-template'

const MESSAGE_MAX = 10_000
const TAGS = [
  { text: '{{name}}', words: "The lead's name" },
  { text: '{{handle}}', words: 'The handle on X, with its @' },
] as const

interface MessageFieldProps {
  value: string
  onChange: (value: string) => void
  error: string | undefined
  disabled: boolean
}

/** What to write, with tags that each lead fills, to insert where the cursor stands. */
export function MessageField({ value, onChange, error, disabled }: MessageFieldProps) {
  const box = useRef<HTMLTextAreaElement>(null)
  const insert = (tag: string) => {
    const { selectionStart = value.length, selectionEnd = value.length } = box.current ?? {}
    onChange(`${value.slice(0, selectionStart)}${tag}${value.slice(selectionEnd)}`.slice(0, MESSAGE_MAX))
    requestAnimationFrame(() => {
      box.current?.focus()
      box.current?.setSelectionRange(selectionStart + tag.length, selectionStart + tag.length)
    })
  }
  const [unknown] = unknownPlaceholders(value, 'messenger')
  return (
    <div className="grid gap-2">
      <Field
        label="Message Template"
        error={error ?? (unknown ? `Nothing fills ${unknown}. Use {{name}} or {{handle}}.` : undefined)}
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
        <legend className="sr-only">Insert a tag</legend>
        <span aria-hidden className="text-muted">
          Insert
        </span>
        {TAGS.map(({ text, words }) => (
          <InsertButton key={text} text={text} hint={words} onInsert={insert} />
        ))}
      </fieldset>
    </div>
  )
}
