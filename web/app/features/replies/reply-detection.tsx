import { useQuery } from '@tanstack/react-query'
import { api } from '../../api'
import { isInitialLoading } from '../../initial-loading'
import { Callout } from '../../ui/callout'
import { DateTime } from '../../ui/date-time'

const POLL_EVERY_MS = 60_000

const detection = () => api.replies.detection.queryOptions({ refetchInterval: POLL_EVERY_MS })

/** Is it known whether there is something to say? What stands below comes no sooner. */
export function useReplyDetectionKnown(): boolean {
  return !isInitialLoading(useQuery(detection()))
}

/** Says it while X does not tell us of replies and we only ask, now and then; nothing while all is well. */
export function ReplyDetectionNotice() {
  const { data } = useQuery(detection())
  if (data?.state !== 'degraded') return null
  return (
    <Callout tone="warn" title="Reply detection degraded">
      {data.problem}
      {data.checkedAt && (
        <>
          {' '}
          Last looked: <DateTime value={data.checkedAt} />.
        </>
      )}
    </Callout>
  )
}
