/** Where the product is, where no page has said so yet. @param matches of the manifest's `externally_connectable` */
export function productOrigin([match]: readonly string[]): string | null {
  return match?.replace(/\/\*$/, '') ?? null
}

/**
 * May a page of this origin use the extension? The browser asks the manifest before it delivers a message; this asks
 * again, to the letter, since a pattern without a port lets in every port.
 */
export function isAllowedOrigin(origin: string | undefined, matches: readonly string[]): boolean {
  return origin !== undefined && matches.some((match) => match === `${origin}/*`)
}
