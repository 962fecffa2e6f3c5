import { supportAddress } from '../../../product-address'

/** A link to support on error pages. */
export function SupportLine() {
  return (
    <p className="text-muted">
      Still stuck?{' '}
      <a href={`mailto:${supportAddress()}`} className="text-link">
        Contact support
      </a>
    </p>
  )
}
