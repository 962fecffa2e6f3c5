import { pageMeta } from '../../features/overview/shell/page-meta'
import { RankingCheck } from '../../features/waitlist/rankings/ranking-check'
import { PageHeader } from '../../ui/page-header'

const title = 'Check Your Rankings'

export const meta = () => pageMeta(title, "See your place on the waitlist and how many friends you've referred.")

export default function Rankings() {
  return (
    <div className="page-width max-w-3xl py-8 in-data-session:max-w-page md:py-10 in-data-session:md:pt-6">
      <PageHeader title={title} description="See your place on the waitlist and how many friends you've referred." />
      <RankingCheck />
    </div>
  )
}
