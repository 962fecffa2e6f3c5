import type { ReactNode } from 'react'

interface PageHeaderProps {
  title: string
  description?: ReactNode
  /** Shown right of the title, the primary one last. */
  actions?: ReactNode
}

/** A page's title, description and actions. Signed-in people see them in the top bar. */
export function PageHeader({ title, description, actions }: PageHeaderProps) {
  return (
    <header className="page-header">
      <div>
        <h1>{title}</h1>
        {description && <p className="text-muted">{description}</p>}
      </div>
      {actions && <div className="flex flex-wrap gap-2 empty:hidden max-sm:w-full">{actions}</div>}
    </header>
  )
}
