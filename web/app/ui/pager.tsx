import { formatNumber } from '@x-automated/contract/format'
import { ChevronLeft, ChevronRight } from 'lucide-react'
import { useEffect, useEffectEvent } from 'react'
import { Button } from './button'
import { cn } from './cn'
import { pageLeft, pagerNumbers } from './pager-numbers'

export interface PagerProps {
  /** 1-based. */
  page: number
  pageSize: number
  /** The list's query. `total` is the number of rows on all pages, and may be outdated while fetching. */
  query: { data?: { total: number | null } | null | undefined; isFetching: boolean }
  /** Whether there is a next page, for when the total is unknown. */
  hasNext?: boolean
  /** Also called with the last page if the current one no longer exists. */
  onChange: (page: number) => void
  /** Plural noun: 'leads'. */
  noun?: string
}

/** Pagination. Hidden if there is only one page. If the current page no longer exists, switches to the last. */
export function Pager({ page, pageSize, query, hasNext, onChange, noun = 'rows' }: PagerProps) {
  const total = query.data?.total ?? undefined
  const isKnown = total !== undefined
  const pages = isKnown ? Math.max(1, Math.ceil(total / pageSize)) : page + (hasNext ? 1 : 0)
  const lastPage = pageLeft({ page, pageSize, total, stale: query.isFetching })
  const stepBack = useEffectEvent((left: number) => onChange(left))
  useEffect(() => {
    if (lastPage !== null) stepBack(lastPage)
  }, [lastPage])
  if ((!isKnown && hasNext === undefined) || (pages === 1 && page === 1)) return null
  const last = Math.min(page * pageSize, total ?? Number.POSITIVE_INFINITY)
  const first = Math.min((page - 1) * pageSize + 1, last)
  /** Props of Previous and Next. Not `disabled`, because a disabled button loses the focus. */
  const stepUnless = (isAtEnd: boolean, by: 1 | -1) => ({
    'aria-disabled': isAtEnd || undefined,
    onClick: () => isAtEnd || onChange(page + by),
  })
  return (
    <nav aria-label="Pages" className="flex flex-wrap items-center justify-between gap-3 pt-4">
      <p className="text-muted" data-numeric>
        {isKnown
          ? `${formatNumber(first)}–${formatNumber(last)} of ${formatNumber(total)} ${noun}`
          : `Page ${formatNumber(page)}`}
      </p>
      <div className="flex items-center gap-1">
        <Button size="sm" variant="ghost" icon={<ChevronLeft aria-hidden />} {...stepUnless(page <= 1, -1)}>
          <span className="max-sm:sr-only">Previous</span>
        </Button>
        {(isKnown ? pagerNumbers(page, pages) : []).map((entry) =>
          typeof entry === 'number' ? (
            <button
              key={entry}
              type="button"
              aria-label={`Page ${formatNumber(entry)}`}
              aria-current={entry === page ? 'page' : undefined}
              onClick={() => onChange(entry)}
              data-numeric
              className={cn(
                'min-w-8 rounded-md px-1.5 py-1.5 text-center transition-colors hover:bg-hover pointer-coarse:py-2.5',
                entry === page ? 'bg-pressed font-strong' : 'text-muted',
              )}
            >
              {formatNumber(entry)}
            </button>
          ) : (
            <span key={entry} aria-hidden className="w-5 text-center text-faint">
              …
            </span>
          ),
        )}
        <Button size="sm" variant="ghost" {...stepUnless(page >= pages, 1)}>
          <span className="max-sm:sr-only">Next</span>
          <ChevronRight aria-hidden />
        </Button>
      </div>
    </nav>
  )
}
