import { useQuery } from '@tanstack/react-query'
import { api } from '../../../api'
import { isInitialLoading } from '../../../initial-loading'
import { Callout } from '../../../ui/callout'
import { DateTime } from '../../../ui/date-time'

const POLL_EVERY_MS = 60_000

const detection = () => api.replies.detection.queryOptions({ refetchInterval: POLL_EVERY_MS })

/** Whether the notice is known; content below it waits, so that nothing shifts. */
export function useReplyDetectionKnown(): boolean {
  return !isInitialLoading(useQuery(detection()))
}

/** Warns while X sends us no events, or none about encrypted messages. */
export function ReplyDetectionNotice() {
  const { data } = useQuery(detection())
  if (!data?.problem) return null
  return (
    <Callout tone="warn" title="Reply detection degraded">
      {data.problem}
      {data.state === 'degraded' && data.checkedAt && (
        <>
          {' '}
          Last checked: <DateTime value={data.checkedAt} endsSentence />
        </>
      )}
    </Callout>
  )
}
