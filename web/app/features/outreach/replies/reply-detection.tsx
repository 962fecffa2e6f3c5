import { useQuery } from '@tanstack/react-query'
import { formatList } from '@x-automated/contract/format'
import { api } from '../../../api'
import { isInitialLoading } from '../../../initial-loading'
import { Callout } from '../../../ui/callout'
import { DateTime } from '../../../ui/date-time'

const POLL_EVERY_MS = 60_000

const detection = () => api.replies.detection.queryOptions({ refetchInterval: POLL_EVERY_MS })

/** Whether the notice has loaded. Anything below it waits for that, so that nothing shifts. */
export function useReplyDetectionLoaded(): boolean {
  return !isInitialLoading(useQuery(detection()))
}

/**
 * Warns if X does not report all messages, if an account cannot be read, and about message
 * requests, which X never reports.
 */
export function ReplyDetectionNotice() {
  const { data } = useQuery(detection())
  if (!data) return null
  const { problem, state, checkedAt, requestsOf } = data
  return (
    <>
      {problem && (
        <Callout tone="warn" title="Reply detection degraded">
          {problem}
          {state === 'degraded' && checkedAt && (
            <>
              {' '}
              Last checked: <DateTime value={checkedAt} endsSentence />
            </>
          )}
        </Callout>
      )}
      {requestsOf.length > 0 && (
        <Callout tone="info" title="Message requests on X">
          {`${formatList(requestsOf.map((handle) => `@${handle}`))} ${requestsOf.length === 1 ? 'has' : 'have'} message requests. X shows them only in its own app.`}
        </Callout>
      )}
    </>
  )
}
