import { useEffect } from 'react'
import { useLocation } from 'react-router'
import { client } from '../../api'
import { entryOf, VIEW_COUNTED, viewOf } from '../../first-view'
import { referralCodeIn } from '../../referral-query'

/** The page on which this visit began, as far as this document knows: a join is counted for it. Nothing is stored. */
export const entryPath =
  typeof document === 'undefined' ? '' : entryOf(location.pathname, document.referrer, location.origin)

/** The first view was counted before this code was there. */
let isCounted = typeof document !== 'undefined' && document.documentElement.dataset.view === VIEW_COUNTED

/** Counts each view of a page by its path and referral code; the server keeps daily sums only. Nobody waits for it, and a failure is no one's concern. */
export function ViewCount() {
  const { pathname, search } = useLocation()
  const ref = referralCodeIn(search)
  useEffect(() => {
    if (isCounted) isCounted = false
    else client.waitlist.trackView(viewOf(pathname, ref)).catch(() => {})
  }, [pathname, ref])
  return null
}
