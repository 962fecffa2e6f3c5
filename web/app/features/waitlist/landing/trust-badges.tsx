import { Headset, Lock, RefreshCw, ShieldCheck } from 'lucide-react'
import { supportAddress } from '../../../product-address'

const badges = [
  { label: 'GDPR compliant', icon: ShieldCheck },
  { label: 'Secure data', icon: Lock },
  { label: '24/7 support', icon: Headset, isContact: true },
  { label: 'Regular updates', icon: RefreshCw },
]

/** Trust badges. The support badge links to an email address. */
export function TrustBadges() {
  return (
    <ul aria-label="Our commitments" className="flex flex-wrap gap-x-8 gap-y-3 text-muted">
      {badges.map(({ label, icon: Icon, isContact }) => (
        <li key={label} className="flex items-center gap-2 [&>svg]:size-4">
          <Icon aria-hidden />
          {isContact ? (
            <a
              href={`mailto:${supportAddress()}`}
              className="rounded-sm underline decoration-line-strong underline-offset-4 hover:text-ink"
            >
              {label}
            </a>
          ) : (
            label
          )}
        </li>
      ))}
    </ul>
  )
}
