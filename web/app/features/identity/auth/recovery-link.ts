/** The token in a link's fragment (`#token=…`), which never reaches servers or logs; or null. */
export function tokenIn(fragment: string): string | null {
  return new URLSearchParams(fragment.replace(/^#/, '')).get('token') || null
}
