import { formatNumber, pluralize } from '@x-automated/contract/format'
import { useRef } from 'react'
import { Field } from '../../../ui/field'
import { Textarea } from '../../../ui/input'
import { InsertButton } from '../../../ui/insert-button'
import { placeholders, unknownPlaceholders } from './message-template'

/** X's limit for direct messages; the contract's MESSAGE_MAX. */
const MESSAGE_MAX = 10_000

interface MessageFieldProps {
  value: string
  onChange: (value: string) => void
  error?: string | undefined
}

/** A message template with buttons that insert variables. */
export function MessageField({ value, onChange, error }: MessageFieldProps) {
  const textarea = useRef<HTMLTextAreaElement>(null)
  const unknown = unknownPlaceholders(value)
  const insert = (variable: string) => {
    const field = textarea.current
    if (!field) return
    field.setRangeText(variable, field.selectionStart, field.selectionEnd, 'end')
    onChange(field.value)
    field.focus()
  }
  return (
    <div className="grid gap-3">
      <Field
        label="Message template"
        error={error}
        hint={
          unknown.length > 0 ? (
            <span className="text-bad">
              Unknown {pluralize(unknown.length, 'variable')}: {unknown.join(', ')}. Use one below, or a CSV column with
              a fallback: {'{company|your team}'}.
            </span>
          ) : (
            'Personalize with variables: {lead_name}, {twitter_handle}, or any CSV column with a fallback.'
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
        {placeholders.map(({ text, hint }) => (
          <InsertButton key={text} text={text} hint={hint} onInsert={insert} />
        ))}
      </div>
    </div>
  )
}
