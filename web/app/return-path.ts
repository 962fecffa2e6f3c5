import { localStorage } from './browser-storage'

const KEY = 'authReturnPath'

/** Returning to any of these after signing in would loop. */
const signInPages = /^\/(login|auth|forgot-password|reset-password)(\/|$)/

/** The path if it is on this origin and not a sign-in page, else null. @param path untrusted */
export function safeReturnPath(path: unknown, origin: string): string | null {
  if (typeof path !== 'string' || !path.startsWith('/')) return null
  let url: URL
  try {
    // Parses as the browser does, to catch '//host', '/\host' and embedded tabs.
    url = new URL(path, origin)
  } catch {
    return null
  }
  if (url.origin !== origin || url.pathname.startsWith('//') || signInPages.test(url.pathname)) return null
  return url.pathname + url.search + url.hash
}

/** Saves the path to return to after signing in, because signing in may open other pages. */
export function saveReturnPath(path: string): void {
  if (safeReturnPath(path, location.origin)) localStorage.setItem(KEY, path)
}

/** Returns and clears the saved path. */
export function takeReturnPath(): string | null {
  const path = safeReturnPath(localStorage.getItem(KEY), location.origin)
  localStorage.removeItem(KEY)
  return path
}
