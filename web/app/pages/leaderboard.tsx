import { Leaderboard } from '../features/leaderboard/leaderboard'
import { pageMeta } from '../features/shell/page-meta'
import { AchievementLegend } from '../features/waitlist/achievement-legend'

const title = 'X-Automated Referral Leaderboard'

export const meta = () =>
  pageMeta('Leaderboard', 'Who brought the most friends to X-Automated: of all time, this week and today.')

export default function LeaderboardPage() {
  return (
    <div className="page-width grid gap-12 py-8 md:py-10">
      <Leaderboard title={title} description="Invite more friends to climb the ranks..." heading="h1" />
      <AchievementLegend />
    </div>
  )
}
