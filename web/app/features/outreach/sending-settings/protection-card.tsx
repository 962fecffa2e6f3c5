import { DEFAULT_PROTECTION, type Protection } from '@x-automated/contract/outreach/sending-settings'
import { client } from '../../../api'
import { Button } from '../../../ui/button'
import { Card } from '../../../ui/card'
import { Field } from '../../../ui/field'
import { Form } from '../../../ui/form'
import { NumberInput } from '../../../ui/number-input'
import { useFormDraft } from '../../../use-form-draft'
import { useSaveSettings } from './use-save-settings'

const MAX = 100
const FIELDS = [
  {
    key: 'refusalPercent',
    label: 'Pause at refusals',
    hint: "Percent of the last 50 messages through X's API that X refused. Closed inboxes don't count.",
    min: 5,
  },
  {
    key: 'optOutsPerHundred',
    label: 'Pause at opt-outs',
    hint: 'People among the last 100 who opted out. Checked from the 50th message on.',
    min: 1,
  },
  {
    key: 'closedInboxPercent',
    label: 'Warn at closed inboxes',
    hint: "Percent of the last 50 messages through X's API. The campaign continues.",
    min: 5,
  },
] as const satisfies { key: keyof Protection; label: string; hint: string; min: number }[]

function problemOf(value: number | null, min: number): string | undefined {
  return value !== null && value >= min && value <= MAX ? undefined : `Enter a number from ${min} to ${MAX}.`
}

/** When campaigns pause automatically. */
export function ProtectionCard({ protection, disabled }: { protection: Protection; disabled: boolean }) {
  const { draft, isChanged, set, settle } = useFormDraft<Record<keyof Protection, number | null>>(protection)
  const save = useSaveSettings((saved: Protection) => client.sendingSettings.saveProtection(saved), {
    done: 'Protection saved.',
    onSuccess: (_, sent) => settle(sent),
    failed: 'Failed to save the protection. Please try again.',
  })
  const isValid = FIELDS.every(({ key, min }) => problemOf(draft[key], min) === undefined)
  return (
    <Card title="Protection" description="Campaigns pause automatically before too many refusals harm your X account.">
      <Form
        name="protection"
        className="max-w-xl"
        onSubmit={() => {
          if (isChanged && isValid) return save.run(draft as Protection)
        }}
      >
        {FIELDS.map(({ key, label, hint, min }) => (
          <Field key={key} label={label} hint={hint} error={problemOf(draft[key], min)}>
            <NumberInput max={MAX} disabled={disabled} value={draft[key]} onChange={(value) => set({ [key]: value })} />
          </Field>
        ))}
        {!disabled && (
          <div className="flex flex-wrap gap-2">
            <Button type="submit" disabled={!isChanged || !isValid} loading={save.isPending}>
              Save protection
            </Button>
            <Button
              disabled={save.isPending}
              onClick={() => {
                set(DEFAULT_PROTECTION)
                void save.run(DEFAULT_PROTECTION)
              }}
            >
              Use the defaults
            </Button>
          </div>
        )}
      </Form>
    </Card>
  )
}
