import type { LeadEvent } from '@x-automated/contract/leads/leads'
import { StatusBadge } from '../../../ui/badge'
import { pauseReasonText, stepText } from './history-text'
import { RequeueButton } from './requeue-button'

interface MessagedEventProps {
  event: Extract<LeadEvent, { kind: 'messaged' }>
  lead: { id: string; name: string; twitterHandle: string }
}

/** A message to a lead. Quick DMs that failed can be retried here, because no campaign lists them. */
export function MessagedEvent({ event, lead }: MessagedEventProps) {
  const { dmId, campaignName, status, message, errorMessage, outcomeUnknown } = event
  const step = stepText(event.stepNumber, event.variant)
  const waitsFor =
    status === 'queued' &&
    (outcomeUnknown ? 'X-Automated is checking on X whether it arrived.' : event.why && pauseReasonText(event.why))
  return (
    <>
      <p className="flex flex-wrap items-center gap-2 wrap-anywhere">
        {campaignName ? (
          <span>
            DM from campaign <bdi className="font-strong">{campaignName}</bdi>
            {step && <span className="text-muted"> · {step}</span>}
          </span>
        ) : (
          'Quick DM'
        )}
        <StatusBadge status={status} />
      </p>
      {message && <bdi className="wrap-anywhere text-muted">“{message}”</bdi>}
      {waitsFor && <p className="text-muted">{waitsFor}</p>}
      {errorMessage && <p className="text-bad wrap-anywhere">{errorMessage}</p>}
      {status === 'failed' && event.campaignId === null && (
        <div className="py-1">
          <RequeueButton dm={{ id: dmId, outcomeUnknown, lead }} />
        </div>
      )}
    </>
  )
}
