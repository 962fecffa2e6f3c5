import { formatNumber } from '@x-automated/contract/format'
import type { BillingOverview, Usage } from '@x-automated/contract/platform/billing'
import { PLAN_LEVELS } from '@x-automated/contract/platform/plans'
import { TriangleAlert } from 'lucide-react'
import { Card } from '../../../ui/card'
import { DateTime } from '../../../ui/date-time'
import { Progress } from '../../../ui/progress'
import { Skeleton, SkeletonLine } from '../../../ui/skeleton'
import { usageTitle } from './usage-text'

const TITLE = 'Usage'

/** Shown while loading. */
export function UsageSkeleton() {
  return (
    <Card title={TITLE} description={<SkeletonLine className="w-44" />}>
      <div className="grid gap-5">
        {['leads', 'DMs', 'accounts'].map((what) => (
          <div key={what} className="grid gap-2">
            <SkeletonLine />
            <Skeleton className="h-1.5" />
          </div>
        ))}
        <SkeletonLine className="w-4/5" />
      </div>
    </Card>
  )
}

/** How much of the plan's limits is used, with a warning if one is nearly reached. */
export function UsageCard({ overview }: { overview: BillingOverview }) {
  return (
    <Card title={TITLE} description={`Your ${PLAN_LEVELS[overview.level].name} plan's limits.`}>
      <div className="grid gap-5">
        {overview.usage.map((usage) => (
          <UsageRow key={usage.what} usage={usage} />
        ))}
        <p className="text-muted">
          Resets on <DateTime value={overview.usageResetsAt} precision="day" endsSentence />
        </p>
      </div>
    </Card>
  )
}

function UsageRow({ usage }: { usage: Usage }) {
  const { used, limit, warning } = usage
  if (limit === null)
    return (
      <p className="flex flex-wrap items-baseline justify-between gap-x-3">
        <span className="font-strong">{usageTitle(usage)}</span>
        <span className="text-muted" data-numeric>
          {formatNumber(used)} used (unlimited)
        </span>
      </p>
    )
  return (
    <div className="grid gap-2">
      <Progress
        label={usageTitle(usage)}
        value={used}
        max={limit}
        detail={`${formatNumber(used)} of ${formatNumber(limit)}`}
      />
      {warning && (
        <p className="flex gap-1.5 text-warn">
          <TriangleAlert aria-hidden className="mt-0.5 size-4 shrink-0" />
          {usage.words}
        </p>
      )}
    </div>
  )
}
