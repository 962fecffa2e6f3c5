import { useLocation } from 'react-router'
import { useHydrated } from './ui/use-hydrated'

/** Codes have 6 or 8 characters; what is longer is not one, and unknown codes are ignored. */
const LONGEST = 32

/** The code of a friend's link (`?ref=`), or null. */
export function referralCodeIn(search: string): string | null {
  return new URLSearchParams(search).get('ref')?.trim().slice(0, LONGEST) || null
}

/** A path of ours with the friend's code on it, where there is one. */
export function withReferralCode(path: string, code: string | null): string {
  return code ? `${path}?ref=${encodeURIComponent(code)}` : path
}

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
