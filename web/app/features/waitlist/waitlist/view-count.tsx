import { useEffect } from 'react'
import { useLocation } from 'react-router'
import { client } from '../../../api'
import { CLIENT_REPORTS, isClientReport } from '../../../paths'
import { referralCodeIn } from '../../../referral-code'

/** The visit's first page, judging by this document: the product's page that linked here, or this page. */
export function entryOf(path: string, referrer: string, origin: string): string {
  return referrer.startsWith(`${origin}/`) ? new URL(referrer).pathname : path
}

/** The visit's first page, to which a join is attributed. Not stored. */
export const entryPath =
  typeof document === 'undefined' ? '' : countedPath(entryOf(location.pathname, document.referrer, location.origin))

/** The path to count. The token in a client report's path is secret, so it is left out. */
export function countedPath(path: string): string {
  return isClientReport(path) ? `${CLIENT_REPORTS}{token}` : path
}

/**
 * Counts page views by path and referral code. The startup script counts some first views; those
 * are skipped. Failures are ignored.
 */
export function ViewCount() {
  const { pathname, search } = useLocation()
  const ref = referralCodeIn(search)
  useEffect(() => {
    const { dataset } = document.documentElement
    if (dataset.view) {
      delete dataset.view
      return
    }
    const count = () =>
      void client.waitlist.trackView({ path: countedPath(pathname), ...(ref && { ref }) }).catch(() => {})
    if (!('prerendering' in document && document.prerendering)) return count()
    document.addEventListener('prerenderingchange', count, { once: true })
    return () => document.removeEventListener('prerenderingchange', count)
  }, [pathname, ref])
  return null
}
