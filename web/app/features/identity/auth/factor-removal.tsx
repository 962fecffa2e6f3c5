import { useMutation } from '@tanstack/react-query'
import type { FactorRemoval as Offer } from '@x-automated/contract/identity/auth'
import { KeyRound, Smartphone } from 'lucide-react'
import { api, errorCode, errorText } from '../../../api'
import { paths } from '../../../paths'
import { Button, ButtonLink } from '../../../ui/button'
import { Callout } from '../../../ui/callout'
import { DateTime } from '../../../ui/date-time'

interface FactorRemovalProps {
  offer: Offer
  onRemoved: () => void
}

/** After a password reset, offers to remove second factors that were lost or added by someone else. */
export function FactorRemoval({ offer: { ticket, factors }, onRemoved }: FactorRemovalProps) {
  const remove = useMutation(api.secondFactors.removeByMailbox.mutationOptions({ onSuccess: onRemoved }))
  const isLate = errorCode(remove.error) === 'INVALID_CODE'
  return (
    <div className="grid gap-4">
      <Callout tone="good">Password has been reset successfully!</Callout>
      {remove.isError && (
        <Callout tone="bad">
          {isLate ? 'This link has expired. Reset your password again to remove them.' : errorText(remove.error)}
        </Callout>
      )}
      <p>Your account also requires a second factor at login. You can remove any that you lost or didn't add.</p>
      <ul aria-label="Second factors" className="grid gap-3 rounded-lg border border-line p-4">
        {factors.map(({ kind, name, createdAt }) => (
          <li key={`${createdAt}${name}`} className="flex gap-3">
            {kind === 'totp' ? (
              <Smartphone aria-hidden className="mt-0.5 size-4 shrink-0" />
            ) : (
              <KeyRound aria-hidden className="mt-0.5 size-4 shrink-0" />
            )}
            <span className="min-w-0">
              <span className="block font-strong wrap-anywhere">{name}</span>
              <span className="text-muted">
                Added <DateTime value={createdAt} precision="day" />
              </span>
            </span>
          </li>
        ))}
      </ul>
      <div className="grid gap-2 sm:grid-cols-2">
        <ButtonLink to={paths.login} variant="primary">
          Keep and log in
        </ButtonLink>
        <Button loading={remove.isPending} disabled={isLate} onClick={() => remove.mutate({ ticket })}>
          {remove.isPending ? 'Removing…' : factors.length === 1 ? 'Remove it' : 'Remove all'}
        </Button>
      </div>
    </div>
  )
}
