import { useEffect } from 'react'
import { useLocation } from 'react-router'
import { client } from '../../../api'
import { entryOf } from '../../../entry-path'
import { referralCodeIn } from '../../../referral-query'

/** The visit's first page, to which a join is attributed. Not stored. */
export const entryPath =
  typeof document === 'undefined' ? '' : entryOf(location.pathname, document.referrer, location.origin)

/**
 * Counts page views by path and referral code, without the referrer; the server keeps daily totals
 * only. Failures are ignored.
 */
export function ViewCount() {
  const { pathname, search } = useLocation()
  const ref = referralCodeIn(search)
  useEffect(() => {
    const count = () => void client.waitlist.trackView({ path: pathname, ...(ref && { ref }) }).catch(() => {})
    if (!('prerendering' in document && document.prerendering)) return count()
    document.addEventListener('prerenderingchange', count, { once: true })
    return () => document.removeEventListener('prerenderingchange', count)
  }, [pathname, ref])
  return null
}
