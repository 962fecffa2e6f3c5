import { localStorage } from './browser-storage'

const KEY = 'authReturnPath'

/** Pages that lead to themselves again when returned to after signing in. */
const signInPages = /^\/(login|auth|forgot-password|reset-password)(\/|$)/

/**
 * A path that is safe to send someone to after signing in: on this origin, and not a sign-in page. Null for anything else.
 * @param asked what was remembered or handed over; not to be trusted
 * @param origin the product's own origin
 */
export function safeReturnPath(asked: unknown, origin: string): string | null {
  if (typeof asked !== 'string' || !asked.startsWith('/')) return null
  let url: URL
  try {
    // The browser's own reading decides, so that '//host', '/\host' and tabs within are seen as it sees them.
    url = new URL(asked, origin)
  } catch {
    return null
  }
  if (url.origin !== origin || url.pathname.startsWith('//') || signInPages.test(url.pathname)) return null
  return url.pathname + url.search + url.hash
}

/** Remembers where someone wanted to go, over the whole sign-in (which may leave the page). */
export function saveReturnPath(path: string): void {
  if (safeReturnPath(path, location.origin)) localStorage.setItem(KEY, path)
}

/** What was remembered, once: a second call finds nothing. */
export function takeReturnPath(): string | null {
  const path = safeReturnPath(localStorage.getItem(KEY), location.origin)
  localStorage.removeItem(KEY)
  return path
}
