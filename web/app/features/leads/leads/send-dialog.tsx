import { formatCount } from '@x-automated/contract/format'
import { DEFAULT_MESSAGE } from '@x-automated/contract/leads/lead-limits'
import { useState } from 'react'
import { Button } from '../../../ui/button'
import { Field } from '../../../ui/field'
import { FormDialog } from '../../../ui/form-dialog'
import { Textarea } from '../../../ui/input'
import { lengthProps } from '../../../ui/length-props'
import type { ControlledDialogProps } from '../../../ui/use-dialogs'
import { type Picked, pickedCount, recordOf } from './lead-selection'

const MESSAGE_MAX = 10_000

interface SendDialogProps extends ControlledDialogProps {
  picked: Picked
  /** The recipient of a single message. */
  handle?: string | undefined
  onSend: (message: string) => void
}

/** Edits the message that 'Send DM' sends. */
export function SendDialog({ picked, handle, onSend, ...dialog }: SendDialogProps) {
  const [draft, setDraft] = useState(DEFAULT_MESSAGE)
  const count = pickedCount(picked)
  const message = draft.trim()
  const length = lengthProps(draft, MESSAGE_MAX)
  const send = () => {
    onSend(message)
    dialog.onClose()
  }
  return (
    <FormDialog
      {...dialog}
      name="dm"
      record={recordOf(picked)}
      title={`Send a DM to ${handle ? `@${handle}` : formatCount(count, 'lead')}`}
      description={count === 1 ? undefined : 'They go out one by one, within your sending limits.'}
      label={count === 1 ? 'Queue DM' : `Queue ${formatCount(count, 'DM')}`}
      loading={false}
      disabled={message === '' || length.error !== undefined || count === 0}
      onSubmit={send}
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
        hint="Personalize with variables: {first_name}, {lead_name}, {twitter_handle}."
        aside={length.aside}
        error={message === '' ? 'Please enter a message to send' : length.error}
      >
        <Textarea rows={5} value={draft} onChange={(event) => setDraft(event.currentTarget.value)} />
      </Field>
    </FormDialog>
  )
}
