import type { ReactNode } from 'react'

interface EmptyStateProps {
  icon?: ReactNode
  title: ReactNode
  children?: ReactNode
  action?: ReactNode
}

/** Shown instead of content: what is missing, and how to get started. */
export function EmptyState({ icon, title, children, action }: EmptyStateProps) {
  return (
    <div className="grid justify-items-center gap-4 rounded-lg border border-line border-dashed px-6 py-14 text-center">
      {icon && (
        <span className="flex size-11 items-center justify-center rounded-lg border border-line bg-sunken text-muted [&_svg]:size-5">
          {icon}
        </span>
      )}
      <div className="grid max-w-md gap-1">
        <p className="text-base font-strong">{title}</p>
        {children && <p className="text-muted">{children}</p>}
      </div>
      {action}
    </div>
  )
}
