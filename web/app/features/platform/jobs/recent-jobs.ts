import { useQuery } from '@tanstack/react-query'
import { api } from '../../../api'

/** Live events trigger refetches; the interval is for lost events. */
const REFETCH_MS = 60_000

/** The jobs in the menu, newest first. Ended jobs that matched nobody are left out. */
export function useRecentJobs() {
  return useQuery(
    api.jobs.list.queryOptions({
      input: { pageSize: 10 },
      refetchInterval: REFETCH_MS,
      select: ({ jobs }) =>
        jobs.filter(({ total, status }) => total > 0 || status === 'queued' || status === 'running'),
    }),
  )
}
