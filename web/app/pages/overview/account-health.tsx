import { useQuery } from '@tanstack/react-query'
import { formatMoney, formatNumber, formatPercent } from '@x-automated/contract/format'
import { HEALTH_DAYS } from '@x-automated/contract/overview/account-health'
import { SearchX } from 'lucide-react'
import { useParams } from 'react-router'
import { api, errorCode, errorText } from '../../api'
import { STAND_IN_LIMITS, warmUpText } from '../../features/outreach/sending-settings/limits-text'
import { detectionText, windowText } from '../../features/overview/account-health/health-text'
import { pageMeta } from '../../features/overview/shell/page-meta'
import { useAccounts } from '../../features/platform/x-account/use-accounts'
import { paths } from '../../paths'
import { QueryError } from '../../query-error'
import { BackLink } from '../../ui/back-link'
import { ButtonLink } from '../../ui/button'
import { Card } from '../../ui/card'
import { EmptyState } from '../../ui/empty-state'
import { LazyChart } from '../../ui/lazy-chart'
import { PageHeader } from '../../ui/page-header'
import { StatCard } from '../../ui/stat-card'

export const meta = () => pageMeta('X account', 'What an X account sent, what X refused, and what it may send now.')

const DAYS = HEALTH_DAYS.default

/** The health of one X account. */
export default function AccountHealthPage() {
  const { accountId = '' } = useParams()
  const accounts = useAccounts()
  const query = useQuery(api.accountHealth.find.queryOptions({ input: { id: accountId, days: DAYS } }))
  const handle = accounts.data?.accounts.find(({ id }) => id === accountId)?.handle
  const health = query.data
  const isRealX = useQuery(api.sendingSettings.find.queryOptions()).data?.basis.isRealX
  if (query.isError && errorCode(query.error) === 'X_ACCOUNT_NOT_FOUND')
    return (
      <>
        <PageHeader title="X account" />
        <EmptyState
          icon={<SearchX />}
          title={errorText(query.error)}
          action={<ButtonLink to={paths.xAutomation}>All X accounts</ButtonLink>}
        />
      </>
    )
  return (
    <>
      <PageHeader
        title={handle ? `@${handle}` : 'X account'}
        actions={<ButtonLink to={`${paths.settings}?tab=sending`}>Sending settings</ButtonLink>}
      />
      {query.isError && !health ? (
        <QueryError query={query}>The figures of this account could not be loaded.</QueryError>
      ) : (
        <div className="grid grid-cols-1 gap-6">
          <BackLink to={paths.xAutomation}>X automation</BackLink>
          <dl className="grid grid-cols-2 gap-x-6 gap-y-4 lg:grid-cols-4">
            <StatCard label="Sent" value={health?.sent} hint={`In the last ${DAYS} days`} />
            <StatCard label="Refused" value={health?.refused} hint={shareOf(health?.refused, health?.sent)} />
            <StatCard label="Opted out" value={health?.optedOut} hint="Replied asking you to stop" />
            <StatCard
              label="Cap now"
              value={health && formatNumber(health.capNow)}
              hint={health && (health.warmUp ? warmUpText(health.warmUp) : 'Messages per 24 hours')}
            />
            <StatCard
              label="Spent on X this month"
              value={health && formatMoney(health.spentCents)}
              hint={health && `${formatMoney(health.expectedCents)} expected by month's end`}
            />
            <StatCard
              label="Replies"
              value={health && detectionText(health.detection).state}
              hint={health && detectionText(health.detection).hint}
            />
            <StatCard
              label="Sending hours"
              value={health && windowText(health.window).hours}
              hint={health && windowText(health.window).days}
            />
          </dl>
          {isRealX === false && <p className="text-muted">{STAND_IN_LIMITS}</p>}
          <Card title="By day">
            <LazyChart
              label="Messages by day"
              days={health?.series}
              series={[
                { key: 'sent', label: 'Sent', tone: 'quiet' },
                { key: 'refused', label: 'Refused' },
              ]}
              extra={{ label: 'Opted out', value: ({ day }) => optedOutOn(health?.series, day) }}
            />
          </Card>
        </div>
      )}
    </>
  )
}

/** The refused share: '2% of all attempts'. Undefined while loading, or without attempts. */
function shareOf(refused: number | undefined, sent: number | undefined): string | undefined {
  if (refused === undefined || sent === undefined || refused + sent === 0) return undefined
  return `${formatPercent(refused / (refused + sent))} of all attempts`
}

function optedOutOn(series: readonly { day: string; optedOut: number }[] | undefined, wanted: string): string {
  return formatNumber(series?.find(({ day }) => day === wanted)?.optedOut ?? 0)
}
