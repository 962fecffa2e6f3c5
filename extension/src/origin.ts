/** The product's default origin. @param matches from the manifest's `externally_connectable` */
export function productOrigin([match]: readonly string[]): string | null {
  return match?.replace(/\/\*$/, '') ?? null
}

/**
 * Whether pages of this origin may use the extension. The manifest is not enough: a pattern without
 * a port matches every port.
 */
export function isAllowedOrigin(origin: string | undefined, matches: readonly string[]): boolean {
  return origin !== undefined && matches.some((match) => match === `${origin}/*`)
}
