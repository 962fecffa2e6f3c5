import { formatCount } from '@x-automated/contract/format'
import type { ContactBasis } from '@x-automated/contract/leads/leads'
import { useState } from 'react'
import { Button } from '../../../ui/button'
import { RadioGroup } from '../../../ui/choice'
import { Dialog } from '../../../ui/dialog'
import { Field } from '../../../ui/field'
import { Input } from '../../../ui/input'
import { type Picked, pickedCount } from './lead-selection'
import { basisLabels } from './leads-url'
import { useSetBasis } from './use-bulk'

const hints: Record<ContactBasis, string> = {
  asked: 'They asked to hear from you: a form, a reply, a chat at a conference.',
  wrote_first: 'They messaged you first.',
  customer: "They're a customer.",
  none: 'You have no reason on record.',
}
const SOURCE_MAX = 500

export interface BasisDialogProps {
  open: boolean
  onClose: () => void
  picked: Picked
}

/** Records why leads may be contacted, since when, and the evidence. */
export function BasisDialog({ open, onClose, picked }: BasisDialogProps) {
  const count = pickedCount(picked)
  const [basis, setBasis] = useState<ContactBasis | null>(null)
  const [day, setDay] = useState('')
  const [source, setSource] = useState('')
  const close = () => {
    setBasis(null)
    setDay('')
    setSource('')
    onClose()
  }
  const save = useSetBasis(close)
  const submit = () => {
    if (basis)
      save.mutate({
        picked,
        input: {
          basis,
          ...(day ? { at: `${day}T00:00:00Z` } : {}),
          ...(source.trim() ? { source: source.trim() } : {}),
        },
      })
  }
  return (
    <Dialog
      open={open}
      onClose={close}
      title="Set contact basis"
      description={`For ${formatCount(count, 'lead')}. X allows automated DMs only to people who asked for them or messaged you first.`}
      footer={
        <>
          <Button onClick={close}>Cancel</Button>
          <Button variant="primary" disabled={basis === null} loading={save.isPending} onClick={submit}>
            Set contact basis
          </Button>
        </>
      }
    >
      <div className="grid gap-5">
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
            <Field label="How do you know?">
              <Input
                value={source}
                maxLength={SOURCE_MAX}
                placeholder="Signed up at our spring event"
                onChange={(event) => setSource(event.currentTarget.value)}
              />
            </Field>
          </div>
        )}
      </div>
    </Dialog>
  )
}
