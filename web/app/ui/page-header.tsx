import type { ReactNode } from 'react'

interface PageHeaderProps {
  title: string
  description?: ReactNode
  /** To the right of the title, the primary one last. */
  actions?: ReactNode
}

/** A page's title, description and actions. For signed-in users, they are in the top bar. */
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
