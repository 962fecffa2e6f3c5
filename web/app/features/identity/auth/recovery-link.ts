/** The token in a link's fragment (`#token=…`), or null. Fragments never reach servers or logs. */
export function tokenIn(fragment: string): string | null {
  return new URLSearchParams(fragment.replace(/^#/, '')).get('token') || null
}
