import { useLocation } from 'react-router'
import { useHydrated } from './ui/use-hydrated'

/** Maximum length. The rest is cut off. Actual codes have 6 or 8 characters. */
const LONGEST = 32

/** The referral code in a query string (`?ref=`), or null. */
export function referralCodeIn(search: string): string | null {
  return new URLSearchParams(search).get('ref')?.trim().slice(0, LONGEST) || null
}

/** Adds the referral code, if there is one, to a path. */
export function withReferralCode(path: string, code: string | null): string {
  return code ? `${path}?ref=${encodeURIComponent(code)}` : path
}

/** The referral code in this page's URL. Null while prerendering. */
export function useReferralCode(): string | null {
  const { search } = useLocation()
  return useHydrated() ? referralCodeIn(search) : null
}

/** Keeps the referral code on links between public pages: `<Link to={carry(paths.signUp)}>`. */
export function useCarriedReferral(): (path: string) => string {
  const code = useReferralCode()
  return (path) => withReferralCode(path, code)
}
