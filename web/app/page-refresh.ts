import type { KeyValueStorage } from './browser-storage'
import { safeReturnPath } from './return-path'

// Keys in session storage.
const REFRESHED = 'pageRefreshed'
const PATH = 'lastVisitedPath'

/** Delay before the session is checked again after a reload. */
export const RECHECK_SESSION_AFTER_MS = 100

/** Saves the current path, except on sign-in pages. */
export function recordVisit(storage: KeyValueStorage, path: string, origin: string): void {
  const visited = safeReturnPath(path, origin)
  if (visited) storage.setItem(PATH, visited)
}

/** Records that the user left a page. Call it on pagehide: only the next page can tell whether this was a reload. */
export function recordPageLeave(storage: KeyValueStorage, path: string, origin: string): void {
  recordVisit(storage, path, origin)
  storage.setItem(REFRESHED, 'true')
}

/** The last path if this page is a reload, else null. Call it once per page. */
export function consumeRefresh(storage: KeyValueStorage, isReload: boolean, origin: string): string | null {
  const isFlagged = storage.getItem(REFRESHED) !== null
  storage.removeItem(REFRESHED)
  return isFlagged && isReload ? safeReturnPath(storage.getItem(PATH), origin) : null
}
