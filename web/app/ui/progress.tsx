import { type ReactNode, useId } from 'react'

export interface ProgressProps {
  label: ReactNode
  /** Null while nobody knows how far it is. */
  value: number | null
  max?: number
  /** Words for how far it is: '340 of 1,000 · about 2 min left'. */
  detail?: ReactNode
}

/** How far long work has come. */
export function Progress({ label, value, max = 100, detail }: ProgressProps) {
  const id = useId()
  return (
    <div className="grid gap-2">
      <div className="flex flex-wrap items-baseline justify-between gap-x-3">
        <label htmlFor={id} className="font-strong">
          {label}
        </label>
        {detail && (
          <span className="text-muted" data-numeric>
            {detail}
          </span>
        )}
      </div>
      <progress id={id} className="progress" max={max} {...(value === null ? {} : { value: Math.min(value, max) })} />
    </div>
  )
}
