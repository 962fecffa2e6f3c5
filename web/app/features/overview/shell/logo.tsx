/** The logo: two arrowheads that form an X. */
export function Mark({ className }: { className?: string }) {
  return (
    <svg viewBox="0 0 24 24" aria-hidden="true" className={className}>
      <rect width="24" height="24" rx="7" className="fill-accent" />
      <path
        d="M6.5 6.5 12 12l-5.5 5.5M17.5 6.5 12 12l5.5 5.5"
        fill="none"
        strokeWidth="2.6"
        strokeLinecap="round"
        strokeLinejoin="round"
        className="stroke-accent-ink"
      />
    </svg>
  )
}
