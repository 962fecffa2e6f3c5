import { ChevronLeft, ChevronRight } from 'lucide-react'
import { Button } from './button'
import { cx } from './cx'
import { pagerNumbers } from './pager-numbers'

export interface PagerProps {
  /** 1-based. */
  page: number
  pageSize: number
  /** Rows over all pages. */
  total: number
  onChange: (page: number) => void
  /** What the rows are, in the plural: 'leads'. */
  noun?: string
  disabled?: boolean
}

/** Moves through pages of rows; hidden while one page holds them all. */
export function Pager({ page, pageSize, total, onChange, noun = 'rows', disabled }: PagerProps) {
  const pages = Math.max(1, Math.ceil(total / pageSize))
  if (pages === 1) return null
  const first = (page - 1) * pageSize + 1
  const last = Math.min(page * pageSize, total)
  return (
    <nav aria-label="Pages" className="flex flex-wrap items-center justify-between gap-3 pt-4">
      <p className="text-muted" data-numeric>
        {first.toLocaleString('en-US')}–{last.toLocaleString('en-US')} of {total.toLocaleString('en-US')} {noun}
      </p>
      <div className="flex items-center gap-1">
        <Button
          size="sm"
          variant="ghost"
          icon={<ChevronLeft aria-hidden />}
          disabled={disabled || page <= 1}
          onClick={() => onChange(page - 1)}
        >
          <span className="max-sm:sr-only">Previous</span>
        </Button>
        {pagerNumbers(page, pages).map((entry) =>
          typeof entry === 'number' ? (
            <button
              key={entry}
              type="button"
              aria-label={`Page ${entry}`}
              aria-current={entry === page ? 'page' : undefined}
              disabled={disabled}
              onClick={() => onChange(entry)}
              data-numeric
              className={cx(
                'min-w-8 rounded-md px-1.5 py-1.5 text-center transition-colors hover:bg-hover pointer-coarse:py-2.5',
                entry === page ? 'bg-pressed font-strong' : 'text-muted',
              )}
            >
              {entry}
            </button>
          ) : (
            <span key={entry} aria-hidden className="w-5 text-center text-faint">
              …
            </span>
          ),
        )}
        <Button size="sm" variant="ghost" disabled={disabled || page >= pages} onClick={() => onChange(page + 1)}>
          <span className="max-sm:sr-only">Next</span>
          <ChevronRight aria-hidden />
        </Button>
      </div>
    </nav>
  )
}
