import type { ReactNode } from 'react'
import { Skeleton, SkeletonLine } from '../../../ui/skeleton'

/** A list of rows. */
export function Rows({ label, children }: { label: string; children: ReactNode }) {
  return (
    <ul aria-label={label} className="grid divide-y divide-line">
      {children}
    </ul>
  )
}

/** Placeholder rows. */
export function RowsSkeleton({ rows }: { rows: number }) {
  return (
    <div className="grid divide-y divide-line">
      {Array.from({ length: rows }, (_, row) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the rows are all alike and never move
        <div key={row} className="flex items-center gap-3 py-3 first:pt-0 last:pb-0">
          <Skeleton className="size-9 shrink-0" />
          <div className="grid flex-1">
            <SkeletonLine className="w-32" />
            <SkeletonLine className="w-52" />
          </div>
        </div>
      ))}
    </div>
  )
}

interface RowProps {
  icon: ReactNode
  title: ReactNode
  detail?: ReactNode
  /** A button of size 'sm'. */
  action?: ReactNode
}

/** A row with icon, title, detail and action. */
export function Row({ icon, title, detail, action }: RowProps) {
  return (
    <li className="flex items-center gap-3 py-3 first:pt-0 last:pb-0">
      <span
        aria-hidden
        className="flex size-9 shrink-0 items-center justify-center rounded-md border border-line bg-sunken text-muted [&_svg]:size-4"
      >
        {icon}
      </span>
      <div className="min-w-0 flex-1">
        <div className="flex flex-wrap items-center gap-x-2 gap-y-1 font-strong">{title}</div>
        {detail && <div className="text-muted">{detail}</div>}
      </div>
      {action}
    </li>
  )
}
