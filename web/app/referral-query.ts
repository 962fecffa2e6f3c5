/** Real codes have 6 or 8 characters. */
const LONGEST = 32

/** The referral code in a query string (`?ref=`), or null. */
export function referralCodeIn(search: string): string | null {
  return new URLSearchParams(search).get('ref')?.trim().slice(0, LONGEST) || null
}

/** Adds the referral code, if any, to a path. */
export function withReferralCode(path: string, code: string | null): string {
  return code ? `${path}?ref=${encodeURIComponent(code)}` : path
}

/** Selects the links that keep the referral code. */
export const FOR_GUESTS = 'a[href^="/"]:not([href*="."])'
