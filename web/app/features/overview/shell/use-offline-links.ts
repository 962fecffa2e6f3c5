import { useEffect } from 'react'
import { matchPath, useLocation } from 'react-router'
import { pages } from '../../../paths'
import { toast } from '../../../ui/toast'

/** Pages whose code this tab has loaded. */
const loaded = new Set<string>()

const pageOf = (pathname: string) => pages.find(({ path }) => matchPath(path, pathname))?.path ?? pathname

/** Offline, keeps links from pages that aren't loaded: the browser's error page would replace ours. */
export function useOfflineLinks(): void {
  const { pathname } = useLocation()
  useEffect(() => {
    loaded.add(pageOf(pathname))
  }, [pathname])
  useEffect(() => {
    const stay = (event: MouseEvent) => {
      const link = event.target instanceof Element ? event.target.closest('a') : null
      if (navigator.onLine || link?.origin !== location.origin || loaded.has(pageOf(link.pathname))) return
      event.preventDefault()
      toast.error("You're offline. Open this page once you're connected.")
    }
    document.addEventListener('click', stay, true)
    return () => document.removeEventListener('click', stay, true)
  }, [])
}
