/** A waitlist position stored in this browser, under three keys that are part of the product's interface. */
export interface StoredPlace {
  email: string
  position: number
  referralCode: string
}

const EMAIL = 'waitlistEmail'
const POSITION = 'waitlistPosition'
const REFERRAL_CODE = 'waitlistReferralCode'

/** The stored position, or null if it is incomplete. */
export function readPlace(storage: Pick<Storage, 'getItem'>): StoredPlace | null {
  const email = storage.getItem(EMAIL)
  const position = Number.parseInt(storage.getItem(POSITION) ?? '', 10)
  const referralCode = storage.getItem(REFERRAL_CODE)
  return email && position > 0 && referralCode ? { email, position, referralCode } : null
}

/** Writes all three keys, because an incomplete position counts as none. */
export function writePlace(storage: Pick<Storage, 'setItem'>, { email, position, referralCode }: StoredPlace): void {
  storage.setItem(EMAIL, email)
  storage.setItem(POSITION, String(position))
  storage.setItem(REFERRAL_CODE, referralCode)
}

/** Removes all three keys. */
export function removePlace(storage: Pick<Storage, 'removeItem'>): void {
  for (const key of [EMAIL, POSITION, REFERRAL_CODE]) storage.removeItem(key)
}
