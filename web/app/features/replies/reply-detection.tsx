import { useQuery } from '@tanstack/react-query'
import { api } from '../../api'
import { Callout } from '../../ui/callout'
import { DateTime } from '../../ui/date-time'

const LOOK_EVERY_MS = 60_000

/** Says it while X does not tell us of replies and we only ask, now and then; nothing while all is well. */
export function ReplyDetectionNotice() {
  const { data } = useQuery(api.replies.detection.queryOptions({ refetchInterval: LOOK_EVERY_MS }))
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
