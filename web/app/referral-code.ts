import { useLocation } from 'react-router'
import { referralCodeIn, withReferralCode } from './referral-query'
import { useHydrated } from './ui/use-hydrated'

/** The code in the address of this page; null while prerendering. */
export function useReferralCode(): string | null {
  const { search } = useLocation()
  return useHydrated() ? referralCodeIn(search) : null
}

/** For links between pages for guests: the code goes along until they join or sign up. `<Link to={carry(paths.signUp)}>` */
export function useCarriedReferral(): (path: string) => string {
  const code = useReferralCode()
  return (path) => withReferralCode(path, code)
}
