import type { KeyValueStorage } from '../../../browser-storage'

const KEY = 'waitlistCount'

/** Stores the number of members, in case the server does not respond next time. */
export function writeLastCount(storage: KeyValueStorage, count: number): void {
  storage.setItem(KEY, String(count))
}

/** The number of members that this browser last stored, or null. */
export function readLastCount(storage: KeyValueStorage): number | null {
  const stored = storage.getItem(KEY)
  return stored !== null && /^\d+$/.test(stored) ? Number(stored) : null
}
