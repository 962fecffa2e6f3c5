import { type FormEvent, useState } from 'react'
import { Button } from '../../../ui/button'
import { Field } from '../../../ui/field'
import { FormDialog } from '../../../ui/form-dialog'
import { Textarea } from '../../../ui/input'
import type { ShownDialog } from '../../../ui/use-dialogs'
import { DEFAULT_MESSAGE } from './use-queue-dms'

const MESSAGE_MAX = 10_000

interface MessageDialogProps extends ShownDialog {
  message: string
  onSave: (message: string) => void
}

/** Edits the message that 'Send DM' sends. */
export function MessageDialog({ open, onClose, message, onSave }: MessageDialogProps) {
  const [draft, setDraft] = useState(message)
  const blank = draft.trim() === ''
  const save = (event: FormEvent) => {
    event.preventDefault()
    onSave(draft.trim())
    onClose()
  }
  return (
    <FormDialog
      open={open}
      onClose={onClose}
      title="Edit message"
      description="The message “Send DM” will send from this page."
      label="Save message"
      loading={false}
      disabled={blank}
      onSubmit={save}
      aside={
        draft !== DEFAULT_MESSAGE && (
          <Button variant="ghost" className="sm:me-auto" onClick={() => setDraft(DEFAULT_MESSAGE)}>
            Reset to default
          </Button>
        )
      }
    >
      <Field
        label="Message"
        hint="Personalize with variables: {lead_name}, {twitter_handle}."
        error={blank ? 'Please enter a message to send' : undefined}
      >
        <Textarea
          value={draft}
          maxLength={MESSAGE_MAX}
          onChange={(event) => setDraft(event.currentTarget.value)}
          className="min-h-32"
        />
      </Field>
    </FormDialog>
  )
}
