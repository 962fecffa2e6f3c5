import { session } from '../../session'
import { Button } from '../../ui/button'
import { Progress } from '../../ui/progress'
import { useConfirmBeforeUnload } from '../../ui/use-confirm-before-unload'
import { timeLeftText } from '../scrapes/scrape-text'
import { type BulkRun, bulkRuns, bulkRunText, secondsLeft, useBulkRuns } from './bulk-runs'

/** Work on many leads that is under way, on whatever page one is meanwhile. */
export function BulkProgress() {
  const runs = useBulkRuns()
  // What was done stays done, and what is left is not done by itself. Who goes on in another workspace is not held up: it has ended with this one.
  useConfirmBeforeUnload(runs.length > 0, () => bulkRuns.all().some((run) => run.workspaceId === session.workspaceId()))
  return (
    <>
      <p role="status" className="sr-only">
        {runs.map(bulkRunText).join('. ')}
      </p>
      {runs.length > 0 && (
        <section
          aria-label="Under way"
          className="fixed inset-x-4 bottom-4 z-40 mx-auto grid max-w-md gap-4 rounded-lg border border-line bg-raised p-4 shadow-md"
        >
          <BulkRunList runs={runs} />
          <p className="text-xs text-muted">It goes on while you look at other pages, and ends with this tab.</p>
        </section>
      )}
    </>
  )
}

/** How far each is, how long it will still take, and the way to stop it. */
export function BulkRunList({ runs }: { runs: readonly BulkRun[] }) {
  return runs.map((run) => {
    const seconds = secondsLeft(run, Date.now())
    return (
      <div key={run.id} className="flex items-end gap-4">
        <div className="min-w-0 flex-1">
          <Progress
            label={bulkRunText(run)}
            value={run.done}
            max={run.total}
            detail={seconds === null ? undefined : `${timeLeftText(seconds)} left`}
          />
        </div>
        <Button size="sm" disabled={run.isStopping} onClick={() => bulkRuns.stop(run.id)}>
          Stop
        </Button>
      </div>
    )
  })
}
