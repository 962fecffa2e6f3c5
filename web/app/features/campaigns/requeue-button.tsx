import { useMutation, useQueryClient } from '@tanstack/react-query'
import type { Dm } from '@x-automated/contract/campaigns'
import { RotateCcw } from 'lucide-react'
import { api, client, errorText } from '../../api'
import { Button } from '../../ui/button'
import { useConfirm } from '../../ui/confirm'
import { toast } from '../../ui/toast'
import { useIsOffered } from '../settings/use-role'

type Failed = Pick<Dm, 'id' | 'outcomeUnknown' | 'lead'>

/** Queues a failed message again, after a question; where nobody knows whether it was sent, with a warning. */
export function RequeueButton({ dm }: { dm: Failed }) {
  const queries = useQueryClient()
  const confirm = useConfirm()
  const mayChange = useIsOffered('member')
  const requeue = useMutation({
    mutationFn: () => client.campaigns.requeue({ id: dm.id }),
    onSuccess: () => toast.success(`The DM to ${nameOf(dm)} is queued again.`),
    onError: (error) => toast.error(`Failed to queue the DM again: ${errorText(error)}`),
    onSettled: () => {
      for (const queryKey of [api.campaigns.key(), api.leads.key()]) void queries.invalidateQueries({ queryKey })
    },
  })
  const ask = async () => {
    const sure = await confirm(
      dm.outcomeUnknown
        ? {
            title: 'Check the conversation first',
            body: `Nobody knows whether this message reached ${nameOf(dm)}. Look into the conversation on X: if it stands there, queueing it again sends it twice.`,
            confirm: 'It is not there, queue again',
            danger: true,
          }
        : {
            title: 'Queue this DM again?',
            body: `The message to ${nameOf(dm)} goes out once more when its turn comes.`,
            confirm: 'Queue again',
          },
    )
    if (sure) requeue.mutate()
  }
  if (!mayChange) return null
  return (
    <Button
      size="sm"
      icon={<RotateCcw aria-hidden />}
      loading={requeue.isPending}
      aria-label={`Queue again: ${nameOf(dm)}`}
      onClick={ask}
    >
      Queue again
    </Button>
  )
}

function nameOf({ lead }: Failed): string {
  return lead ? `@${lead.twitterHandle.replace(/^@/, '')}` : 'this lead'
}
