import type { ComponentProps, ReactNode } from 'react'
import { cn } from './cn'
import { useFocusFallback } from './use-focus-fallback'

interface CardProps extends Omit<ComponentProps<'section'>, 'title'> {
  title?: ReactNode
  description?: ReactNode
  /** To the right of the title. */
  actions?: ReactNode
}

/** A section of a page with its own heading. */
export function Card({ title, description, actions, className, children, ...rest }: CardProps) {
  // Saving disables the focused button, so the card takes the focus.
  const focusFallback = useFocusFallback<HTMLElement>()
  return (
    <section
      {...focusFallback}
      {...rest}
      className={cn('rounded-lg border border-line bg-surface outline-none', className)}
    >
      {(title || actions) && (
        <div className={cn('flex flex-wrap items-start justify-between gap-3 px-5 pt-5', !children && 'pb-5')}>
          <div className="grid gap-0.5">
            {title && <h2 className="text-base">{title}</h2>}
            {description && <p className="text-muted">{description}</p>}
          </div>
          {actions && <div className="flex gap-2">{actions}</div>}
        </div>
      )}
      {children && <div className="p-5">{children}</div>}
    </section>
  )
}
