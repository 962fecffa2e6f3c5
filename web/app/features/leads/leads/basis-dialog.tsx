import { formatCount } from '@x-automated/contract/format'
import { BASIS_SOURCE_MAX } from '@x-automated/contract/leads/lead-limits'
import type { ContactBasis } from '@x-automated/contract/leads/leads'
import { useState } from 'react'
import { RadioGroup } from '../../../ui/choice'
import { Field } from '../../../ui/field'
import { FormDialog } from '../../../ui/form-dialog'
import { Input } from '../../../ui/input'
import { lengthProps } from '../../../ui/length-props'
import type { ControlledDialogProps } from '../../../ui/use-dialogs'
import { type Picked, pickedCount, recordOf } from './lead-selection'
import { basisLabels } from './leads-url'
import { useSetBasis } from './use-bulk'

const hints: Record<ContactBasis, string> = {
  asked: 'They asked to hear from you: a form, a reply, a chat at a conference.',
  wrote_first: 'They messaged you first.',
  customer: "They're a customer.",
  none: 'You have no reason on record.',
}

/** Records the leads' contact basis, with its date and its evidence. */
export function BasisDialog({ picked, ...dialog }: ControlledDialogProps & { picked: Picked }) {
  const count = pickedCount(picked)
  const [basis, setBasis] = useState<ContactBasis | null>(null)
  const [day, setDay] = useState('')
  const [source, setSource] = useState('')
  const length = lengthProps(source, BASIS_SOURCE_MAX)
  const save = useSetBasis(dialog.onClose)
  const submit = () => {
    const at = day ? `${day}T00:00:00Z` : undefined
    if (basis) save.mutate({ picked, input: { basis, at, source: source.trim() || undefined } })
  }
  return (
    <FormDialog
      {...dialog}
      name="basis"
      record={recordOf(picked)}
      title="Set contact basis"
      description={`For ${formatCount(count, 'lead')}. X allows automated DMs only to people who asked for them or messaged you first.`}
      label="Set contact basis"
      disabled={basis === null || length.error !== undefined}
      loading={save.isPending}
      onSubmit={submit}
    >
      <RadioGroup
        label="Why you can message them"
        value={basis}
        onChange={(next) => setBasis(next as ContactBasis)}
        options={Object.entries(basisLabels).map(([value, label]) => ({
          value,
          label,
          hint: hints[value as ContactBasis],
        }))}
      />
      {basis !== null && basis !== 'none' && (
        <div className="grid gap-4 sm:grid-cols-[10rem_minmax(0,1fr)]">
          <Field label="Since" hint="Leave empty for today.">
            <Input type="date" value={day} onChange={(event) => setDay(event.currentTarget.value)} />
          </Field>
          <Field label="How do you know?" {...length}>
            <Input
              value={source}
              placeholder="Signed up at our spring event"
              onChange={(event) => setSource(event.currentTarget.value)}
            />
          </Field>
        </div>
      )}
    </FormDialog>
  )
}
