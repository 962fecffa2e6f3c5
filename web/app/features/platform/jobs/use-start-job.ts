import { type QueryClient, useQueryClient } from '@tanstack/react-query'
import type { Job } from '@x-automated/contract/platform/jobs'
import { api, client, errorText } from '../../../api'
import { toast } from '../../../ui/toast'
import { isEnded, jobText, mayUndo } from './job-text'

/** What a job does, and to which leads. */
export type JobOrder = Parameters<typeof client.jobs.create>[0]

/** How long a toast offers Undo. The menu of jobs offers it longer. */
const UNDO_MS = 10_000
/** Delays between polls: a small job ends within a second, a long one needs few polls. */
const LOOKS_MS = [200, 300, 500, 1_000]
const NONE_QUEUED = "Failed to create DM records: these leads were already contacted or can't be contacted."

/** Waits until jobs end, then shows what they did and refetches what they changed. */
async function follow(queries: QueryClient, started: readonly Job[]): Promise<void> {
  const ended: Job[] = []
  for (let job of started) {
    for (let looks = 0; !isEnded(job); looks += 1) {
      await new Promise((resolve) => setTimeout(resolve, LOOKS_MS[looks] ?? 2_000))
      // Keeps polling if the failure may be temporary. A 404 means that the job belongs to another workspace.
      job = await client.jobs.find({ id: job.id }).catch((error) => (isLost(error) ? job : Promise.reject(error)))
    }
    ended.push(job)
  }
  showEnd(queries, ended)
  await refetchAfter(queries)
}

const isLost = ({ status = 500 }: { status?: number }) => status >= 500 || status === 429

/** Refetches everything that a job on leads may have changed. */
export function refetchAfter(queries: QueryClient): Promise<unknown> {
  const parts = [
    api.jobs,
    api.leads,
    api.lists,
    api.tags,
    api.suppressions,
    api.conversations,
    api.messages,
    api.billing.overview,
  ]
  return Promise.all(parts.map((part) => queries.invalidateQueries({ queryKey: part.key() })))
}

function showEnd(queries: QueryClient, jobs: readonly Job[]): void {
  const [first] = jobs
  if (!first) return
  const failed = jobs.find(({ status }) => status === 'failed')
  if (failed?.error) toast.error(failed.error)
  const changed = jobs.reduce((sum, job) => sum + job.changed, 0)
  const text = jobText({ ...first, changed })
  if (changed === 0 && !first.undoes) {
    if (!failed && first.kind === 'queue') toast.error(NONE_QUEUED)
    else if (!failed) toast.info(text)
    return
  }
  const undoable = jobs.filter((job) => mayUndo(job, Date.now()))
  const until = Math.min(Date.now() + UNDO_MS, ...undoable.map(({ undoUntil }) => Date.parse(undoUntil ?? '')))
  toast.success(
    text,
    undoable.length === 0 ? {} : { action: { label: 'Undo', onClick: () => void undoJobs(queries, undoable), until } },
  )
}

/** Undoes ended jobs, and waits for the undo. */
export async function undoJobs(queries: QueryClient, jobs: readonly Pick<Job, 'id'>[]): Promise<void> {
  try {
    const outcomes = await Promise.allSettled(jobs.map(({ id }) => client.jobs.undo({ id })))
    void queries.invalidateQueries({ queryKey: api.jobs.key() })
    await follow(
      queries,
      outcomes.flatMap((outcome) => (outcome.status === 'fulfilled' ? outcome.value : [])),
    )
    for (const outcome of outcomes) if (outcome.status === 'rejected') throw outcome.reason
  } catch (error) {
    toast.error(`Failed to undo: ${errorText(error, 'Unknown error')}`)
  }
}

/** Starts jobs of one kind, one per order. They run on the server; a toast shows the result. */
export function useStartJob(): (orders: readonly JobOrder[]) => Promise<void> {
  const queries = useQueryClient()
  return async (orders) => {
    const started: Job[] = []
    try {
      for (const order of orders) started.push(await client.jobs.create(order))
    } finally {
      void queries.invalidateQueries({ queryKey: api.jobs.key() })
      follow(queries, started).catch(() => {})
    }
  }
}
