import { useQuery } from '@tanstack/react-query'
import { formatCount } from '@x-automated/contract/format'
import type { BillingOverview } from '@x-automated/contract/platform/billing'
import { REFERRAL_TIERS } from '@x-automated/contract/waitlist/waitlist'
import { Link } from 'react-router'
import { api } from '../../../api'
import { paths } from '../../../paths'
import { Card } from '../../../ui/card'
import { DateTime } from '../../../ui/date-time'
import { SkeletonLine } from '../../../ui/skeleton'
import { achievementLook } from './achievements'
import { HELD_TEXT, RewardStart } from './reward-start'

const TITLE = 'Free months from referrals'

/** Shown while loading. */
export function RewardMonthsSkeleton() {
  return (
    <Card title={TITLE}>
      <SkeletonLine className="w-4/5" />
      <SkeletonLine className="w-2/5" />
    </Card>
  )
}

/** Months of Pro earned by referrals, and when they apply. */
export function RewardMonths({ overview: { rewards, source } }: { overview: BillingOverview }) {
  const earned = useQuery(api.billing.rewards.queryOptions()).data?.rewards ?? []
  const held = earned.flatMap((reward) => {
    const tier = REFERRAL_TIERS.find(({ key }) => key === reward.achievement)
    return tier && reward.status === 'held' ? [{ ...reward, months: tier.months }] : []
  })
  return (
    <Card title={TITLE}>
      {rewards.grants.length + held.length === 0 ? (
        <p className="text-muted">
          None yet. Refer three friends to earn a month of Pro.{' '}
          <Link to={paths.dashboard} className="text-link">
            Get your referral link
          </Link>
        </p>
      ) : (
        <div className="grid gap-4">
          <ul className="grid gap-2">
            {rewards.grants.map(({ achievement, months, grantedAt }) => {
              const { name, icon: Icon, color } = achievementLook(achievement)
              return (
                <li key={`${achievement} ${grantedAt}`} className="flex flex-wrap items-center gap-x-2">
                  <Icon aria-hidden className={`size-4 ${color}`} />
                  <span className="font-strong">{name}</span>
                  <span data-numeric>{formatCount(months, 'month')} of Pro</span>
                  <DateTime value={grantedAt} precision="day" className="ms-auto text-muted" />
                </li>
              )
            })}
            {held.map((reward) => {
              const { name, icon: Icon, color } = achievementLook(reward.achievement)
              return (
                <li key={reward.achievement} className="flex flex-wrap items-center gap-x-2">
                  <Icon aria-hidden className={`size-4 ${color}`} />
                  <span className="font-strong">{name}</span>
                  <span data-numeric>{formatCount(reward.months, 'month')} of Pro</span>
                  <RewardStart reward={reward} />
                </li>
              )
            })}
          </ul>
          {held.length > 0 && <p className="text-muted">{HELD_TEXT}</p>}
          {rewards.grants.length > 0 && (
            <p className="text-muted">
              {source === 'subscription' ? 'They start when your paid plan ends.' : <Until rewards={rewards} />}
            </p>
          )}
        </div>
      )}
    </Card>
  )
}

function Until({ rewards: { until } }: Pick<BillingOverview, 'rewards'>) {
  if (until === null) return 'You have used them all.'
  const isOver = new Date(until) < new Date()
  return (
    <>
      {isOver ? 'They ended on' : 'You have Pro until'} <DateTime value={until} precision="day" endsSentence />
    </>
  )
}
