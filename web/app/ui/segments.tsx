import { Toggle } from '@base-ui/react/toggle'
import { ToggleGroup } from '@base-ui/react/toggle-group'
import type { ReactNode } from 'react'

interface SegmentsProps<T extends string> {
  /** For screen readers. */
  label: string
  options: readonly { value: T; label: ReactNode }[]
  value: T
  onChange: (value: T) => void
}

/** A segmented control that applies immediately. */
export function Segments<T extends string>({ label, options, value, onChange }: SegmentsProps<T>) {
  return (
    <ToggleGroup
      aria-label={label}
      value={[value]}
      // Pressing the current option again would leave no option selected.
      onValueChange={([next]) => next && onChange(next)}
      className="flex w-fit gap-1 rounded-lg border border-line bg-sunken p-1"
    >
      {options.map((option) => (
        <Toggle
          key={option.value}
          value={option.value}
          className="flex min-h-9 items-center gap-2 rounded-md border border-transparent px-3.5 text-muted transition-colors hover:text-ink data-pressed:border-line data-pressed:bg-raised data-pressed:font-strong data-pressed:text-ink data-pressed:shadow-xs pointer-coarse:min-h-11"
        >
          {option.label}
        </Toggle>
      ))}
    </ToggleGroup>
  )
}
