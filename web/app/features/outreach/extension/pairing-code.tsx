import { client } from '../../../api'
import { Button } from '../../../ui/button'
import { CopyButton } from '../../../ui/copy-button'
import { DateTime } from '../../../ui/date-time'
import { useAction } from '../../../use-action'
import { RoleNotice, VIEWER_TEXT } from '../../identity/people/role-notice'
import { useIsOffered } from '../../identity/people/use-role'

/** A code to enter in the extension's popup if this page cannot reach the extension. */
export function PairingCode() {
  const mayPair = useIsOffered('member')
  const make = useAction(() => client.extension.createCode())
  if (!mayPair)
    return (
      <div className="pt-4">
        <RoleNotice needs="member">{VIEWER_TEXT}</RoleNotice>
      </div>
    )
  return (
    <div className="grid gap-2 pt-4">
      <p className="text-muted">Already installed? Pair it with a code.</p>
      {make.data && (
        <p role="status" className="flex flex-wrap items-center gap-3">
          <code className="rounded-md bg-sunken px-3 py-1.5 font-mono text-lg tracking-wide">{make.data.code}</code>
          <CopyButton size="sm" text={make.data.code} />
          <span className="text-muted">
            works once, until <DateTime value={make.data.expiresAt} />
          </span>
        </p>
      )}
      <Button size="sm" className="w-fit" loading={make.isPending} onClick={() => make.run()}>
        {make.data ? 'Get a new code' : 'Get a pairing code'}
      </Button>
    </div>
  )
}
