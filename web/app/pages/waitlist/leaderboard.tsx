import { pageMeta } from '../../features/overview/shell/page-meta'
import { Leaderboard } from '../../features/waitlist/leaderboard/leaderboard'

const title = 'X-Automated Referral Leaderboard'

export const meta = () =>
  pageMeta('Leaderboard', 'Who has referred the most friends to X-Automated: all time, this week and today.')

export default function LeaderboardPage() {
  return (
    // Fills the first screen even with few rows.
    <div className="page-width min-h-dvh py-8 md:py-10 in-data-session:md:pt-6 noscript:min-h-0">
      <Leaderboard title={title} description="Invite more friends to climb the ranks..." heading="h1">
        {/* The page's largest text. It is prerendered, so it becomes the Largest Contentful Paint. */}
        <p className="max-w-4xl pb-6 text-base text-muted">
          Each friend who joins with your link counts once. Reach 3, 10, 25 or 50 referrals to earn free months of Pro,
          which start 48 hours after that many friends have confirmed their email addresses.
        </p>
      </Leaderboard>
    </div>
  )
}
