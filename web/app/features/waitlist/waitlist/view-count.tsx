import { useEffect } from 'react'
import { useLocation } from 'react-router'
import { client } from '../../../api'
import { CLIENT_REPORTS, isClientReport } from '../../../paths'
import { referralCodeIn } from '../../../referral-code'

/** The first page of the visit, judging by this document: our page that linked here, or this one. */
export function entryOf(path: string, referrer: string, origin: string): string {
  return referrer.startsWith(`${origin}/`) ? new URL(referrer).pathname : path
}

/** The first page of the visit. A join is attributed to it. Not stored. */
export const entryPath =
  typeof document === 'undefined' ? '' : countedPath(entryOf(location.pathname, document.referrer, location.origin))

/** The path to count, without the secret token of a client report. */
export function countedPath(path: string): string {
  return isClientReport(path) ? `${CLIENT_REPORTS}{token}` : path
}

/**
 * Counts page views by path and referral code. Skips first views that the startup script has
 * counted. Ignores failures.
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
