import { ArrowRight, Headset, Lock, RefreshCw, ShieldCheck } from 'lucide-react'
import { paths } from '../../../paths'
import { supportAddress } from '../../../product-address'
import { useCarriedReferral } from '../../../referral-code'
import { ButtonLink } from '../../../ui/button'
import { CampaignPicture } from './campaign-picture'

const SUPPORT = '24/7 support'
const commitments = [
  { text: 'GDPR compliant', icon: ShieldCheck },
  { text: 'Secure data', icon: Lock },
  { text: SUPPORT, icon: Headset },
  { text: 'Regular updates', icon: RefreshCw },
]

export function Hero() {
  const carry = useCarriedReferral()
  return (
    <section className="page-width grid gap-10 pt-14 pb-10 md:gap-14 md:pt-24">
      <div className="grid gap-5">
        <h1 className="text-4xl text-balance md:text-5xl">Automate your X outreach with AI</h1>
        <div className="flex flex-wrap items-end justify-between gap-x-16 gap-y-6">
          <p className="max-w-xl text-lg text-muted">
            Find the followers worth talking to, write one message, and send it one by one, at a human pace.
          </p>
          <ButtonLink to={carry(paths.signUp)} variant="primary" size="lg">
            Sign Up Now
            <ArrowRight aria-hidden />
          </ButtonLink>
        </div>
      </div>
      <CampaignPicture />
      <ul aria-label="Our commitments" className="flex flex-wrap gap-x-8 gap-y-3 text-muted">
        {commitments.map(({ text, icon: Icon }) => (
          <li key={text} className="flex items-center gap-2 [&>svg]:size-4">
            <Icon />
            {text === SUPPORT ? (
              <span>
                <a
                  href={`mailto:${supportAddress()}`}
                  className="rounded-sm underline decoration-line-strong underline-offset-4 hover:text-ink"
                >
                  {text}
                </a>{' '}
                on Agency Yearly
              </span>
            ) : (
              text
            )}
          </li>
        ))}
      </ul>
    </section>
  )
}
