import { useQuery } from '@tanstack/react-query'
import { api } from '../../../api'
import { QueryError } from '../../../query-error'
import type { User } from '../../../session'
import { Skeleton } from '../../../ui/skeleton'
import { FirstSteps } from '../first-steps/first-steps'
import { useFirstSteps } from '../first-steps/use-first-steps'
import { AchievementsCard } from './achievements-card'
import { DashboardFigures } from './dashboard-figures'
import { DashboardHeader } from './dashboard-header'
import { useAchievementToasts } from './new-achievements'
import { ReferralProgram } from './referral-program'

/** The user's place on the waitlist, referrals and rewards. */
export function Dashboard({ user }: { user: User }) {
  const query = useQuery(api.waitlist.dashboard.queryOptions())
  const { data } = query
  const { isLoading } = useFirstSteps()
  useAchievementToasts(user.id, data?.achievements)
  const failed = query.isError && !data
  return (
    <>
      <DashboardHeader user={user} signupDate={data?.signupDate} loading={query.isPending} />
      {isLoading ? (
        <DashboardSkeleton />
      ) : (
        <div className="grid grid-cols-1 gap-4">
          <FirstSteps />
          {failed && <QueryError query={query}>We couldn't load your numbers. Try again.</QueryError>}
          <DashboardFigures dashboard={data} failed={failed} />
          <div className="grid items-start gap-4 lg:grid-cols-[2fr_1fr]">
            <ReferralProgram dashboard={data} failed={failed} />
            <AchievementsCard keys={data?.achievements ?? (failed ? [] : undefined)} />
          </div>
        </div>
      )}
    </>
  )
}

/** Shown until it is known whether first steps appear above the numbers. */
function DashboardSkeleton() {
  return (
    <div className="grid gap-4">
      <Skeleton className="h-28" />
      <Skeleton className="h-84" />
    </div>
  )
}
