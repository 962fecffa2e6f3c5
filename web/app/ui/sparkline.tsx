import { formatCount } from '@x-automated/contract/format'

const WIDTH = 64
const HEIGHT = 20

/** Counts per day as a small line, or '–' if there are none. */
export function Sparkline({ counts, noun }: { counts: readonly number[] | undefined; noun: string }) {
  const total = counts?.reduce((sum, count) => sum + count, 0) ?? 0
  if (!counts || total === 0) return <span className="text-faint">–</span>
  const top = Math.max(...counts)
  const points = counts.map(
    (count, index) => `${(index / (counts.length - 1)) * WIDTH},${HEIGHT - 1.5 - (count / top) * (HEIGHT - 3)}`,
  )
  const label = `${formatCount(total, noun)} in ${counts.length} days`
  return (
    <svg
      viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
      role="img"
      aria-label={label}
      className="h-5 w-14 overflow-visible fill-none stroke-line-strong"
    >
      <title>{label}</title>
      <polyline points={points.join(' ')} strokeWidth="1.5" strokeLinejoin="round" strokeLinecap="round" />
    </svg>
  )
}
