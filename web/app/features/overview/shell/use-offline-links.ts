import { useEffect } from 'react'
import { matchPath, useLocation, useNavigate } from 'react-router'
import { pages } from '../../../paths'
import { toast } from '../../../ui/toast'

/** Pages whose code this tab has loaded. */
const loaded = new Set<string>()

const pageOf = (pathname: string) => pages.find(({ path }) => matchPath(path, pathname))?.path ?? pathname

/** Whether a page cannot be loaded now. If so, shows a message. */
function isOutOfReach(pathname: string): boolean {
  if (navigator.onLine || loaded.has(pageOf(pathname))) return false
  toast.error("You're offline. Open this page once you're connected.")
  return true
}

/** Opens a page from the keyboard or the palette, if it can be loaded. */
export function useOpenPage(): (to: string) => void {
  const navigate = useNavigate()
  return (to) => {
    if (!isOutOfReach(new URL(to, location.origin).pathname)) void navigate(to)
  }
}

/** While offline, blocks links to pages that have not loaded. Otherwise the browser's error page would replace ours. */
export function useOfflineLinks(): void {
  const { pathname } = useLocation()
  useEffect(() => {
    loaded.add(pageOf(pathname))
  }, [pathname])
  useEffect(() => {
    const stay = (event: MouseEvent) => {
      const link = event.target instanceof Element ? event.target.closest('a') : null
      if (link?.origin === location.origin && isOutOfReach(link.pathname)) event.preventDefault()
    }
    document.addEventListener('click', stay, true)
    return () => document.removeEventListener('click', stay, true)
  }, [])
}
