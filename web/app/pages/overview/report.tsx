import { useParams } from 'react-router'
import { Report, ReportSkeleton } from '../../features/overview/reports/report'
import { useHydrated } from '../../ui/use-hydrated'

/** Omits the product's name, because a report has its workspace's brand. */
export const meta = () => [
  { title: 'Report' },
  { name: 'description', content: 'The results of an outreach campaign or a month.' },
]

export default function ReportPage() {
  const { token = '' } = useParams()
  // The prerendered page is the same for every token.
  return useHydrated() ? <Report key={token} token={token} /> : <ReportSkeleton />
}
