import { useEffect } from 'react'
import { useLocation } from 'react-router'
import { client } from '../../api'
import { referralCodeIn } from '../../referral-code'

/** The page on which this visit began, as far as this document knows: a join is counted for it. Nothing is stored. */
export const entryPath = typeof location === 'undefined' ? '' : location.pathname

/** Another site that led here; said with the first view only. */
let cameFrom: string | undefined = typeof document === 'undefined' ? undefined : document.referrer

/** Counts each view of a page by its path and referral code; the server keeps daily sums only. Nobody waits for it, and a failure is no one's concern. */
export function ViewCount() {
  const { pathname, search } = useLocation()
  const ref = referralCodeIn(search)
  useEffect(() => {
    const referrer = cameFrom
    cameFrom = undefined
    client.waitlist
      .trackView({
        path: pathname,
        ...(referrer ? { referrer: referrer.slice(0, 2000) } : {}),
        ...(ref ? { ref } : {}),
      })
      .catch(() => {})
  }, [pathname, ref])
  return null
}
