import { useMemo, useSyncExternalStore } from 'react'
import { localStorage } from './browser-storage'
import { readPlace, removePlace, type StoredPlace, writePlace } from './place-storage'

const watchers = new Set<() => void>()
const changed = () => {
  for (const watch of watchers) watch()
}

/** Stores a waitlist position for later visits, and updates every use of `useStoredPlace`. */
export function storePlace(entry: StoredPlace): void {
  writePlace(localStorage, entry)
  changed()
}

/** Removes the stored position, here and in other tabs. */
export function clearPlace(): void {
  removePlace(localStorage)
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

// Serialized, so that snapshots can be compared.
const snapshot = () => JSON.stringify(readPlace(localStorage))

/** The stored waitlist position, synced across tabs. Null while prerendering. */
export function useStoredPlace(): StoredPlace | null {
  const stored = useSyncExternalStore(subscribe, snapshot, () => 'null')
  return useMemo(() => JSON.parse(stored) as StoredPlace | null, [stored])
}
