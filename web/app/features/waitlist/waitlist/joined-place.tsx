import { useQuery } from '@tanstack/react-query'
import { formatCount, formatNumber } from '@x-automated/contract/format'
import { useEffect } from 'react'
import { api, errorCode } from '../../../api'
import type { StoredPlace } from '../../../place-storage'
import { clearPlace, storePlace } from '../../../stored-place'
import { Button } from '../../../ui/button'
import { ReferralLink } from './referral-link'
import { referralLinks } from './referral-links'
import { ShareButtons } from './share-buttons'

/** Refreshes the stored position, or clears it if the member no longer exists. */
export function useCurrentPlace(entry: StoredPlace | null) {
  const standing = useQuery({
    ...api.waitlist.position.queryOptions({ input: { email: entry?.email ?? '' } }),
    enabled: entry !== null,
    retry: false,
  })
  const now = standing.data?.user
  useEffect(() => {
    if (!now || !entry) return
    if (now.position !== entry.position || now.referral_code !== entry.referralCode)
      storePlace({ email: entry.email, position: now.position, referralCode: now.referral_code })
  }, [now, entry])
  const isGone = errorCode(standing.error) === 'MEMBER_NOT_FOUND'
  useEffect(() => {
    if (isGone) clearPlace()
  }, [isGone])
  return { referralCount: now?.referralCount ?? 0 }
}

export interface JoinedPlaceProps {
  place: StoredPlace
  referralCount: number
}

/** A member's position and how to move up. */
export function JoinedPlace({ place: entry, referralCount }: JoinedPlaceProps) {
  const link = referralLinks.waitlist(location.origin, entry.referralCode)
  return (
    <div className="grid gap-5">
      <div className="grid gap-1">
        <p className="truncate text-muted">{entry.email}</p>
        <p className="text-3xl font-strong" data-numeric>
          Your position: #{formatNumber(entry.position)}
        </p>
        <p className="text-muted" data-numeric>
          {referralCount === 0
            ? 'Move up 5 spots for every friend who joins with your link.'
            : `${formatCount(referralCount, 'friend has', 'friends have')} joined with your link.`}
        </p>
      </div>
      <ReferralLink link={link} />
      <ShareButtons link={link} channels={['twitter', 'linkedin', 'whatsapp', 'email']} />
      <Button variant="ghost" size="sm" className="-ms-2.5 w-fit text-muted!" onClick={clearPlace}>
        Use a different email
      </Button>
    </div>
  )
}
