import { api, client, errorText } from '../../../api'
import { useSession } from '../../../session'
import { toast } from '../../../ui/toast'
import { useAction } from '../../../use-action'
import { queueRefusal } from './campaign-text'

const SUMMARY_MS = 7_000

interface QueueRun {
  processed: number
  sent: number
  failed: number
  campaignsCompleted: number
}

/** The result of a run of the simulated queue. */
export function summaryOf({ processed, sent, failed, campaignsCompleted }: QueueRun): string {
  const completed = campaignsCompleted > 0 ? ` Campaigns completed: ${campaignsCompleted}.` : ''
  return `Processed ${processed} DMs: ${sent} sent, ${failed} failed.${completed}`
}

/** Shows a run's result and its problems as toasts. */
export function announce(done: QueueRun & { problems: readonly string[] }): void {
  for (const problem of done.problems) toast.error(problem)
  if (done.processed > 0) toast.success(summaryOf(done), { duration: SUMMARY_MS })
  else if (done.problems.length === 0) toast.info('No queued DMs found to process.')
}

/** With the stand-in X, processes queued messages without sending them. */
export function useProcessQueue() {
  const { status } = useSession()
  const { run, isPending } = useAction(
    () => client.campaigns.processQueue({}, { context: { idempotencyKey: crypto.randomUUID() } }),
    {
      onSuccess: announce,
      onError: (error) => toast.error(`Error processing queue: ${errorText(error)}`),
      refetches: [api.campaigns, api.leads],
    },
  )
  return {
    process() {
      const refusal = queueRefusal(status === 'signed-in')
      if (refusal) toast.error(refusal)
      else void run()
    },
    isProcessing: isPending,
  }
}
