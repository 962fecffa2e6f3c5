import { Download } from 'lucide-react'
import { useState } from 'react'
import { Button } from '../../../ui/button'
import { Callout } from '../../../ui/callout'
import { CopyButton } from '../../../ui/copy-button'
import { Dialog, type DialogProps } from '../../../ui/dialog'
import { save } from '../../../ui/save-file'

interface RecoveryCodesDialogProps extends Pick<DialogProps, 'returnsTo'> {
  /** Null while the dialog is closed. */
  codes: readonly string[] | null
  onClose: () => void
}

/** Shows new recovery codes. They cannot be shown again. */
export function RecoveryCodesDialog({ codes, onClose, returnsTo }: RecoveryCodesDialogProps) {
  // Kept, because the dialog still displays the codes while it closes.
  const [lastCodes, setLastCodes] = useState<readonly string[] | null>(null)
  const [warned, setWarned] = useState(false)
  const [isSaved, setSaved] = useState(false)
  if (codes && codes !== lastCodes) {
    setLastCodes(codes)
    setWarned(false)
    setSaved(false)
  }
  if (!lastCodes) return null
  const text = lastCodes.join('\n')
  // Warns once before closing if the codes aren't saved.
  const close = () => (isSaved || warned ? onClose() : setWarned(true))
  return (
    <Dialog
      open={codes !== null}
      onClose={close}
      returnsTo={returnsTo}
      title="Your recovery codes"
      description="Use one if you lose your second factor. Each works once."
      footer={
        <Button variant="primary" onClick={close}>
          Done
        </Button>
      }
    >
      <div className="grid gap-4 pt-2">
        {warned && !isSaved ? (
          <Callout tone="bad">
            You haven't saved your codes. Copy or download them now, or close again to continue without.
          </Callout>
        ) : (
          <Callout tone="warn">These codes are shown only once. Store them with your passwords.</Callout>
        )}
        <ul
          aria-label="Recovery codes"
          className="grid gap-x-6 gap-y-1.5 rounded-lg border border-line bg-sunken p-4 font-mono sm:grid-cols-2"
        >
          {lastCodes.map((code) => (
            <li key={code}>{code}</li>
          ))}
        </ul>
        <div className="flex flex-wrap gap-2" onClickCapture={() => setSaved(true)}>
          <CopyButton text={text} label="Copy codes" />
          <Button
            icon={<Download aria-hidden />}
            onClick={() => {
              save(
                new Blob([`X-Automated recovery codes\n\n${text}\n`], { type: 'text/plain' }),
                'x-automated-recovery-codes.txt',
              )
            }}
          >
            Download
          </Button>
        </div>
      </div>
    </Dialog>
  )
}
