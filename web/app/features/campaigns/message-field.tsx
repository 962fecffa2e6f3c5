import { formatNumber } from '@x-automated/contract/format'
import { useRef } from 'react'
import { Field } from '../../ui/field'
import { Textarea } from '../../ui/input'
import { InsertButton } from '../../ui/insert-button'
import { placeholders, unknownPlaceholders } from './message-template'

/** X's longest direct message (contract: MESSAGE_MAX). */
const MESSAGE_MAX = 10_000

interface MessageFieldProps {
  value: string
  onChange: (value: string) => void
  error?: string | undefined
}

/** A message template, with the places that each lead fills a press away. */
export function MessageField({ value, onChange, error }: MessageFieldProps) {
  const textarea = useRef<HTMLTextAreaElement>(null)
  const unknown = unknownPlaceholders(value)
  const insert = (place: string) => {
    const field = textarea.current
    if (!field) return
    field.setRangeText(place, field.selectionStart, field.selectionEnd, 'end')
    onChange(field.value)
    field.focus()
  }
  return (
    <div className="grid gap-3">
      <Field
        label="Message Template"
        error={error}
        hint={
          unknown.length > 0 ? (
            <span className="text-bad">
              Nothing fills {unknown.join(', ')}. Use a placeholder below; a column of your file needs a fallback, as in{' '}
              {'{company|your team}'}.
            </span>
          ) : (
            'You can use placeholders such as {lead_name} and {twitter_handle}. More to come.'
          )
        }
        aside={
          value.length > MESSAGE_MAX * 0.8 && (
            <span data-numeric>
              {formatNumber(value.length)} / {formatNumber(MESSAGE_MAX)}
            </span>
          )
        }
        required
      >
        <Textarea
          name="messageTemplate"
          placeholder="Hi {lead_name}, I saw what you are building and wanted to say hello."
          className="min-h-32!"
          maxLength={MESSAGE_MAX}
          value={value}
          onChange={(event) => onChange(event.currentTarget.value)}
          ref={textarea}
        />
      </Field>
      <div className="flex flex-wrap items-center gap-2">
        <span className="text-muted">Insert</span>
        {placeholders.map(({ text, words }) => (
          <InsertButton key={text} text={text} hint={words} onInsert={insert} />
        ))}
      </div>
    </div>
  )
}
