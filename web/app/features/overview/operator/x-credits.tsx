import { useQuery } from '@tanstack/react-query'
import { formatCount, formatMoney, formatMonth } from '@x-automated/contract/format'
import { api } from '../../../api'
import { latestMonths } from '../../../latest-months'
import { QueryError } from '../../../query-error'
import { Callout } from '../../../ui/callout'
import { Card } from '../../../ui/card'
import { DateTime } from '../../../ui/date-time'
import { LoadingText, SkeletonText } from '../../../ui/skeleton'

/** Whether the server's X app has credits, and what X charges for it. */
export function XCredits() {
  const query = useQuery(api.operator.xCredits.queryOptions())
  const { data } = query
  if (query.isError && !data)
    return <QueryError query={query} fallback="Failed to load the credits. Please try again." />
  if (!data)
    return (
      <>
        <LoadingText>Loading the credits…</LoadingText>
        <SkeletonText lines={4} />
      </>
    )
  const { fundsSince, triedAt, totalCents, ownAppsWithout } = data
  const [month = ''] = latestMonths(new Date(), 1)
  return (
    <div className="grid max-w-2xl grid-cols-1 gap-6">
      {fundsSince ? (
        <Callout tone="warn" title="The X app of this server has no credits left">
          Since <DateTime value={fundsSince} endsSentence /> Nothing is sent or read for any workspace that uses it, and
          nobody is skipped. Add credits at console.x.com.{' '}
          {triedAt && (
            <>
              We try X again on <DateTime value={triedAt} endsSentence />
            </>
          )}
        </Callout>
      ) : (
        <Callout tone="good" title="X has not refused the X app of this server for lack of credits" />
      )}
      {ownAppsWithout > 0 && (
        <p>
          {formatCount(ownAppsWithout, 'app')} that workspaces brought {ownAppsWithout === 1 ? 'has' : 'have'} no
          credits. The owners have been notified.
        </p>
      )}
      <Card
        title={`What X charges in ${formatMonth(month)}`}
        description="For all workspaces that use the X app of this server, estimated from X's published prices."
      >
        <p className="text-3xl font-strong" data-numeric>
          {formatMoney(totalCents)}
        </p>
      </Card>
    </div>
  )
}
