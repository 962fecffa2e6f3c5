/** A page number or a gap. */
export type PagerEntry = number | 'gap-before' | 'gap-after'

/** * The pager's buttons in order: first, last, and the current page with its neighbours; at most five numbers.
 * @param page the current page, 1-based; one outside the range counts as the nearest inside
 * @param pages how many there are
 */
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

/**
 * Where a pager goes by itself: from a page that is gone, as its rows are, to the last one that is left; null: it stays.
 * @param of the total undefined or stale: nobody knows whether it is gone
 */
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
