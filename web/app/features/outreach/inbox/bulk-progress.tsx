import { session } from '../../../session'
import { Button } from '../../../ui/button'
import { Progress } from '../../../ui/progress'
import { useConfirmBeforeUnload } from '../../../ui/use-confirm-before-unload'
import { roughDurationText } from '../../leads/scrapes/scrape-text'
import { type BulkRun, bulkRuns, bulkRunText, secondsLeft, useBulkRuns } from './bulk-runs'

/** Progress of bulk runs, shown on every page. */
export function BulkProgress() {
  const runs = useBulkRuns()
  // Closing the tab ends the runs. Switching the workspace has ended those of the other one.
  useConfirmBeforeUnload(runs.length > 0, () => bulkRuns.all().some((run) => run.workspaceId === session.workspaceId()))
  return (
    <>
      <p role="status" className="sr-only">
        {runs.map(bulkRunText).join('. ')}
      </p>
      {runs.length > 0 && (
        <section
          aria-label="In progress"
          className="fixed inset-x-4 bottom-4 z-40 max-md:bottom-[calc(var(--spacing-tab-bar)+1rem)] mx-auto grid max-w-md gap-4 rounded-lg border border-line bg-raised p-4 shadow-md"
        >
          <BulkRunList runs={runs} />
          <p className="text-xs text-muted">Keeps running while you browse, but stops if you close this tab.</p>
        </section>
      )}
    </>
  )
}

/** Progress, time left and a stop button for each run. */
function BulkRunList({ runs }: { runs: readonly BulkRun[] }) {
  return runs.map((run) => {
    const seconds = secondsLeft(run, Date.now())
    return (
      <div key={run.id} className="flex items-end gap-4">
        <div className="min-w-0 flex-1">
          <Progress
            label={bulkRunText(run)}
            value={run.total === null ? null : run.done}
            max={run.total ?? undefined}
            detail={seconds === null ? undefined : `${roughDurationText(seconds)} left`}
          />
        </div>
        <Button size="sm" disabled={run.isStopping} onClick={() => bulkRuns.stop(run.id)}>
          Stop
        </Button>
      </div>
    )
  })
}
