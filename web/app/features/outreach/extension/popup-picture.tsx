const FACTS = [
  ['Account', 'you@company.com · Acme'],
  ['X', '@yourhandle'],
  ['Last message', 'Sent to @ada, 2 min ago'],
] as const

/** A picture of the extension's popup while it sends. */
export function PopupPicture() {
  return (
    <figure className="grid gap-3">
      <div
        aria-hidden
        className="mx-auto grid w-full max-w-80 gap-3 rounded-lg border border-line bg-surface p-4 shadow-md"
      >
        <p className="flex items-center gap-2 text-base font-strong">
          <img src="/favicon.svg" alt="" className="size-6" />
          X-Automated
        </p>
        <p className="text-muted">12 queued in 1 campaign.</p>
        <dl className="grid grid-cols-[6.5rem_minmax(0,1fr)] gap-x-3 gap-y-1.5 border-y border-hair py-3 text-ui">
          {FACTS.map(([name, value]) => (
            <div key={name} className="contents">
              <dt className="text-muted">{name}</dt>
              <dd className="truncate">{value}</dd>
            </div>
          ))}
          <dt className="text-muted">Last 24 hours</dt>
          <dd className="grid gap-1.5" data-numeric>
            38 of 200 messages
            <span className="h-1 overflow-hidden rounded-full bg-line">
              <span className="block h-full w-1/5 bg-ink" />
            </span>
          </dd>
        </dl>
        <p className="flex items-center justify-between gap-3">
          <span className="grid">
            <span className="font-strong">Sending</span>
            <span className="text-xs text-muted">On. Queued messages can be sent.</span>
          </span>
          <span className="flex h-5 w-9 items-center justify-end rounded-full bg-ink px-0.5">
            <span className="size-4 rounded-full bg-surface" />
          </span>
        </p>
      </div>
      <figcaption className="text-center text-xs text-muted">The popup in your browser's toolbar</figcaption>
    </figure>
  )
}
