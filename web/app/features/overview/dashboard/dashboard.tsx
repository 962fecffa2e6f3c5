import { useQuery } from '@tanstack/react-query'
import type { Today as TodayData } from '@x-automated/contract/overview/today'
import { lazy, Suspense } from 'react'
import { api } from '../../../api'
import { isInitialLoading } from '../../../initial-loading'
import { QueryError } from '../../../query-error'
import type { User } from '../../../session'
import { PageHeader } from '../../../ui/page-header'
import { Skeleton } from '../../../ui/skeleton'
import { FirstSteps } from '../first-steps/first-steps'
import { useFirstSteps } from '../first-steps/use-first-steps'
import { todayQuery } from '../today/today-query'
import { AchievementsCard } from './achievements-card'
import { DashboardFigures } from './dashboard-figures'
import { DashboardProfile } from './dashboard-profile'
import { useAchievementToasts } from './new-achievements'
import { ReferralProgram } from './referral-program'

const Today = lazy(() => import('../today/today'))
const SampleBar = lazy(() => import('../sample-data/sample-bar'))

/** What is being sent and, below it, the user's waitlist position, referrals and rewards. */
export function Dashboard({ user }: { user: User }) {
  const query = useQuery(api.waitlist.dashboard.queryOptions())
  const { data } = query
  const { found: steps, isLoading } = useFirstSteps()
  const today = useQuery(todayQuery())
  useAchievementToasts(user.id, data?.achievements)
  const failed = query.isError && !data
  const isUsed = steps?.hasSampleData || steps?.steps.some(({ done }) => done) || (today.data && hasWork(today.data))
  const cards = (
    <div className="grid grid-cols-1 gap-4">
      {steps?.hasSampleData && <SampleBar />}
      <FirstSteps />
      {isUsed && today.data && (
        <div className="pb-6">
          <Today today={today.data} />
        </div>
      )}
      {isUsed && today.isError && !today.data && (
        <QueryError query={today}>We couldn't load today's figures. Try again.</QueryError>
      )}
      {failed && <QueryError query={query}>We couldn't load your numbers. Try again.</QueryError>}
      <div className="grid grid-cols-1 items-start gap-x-10 gap-y-6 pt-2 lg:grid-cols-[minmax(0,2fr)_minmax(0,1fr)]">
        <div className="lg:col-start-2 lg:row-start-1">
          <DashboardProfile user={user} signupDate={data?.signupDate} loading={query.isPending} />
        </div>
        <DashboardFigures dashboard={data} failed={failed} />
        <ReferralProgram dashboard={data} failed={failed} />
        <AchievementsCard keys={data?.achievements ?? (failed ? [] : undefined)} />
      </div>
    </div>
  )
  return (
    <>
      <PageHeader title="Dashboard" />
      {isLoading || isInitialLoading(today) ? (
        <DashboardSkeleton />
      ) : (
        // Wait for the code of everything above the cards, so that nothing jumps.
        <Suspense fallback={<DashboardSkeleton />}>{cards}</Suspense>
      )}
    </>
  )
}

const hasWork = ({ campaigns, needs, countedInDay, nextSendAt }: TodayData) =>
  campaigns.length > 0 || needs.length > 0 || countedInDay > 0 || nextSendAt !== null

/** Shown until it is known what goes above the numbers. */
function DashboardSkeleton() {
  return (
    <div className="grid gap-8">
      <Skeleton className="h-16 max-w-lg" />
      <Skeleton className="h-32" />
      <Skeleton className="h-56" />
    </div>
  )
}
