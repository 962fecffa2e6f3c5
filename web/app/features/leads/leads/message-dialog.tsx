import { useState } from 'react'
import { Button } from '../../../ui/button'
import { Dialog } from '../../../ui/dialog'
import { Field } from '../../../ui/field'
import { Textarea } from '../../../ui/input'
import { DEFAULT_MESSAGE } from './use-queue-dms'

const MESSAGE_MAX = 10_000

export interface MessageDialogProps {
  open: boolean
  onClose: () => void
  message: string
  onSave: (message: string) => void
}

/** Edits the message that 'Send DM' sends. */
export function MessageDialog({ open, onClose, message, onSave }: MessageDialogProps) {
  const [draft, setDraft] = useState(message)
  const [wasOpen, setWasOpen] = useState(open)
  if (open !== wasOpen) {
    setWasOpen(open)
    setDraft(message)
  }
  const blank = draft.trim() === ''
  return (
    <Dialog
      open={open}
      onClose={onClose}
      title="Edit message"
      description="The message “Send DM” will send from this page."
      footer={
        <>
          {draft !== DEFAULT_MESSAGE && (
            <Button variant="ghost" className="sm:me-auto" onClick={() => setDraft(DEFAULT_MESSAGE)}>
              Reset to default
            </Button>
          )}
          <Button onClick={onClose}>Cancel</Button>
          <Button variant="primary" disabled={blank} onClick={() => onSave(draft.trim())}>
            Save message
          </Button>
        </>
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
    </Dialog>
  )
}
