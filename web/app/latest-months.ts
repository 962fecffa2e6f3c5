/** UTC months up to that of `now`, newest first: '2026-11', '2026-10'. */
export function latestMonths(now: Date, count: number): string[] {
  return Array.from({ length: count }, (_, ago) =>
    new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - ago)).toISOString().slice(0, 7),
  )
}
