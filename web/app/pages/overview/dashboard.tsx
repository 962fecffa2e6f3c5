import { Dashboard } from '../../features/overview/dashboard/dashboard'
import { pageMeta } from '../../features/overview/shell/page-meta'
import { useSession } from '../../session'

export const meta = () => pageMeta('Dashboard', 'Your waitlist position, referrals and rewards.')

export default function DashboardPage() {
  const state = useSession()
  return state.status === 'signed-in' && <Dashboard key={state.user.id} user={state.user} />
}
