import { useEffect, useRef } from 'react'
import { useLocation } from 'react-router'

/**
 * After navigation within the app, focuses the page's heading for screen readers and keyboards,
 * unless the page has set the focus itself.
 */
export function PageChange() {
  const { pathname } = useLocation()
  const before = useRef(pathname)
  useEffect(() => {
    if (before.current === pathname) return
    before.current = pathname
    const content = document.getElementById('content')
    if (!content || (document.activeElement !== content && content.contains(document.activeElement))) return
    const heading = content.querySelector<HTMLElement>('h1') ?? content
    heading.tabIndex = -1
    heading.focus({ preventScroll: true })
  }, [pathname])
  return null
}
