import { ChevronLeft } from 'lucide-react'
import type { ReactNode } from 'react'
import { Link } from 'react-router'

/** A link to the parent page, labeled with its name. In a page's header, wide screens show it in the top bar. */
export function BackLink({ to, children }: { to: string; children: ReactNode }) {
  return (
    <Link
      to={to}
      className="back-link -ms-1 flex w-fit max-w-full items-center gap-1 rounded-sm pe-1 text-muted transition-colors hover:text-ink"
    >
      <ChevronLeft aria-hidden className="size-4 shrink-0" />
      <bdi className="truncate">{children}</bdi>
    </Link>
  )
}
