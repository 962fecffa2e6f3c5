import type { ReactNode } from 'react'

export interface SegmentsProps<T extends string> {
  /** For screen readers. */
  label: string
  name: string
  options: readonly { value: T; label: ReactNode }[]
  /** Omit with `onChange` if only CSS reads it (`has-[[value=…]:checked]`). */
  value?: T
  onChange?: (value: T) => void
}

/** A segmented control that applies immediately. The first option is the default. */
export function Segments<T extends string>({ label, name, options, value, onChange }: SegmentsProps<T>) {
  return (
    <fieldset className="w-fit" data-works-alone={onChange ? undefined : ''}>
      <legend className="sr-only">{label}</legend>
      <div className="flex gap-1 rounded-lg border border-line bg-sunken p-1">
        {options.map((option, index) => (
          <label
            key={option.value}
            className="relative flex min-h-9 items-center gap-2 rounded-md border border-transparent px-3.5 text-muted transition-colors hover:text-ink has-checked:border-line has-checked:bg-raised has-checked:font-strong has-checked:text-ink has-checked:shadow-xs has-focus-visible:outline-2 has-focus-visible:outline-offset-2 has-focus-visible:outline-accent-line pointer-coarse:min-h-11"
          >
            <input
              type="radio"
              name={name}
              value={option.value}
              {...(onChange
                ? { checked: option.value === value, onChange: () => onChange(option.value) }
                : { defaultChecked: index === 0 })}
              className="sr-only"
            />
            {option.label}
          </label>
        ))}
      </div>
    </fieldset>
  )
}
