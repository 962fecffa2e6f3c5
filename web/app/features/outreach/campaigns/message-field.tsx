import { formatNumber, pluralize } from '@x-automated/contract/format'
import { useRef } from 'react'
import { Field, type FieldProps } from '../../../ui/field'
import { Textarea } from '../../../ui/input'
import { InsertButton } from '../../../ui/insert-button'
import { placeholders, unknownPlaceholders } from './message-template'

/** X's limit for direct messages; the contract's MESSAGE_MAX. */
const MESSAGE_MAX = 10_000

interface TemplateFieldProps extends Pick<FieldProps, 'error' | 'hint' | 'required'> {
  value: string
  onChange: (value: string) => void
  placeholder: string
  /** Each has a button that inserts it at the cursor. */
  variables: readonly { text: string; hint: string }[]
  disabled?: boolean
}

/** A message with buttons that insert variables. */
export function TemplateField({ value, onChange, placeholder, variables, disabled, ...field }: TemplateFieldProps) {
  const textarea = useRef<HTMLTextAreaElement>(null)
  const insert = (variable: string) => {
    const box = textarea.current
    if (!box) return
    box.setRangeText(variable, box.selectionStart, box.selectionEnd, 'end')
    onChange(box.value)
    box.focus()
  }
  return (
    <div className="grid gap-3">
      <Field
        label="Message template"
        aside={
          value.length > MESSAGE_MAX * 0.8 && (
            <span data-numeric>
              {formatNumber(value.length)} / {formatNumber(MESSAGE_MAX)}
            </span>
          )
        }
        {...field}
      >
        <Textarea
          name="messageTemplate"
          placeholder={placeholder}
          className="min-h-32!"
          maxLength={MESSAGE_MAX}
          disabled={disabled}
          value={value}
          onChange={(event) => onChange(event.currentTarget.value)}
          ref={textarea}
        />
      </Field>
      <fieldset className="flex flex-wrap items-center gap-2" disabled={disabled}>
        <legend className="sr-only">Insert a variable</legend>
        <span aria-hidden className="text-muted">
          Insert
        </span>
        {variables.map(({ text, hint }) => (
          <InsertButton key={text} text={text} hint={hint} onInsert={insert} />
        ))}
      </fieldset>
    </div>
  )
}

interface MessageFieldProps {
  value: string
  onChange: (value: string) => void
  error?: string | undefined
}

/** The message template of a campaign. */
export function MessageField(props: MessageFieldProps) {
  const unknown = unknownPlaceholders(props.value)
  return (
    <TemplateField
      placeholder="Hi {lead_name}, I saw what you are building and wanted to say hello."
      variables={placeholders}
      hint={
        unknown.length > 0 ? (
          <span className="text-bad">
            Unknown {pluralize(unknown.length, 'variable')}: {unknown.join(', ')}. Use one below, or a CSV column with a
            fallback: {'{company|your team}'}.
          </span>
        ) : (
          'Personalize with variables: {lead_name}, {twitter_handle}, or any CSV column with a fallback.'
        )
      }
      required
      {...props}
    />
  )
}
