import { useLocation } from 'react-router'
import { referralCodeIn, withReferralCode } from './referral-query'
import { useHydrated } from './ui/use-hydrated'

/** The referral code in this page's URL; null while prerendering. */
export function useReferralCode(): string | null {
  const { search } = useLocation()
  return useHydrated() ? referralCodeIn(search) : null
}

/** Keeps the referral code on links between public pages: `<Link to={carry(paths.signUp)}>`. */
export function useCarriedReferral(): (path: string) => string {
  const code = useReferralCode()
  return (path) => withReferralCode(path, code)
}
