import { levelOf, PLAN_LEVELS, PLANS, type PlanId, type PlanLevel } from '@x-automated/contract/platform/plans'
import type { ReactNode } from 'react'
import { paths } from '../../../paths'
import { useCarriedReferral } from '../../../referral-code'
import { ButtonLink, type ButtonVariant, buttonClass } from '../../../ui/button'
import { cycleOptions } from './cycle-options'
import { PlanCard } from './plan-card'
import { type BillingCycle, limitText, monthlyText, priceText } from './plan-text'
import { usePlanLink } from './use-plan-link'

/** How each plan looks on the pricing page. */
const looks: Record<PlanId, { variant: ButtonVariant; popular?: true; savings?: string }> = {
  pro_monthly: { variant: 'primary' },
  agency_monthly: { variant: 'secondary' },
  pro_yearly: { variant: 'primary', popular: true, savings: 'Save $300' },
  agency_yearly: { variant: 'secondary', savings: 'Save $720' },
}

/** Whom each plan is for. */
const AUDIENCES: Record<PlanLevel, string> = {
  free: 'Try it and see who replies.',
  pro: 'For founders who reach out every week.',
  agency: 'For teams and agencies.',
}

const cycles = cycleOptions('Save 50%')

/** What Free includes in addition to its limits. */
const FREE_FEATURES = ['One message per campaign', 'Inbox with reply labels', "Imported leads don't count"]

const limitsOf = (level: PlanLevel) =>
  [
    ['Leads a month', limitText(level, 'scrapedLeads')],
    ['DMs a month', limitText(level, 'dms')],
    ['X accounts', limitText(level, 'xAccounts')],
    ['Members', limitText(level, 'people')],
  ] as const

/** Free and the paid plans, by billing cycle. The switch is pure CSS, so it works before hydration. */
export function PricingPlans({ header }: { header: ReactNode }) {
  const linkOf = usePlanLink()
  const carry = useCarriedReferral()
  const free = (
    <PlanCard
      isPart
      name={PLAN_LEVELS.free.name}
      audience={AUDIENCES.free}
      price={priceText(0)}
      period="/month"
      note="No card needed"
      limits={limitsOf('free')}
      features={FREE_FEATURES}
      action={(nameId) => (
        <ButtonLink aria-describedby={nameId} to={carry(paths.signUp)} size="lg" wide>
          Sign Up Now
        </ButtonLink>
      )}
    />
  )
  return (
    <div className="group/cycle grid w-full gap-8 md:gap-12">
      <div className="flex flex-wrap items-end justify-between gap-x-8 gap-y-6">
        {header}
        <CycleSwitch />
      </div>
      <Cards
        cycle="monthly"
        free={free}
        linkOf={linkOf}
        className="grid group-has-[[value=yearly]:checked]/cycle:hidden"
      />
      <Cards
        cycle="yearly"
        free={free}
        linkOf={linkOf}
        className="hidden group-has-[[value=yearly]:checked]/cycle:grid"
      />
    </div>
  )
}

/** Native radio buttons whose state CSS reads, so they work before hydration. */
function CycleSwitch() {
  return (
    <fieldset className="w-fit">
      <legend className="sr-only">Billing cycle</legend>
      <div className="flex gap-1 rounded-lg border border-line bg-sunken p-1">
        {cycles.map(({ value, label }, index) => (
          <label
            key={value}
            className="relative flex min-h-9 items-center gap-2 rounded-md border border-transparent px-3.5 text-muted transition-colors hover:text-ink has-checked:border-line has-checked:bg-raised has-checked:font-strong has-checked:text-ink has-checked:shadow-xs has-focus-visible:outline-2 has-focus-visible:outline-offset-2 has-focus-visible:outline-accent-line pointer-coarse:min-h-11"
          >
            <input type="radio" name="cycle" value={value} defaultChecked={index === 0} className="sr-only" />
            {label}
          </label>
        ))}
      </div>
    </fieldset>
  )
}

interface CardsProps {
  cycle: BillingCycle
  free: ReactNode
  linkOf: ReturnType<typeof usePlanLink>
  className: string
}

function Cards({ cycle, free, linkOf, className }: CardsProps) {
  return (
    <ul
      aria-label={`Plans paid ${cycle}`}
      className={`${className} w-full overflow-clip rounded-xl border border-line lg:grid-cols-3`}
    >
      {free}
      {PLANS.filter((plan) => plan.billingCycle === cycle).map((plan) => {
        const { variant, popular, savings } = looks[plan.id]
        return (
          <PlanCard
            key={plan.id}
            isPart
            name={plan.name}
            audience={AUDIENCES[levelOf(plan.id)]}
            price={priceText(plan.priceCents)}
            period={cycle === 'yearly' ? '/year' : '/month'}
            features={plan.features}
            featured={popular}
            badge={popular && <span className="text-2xs font-strong tracking-wide">MOST POPULAR</span>}
            limits={limitsOf(levelOf(plan.id))}
            note={
              savings && (
                <>
                  {monthlyText(plan.priceCents)} · <span className="font-strong text-accent-word">{savings}</span>
                </>
              )
            }
            action={(nameId) => (
              <a
                aria-describedby={nameId}
                {...linkOf(plan.id)}
                target="_blank"
                rel="noopener"
                className={buttonClass({ variant, size: 'lg', wide: true })}
              >
                Get Started
              </a>
            )}
          />
        )
      })}
    </ul>
  )
}
