import { Mail } from 'lucide-react'
import { type Brand, BrandIcon } from '../../../ui/brand-icon'
import { Button, buttonClass } from '../../../ui/button'
import { type ShareChannel, shareAddresses } from './referral-links'

const networks: Record<Exclude<ShareChannel, 'email'>, { name: string; brand: Brand }> = {
  twitter: { name: 'Twitter', brand: 'x' },
  facebook: { name: 'Facebook', brand: 'facebook' },
  linkedin: { name: 'LinkedIn', brand: 'linkedin' },
  whatsapp: { name: 'WhatsApp', brand: 'whatsapp' },
}

interface ShareButtonsProps {
  link: string
  channels: readonly ShareChannel[]
}

/** Share buttons. Networks open in a 600 × 400 popup. */
export function ShareButtons({ link, channels }: ShareButtonsProps) {
  return (
    <ul aria-label="Share" className="flex flex-wrap gap-2">
      {channels.map((channel) => (
        <li key={channel}>
          {channel === 'email' ? (
            <a href={shareAddresses.email(link)} className={buttonClass({ size: 'sm' })}>
              <Mail aria-hidden />
              <ShareText name="Email" by="by" />
            </a>
          ) : (
            <Button
              size="sm"
              icon={<BrandIcon brand={networks[channel].brand} className="size-3.5!" />}
              onClick={() => window.open(shareAddresses[channel](link), '_blank', 'noopener,width=600,height=400')}
            >
              <ShareText name={networks[channel].name} by="on" />
            </Button>
          )}
        </li>
      ))}
    </ul>
  )
}

function ShareText({ name, by }: { name: string; by: 'on' | 'by' }) {
  return (
    <span>
      <span className="sr-only">Share {by} </span>
      {name}
    </span>
  )
}
