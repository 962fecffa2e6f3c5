import { Button } from '../../../ui/button'
import { CopyButton } from '../../../ui/copy-button'
import { Dialog } from '../../../ui/dialog'
import { Field } from '../../../ui/field'
import { Input } from '../../../ui/input'

/** Shows a signing secret, once. */
export function SecretDialog({ secret, onClose }: { secret: string | null; onClose: () => void }) {
  return (
    <Dialog
      open={secret !== null}
      onClose={onClose}
      title="Signing secret"
      description="Use it to verify that events come from us. Copy it now: it won't be shown again."
      footer={
        <Button variant="primary" onClick={onClose}>
          Done
        </Button>
      }
    >
      <div className="flex items-end gap-2 pt-2">
        <Field label="Secret" className="min-w-0 flex-1">
          <Input
            readOnly
            value={secret ?? ''}
            onFocus={(event) => event.currentTarget.select()}
            className="font-mono text-ellipsis"
          />
        </Field>
        <CopyButton text={secret ?? ''} />
      </div>
    </Dialog>
  )
}
