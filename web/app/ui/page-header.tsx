import type { ReactNode } from 'react'

export interface PageHeaderProps {
  title: string
  description?: ReactNode
  /** Right of the title, the primary one last. */
  actions?: ReactNode
}

/** A page's title, description and actions. */
export function PageHeader({ title, description, actions }: PageHeaderProps) {
  return (
    <header className="flex flex-wrap items-end justify-between gap-x-6 gap-y-4 pb-6">
      <div className="grid gap-1">
        <h1 className="text-2xl">{title}</h1>
        {description && <p className="max-w-2xl text-muted">{description}</p>}
      </div>
      {actions && <div className="flex flex-wrap gap-2 empty:hidden max-sm:w-full">{actions}</div>}
    </header>
  )
}
