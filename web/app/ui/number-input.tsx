import { NumberField } from '@base-ui/react/number-field'
import { cn } from './cn'
import { useFieldWiring } from './field'

interface NumberInputProps {
  id?: string
  required?: boolean
  /** Null while the field is empty. */
  value: number | null
  onChange: (value: number | null) => void
  /** Defaults to 0. */
  min?: number
  max?: number
  placeholder?: string
  disabled?: boolean
  /** Only needed without a Field around it. */
  'aria-label'?: string
  'aria-invalid'?: boolean | undefined
  'aria-describedby'?: string | undefined
  className?: string
}

/** A field for a whole number. */
export function NumberInput({ value, onChange, min = 0, max, disabled, className, ...own }: NumberInputProps) {
  return (
    <NumberField.Root
      value={value}
      onValueChange={onChange}
      min={min}
      max={max}
      format={{ maximumFractionDigits: 0 }}
      disabled={disabled}
    >
      <NumberField.Input {...useFieldWiring(own)} className={cn('control', className)} />
    </NumberField.Root>
  )
}
