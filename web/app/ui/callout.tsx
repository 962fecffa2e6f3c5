import { CircleAlert, CircleCheck, Info, TriangleAlert } from 'lucide-react'
import type { ReactNode } from 'react'
import { cn } from './cn'

const looks = {
  info: { icon: Info, className: 'border-info/25 bg-info/6 [&>svg]:text-info' },
  good: { icon: CircleCheck, className: 'border-good/25 bg-good/6 [&>svg]:text-good' },
  warn: { icon: TriangleAlert, className: 'border-warn/30 bg-warn/6 [&>svg]:text-warn' },
  bad: { icon: CircleAlert, className: 'border-bad/25 bg-bad/6 [&>svg]:text-bad' },
}

export interface CalloutProps {
  tone?: keyof typeof looks
  title?: ReactNode
  children?: ReactNode
  /** Defaults to the role that announces it. */
  role?: 'group'
  /** A button of size 'sm', or a link. */
  action?: ReactNode
}

/** A message on the page. Screen readers announce 'bad' ones immediately, others politely. */
export function Callout({ tone = 'info', role, title, children, action }: CalloutProps) {
  const { icon: Icon, className } = looks[tone]
  return (
    <div
      role={role ?? (tone === 'bad' ? 'alert' : 'status')}
      className={cn('flex gap-3 rounded-lg border px-4 py-3', className)}
    >
      <Icon aria-hidden className="mt-0.5 size-4 shrink-0" />
      <div className="grid min-w-0 flex-1 gap-0.5">
        {title && <p className="font-strong">{title}</p>}
        {children && <div className="text-ink">{children}</div>}
        {action && <div className="pt-2">{action}</div>}
      </div>
    </div>
  )
}
