/** The `data-view` of the document once its first view was counted, before the app was there (web/first-touch). */
export const COUNTED = 'counted'

/** What one view is counted by; the server keeps daily sums only. */
interface View {
  path: string
  referrer?: string
  ref?: string
}

/**
 * A view as the API takes it.
 * @param referrer where the visitor came from, as the browser says it; pages of our own are not said
 */
export function viewOf(path: string, ref: string | null, referrer: string, origin: string): View {
  const isForeign = referrer !== '' && !referrer.startsWith(`${origin}/`)
  return { path, ...(isForeign ? { referrer: referrer.slice(0, 2000) } : {}), ...(ref ? { ref } : {}) }
}

/** The page on which a visit began, as far as this document knows: the page of ours that led here, or this one. */
export function entryOf(path: string, referrer: string, origin: string): string {
  return referrer.startsWith(`${origin}/`) ? new URL(referrer).pathname : path
}
