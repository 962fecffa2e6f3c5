import { ChevronsUpDown } from 'lucide-react'
import type { ComponentProps } from 'react'
import { cn } from './cn'
import { useFieldWiring } from './field'

interface SelectOption {
  value: string
  label: string
}

interface SelectProps extends ComponentProps<'select'> {
  options: readonly SelectOption[]
  /** Shown while the value is ''. Cannot be selected. */
  placeholder?: string
}

/** The native select. For long lists, use `Combobox`. */
export function Select({ options, placeholder, className, ...own }: SelectProps) {
  const props = useFieldWiring(own)
  return (
    <div className={cn('relative', className)}>
      <select {...props} data-empty={props.value === '' ? '' : undefined} className="control">
        {placeholder !== undefined && (
          <option value="" disabled>
            {placeholder}
          </option>
        )}
        {options.map((option) => (
          <option key={option.value} value={option.value}>
            {option.label}
          </option>
        ))}
      </select>
      <ChevronsUpDown
        aria-hidden
        className="pointer-events-none absolute inset-y-0 right-3 my-auto size-4 text-muted"
      />
    </div>
  )
}
