import { NumberField } from '@base-ui/react/number-field'
import { useFieldWiring } from './field'

export interface NumberInputProps {
  id?: string
  required?: boolean
  /** Null while it is empty. */
  value: number | null
  onChange: (value: number | null) => void
  max?: number
  placeholder?: string
  disabled?: boolean
}

/** A field for a whole number of at least 0. */
export function NumberInput({ value, onChange, max, disabled, ...own }: NumberInputProps) {
  return (
    <NumberField.Root
      value={value}
      onValueChange={onChange}
      min={0}
      max={max}
      format={{ maximumFractionDigits: 0 }}
      disabled={disabled}
    >
      <NumberField.Input {...useFieldWiring(own)} className="control" />
    </NumberField.Root>
  )
}
