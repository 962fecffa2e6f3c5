import { useQuery, useQueryClient } from '@tanstack/react-query'
import { formatCount } from '@x-automated/contract/format'
import type { Campaign } from '@x-automated/contract/outreach/campaigns'
import { Sparkles } from 'lucide-react'
import { api, client } from '../../../api'
import { QueryError } from '../../../query-error'
import { Button } from '../../../ui/button'
import { Callout } from '../../../ui/callout'
import { Card } from '../../../ui/card'
import { Skeleton, SkeletonButton, SkeletonLine } from '../../../ui/skeleton'
import { toast } from '../../../ui/toast'
import { useFocusFallback } from '../../../ui/use-focus-fallback'
import { useAction } from '../../../use-action'
import { isEnded } from '../../platform/jobs/job-text'
import { ConnectModel } from './connect-model'
import { estimateText, isTooExpensive } from './opener-text'
import { EndedJob, RunningJob, useOpenersJob } from './openers-job'
import { useModel } from './use-model'
import { writerProblem } from './writer-text'

/** Everyone on the campaign's list. */
const EVERYONE = { filter: {} }
const TOO_LARGE = "This batch costs more than what's left of this month's AI budget."

/** Runs a job that writes openers for everyone on a campaign's list who has none. */
export function OpenersBatch({ campaign: { id } }: { campaign: Campaign }) {
  const queries = useQueryClient()
  const focusFallback = useFocusFallback<HTMLElement>()
  const model = useModel()
  const latest = useOpenersJob(id)
  const { job, counts } = latest.data ?? {}
  const running = job && !isEnded(job) ? job : null
  const estimate = useQuery(
    api.openers.estimate.queryOptions({
      input: { id, ...EVERYONE },
      enabled: latest.isSuccess && !running,
      staleTime: 0,
    }),
  )
  const usage = useQuery(
    api.writer.usage.queryOptions({ input: {}, enabled: Boolean(model) && latest.isSuccess && !running, staleTime: 0 }),
  )
  const start = useAction((source: 'model' | 'built_in') => client.openers.create({ id, ...EVERYONE, source }), {
    onSuccess: (created) =>
      queries.setQueryData(
        api.openers.list.queryKey({ input: { id, pageSize: 1 } }),
        (before) => before && { ...before, job: created },
      ),
    onError: (error) => toast.error(writerProblem(error, TOO_LARGE)),
    refetches: [api.openers],
  })
  if (running)
    return (
      <Card title="Write openers" {...focusFallback}>
        <RunningJob job={running} />
      </Card>
    )
  if (latest.isError && !latest.data) return <QueryError query={latest} />
  if (estimate.isError && !estimate.data) return <QueryError query={estimate} />
  const estimateData = estimate.data
  // Waits for all data, so that nothing below the card moves.
  if (!latest.data || (!job && (!estimateData || model === undefined))) return <Skeleton className="h-screen" />
  const isSettled = job?.status !== 'failed' && counts?.draft === 0 && (job?.changed ?? 0) > 0
  const hasModel = Boolean(model)
  const isOver = estimateData && isTooExpensive(estimateData, usage.data)
  return (
    <Card
      title="Write openers"
      description="One sentence for each person, from name, bio, website and source. Only openers that you approve are sent."
      {...focusFallback}
    >
      <div className="grid gap-4">
        {job && !isSettled && <EndedJob job={job} />}
        {!estimateData || model === undefined ? (
          <>
            <SkeletonLine className="w-72" />
            <SkeletonButton className="w-48" />
          </>
        ) : estimateData.leads === 0 ? (
          <p className="text-muted">Nobody on the list needs an opener.</p>
        ) : (
          <>
            {hasModel && (
              <p className="text-muted" data-numeric>
                {estimateText(estimateData)}
              </p>
            )}
            {isOver && (
              <Callout tone="warn">
                {estimateData.remainingCents === 0
                  ? 'Your AI budget is used up. Use built-in suggestions, or change your plan or model in Settings.'
                  : "This costs more than what's left of this month's budget. Raise the budget in Settings, or use built-in suggestions."}
              </Callout>
            )}
            <div className="flex flex-wrap items-center gap-2">
              {hasModel && (
                <Button
                  variant="primary"
                  icon={<Sparkles />}
                  disabled={isOver || start.isPending}
                  loading={start.isPending && start.variables === 'model'}
                  onClick={() => start.run('model')}
                >
                  Write {formatCount(estimateData.leads, 'opener')}
                </Button>
              )}
              <Button
                variant={hasModel ? 'secondary' : 'primary'}
                disabled={start.isPending}
                loading={start.isPending && start.variables === 'built_in'}
                onClick={() => start.run('built_in')}
              >
                {hasModel
                  ? 'Use built-in suggestions'
                  : `Write ${formatCount(estimateData.leads, 'built-in suggestion')}`}
              </Button>
            </div>
            {!hasModel && <ConnectModel what="The built-in writer puts words from the bio into English sentences." />}
          </>
        )}
      </div>
    </Card>
  )
}
