import type { BillingOverview } from '@x-automated/contract/billing'
import { Link } from 'react-router'
import { paths } from '../../paths'
import { Card } from '../../ui/card'
import { DateTime } from '../../ui/date-time'
import { SkeletonLine } from '../../ui/skeleton'
import { achievementLook } from '../waitlist/achievements'

const TITLE = 'Months earned by referrals'

/** The card's room while what it says is coming. */
export function RewardMonthsSkeleton() {
  return (
    <Card title={TITLE}>
      <SkeletonLine className="w-4/5" />
      <SkeletonLine className="w-2/5" />
    </Card>
  )
}

/** Months of Pro that were earned by referrals, and when they count. */
export function RewardMonths({ overview: { rewards, source } }: { overview: BillingOverview }) {
  return (
    <Card title={TITLE}>
      {rewards.grants.length === 0 ? (
        <p className="text-muted">
          None yet. Three friends who join earn you a month of Pro.{' '}
          <Link to={paths.dashboard} className="text-link">
            Get your referral link
          </Link>
        </p>
      ) : (
        <div className="grid gap-4">
          <ul className="grid gap-2">
            {rewards.grants.map(({ achievement, months, grantedAt }) => {
              const { name, icon: Icon, colour } = achievementLook(achievement)
              return (
                <li key={`${achievement} ${grantedAt}`} className="flex flex-wrap items-center gap-x-2">
                  <Icon aria-hidden className={`size-4 ${colour}`} />
                  <span className="font-strong">{name}</span>
                  <span data-numeric>
                    {months} {months === 1 ? 'month' : 'months'} of Pro
                  </span>
                  <DateTime value={grantedAt} precision="day" className="ms-auto text-muted" />
                </li>
              )
            })}
          </ul>
          <p className="text-muted">
            {source === 'subscription' ? 'They wait while your subscription is paid for.' : <Until rewards={rewards} />}
          </p>
        </div>
      )}
    </Card>
  )
}

function Until({ rewards: { until } }: Pick<BillingOverview, 'rewards'>) {
  if (until === null) return 'They are used up.'
  const isOver = new Date(until) < new Date()
  return (
    <>
      {isOver ? 'They lasted until' : 'You have Pro until'} <DateTime value={until} precision="day" />.
    </>
  )
}
