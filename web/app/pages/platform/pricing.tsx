import { pageMeta } from '../../features/overview/shell/page-meta'
import { LimitsTable } from '../../features/platform/billing/limits-table'
import { PricingPlans } from '../../features/platform/billing/pricing-plans'

export const meta = () =>
  pageMeta('Pricing', 'Pro and Agency plans, monthly or yearly, and what the free plan includes.')

export default function Pricing() {
  return (
    <div className="page-width grid justify-items-center gap-16 py-12 md:py-16">
      <div className="grid w-full justify-items-center gap-8">
        <header className="grid justify-items-center gap-3 text-center">
          <h1 className="text-3xl md:text-4xl">Choose Your Plan</h1>
          <p className="text-lg text-muted">Start automating your Twitter growth today</p>
        </header>
        <PricingPlans />
      </div>
      <section className="grid w-full max-w-5xl gap-4">
        <div className="grid gap-1">
          <h2 className="text-xl">Compare plans</h2>
          <p className="text-muted">Free needs no card. Limits reset on the 1st of each month.</p>
        </div>
        <LimitsTable />
      </section>
    </div>
  )
}
