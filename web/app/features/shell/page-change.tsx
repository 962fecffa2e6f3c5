import { useEffect, useRef } from 'react'
import { useLocation } from 'react-router'

/**
 * After a step to another page within the app the focus goes to what that page is headed by, so that who listens hears where they are,
 * and who uses the keys goes on from there. A page that has put it somewhere itself keeps it.
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
