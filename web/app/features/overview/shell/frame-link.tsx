import type { ReactNode } from 'react'
import { Link, matchPath, useLocation } from 'react-router'
import type { FrameLink as FrameLinkProps } from './navigation'

/** A link of the sidebar or the bottom bar, which knows whether its page is open. */
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

/** `page`: its page or one below is open; `true`: the open page shows its tab. */
function useCurrent({ to, tab }: FrameLinkProps): 'page' | 'true' | undefined {
  const { pathname, search } = useLocation()
  if (to.includes('#') || !matchPath({ path: to, end: false }, pathname)) return undefined
  if (tab === undefined) return 'page'
  return new URLSearchParams(search).get('tab') === tab ? 'true' : undefined
}
