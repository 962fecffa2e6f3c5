import type { XAccount } from '@x-automated/contract/platform/x-account'
import { Unplug } from 'lucide-react'
import { generatePath } from 'react-router'
import { client } from '../../../api'
import { paths } from '../../../paths'
import { Badge } from '../../../ui/badge'
import { Button, ButtonLink } from '../../../ui/button'
import { DateTime } from '../../../ui/date-time'
import { useAction } from '../../../use-action'
import { useIsOffered } from '../../identity/people/use-role'
import { useChooseAccount } from './choose-account'
import { DEPENDS_ON_ACCOUNT } from './use-accounts'
import { XHandle } from './x-handle'

/** The workspace's X accounts with their status and actions. */
export function AccountRows({ accounts }: { accounts: readonly XAccount[] }) {
  return (
    <ul aria-label="X accounts" className="grid divide-y divide-line rounded-lg border border-line">
      {accounts.map((account) => (
        <AccountRow key={account.id} account={account} />
      ))}
    </ul>
  )
}

function AccountRow({ account }: { account: XAccount }) {
  const mayConnect = useIsOffered('admin')
  const choose = useChooseAccount()
  const disconnect = useDisconnect(account.id)
  const { handle, status, isCurrent, lastConnected, reason } = account
  return (
    <li className="flex flex-wrap items-center justify-between gap-3 px-4 py-3">
      <div className="grid min-w-0 gap-1">
        <div className="flex flex-wrap items-center gap-2">
          <XHandle handle={handle} className="font-strong wrap-anywhere" />
          <AccountBadge status={status} />
          {isCurrent && <Badge>Current</Badge>}
        </div>
        <p className="text-xs text-muted">
          {reason ?? (
            <>Last connected: {lastConnected ? <DateTime value={lastConnected} className="text-ink" /> : 'Never'}</>
          )}
        </p>
      </div>
      <div className="flex flex-wrap gap-2 max-sm:w-full max-sm:[&>*]:flex-1">
        <ButtonLink
          to={generatePath(paths.accountHealth, { accountId: account.id })}
          size="sm"
          aria-label={`Health of @${handle}`}
        >
          Health
        </ButtonLink>
        {mayConnect && !isCurrent && (
          <Button
            size="sm"
            aria-label={`Make current: @${handle}`}
            loading={choose.isPending}
            onClick={() => choose.run(account.id)}
          >
            Make current
          </Button>
        )}
        {mayConnect && (
          <Button
            size="sm"
            icon={<Unplug aria-hidden />}
            aria-label={`Disconnect @${handle}`}
            loading={disconnect.isPending}
            onClick={() => disconnect.run()}
          >
            Disconnect
          </Button>
        )}
      </div>
    </li>
  )
}

/** 'Connected' or 'Not Connected'. */
export function AccountBadge({ status }: { status: XAccount['status'] | 'none' }) {
  return status === 'connected' ? (
    <Badge tone="good">Connected</Badge>
  ) : (
    <Badge icon={<Unplug aria-hidden />}>Not Connected</Badge>
  )
}

/** Disconnects an account after a confirmation. @param id null for the current account */
export function useDisconnect(id: string | null) {
  return useAction(() => (id === null ? client.xAccount.disconnect() : client.xAccount.disconnectOne({ id })), {
    question: {
      title: 'Disconnect X account',
      body: 'Are you sure you want to disconnect your Twitter account? You will need to reconnect it to use the automation features.',
      confirm: 'Disconnect',
      danger: true,
    },
    done: ({ message }) => message || 'Twitter account disconnected successfully!',
    failed: 'Failed to disconnect Twitter account',
    refetches: DEPENDS_ON_ACCOUNT,
  })
}
