import type { KeyValueStorage } from '../../../browser-storage'

const KEY = 'waitlistCount'

/** Keeps the number of members, for when it cannot be asked for. */
export function writeLastCount(storage: KeyValueStorage, count: number): void {
  storage.setItem(KEY, String(count))
}

/** The number of members that this browser last knew; null if none. */
export function readLastCount(storage: KeyValueStorage): number | null {
  const stored = storage.getItem(KEY)
  return stored !== null && /^\d+$/.test(stored) ? Number(stored) : null
}
