import { useQuery } from '@tanstack/react-query'
import { ADVANCED_ANALYTICS_TEXT, hasAdvancedAnalytics } from '@x-automated/contract/platform/plans'
import { api } from '../../../api'
import { Callout } from '../../../ui/callout'
import { Skeleton } from '../../../ui/skeleton'
import { SeePlans } from '../../platform/billing/usage-notice'
import { Comparison } from './comparison'
import { Heatmap } from './heatmap'
import type { Days } from './range'

interface AdvancedAnalyticsProps {
  /** A campaign's id, 'direct', or 'all'. */
  campaignId: string
  days: Days
}

/** The comparison and the heat map, or the plan that includes them. */
export function AdvancedAnalytics({ campaignId, days }: AdvancedAnalyticsProps) {
  const overview = useQuery(api.billing.overview.queryOptions())
  if (overview.isPending) return <Skeleton className="h-84" />
  if (!overview.data) return null
  if (!hasAdvancedAnalytics(overview.data.level))
    return (
      <Callout tone="info" title="Compare campaigns, and see when people reply" action={<SeePlans />}>
        {ADVANCED_ANALYTICS_TEXT}
      </Callout>
    )
  const chosen = campaignId === 'all' ? undefined : campaignId
  return (
    <>
      {/* Messages without a campaign have no steps to compare. */}
      {chosen !== 'direct' && <Comparison campaignId={chosen} days={days} />}
      <Heatmap campaignId={chosen} days={days} />
    </>
  )
}
