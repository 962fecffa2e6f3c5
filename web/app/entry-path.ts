/**
 * The first page of the visit that this document knows: the product's page that linked here, or
 * this one.
 */
export function entryOf(path: string, referrer: string, origin: string): string {
  return referrer.startsWith(`${origin}/`) ? new URL(referrer).pathname : path
}
