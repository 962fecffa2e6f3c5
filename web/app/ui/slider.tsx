import { Slider as Base } from '@base-ui/react/slider'
import { formatNumber } from '@x-automated/contract/format'
import type { ReactNode } from 'react'

interface SliderProps {
  label: ReactNode
  value: number
  onChange: (value: number) => void
  min: number
  max: number
  step?: number
  /** Set if a field next to it displays the value. */
  hideValue?: boolean
}

/** A range slider, for approximate numbers. */
export function Slider({ label, onChange, step = 1, hideValue = false, ...rest }: SliderProps) {
  return (
    <Base.Root {...rest} step={step} largeStep={step * 10} onValueChange={onChange} className="grid gap-1">
      <div className="flex items-baseline justify-between gap-3">
        <Base.Label className="font-strong">{label}</Base.Label>
        {!hideValue && <Base.Value className="text-muted">{(_, [value = 0]) => formatNumber(value)}</Base.Value>}
      </div>
      <Base.Control className="flex h-6 cursor-pointer items-center">
        <Base.Track className="h-1.5 w-full rounded-full bg-control">
          <Base.Indicator className="rounded-full bg-accent-line" />
          <Base.Thumb
            getAriaValueText={(_, value) => formatNumber(value)}
            className="size-4.5 rounded-full border border-line-strong bg-raised shadow-sm has-focus-visible:outline-2 has-focus-visible:outline-offset-2 has-focus-visible:outline-accent-line"
          />
        </Base.Track>
      </Base.Control>
    </Base.Root>
  )
}
