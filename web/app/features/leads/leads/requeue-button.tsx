import { RotateCcw } from 'lucide-react'
import { api, client, errorText } from '../../../api'
import { Button } from '../../../ui/button'
import { toast } from '../../../ui/toast'
import { useAction } from '../../../use-action'
import { useIsOffered } from '../../identity/people/use-role'

interface FailedDm {
  id: string
  outcomeUnknown: boolean
  lead: { twitterHandle: string } | null
}

/** Retries a failed message after a confirmation, which warns if it may have been sent. */
export function RequeueButton({ dm }: { dm: FailedDm }) {
  const mayChange = useIsOffered('member')
  const requeue = useAction(() => client.campaigns.requeue({ id: dm.id }), {
    question: dm.outcomeUnknown
      ? {
          title: 'Check the conversation first',
          body: `We can't confirm this was delivered to ${nameOf(dm)}. Check the conversation on X first; retrying could send it twice.`,
          confirm: 'Not there: retry',
          danger: true,
        }
      : { title: 'Retry this DM?', body: `We'll queue the message to ${nameOf(dm)} again.`, confirm: 'Retry' },
    done: `DM to ${nameOf(dm)} queued again.`,
    onError: (error) => toast.error(`Failed to retry the DM: ${errorText(error)}`),
    refetches: [api.campaigns, api.leads],
  })
  if (!mayChange) return null
  return (
    <Button
      size="sm"
      icon={<RotateCcw />}
      loading={requeue.isPending}
      aria-label={`Retry: ${nameOf(dm)}`}
      onClick={() => requeue.run()}
    >
      Retry
    </Button>
  )
}

function nameOf({ lead }: FailedDm): string {
  return lead ? `@${lead.twitterHandle.replace(/^@/, '')}` : 'this lead'
}
