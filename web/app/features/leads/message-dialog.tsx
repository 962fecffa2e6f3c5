import { useState } from 'react'
import { Button } from '../../ui/button'
import { Dialog } from '../../ui/dialog'
import { Field } from '../../ui/field'
import { Textarea } from '../../ui/input'
import { DEFAULT_MESSAGE } from './use-queue-dms'

const MESSAGE_MAX = 10_000

export interface MessageDialogProps {
  open: boolean
  onClose: () => void
  message: string
  onSave: (message: string) => void
}

/** Changes what 'Send DM' says. */
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
      description="What “Send DM” sends from this page, until you leave it."
      footer={
        <>
          {draft !== DEFAULT_MESSAGE && (
            <Button variant="ghost" className="sm:me-auto" onClick={() => setDraft(DEFAULT_MESSAGE)}>
              Use the standard message
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
        hint="{lead_name} and {twitter_handle} are filled in for each lead."
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
