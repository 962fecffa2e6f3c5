import { useEffect } from 'react'
import { useLocation } from 'react-router'
import { client } from '../../../api'
import { entryOf, VIEW_COUNTED, viewOf } from '../../../first-view'
import { referralCodeIn } from '../../../referral-query'

/** The visit's first page, to which a join is attributed. Not stored. */
export const entryPath =
  typeof document === 'undefined' ? '' : entryOf(location.pathname, document.referrer, location.origin)

/** The first view was counted by first-touch. */
let isCounted = typeof document !== 'undefined' && document.documentElement.dataset.view === VIEW_COUNTED

/**
 * Counts page views by path and referral code; the server keeps daily totals only. Failures are
 * ignored.
 */
export function ViewCount() {
  const { pathname, search } = useLocation()
  const ref = referralCodeIn(search)
  useEffect(() => {
    if (isCounted) isCounted = false
    else client.waitlist.trackView(viewOf(pathname, ref)).catch(() => {})
  }, [pathname, ref])
  return null
}
