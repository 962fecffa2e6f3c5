import { useQueryClient } from '@tanstack/react-query'
import type { Job } from '@x-automated/contract/platform/jobs'
import { Ban, CircleAlert, CircleCheck, ListChecks, Undo2 } from 'lucide-react'
import { client } from '../../../api'
import { QueryError } from '../../../query-error'
import { Button } from '../../../ui/button'
import { cn } from '../../../ui/cn'
import { DateTime } from '../../../ui/date-time'
import { Sheet } from '../../../ui/dialog'
import { EmptyState } from '../../../ui/empty-state'
import { Progress } from '../../../ui/progress'
import { SkeletonText } from '../../../ui/skeleton'
import { useAction } from '../../../use-action'
import { useIsOffered } from '../../identity/people/use-role'
import { isEnded, jobText, mayUndo, progressText } from './job-text'
import { useRecentJobs } from './recent-jobs'
import { refetchAfter, undoJobs } from './use-start-job'

/** Running and recent jobs. */
export default function JobsSheet({ open, onClose }: { open: boolean; onClose: () => void }) {
  const query = useRecentJobs()
  const jobs = query.data
  return (
    <Sheet
      open={open}
      onClose={onClose}
      title="Jobs"
      description="Changes to many leads run on the server. You can close this page."
    >
      {query.isError && !jobs ? (
        <QueryError query={query} fallback="Failed to load your jobs. Please try again." />
      ) : !jobs ? (
        <SkeletonText lines={6} />
      ) : jobs.length === 0 ? (
        <EmptyState icon={<ListChecks />} title="No jobs yet">
          Select several leads to tag them, add them to a list or delete them.
        </EmptyState>
      ) : (
        <ul className="grid divide-y divide-hair">
          {jobs.map((job) => (
            <li key={job.id} className="grid gap-2 py-4 first:pt-0">
              {isEnded(job) ? <EndedJob job={job} /> : <RunningJob job={job} />}
            </li>
          ))}
        </ul>
      )}
    </Sheet>
  )
}

function RunningJob({ job }: { job: Job }) {
  const queries = useQueryClient()
  const mayChange = useIsOffered('member')
  const cancel = useAction(client.jobs.cancel, {
    done: 'Canceled. What was done is kept.',
    failed: 'Failed to cancel the job. Please try again.',
    onSuccess: () => refetchAfter(queries),
  })
  const left = job.secondsLeft === null ? '' : ` · ${timeText(job.secondsLeft)} left`
  return (
    <div className="flex items-end gap-4">
      <div className="min-w-0 flex-1">
        <Progress
          label={jobText(job)}
          value={job.done}
          max={Math.max(1, job.total)}
          detail={`${progressText(job)}${left}`}
        />
      </div>
      {mayChange && (
        <Button size="sm" loading={cancel.isPending} onClick={() => cancel.run({ id: job.id })}>
          Cancel
        </Button>
      )}
    </div>
  )
}

const timeText = (seconds: number) => (seconds < 60 ? `${Math.max(1, seconds)} s` : `${Math.round(seconds / 60)} min`)

const icons = {
  completed: <CircleCheck aria-hidden className="size-4 text-good" />,
  canceled: <Ban aria-hidden className="size-4 text-muted" />,
  failed: <CircleAlert aria-hidden className="size-4 text-bad" />,
}

function EndedJob({ job }: { job: Job }) {
  const queries = useQueryClient()
  const mayChange = useIsOffered('member')
  const undo = useAction((ended: Job) => undoJobs(queries, [ended]))
  return (
    <div className="flex items-start gap-3">
      <span className="grid h-5 place-content-center">{icons[job.status as keyof typeof icons]}</span>
      <div className="grid min-w-0 flex-1 gap-0.5">
        <p className="wrap-anywhere">{jobText(job)}</p>
        <p className="text-xs text-muted wrap-anywhere">
          {job.status === 'canceled' && 'Canceled · '}
          {job.undoneBy && 'Undone · '}
          <DateTime value={job.createdAt} />
          {job.createdBy && ` · ${job.createdBy.name}`}
        </p>
        {job.error && <p className={cn('text-xs', job.status === 'failed' ? 'text-bad' : 'text-warn')}>{job.error}</p>}
      </div>
      {mayChange && mayUndo(job, Date.now()) && (
        <Button size="sm" icon={<Undo2 />} loading={undo.isPending} onClick={() => undo.run(job)}>
          Undo
        </Button>
      )}
    </div>
  )
}
