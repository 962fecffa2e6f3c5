import { useMutation } from '@tanstack/react-query'
import { formatCount } from '@x-automated/contract/format'
import { SUPPRESSION_NOTE_MAX } from '@x-automated/contract/leads/suppression-limits'
import { useState } from 'react'
import { api, errorText } from '../../../api'
import { Callout } from '../../../ui/callout'
import { RadioGroup } from '../../../ui/choice'
import { Field } from '../../../ui/field'
import { FormDialog } from '../../../ui/form-dialog'
import { Input, Textarea } from '../../../ui/input'
import { lengthProps } from '../../../ui/length-props'
import { toast } from '../../../ui/toast'
import type { ControlledDialogProps } from '../../../ui/use-dialogs'
import { typedHandles } from './typed-handles'

export interface PeopleDialogProps extends ControlledDialogProps {
  onDone: () => void
}

/** Suppresses people by handle. */
export function AddPeopleDialog({ onDone, ...dialog }: PeopleDialogProps) {
  const [text, setText] = useState('')
  const [reason, setReason] = useState<'manual' | 'opted_out'>('manual')
  const [note, setNote] = useState('')
  const length = lengthProps(note, SUPPRESSION_NOTE_MAX)
  const [problem, setProblem] = useState<string | undefined>()
  const add = useMutation(
    api.suppressions.create.mutationOptions({
      onSuccess({ suppressed, stopped }) {
        toast.success(
          `${people(suppressed)} added.${stopped > 0 ? ` ${formatCount(stopped, 'queued message')} canceled.` : ''}`,
        )
        dialog.onClose()
        onDone()
      },
    }),
  )
  const submit = () => {
    const read = typedHandles(text)
    setProblem('problem' in read ? read.problem : undefined)
    if ('handles' in read) add.mutate({ handles: read.handles, reason, note: note.trim() || undefined })
  }
  return (
    <FormDialog
      {...dialog}
      name="suppress"
      title="Add people"
      description="They won't be messaged again, and their queued messages are canceled immediately."
      label="Suppress"
      disabled={length.error !== undefined}
      loading={add.isPending}
      onSubmit={submit}
    >
      {add.isError && <Callout tone="bad">{errorText(add.error, 'Failed to add people. Please try again.')}</Callout>}
      <Field label="Handles" hint="One per line, or separated by commas." error={problem} required>
        <Textarea rows={4} spellCheck={false} value={text} onChange={(event) => setText(event.currentTarget.value)} />
      </Field>
      <RadioGroup
        label="Reason"
        value={reason}
        onChange={(value) => setReason(value as typeof reason)}
        options={[
          { value: 'manual', label: "We don't want to message them" },
          { value: 'opted_out', label: 'They opted out' },
        ]}
      />
      <Field label="Note" hint="Only visible to your team." {...length}>
        <Input value={note} onChange={(event) => setNote(event.currentTarget.value)} />
      </Field>
    </FormDialog>
  )
}

/** '1 person', '2 people'. */
export function people(count: number): string {
  return formatCount(count, 'person', 'people')
}
