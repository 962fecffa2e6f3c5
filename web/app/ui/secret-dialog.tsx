import type { ReactNode } from 'react'
import { Button } from './button'
import { CopyButton } from './copy-button'
import { Dialog } from './dialog'
import { Field } from './field'
import { Input } from './input'

interface SecretDialogProps {
  title: string
  description: ReactNode
  label: string
  /** Null while the dialog is closed. */
  secret: string | null
  onClose: () => void
}

/** Displays a secret once, so clicking outside does not close the dialog. */
export function SecretDialog({ title, description, label, secret, onClose }: SecretDialogProps) {
  return (
    <Dialog
      open={secret !== null}
      onClose={onClose}
      staysOpen
      title={title}
      description={description}
      footer={
        <Button variant="primary" onClick={onClose}>
          Done
        </Button>
      }
    >
      <div className="flex items-end gap-2 pt-2">
        <Field label={label} className="min-w-0 flex-1">
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
