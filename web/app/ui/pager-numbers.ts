/** A page's number, or a gap where pages are left out. */
export type PagerEntry = number | 'gap-before' | 'gap-after'

/**
 * The buttons of a pager, in order: the first page, the last, and those within 1 of the current one; at most five (specification §9).
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
