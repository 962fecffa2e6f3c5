/**
 * The credentials in the fragment of a mailed reset link (`#token=…`); null where there are none.
 * A fragment stays in the browser: no log and no other page ever sees it.
 */
export function tokenIn(fragment: string): string | null {
  return new URLSearchParams(fragment.replace(/^#/, '')).get('token') || null
}
