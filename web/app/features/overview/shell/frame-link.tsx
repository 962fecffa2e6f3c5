import type { ReactNode } from 'react'
import { Link, matchPath, useLocation } from 'react-router'
import type { FrameLink as FrameLinkProps } from './navigation'

/** A link in the sidebar or bottom bar, marked while its page is open. */
export function FrameLink({ link, className, onFollow, children }: FrameLinkOptions) {
  const current = useCurrent(link)
  return (
    <Link
      to={link.tab ? `${link.to}?tab=${link.tab}` : link.to}
      title={link.label}
      aria-current={current}
      className={className}
      onClick={onFollow}
    >
      <link.icon aria-hidden />
      {children}
    </Link>
  )
}

interface FrameLinkOptions {
  link: FrameLinkProps
  className: string
  onFollow?: () => void
  children: ReactNode
}

/** `page` if the link's page, or one below it, is open. `true` if its tab is open. */
function useCurrent({ to, tab }: FrameLinkProps): 'page' | 'true' | undefined {
  const { pathname, search } = useLocation()
  if (to.includes('#') || !matchPath({ path: to, end: false }, pathname)) return undefined
  if (tab === undefined) return 'page'
  return new URLSearchParams(search).get('tab') === tab ? 'true' : undefined
}
