import type { KeyValueStorage } from './browser-storage'
import { safeReturnPath } from './return-path'

/** Both in session storage: of this tab only. */
const REFRESHED = 'pageRefreshed'
const PATH = 'lastVisitedPath'

/** After a refresh, this long until the session is looked at again (specification §2). */
export const RECHECK_SESSION_AFTER_MS = 100

/** Remembers the page one is on. Sign-in pages are passed through, not visited. */
export function recordVisit(storage: KeyValueStorage, path: string, origin: string): void {
  const visited = safeReturnPath(path, origin)
  if (visited) storage.setItem(PATH, visited)
}

/** Called when the page is left: whether by a refresh only the next page knows. */
export function recordPageLeave(storage: KeyValueStorage, path: string, origin: string): void {
  recordVisit(storage, path, origin)
  storage.setItem(REFRESHED, 'true')
}

/** The path that was visited last, where this page is a refresh of the one before; null elsewhere. Asked once a page. */
export function consumeRefresh(storage: KeyValueStorage, isReload: boolean, origin: string): string | null {
  const isFlagged = storage.getItem(REFRESHED) !== null
  storage.removeItem(REFRESHED)
  return isFlagged && isReload ? safeReturnPath(storage.getItem(PATH), origin) : null
}
