/** Said where the browser runs no scripts: what stands here would not answer. */
export function NeedsScript({ children = 'This form needs JavaScript. Please turn it on in your browser.' }) {
  return <p className="hidden rounded-lg border border-line bg-sunken px-4 py-3 noscript:block">{children}</p>
}
