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

/** The links on which a friend's code goes along. */
export const FOR_GUESTS = 'a[href^="/"]:not([href*="."])'
