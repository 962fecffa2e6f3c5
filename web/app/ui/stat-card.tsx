import { formatNumber } from '@x-automated/contract/format'
import type { ReactNode } from 'react'
import { Skeleton } from './skeleton'

interface StatCardProps {
  label: ReactNode
  /** Null if not measured yet, which displays '–'. Undefined while loading. */
  value: number | string | null | undefined
  hint?: ReactNode
  icon?: ReactNode
}

/** A labeled number. Group several in a `<dl>` grid. */
export function StatCard({ label, value, hint, icon }: StatCardProps) {
  return (
    <div className="grid min-w-0 grid-cols-1 content-start gap-0.5 border-t border-line pt-3 pb-1">
      <dt className="flex items-center justify-between gap-2 text-ui text-muted [&_svg]:size-4">
        {label}
        {icon}
      </dt>
      <dd className="text-2xl font-strong" data-numeric>
        {value === undefined ? (
          <Skeleton className="my-1 h-6 w-20" />
        ) : typeof value === 'number' ? (
          formatNumber(value)
        ) : (
          (value ?? '–')
        )}
      </dd>
      {hint && <dd className="text-xs text-muted">{hint}</dd>}
    </div>
  )
}
