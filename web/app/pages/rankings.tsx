import { RankingCheck } from '../features/rankings/ranking-check'
import { pageMeta } from '../features/shell/page-meta'
import { PageHeader } from '../ui/page-header'

const title = 'Check Your Rankings'

export const meta = () => pageMeta(title, 'Where you stand on the waitlist, and how many friends you have brought.')

export default function Rankings() {
  return (
    <div className="page-width max-w-3xl py-8 md:py-10">
      <PageHeader title={title} description="Where you stand on the waitlist, and how many friends you have brought." />
      <RankingCheck />
    </div>
  )
}
