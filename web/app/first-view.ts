/** `data-view` of the document once first-touch has counted its first view. */
export const VIEW_COUNTED = 'counted'

/** A page view for the API, which keeps daily totals only. It deliberately omits the referrer. */
export function viewOf(path: string, ref: string | null): { path: string; ref?: string } {
  return { path, ...(ref ? { ref } : {}) }
}

/**
 * The first page of the visit that this document knows: the product's page that linked here, or
 * this one.
 */
export function entryOf(path: string, referrer: string, origin: string): string {
  return referrer.startsWith(`${origin}/`) ? new URL(referrer).pathname : path
}
