import { useMemo, useSyncExternalStore } from 'react'

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

const watchers = new Set<() => void>()
const changed = () => {
  for (const watch of watchers) watch()
}

export function storePlace({ email, position, referralCode }: StoredPlace): void {
  localStorage.setItem(EMAIL, email)
  localStorage.setItem(POSITION, String(position))
  localStorage.setItem(REFERRAL_CODE, referralCode)
  changed()
}

export function forgetPlace(): void {
  for (const key of [EMAIL, POSITION, REFERRAL_CODE]) localStorage.removeItem(key)
  changed()
}

function subscribe(watch: () => void): () => void {
  watchers.add(watch)
  addEventListener('storage', watch)
  return () => {
    watchers.delete(watch)
    removeEventListener('storage', watch)
  }
}

// Text, so that reading twice gives the same value.
const snapshot = () => JSON.stringify(readPlace(localStorage))

/** The remembered place of this browser, in all its tabs; null while prerendering. */
export function useStoredPlace(): StoredPlace | null {
  const stored = useSyncExternalStore(subscribe, snapshot, () => 'null')
  return useMemo(() => JSON.parse(stored) as StoredPlace | null, [stored])
}
