import type { Campaign } from '@x-automated/contract/campaigns'
import { Field } from '../../ui/field'
import { Select } from '../../ui/select'
import { useAccounts } from '../x-account/use-accounts'

interface AccountFieldProps {
  channel: Campaign['channel']
  /** '' is the current account, whichever that is at the launch. */
  value: string
  onChange: (id: string) => void
}

/** The X account that a campaign sends from; nothing to choose where there is one. */
export function AccountField({ channel, value, onChange }: AccountFieldProps) {
  const accounts = useAccounts().data?.accounts ?? []
  if (accounts.length < 2) return null
  const [current] = accounts
  return (
    <Field
      label="X account"
      hint={
        channel === 'api'
          ? 'Messages go out from this account.'
          : 'Its cap and its hours hold. Messages go out as whoever is signed in to X in the browser.'
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
