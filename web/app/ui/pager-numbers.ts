/** A page number or a gap. */
type PagerEntry = number | 'gap-before' | 'gap-after'

/** The pager's entries: the first, the last, and the current page with its neighbors. */
export function pagerNumbers(page: number, pages: number): PagerEntry[] {
  const last = Math.max(1, Math.floor(pages))
  const current = Math.min(Math.max(1, Math.floor(page)), last)
  const numbers = [...new Set([1, current - 1, current, current + 1, last])]
    .filter((number) => number >= 1 && number <= last)
    .sort((a, b) => a - b)
  return numbers.flatMap((number, index): PagerEntry[] => {
    const before = numbers[index - 1]
    if (before === undefined || number === before + 1) return [number]
    return [number <= current ? 'gap-before' : 'gap-after', number]
  })
}

/** The last page if the current one no longer exists, else null. Always null while the total may be outdated. */
export function pageLeft(of: {
  page: number
  pageSize: number
  total: number | undefined
  stale: boolean
}): number | null {
  if (of.total === undefined || of.stale) return null
  const last = Math.max(1, Math.ceil(of.total / of.pageSize))
  return of.page > last ? last : null
}
