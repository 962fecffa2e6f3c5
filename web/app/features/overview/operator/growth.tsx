import { useQuery } from '@tanstack/react-query'
import { formatNumber, formatPercent } from '@x-automated/contract/format'
import { useState } from 'react'
import { api } from '../../../api'
import { QueryError } from '../../../query-error'
import { Card } from '../../../ui/card'
import { LazyChart } from '../../../ui/lazy-chart'
import { Select } from '../../../ui/select'
import { StatCard } from '../../../ui/stat-card'
import { InviteNext } from './invite-next'

const RANGES = [
  { value: '30', label: 'Last 30 days' },
  { value: '90', label: 'Last 90 days' },
  { value: '366', label: 'Last year' },
]

/** Waitlist totals, growth by day, and inviting. */
export function Growth() {
  const [days, setDays] = useState('90')
  const totals = useQuery(api.operator.growth.queryOptions({ input: {} }))
  const growth = useQuery(
    api.operator.growth.queryOptions({
      input: days === '90' ? {} : { days: Number(days) },
      placeholderData: (old) => old,
    }),
  )
  if (growth.isError) return <QueryError query={growth} fallback="Failed to load waitlist growth." />
  const { members, confirmed, invited, held } = totals.data ?? {}
  return (
    <div className="grid gap-6">
      <dl className="grid grid-cols-2 gap-3 lg:grid-cols-4">
        <StatCard label="Members" value={members} />
        <StatCard label="Confirmed" value={confirmed} hint={shareOf(confirmed, members, 'members')} />
        <StatCard label="Invited" value={invited} hint={shareOf(invited, confirmed, 'confirmed members')} />
        <StatCard label="Held referrals" value={held} />
      </dl>
      <Card
        title="Growth"
        description="Joins by day (UTC)."
        actions={
          <Select
            aria-label="Days shown"
            options={RANGES}
            value={days}
            onChange={(event) => setDays(event.target.value)}
          />
        }
      >
        <LazyChart
          label="Waitlist growth"
          days={growth.data?.days}
          series={[{ key: 'joined', label: 'Joined' }]}
          extra={{ label: 'Members', value: ({ day }) => formatNumber(totalOn(growth.data?.days, day)) }}
        />
      </Card>
      <InviteNext />
    </div>
  )
}

/** '82% of members'; undefined while loading. */
function shareOf(part: number | undefined, whole: number | undefined, noun: string) {
  return part !== undefined && whole ? `${formatPercent(Math.min(1, part / whole))} of ${noun}` : undefined
}

function totalOn(days: readonly { day: string; total: number }[] | undefined, day: string): number {
  return days?.find((entry) => entry.day === day)?.total ?? 0
}
