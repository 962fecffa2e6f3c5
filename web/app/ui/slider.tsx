import { formatNumber } from '@x-automated/contract/format'
import { type ReactNode, useId } from 'react'

export interface SliderProps {
  label: ReactNode
  value: number
  onChange: (value: number) => void
  min: number
  max: number
  step?: number
  /** Formats the value for display and screen readers. */
  format?: (value: number) => string
  hint?: ReactNode
  disabled?: boolean
  name?: string
}

/** A range slider, for approximate numbers. */
export function Slider({
  label,
  value,
  onChange,
  min,
  max,
  step = 1,
  format = formatNumber,
  hint,
  disabled,
  name,
}: SliderProps) {
  const id = useId()
  const filled = max > min ? ((value - min) / (max - min)) * 100 : 0
  return (
    <div className="grid gap-1">
      <div className="flex items-baseline justify-between gap-3">
        <label htmlFor={id} className="font-strong">
          {label}
        </label>
        <output htmlFor={id} className="text-muted">
          {format(value)}
        </output>
      </div>
      <input
        id={id}
        type="range"
        name={name}
        min={min}
        max={max}
        step={step}
        value={value}
        disabled={disabled}
        aria-valuetext={format(value)}
        aria-describedby={hint ? `${id}-hint` : undefined}
        onChange={(event) => onChange(event.currentTarget.valueAsNumber)}
        className="slider"
        style={{ '--slider-filled': `${filled}%` }}
      />
      {hint && (
        <p id={`${id}-hint`} className="text-muted">
          {hint}
        </p>
      )}
    </div>
  )
}
