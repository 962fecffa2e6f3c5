import { formatCount, formatNumber } from '@x-automated/contract/format'
import { Button } from '../../../ui/button'
import { Dialog } from '../../../ui/dialog'
import { Progress } from '../../../ui/progress'
import type { RunProgress } from './send-run'

interface RunDialogProps {
  /** Null while nothing is being sent. */
  progress: RunProgress | null
  stopping: boolean
  onStop: () => void
}

/** Shows the progress of a run. Closing it stops the run. */
export function RunDialog({ progress, stopping, onStop }: RunDialogProps) {
  const { sent, failed, total } = progress ?? { sent: 0, failed: 0, total: 1 }
  return (
    <Dialog
      open={progress !== null}
      onClose={onStop}
      title="Sending direct messages... This may take a minute."
      footer={
        <Button onClick={onStop} loading={stopping}>
          {stopping ? 'Stopping…' : 'Stop'}
        </Button>
      }
    >
      <div className="grid gap-3">
        <Progress
          label={`${formatNumber(sent + failed)} of ${formatCount(total, 'lead')}`}
          value={sent + failed}
          max={total}
          detail={`${formatNumber(sent)} sent · ${formatNumber(failed)} failed`}
        />
        <p className="text-muted">
          {stopping
            ? 'Finishing the current message…'
            : 'One message per second. Keep this page open until it finishes.'}
        </p>
      </div>
    </Dialog>
  )
}
