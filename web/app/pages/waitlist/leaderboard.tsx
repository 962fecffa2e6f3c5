import { pageMeta } from '../../features/overview/shell/page-meta'
import { Leaderboard } from '../../features/waitlist/leaderboard/leaderboard'
import { AchievementLegend } from '../../features/waitlist/waitlist/achievement-legend'

const title = 'X-Automated Referral Leaderboard'

export const meta = () =>
  pageMeta('Leaderboard', 'Who has referred the most friends to X-Automated: all time, this week and today.')

export default function LeaderboardPage() {
  return (
    <div className="page-width grid gap-12 py-8 md:py-10">
      {/* Fills the first screen even with few rows. */}
      <div className="min-h-dvh noscript:min-h-0">
        <Leaderboard
          title={title}
          description={
            <>
              Invite more friends to climb the ranks...
              {/* The page's largest text, prerendered: it is the Largest Contentful Paint. */}
              <span className="block pt-2 text-base">
                Each friend who joins with your link counts once. Reach 3, 10, 25 or 50 referrals to earn free months of
                Pro.
              </span>
            </>
          }
          heading="h1"
        />
      </div>
      <AchievementLegend />
    </div>
  )
}
