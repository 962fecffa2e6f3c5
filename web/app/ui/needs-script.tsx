/** Shown if the browser has JavaScript disabled. */
export function NeedsScript({ what = 'This form' }: { what?: string }) {
  return (
    <p className="hidden rounded-lg border border-line bg-sunken px-4 py-3 noscript:block">
      {`${what} needs JavaScript. Please turn it on in your browser.`}
    </p>
  )
}
