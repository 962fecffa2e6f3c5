/** The value of a cookie in a Cookie header; null without one. */
export function cookieIn(header: string | null, name: string): string | null {
  const pairs = (header ?? '').split(';').map((pair) => pair.trim().split('=', 2))
  return pairs.find(([key]) => key === name)?.[1] ?? null
}
