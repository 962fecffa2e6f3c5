/** What this browser remembers of a join (specification §3: these three names). */
export interface StoredPlace {
  email: string
  position: number
  referralCode: string
}

const EMAIL = 'waitlistEmail'
const POSITION = 'waitlistPosition'
const REFERRAL_CODE = 'waitlistReferralCode'

/** The remembered place; null unless all of it is there. */
export function readPlace(storage: Pick<Storage, 'getItem'>): StoredPlace | null {
  const email = storage.getItem(EMAIL)
  const position = Number.parseInt(storage.getItem(POSITION) ?? '', 10)
  const referralCode = storage.getItem(REFERRAL_CODE)
  return email && position > 0 && referralCode ? { email, position, referralCode } : null
}

export function writePlace(storage: Pick<Storage, 'setItem'>, { email, position, referralCode }: StoredPlace): void {
  storage.setItem(EMAIL, email)
  storage.setItem(POSITION, String(position))
  storage.setItem(REFERRAL_CODE, referralCode)
}

export function removePlace(storage: Pick<Storage, 'removeItem'>): void {
  for (const key of [EMAIL, POSITION, REFERRAL_CODE]) storage.removeItem(key)
}
