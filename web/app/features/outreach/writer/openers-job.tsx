import { useQuery, useQueryClient } from '@tanstack/react-query'
import { formatCount } from '@x-automated/contract/format'
import type { Job } from '@x-automated/contract/platform/jobs'
import { useEffect } from 'react'
import { api, client } from '../../../api'
import { Button } from '../../../ui/button'
import { Callout } from '../../../ui/callout'
import { Progress } from '../../../ui/progress'
import { useAction } from '../../../use-action'
import { isEnded } from '../../platform/jobs/job-text'
import { jobText } from './opener-text'

const POLL_MS = 2_000

/**
 * The latest job that writes a campaign's openers, and how many openers have each status. Refetches
 * openers as they are written.
 */
export function useOpenersJob(campaignId: string) {
  const queries = useQueryClient()
  const query = useQuery(
    api.openers.list.queryOptions({
      input: { id: campaignId, pageSize: 1 },
      refetchInterval: ({ state }) => (state.data?.job && !isEnded(state.data.job) ? POLL_MS : false),
    }),
  )
  const { changed, status } = query.data?.job ?? {}
  // biome-ignore lint/correctness/useExhaustiveDependencies: each part of the job adds openers
  useEffect(() => {
    if (!status) return
    void queries.invalidateQueries({ queryKey: api.openers.key() })
    void queries.invalidateQueries({ queryKey: api.writer.usage.key() })
  }, [queries, changed, status])
  return query
}

/** A job with its progress. It can be canceled. */
export function RunningJob({ job }: { job: Job }) {
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

/** The result of the latest job. */
export function EndedJob({ job }: { job: Job }) {
  if (job.status === 'failed')
    return (
      <Callout tone="warn" title="Not all openers were written">
        {job.error}
      </Callout>
    )
  return (
    <Callout
      tone={job.error ? 'warn' : job.status === 'completed' ? 'good' : 'info'}
      title={job.status !== 'canceled' && job.error}
    >
      {job.status === 'canceled' ? 'Canceled. ' : ''}
      {job.changed > 0
        ? `${formatCount(job.changed, 'opener')} written. Read them below and approve the ones that you want to send.`
        : 'No opener was written, so the fallback is sent.'}
    </Callout>
  )
}
