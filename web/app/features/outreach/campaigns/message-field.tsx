import { MESSAGE_MAX } from '@x-automated/contract/outreach/template'
import { type RefObject, useRef } from 'react'
import { Field, type FieldProps } from '../../../ui/field'
import { Textarea } from '../../../ui/input'
import { InsertButton } from '../../../ui/insert-button'
import { lengthProps } from '../../../ui/length-props'

interface TemplateFieldProps extends Pick<FieldProps, 'error' | 'hint' | 'required'> {
  value: string
  onChange: (value: string) => void
  placeholder: string
  /** Each variable gets a button that inserts it at the cursor. */
  variables: readonly { text: string; hint: string }[]
  disabled?: boolean
}

/** A message with buttons that insert variables. */
export function TemplateField({
  value,
  onChange,
  placeholder,
  variables,
  disabled,
  error,
  ...field
}: TemplateFieldProps) {
  const length = lengthProps(value, MESSAGE_MAX)
  const textarea = useRef<HTMLTextAreaElement>(null)
  return (
    <div className="grid gap-3">
      <Field label="Message template" {...field} {...length} error={length.error ?? error}>
        <Textarea
          name="messageTemplate"
          placeholder={placeholder}
          className="min-h-32!"
          disabled={disabled}
          value={value}
          onChange={(event) => onChange(event.currentTarget.value)}
          ref={textarea}
        />
      </Field>
      <InsertVariables textarea={textarea} variables={variables} onChange={onChange} disabled={disabled} />
    </div>
  )
}

interface InsertVariablesProps extends Pick<TemplateFieldProps, 'variables' | 'onChange' | 'disabled'> {
  textarea: RefObject<HTMLTextAreaElement | null>
}

/** Buttons that insert variables at a text field's cursor. */
export function InsertVariables({ textarea, variables, onChange, disabled }: InsertVariablesProps) {
  const insert = (variable: string) => {
    const box = textarea.current
    if (!box) return
    box.setRangeText(variable, box.selectionStart, box.selectionEnd, 'end')
    onChange(box.value)
    box.focus()
  }
  return (
    <fieldset
      className="flex min-w-0 items-center gap-2 [scrollbar-width:none] max-sm:overflow-x-auto sm:flex-wrap"
      disabled={disabled}
    >
      <legend className="sr-only">Insert a variable</legend>
      <span aria-hidden className="text-muted">
        Insert
      </span>
      {variables.map(({ text, hint }) => (
        <InsertButton key={text} text={text} hint={hint} onInsert={insert} />
      ))}
    </fieldset>
  )
}
