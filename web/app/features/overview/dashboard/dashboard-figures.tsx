import { formatNumber } from '@x-automated/contract/format'
import type { Dashboard } from '@x-automated/contract/waitlist/waitlist'
import { ListOrdered, Target, Users } from 'lucide-react'
import { Link } from 'react-router'
import { paths } from '../../../paths'
import { StatCard } from '../../../ui/stat-card'

/** Shown if loading fails. */
const zeros = { position: 0, referralCount: 0, nextReward: null }

interface DashboardFiguresProps {
  dashboard: Dashboard | undefined
  failed: boolean
}

/** The user's waitlist position, referrals and next reward. */
export function DashboardFigures({ dashboard, failed }: DashboardFiguresProps) {
  const figures = dashboard ?? (failed ? zeros : undefined)
  const next = figures?.nextReward
  return (
    <dl className="grid grid-cols-3 gap-4 max-sm:gap-3 max-sm:[&_svg]:hidden">
      <StatCard
        label="Waitlist Position"
        icon={<ListOrdered aria-hidden />}
        value={figures && `#${formatNumber(figures.position)}`}
        hint={
          dashboard?.position === 0 ? (
            <>
              Not on the waitlist yet.{' '}
              <Link to={paths.waitlist} className="text-link">
                Join it
              </Link>
            </>
          ) : (
            'Every referral moves you up 5 spots'
          )
        }
      />
      <StatCard
        label="Friends Referred"
        icon={<Users aria-hidden />}
        value={figures?.referralCount}
        hint="Joined with your link"
      />
      <StatCard
        label="To Next Achievement"
        icon={<Target aria-hidden />}
        value={figures && (next?.remaining ?? 0)}
        hint={next ? (next.remaining > 0 ? `to ${next.label}` : "You've unlocked every tier") : 'Referrals to go'}
      />
    </dl>
  )
}
