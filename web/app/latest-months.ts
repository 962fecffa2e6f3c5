/**
 * UTC months up to that of `now`, newest first: '2026-11', '2026-10'.
 * @param since ISO 8601; leaves out the months before it, but never that of `now`
 */
export function latestMonths(now: Date, count: number, since = ''): string[] {
  return Array.from({ length: count }, (_, ago) =>
    new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - ago)).toISOString().slice(0, 7),
  ).filter((month, ago) => ago === 0 || month >= since.slice(0, 7))
}
