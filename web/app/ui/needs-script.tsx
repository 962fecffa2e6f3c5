/** Said where the browser runs no scripts: the form beside it would not answer. */
export function NeedsScript() {
  return (
    <p className="hidden rounded-lg border border-line bg-sunken px-4 py-3 noscript:block">
      This form needs JavaScript. Please turn it on in your browser.
    </p>
  )
}
