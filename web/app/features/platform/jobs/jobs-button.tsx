import { ListChecks } from 'lucide-react'
import { lazy, Suspense, useState } from 'react'
import { IconButton } from '../../../ui/button'
import { isEnded } from './job-text'
import { useRecentJobs } from './recent-jobs'

// Loaded on hover or focus.
const loadSheet = () => import('./jobs-sheet')
const JobsSheet = lazy(loadSheet)

/** Opens the recent jobs, and shows how many are running. */
export default function JobsButton() {
  const [open, setOpen] = useState(false)
  const [wanted, setWanted] = useState(false)
  const { data: jobs = [] } = useRecentJobs()
  const running = jobs.filter((job) => !isEnded(job)).length
  if (jobs.length === 0) return null
  return (
    <div className="relative flex size-9 items-center justify-center pointer-coarse:size-11">
      <IconButton
        icon={<ListChecks className="size-5!" />}
        label={running > 0 ? `Jobs, ${running} running` : 'Jobs'}
        onPointerEnter={loadSheet}
        onFocus={loadSheet}
        onClick={() => {
          setWanted(true)
          setOpen(true)
        }}
      />
      {running > 0 && (
        <span
          aria-hidden
          data-numeric
          className="pointer-events-none absolute start-1/2 top-0.5 min-w-4 rounded-full bg-accent px-1 text-center text-2xs font-strong text-accent-ink ring-2 ring-canvas"
        >
          {running}
        </span>
      )}
      {wanted && (
        <Suspense>
          <JobsSheet open={open} onClose={() => setOpen(false)} />
        </Suspense>
      )}
    </div>
  )
}
