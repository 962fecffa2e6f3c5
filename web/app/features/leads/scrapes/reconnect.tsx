import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { api } from '../../../api'
import { Callout } from '../../../ui/callout'
import { ADMINS_CONNECT } from '../../identity/people/role-notice'
import { useIsOffered } from '../../identity/people/use-role'
import { ConnectForm } from '../../platform/x-account/connect-form'
import { ConnectWithX } from '../../platform/x-account/connect-with-x'
import { SESSION_EXPIRED } from './scrape-text'

/** How often to check the connection, because someone may connect the account in another tab. */
const POLL_EVERY_MS = 10_000

/** Connects X for a waiting scrape, which then resumes. @param reason why X refused the connection, if known */
export function Reconnect({ reason }: { reason: string | null }) {
  const connection = useQuery(
    api.xAccount.status.queryOptions({ refetchOnMount: 'always', refetchInterval: POLL_EVERY_MS }),
  )
  const mayConnect = useIsOffered('admin')
  const [isConnected, setConnected] = useState(false)
  if (!mayConnect) return <Callout tone="warn">{ADMINS_CONNECT}</Callout>
  if (isConnected) return <Callout tone="good">Your X account is connected. The scrape is starting again.</Callout>
  // If there is no password login, X's own page asks for access.
  if (connection.data && !connection.data.methods.includes('password')) {
    return (
      <Callout tone="warn" action={<ConnectWithX size="sm">Connect with X again</ConnectWithX>}>
        {reason ?? 'X has ended this connection. Connect again.'}
      </Callout>
    )
  }
  return (
    <div className="grid gap-4">
      <Callout tone="warn" title={SESSION_EXPIRED}>
        {reason !== SESSION_EXPIRED && reason}
      </Callout>
      <ConnectForm prefix="X " label="Connect X and continue" onConnected={() => setConnected(true)} />
    </div>
  )
}
