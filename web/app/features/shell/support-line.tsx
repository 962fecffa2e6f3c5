import { supportAddress } from './product-address'

/** Where something has gone wrong: the way to a person. */
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
