import { type ReactNode, useId } from 'react'

interface ProgressProps {
  label: ReactNode
  /** Null if unknown. */
  value: number | null
  max?: number | undefined
  /** '340 of 1,000 · about 2 min left'. */
  detail?: ReactNode
}

/** A progress bar. */
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
