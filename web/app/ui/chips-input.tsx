import { formatList } from '@x-automated/contract/format'
import { Plus, X } from 'lucide-react'
import { useId, useState } from 'react'
import { IconButton } from './button'
import { FieldError, useFieldWiring } from './field'
import { Input } from './input'
import { lengthProps } from './length-props'
import { useTypedField } from './use-typed-text'

interface ChipsInputProps {
  values: readonly string[]
  onChange: (values: string[]) => void
  placeholder?: string
  /** Singular noun for button labels: 'keyword'. */
  noun: string
  /** Shown if there are no chips. */
  empty?: string
  disabled?: boolean
  /** Maximum number of chips. */
  most?: number
  /** Maximum length of a chip. */
  maxLength?: number
  id?: string
  /** The text in the field, for forms that also submit text that has not been added yet. */
  typed?: string
  onType?: (typed: string) => void
}

/** Adds a chip: trimmed, not empty, and unique ignoring case. */
export function withChip(values: readonly string[], typed: string): string[] {
  const word = typed.trim()
  const isKnown = values.some((value) => value.toLowerCase() === word.toLowerCase())
  return word === '' || isKnown ? [...values] : [...values, word]
}

/**
 * A field for a list of short texts. Enter adds a chip. Its cross removes it. Backspace in an empty
 * field removes the last one.
 */
export function ChipsInput({
  values,
  onChange: setValues,
  placeholder,
  noun,
  empty,
  disabled,
  most = Number.POSITIVE_INFINITY,
  maxLength = Number.POSITIVE_INFINITY,
  typed: controlled,
  onType,
  ...own
}: ChipsInputProps) {
  const [uncontrolled, setUncontrolled] = useState('')
  const typed = controlled ?? uncontrolled
  const setTyped = onType ?? setUncontrolled
  const wired = useFieldWiring(own)
  const errorId = useId()
  const touch = useTypedField({
    key: `${noun}s`,
    label: `Chosen ${noun}s`,
    value: JSON.stringify(values),
    set: (stored) => setValues(JSON.parse(stored) as string[]),
    preview: (stored) => formatList(JSON.parse(stored) as string[]),
  })
  const onChange = (changed: string[]) => {
    touch()
    setValues(changed)
  }
  const { error } = lengthProps(typed, maxLength)
  const isFull = values.length >= most
  const add = () => {
    if (isFull || error) return
    onChange(withChip(values, typed))
    setTyped('')
  }
  return (
    <div className="grid gap-2">
      <div className="flex gap-2">
        <Input
          {...wired}
          value={typed}
          placeholder={isFull ? `No more than ${most} ${noun}s` : placeholder}
          disabled={disabled}
          // Not disabled, because Backspace still removes the last chip.
          readOnly={isFull}
          {...(error && { 'aria-invalid': true, 'aria-describedby': errorId })}
          onChange={(event) => setTyped(event.currentTarget.value)}
          onKeyDown={(event) => {
            if (event.key === 'Enter') {
              event.preventDefault()
              add()
            }
            if (event.key === 'Backspace' && typed === '' && values.length > 0) onChange(values.slice(0, -1))
          }}
        />
        <IconButton
          icon={<Plus />}
          label={`Add ${noun}`}
          variant="secondary"
          disabled={disabled || isFull || error !== undefined || typed.trim() === ''}
          onClick={add}
        />
      </div>
      {error && <FieldError id={errorId}>{error}</FieldError>}
      {values.length > 0 ? (
        <ul className="flex flex-wrap gap-1.5" aria-label={`Chosen ${noun}s`}>
          {values.map((value) => (
            <li
              key={value}
              className="flex min-w-0 items-center gap-0.5 rounded-md border border-line bg-sunken py-0.5 ps-2 pe-0.5"
            >
              <span className="truncate">{value}</span>
              <button
                type="button"
                aria-label={`Remove ${noun} ${value}`}
                disabled={disabled}
                onClick={() => onChange(values.filter((other) => other !== value))}
                className="flex size-6 items-center justify-center rounded-sm text-muted hover:bg-hover hover:text-ink pointer-coarse:size-9"
              >
                <X aria-hidden className="size-3.5" />
              </button>
            </li>
          ))}
        </ul>
      ) : (
        empty && <p className="text-muted">{empty}</p>
      )}
    </div>
  )
}
