import { useQuery, useQueryClient } from '@tanstack/react-query'
import { formatCount } from '@x-automated/contract/format'
import type { Campaign } from '@x-automated/contract/outreach/campaigns'
import type { Job } from '@x-automated/contract/platform/jobs'
import { Sparkles } from 'lucide-react'
import { useEffect } from 'react'
import { useSearchParams } from 'react-router'
import { api, client, errorCode } from '../../../api'
import { sessionStorage } from '../../../browser-storage'
import { QueryError } from '../../../query-error'
import { Button } from '../../../ui/button'
import { Callout } from '../../../ui/callout'
import { Card } from '../../../ui/card'
import { Progress } from '../../../ui/progress'
import { Skeleton, SkeletonButton, SkeletonLine } from '../../../ui/skeleton'
import { toast } from '../../../ui/toast'
import { useAction } from '../../../use-action'
import { ConnectModel } from './connect-model'
import { estimateText, isTooExpensive, isUnfinished, jobText } from './opener-text'
import { useModel } from './use-model'
import { writerProblem } from './writer-text'

const POLL_MS = 2_000
/** Everyone on the campaign's list. */
const EVERYONE = { filter: {} }
const TOO_LARGE = "This batch costs more than what's left of this month's AI budget."

/** Writes openers for everyone on a campaign's list who has none, as a job. */
export function OpenersBatch({ campaign: { id } }: { campaign: Campaign }) {
  const [params, setParams] = useSearchParams()
  const key = `openers-job:${id}`
  const jobId = params.get('job')
  const queries = useQueryClient()
  const model = useModel()
  const job = useJob(jobId)
  // A job that was started here continues while the page is closed.
  useEffect(() => {
    const started = sessionStorage.getItem(key)
    if (jobId === null && started !== null) setParams({ job: started }, { replace: true })
  }, [jobId, key, setParams])
  const isEnded = job.isError || (job.data && !isUnfinished(job.data))
  useEffect(() => {
    if (isEnded) sessionStorage.removeItem(key)
  }, [isEnded, key])
  const running = job.data && isUnfinished(job.data) ? job.data : null
  const estimate = useQuery(
    api.openers.estimate.queryOptions({ input: { id, ...EVERYONE }, enabled: !running, staleTime: 0 }),
  )
  const start = useAction((source: 'model' | 'built_in') => client.openers.create({ id, ...EVERYONE, source }), {
    onSuccess: (created) => {
      queries.setQueryData(api.jobs.find.queryKey({ input: { id: created.id } }), created)
      sessionStorage.setItem(key, created.id)
      setParams({ job: created.id }, { replace: true })
    },
    onError: (error) => toast.error(writerProblem(error, TOO_LARGE)),
    refetches: [api.openers],
  })
  if (running)
    return (
      <Card title="Write openers">
        <RunningJob job={running} />
      </Card>
    )
  if (estimate.isError && !estimate.data) return <QueryError query={estimate} />
  const found = estimate.data
  // What is below must not move.
  if (jobId === null ? !found || model === undefined : job.isLoading) return <Skeleton className="h-screen" />
  const hasModel = Boolean(model)
  const isOver = found && isTooExpensive(found)
  return (
    <Card
      title="Write openers"
      description="One sentence for each person, from name, bio, website and source. Only openers that you approve are sent."
    >
      <div className="grid gap-4">
        {job.data && <EndedJob job={job.data} />}
        {job.isError && errorCode(job.error) !== 'JOB_NOT_FOUND' && <QueryError query={job} />}
        {!found || model === undefined ? (
          <>
            <SkeletonLine className="w-72" />
            <SkeletonButton className="w-48" />
          </>
        ) : found.leads === 0 ? (
          <p className="text-muted">Nobody on the list needs an opener.</p>
        ) : (
          <>
            {hasModel && (
              <p className="text-muted" data-numeric>
                {estimateText(found)}
              </p>
            )}
            {isOver && (
              <Callout tone="warn">
                {found.remainingCents === 0
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
                  Write {formatCount(found.leads, 'opener')}
                </Button>
              )}
              <Button
                variant={hasModel ? 'secondary' : 'primary'}
                disabled={start.isPending}
                loading={start.isPending && start.variables === 'built_in'}
                onClick={() => start.run('built_in')}
              >
                {hasModel ? 'Use built-in suggestions' : `Write ${formatCount(found.leads, 'built-in suggestion')}`}
              </Button>
            </div>
            {!hasModel && <ConnectModel what="The built-in writer puts words from the bio into English sentences." />}
          </>
        )}
      </div>
    </Card>
  )
}

/** A job, and the openers that it has written so far. */
function useJob(id: string | null) {
  const queries = useQueryClient()
  const job = useQuery(
    api.jobs.find.queryOptions({
      input: { id: id ?? '' },
      enabled: id !== null,
      refetchInterval: ({ state }) => (state.data && isUnfinished(state.data) ? POLL_MS : false),
    }),
  )
  const { changed, status } = job.data ?? {}
  // biome-ignore lint/correctness/useExhaustiveDependencies: each part of the job adds openers
  useEffect(() => {
    if (status) void queries.invalidateQueries({ queryKey: api.openers.key() })
  }, [queries, changed, status])
  return job
}

function RunningJob({ job }: { job: Job }) {
  const cancel = useAction(() => client.jobs.cancel({ id: job.id }), {
    done: 'Canceled. The openers written so far are kept.',
    failed: 'Failed to cancel. Please try again.',
    refetches: [api.jobs, api.openers],
  })
  return (
    <div className="grid gap-4">
      <Progress label="Writing openers" value={job.done} max={Math.max(1, job.total)} detail={jobText(job)} />
      {job.error && <p role="status">{job.error}</p>}
      <div className="flex flex-wrap items-center gap-x-4 gap-y-2">
        <Button loading={cancel.isPending} onClick={() => cancel.run()}>
          Cancel
        </Button>
        <p className="text-muted">You can leave this page. The openers are written on our server.</p>
      </div>
    </div>
  )
}

/** How the latest job has ended. */
function EndedJob({ job }: { job: Job }) {
  if (job.status === 'failed')
    return (
      <Callout tone="warn" title="Not all openers were written">
        {job.error}
      </Callout>
    )
  return (
    <Callout tone={job.error ? 'warn' : job.status === 'completed' ? 'good' : 'info'} title={job.error}>
      {job.status === 'canceled' ? 'Canceled. ' : ''}
      {formatCount(job.changed, 'opener')} written. Read them below and approve the ones that you want to send.
    </Callout>
  )
}
