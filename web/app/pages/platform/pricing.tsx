import { sequenceLimits } from '@x-automated/contract/outreach/sequence-limits'
import { pageMeta } from '../../features/overview/shell/page-meta'
import { LimitsTable, type PlanFeature } from '../../features/platform/billing/limits-table'
import { PricingPlans } from '../../features/platform/billing/pricing-plans'

export const meta = () =>
  pageMeta('Pricing', 'Pro and Agency plans, monthly or yearly, and what the free plan includes.')

const included = (has: boolean) => (has ? 'Yes' : 'No')
const features: readonly PlanFeature[] = [
  ['Messages in a sequence', (level) => String(sequenceLimits(level, []).steps)],
  ['A/B tests', (level) => included(sequenceLimits(level, []).hasVariants)],
  ['Re-engagement', (level) => included(sequenceLimits(level, []).hasReengagement)],
]

export default function Pricing() {
  return (
    <div className="page-width grid grid-cols-1 gap-16 py-12 md:py-20">
      <PricingPlans
        header={
          <header className="grid gap-2">
            <h1 className="text-4xl">Choose Your Plan</h1>
            <p className="text-lg text-muted">Start automating your Twitter growth today</p>
          </header>
        }
      />
      <section className="grid w-full grid-cols-1 gap-4">
        <div className="grid gap-1">
          <h2 className="text-xl">Compare plans</h2>
          <p className="text-muted">Free needs no card. Limits reset on the 1st of each month.</p>
        </div>
        <LimitsTable features={features} />
      </section>
    </div>
  )
}
