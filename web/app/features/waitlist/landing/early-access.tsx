import { ArrowRight } from 'lucide-react'
import { paths } from '../../../paths'
import { useCarriedReferral } from '../../../referral-code'
import { ButtonLink } from '../../../ui/button'

/** The closing call to action. */
export function EarlyAccess() {
  const carry = useCarriedReferral()
  return (
    <section aria-labelledby="begin" className="border-t border-line bg-sunken">
      <div className="page-width flex flex-wrap items-center justify-between gap-8 py-16 md:py-20">
        <div className="grid gap-2">
          <h2 id="begin" className="text-3xl">
            Your next customers are already on X
          </h2>
          <p className="text-lg text-muted">Reach them first. Sign up in a minute, no card needed.</p>
        </div>
        <ButtonLink to={carry(paths.signUp)} variant="primary" size="lg">
          Join the early access list now!
          <ArrowRight aria-hidden />
        </ButtonLink>
      </div>
    </section>
  )
}
