import type { Campaign } from '@x-automated/contract/outreach/campaigns'
import { Field } from '../../../ui/field'
import { Select } from '../../../ui/select'
import { useAccounts } from '../../platform/x-account/use-accounts'

interface AccountFieldProps {
  channel: Campaign['channel']
  /** '' means the account that is current at launch. */
  value: string
  onChange: (id: string) => void
}

/** Selects the X account from which a campaign sends. Hidden if there is only one. */
export function AccountField({ channel, value, onChange }: AccountFieldProps) {
  const accounts = useAccounts().data?.accounts ?? []
  if (accounts.length < 2) return null
  const [current] = accounts
  return (
    <Field
      label="X account"
      hint={
        channel === 'api'
          ? 'Messages are sent from this account.'
          : 'Its sending limits apply. Messages are sent from the account logged in to X in your browser.'
      }
    >
      <Select
        value={value}
        onChange={(event) => onChange(event.currentTarget.value)}
        options={[
          { value: '', label: `Current account (@${current?.handle})` },
          ...accounts.map(({ id, handle, status }) => ({
            value: id,
            label: status === 'connected' ? `@${handle}` : `@${handle} (not connected)`,
          })),
        ]}
      />
    </Field>
  )
}
