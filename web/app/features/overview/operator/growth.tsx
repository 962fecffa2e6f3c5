import { useQuery } from '@tanstack/react-query'
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
        <StatCard label="Confirmed" value={confirmed} />
        <StatCard label="Invited" value={invited} />
        <StatCard label="Held referrals" value={held} />
      </dl>
      <Card
        title="Growth"
        description="Members and joins by day (UTC)."
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
          series={[
            { key: 'total', label: 'Members', shape: 'area' },
            { key: 'joined', label: 'Joined', shape: 'bar', tone: 'second' },
          ]}
        />
      </Card>
      <InviteNext />
    </div>
  )
}
