/** A share as a ring, to be displayed next to its numbers. */
export function Ring({ share, className }: { share: number; className?: string }) {
  return (
    <svg viewBox="0 0 40 40" fill="none" strokeWidth="5" aria-hidden className={className}>
      <circle cx="20" cy="20" r="17.5" className="stroke-control" />
      {share > 0 && (
        <circle
          cx="20"
          cy="20"
          r="17.5"
          pathLength="100"
          strokeDasharray={`${Math.min(1, share) * 100} 100`}
          strokeLinecap="round"
          transform="rotate(-90 20 20)"
          className="stroke-current text-ink"
        />
      )}
    </svg>
  )
}
