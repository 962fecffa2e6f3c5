import { ListChecks } from 'lucide-react'
import { IconButton } from '../../../ui/button'
import { useDialogOnDemand } from '../../../ui/use-dialog-on-demand'
import { isEnded } from './job-text'
import { useRecentJobs } from './recent-jobs'

const loadSheet = () => import('./jobs-sheet')

/** A button that opens the recent jobs and shows how many are running. */
export default function JobsButton() {
  const sheet = useDialogOnDemand(loadSheet, 'The list of jobs')
  const { data: jobs = [] } = useRecentJobs()
  const running = jobs.filter((job) => !isEnded(job)).length
  if (jobs.length === 0) return null
  return (
    <div className="relative flex size-9 items-center justify-center pointer-coarse:size-11">
      <IconButton
        icon={<ListChecks className="size-5!" />}
        label={running > 0 ? `Jobs, ${running} running` : 'Jobs'}
        {...sheet.button}
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
      {sheet.render({})}
    </div>
  )
}
