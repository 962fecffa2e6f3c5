/** The `data-view` of the document once its first view was counted, before the app was there (web/first-touch). */
export const VIEW_COUNTED = 'counted'

/** A view as the API takes it; the server keeps daily sums only. Where the visitor came from is not said: nothing is made of it. */
export function viewOf(path: string, ref: string | null): { path: string; ref?: string } {
  return { path, ...(ref ? { ref } : {}) }
}

/** The page on which a visit began, as far as this document knows: the page of ours that led here, or this one. */
export function entryOf(path: string, referrer: string, origin: string): string {
  return referrer.startsWith(`${origin}/`) ? new URL(referrer).pathname : path
}
