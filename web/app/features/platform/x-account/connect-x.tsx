import { useQuery } from '@tanstack/react-query'
import { formatCount, formatDate, formatNumber } from '@x-automated/contract/format'
import type { XAccount, XConnection } from '@x-automated/contract/platform/x-account'
import { Plus, RefreshCw, Search, Unplug, Upload } from 'lucide-react'
import { type ReactNode, useEffect, useState } from 'react'
import { generatePath, useSearchParams } from 'react-router'
import { api, client } from '../../../api'
import { notifyOtherTabs } from '../../../other-tabs'
import { paths } from '../../../paths'
import { QueryError } from '../../../query-error'
import { Avatar } from '../../../ui/avatar'
import { Button, ButtonLink } from '../../../ui/button'
import { Callout } from '../../../ui/callout'
import { Card } from '../../../ui/card'
import { DateTime } from '../../../ui/date-time'
import { LoadingText, Skeleton, SkeletonText } from '../../../ui/skeleton'
import { StatCard } from '../../../ui/stat-card'
import { useFocusFallback } from '../../../ui/use-focus-fallback'
import { useSlow } from '../../../ui/use-slow'
import { useAction } from '../../../use-action'
import { OrDivider } from '../../identity/auth/or-divider'
import { ADMINS_CONNECT, RoleNotice } from '../../identity/people/role-notice'
import { useIsOffered } from '../../identity/people/use-role'
import { SeePlans } from '../billing/usage-notice'
import { waitsForCredits } from '../x-costs/x-costs-text'
import { AccountBadge, AccountRows, useDisconnect } from './account-rows'
import { findOutcome } from './callback-outcomes'
import { ConnectForm } from './connect-form'
import { ConnectWithX } from './connect-with-x'
import { ConsentCard } from './consent-card'
import { useConsentDialog, useConsentFromUrl } from './consent-dialog'
import { DEPENDS_ON_ACCOUNT, useAccounts } from './use-accounts'
import { XHandle } from './x-handle'

/** If loading takes longer than this, the page says so. */
const SLOW_AFTER_MS = 3000

/** The Connect X tab: connects, switches and disconnects X accounts. */
export function ConnectX({ notice }: { notice: ReactNode }) {
  const status = useQuery(api.xAccount.status.queryOptions())
  const accounts = useAccounts()
  const slow = useSlow(status.isPending, SLOW_AFTER_MS)
  // The form disappears once the account is connected.
  const focusFallback = useFocusFallback<HTMLDivElement>()
  const outcome = useOutcome(status.data)
  const consent = useConsentDialog()
  useConsentFromUrl(consent)
  useConsistentList(status.data, accounts)
  // Members can make the server ask X for the status. Viewers only see the stored one.
  const mayCheck = useIsOffered('member')
  const mayConnect = useIsOffered('admin')
  const checked = mayCheck ? accounts.data?.accounts[0]?.id : undefined
  const check = useAction((id: string) => client.xAccount.check({ id }), { refetches: DEPENDS_ON_ACCOUNT })

  if (status.isPending) {
    return (
      <Card className="max-w-2xl" title="X account">
        <LoadingText>Loading your X connection…</LoadingText>
        <div className="grid gap-4">
          <Skeleton className="h-6 w-28" />
          <SkeletonText lines={2} />
          {slow && (
            <p className="text-muted">
              This is taking longer than expected. Please wait a moment or try refreshing the page.
            </p>
          )}
        </div>
      </Card>
    )
  }
  // An unknown status counts as not connected.
  const connected = status.isSuccess && status.data.connected
  const all = accounts.data?.accounts ?? []
  const addAccount = accounts.data && mayConnect && (
    <AddAccount
      used={all.filter((account) => account.status === 'connected').length}
      limit={accounts.data.limit}
      methods={status.data?.methods ?? []}
      onConnected={consent.showLatest}
    />
  )
  return (
    <div className="grid max-w-5xl grid-cols-1 items-start gap-4 xl:grid-cols-[3fr_2fr]">
      {(outcome || (connected && notice) || status.isError) && (
        <div className="grid gap-4 empty:hidden xl:col-span-2">
          {outcome && <Callout tone={outcome.tone}>{outcome.text}</Callout>}
          {connected && notice}
          {status.isError && (
            <QueryError query={status}>
              Failed to get Twitter connection status. Please try refreshing the page.
            </QueryError>
          )}
        </div>
      )}
      <Card
        title="X account"
        description="This account scrapes followers and sends your messages."
        actions={
          <span className="flex flex-wrap gap-2">
            {all[0] && (
              <ButtonLink size="sm" to={generatePath(paths.accountHealth, { accountId: all[0].id })}>
                Health
              </ButtonLink>
            )}
            <Button
              size="sm"
              icon={<RefreshCw aria-hidden />}
              loading={status.isFetching || check.isPending}
              onClick={() => (checked ? check.run(checked) : status.refetch())}
            >
              Refresh status
            </Button>
          </span>
        }
      >
        <div {...focusFallback} className="grid gap-5">
          <ConnectionStatus connected={connected} connection={status.data} account={all[0]} />
          {connected && all[0] && <AccountHealth account={all[0]} />}
          {!mayConnect ? (
            <RoleNotice needs="admin">{ADMINS_CONNECT}</RoleNotice>
          ) : (
            <>
              {!connected && <HowToConnect connection={status.data} onConnected={consent.showLatest} />}
              <NextSteps connected={connected} accounts={all} />
            </>
          )}
          {connected && all.length === 1 && addAccount}
        </div>
      </Card>
      {mayCheck && all.length > 0 && <ConsentCard accounts={all} onDecide={consent.show} />}
      {consent.dialog}
      {all.length > 1 && (
        <Card
          title="All X accounts"
          description="Scrapes and new campaigns use the selected account. Running campaigns keep theirs."
        >
          <div className="grid gap-4">
            <AccountRows accounts={all} />
            {addAccount}
          </div>
        </Card>
      )}
    </div>
  )
}

/** The outcome of X's authorization page, read from the URL. Shown until the connection changes. */
function useOutcome(connection: XConnection | undefined) {
  const [params, setParams] = useSearchParams()
  const [named] = useState(() => params.get('x'))
  const [initial, setInitial] = useState<string>()
  const current = connection && `${connection.connected} ${connection.handle} ${connection.lastConnected}`
  if (current !== undefined && initial === undefined) setInitial(current)
  useEffect(() => {
    if (!params.has('x')) return
    // The redirect changed the connection, so no mutation has notified the other tabs.
    notifyOtherTabs()
    setParams(
      (before) => {
        const after = new URLSearchParams(before)
        after.delete('x')
        return after
      },
      { replace: true, preventScrollReset: true },
    )
  }, [params, setParams])
  return current === initial ? findOutcome(named) : null
}

/** If the status contradicts the list, one of them is stale, so refetches the list. */
function useConsistentList(connection: XConnection | undefined, accounts: ReturnType<typeof useAccounts>) {
  const listed = accounts.data?.accounts[0]?.status === 'connected'
  const differ = connection !== undefined && accounts.data !== undefined && connection.connected !== listed
  const { refetch } = accounts
  useEffect(() => {
    if (differ) void refetch()
  }, [differ, refetch])
}

interface ConnectionStatusProps {
  connected: boolean
  connection: XConnection | undefined
  account: XAccount | undefined
}

function ConnectionStatus({ connected, connection, account }: ConnectionStatusProps) {
  const lastConnected = connection?.lastConnected
  return (
    <div className="grid gap-4" role="status">
      <div className="flex min-w-0 items-center gap-3">
        {connection?.handle && (
          <Avatar
            name={connection.handle}
            src={account?.handle === connection.handle ? account.pictureUrl : null}
            size="lg"
          />
        )}
        <div className="grid min-w-0 gap-1">
          <div className="flex flex-wrap items-center gap-x-3 gap-y-1">
            {connection?.handle && <XHandle handle={connection.handle} className="text-base font-strong" />}
            <AccountBadge status={connected ? 'connected' : 'none'} />
          </div>
          {connection && (
            <p className="text-muted">
              Last connected: {lastConnected ? <DateTime value={lastConnected} className="text-ink" /> : 'Never'}
            </p>
          )}
        </div>
      </div>
      {!connected && connection?.reason && (
        <Callout tone="warn" title="The connection was lost">
          {connection.reason} Once you reconnect, scrapes continue. Resume paused campaigns yourself.
        </Callout>
      )}
    </div>
  )
}

/** The account's followers, and what it sends. */
function AccountHealth({ account: { id, followerCount } }: { account: XAccount }) {
  const today = useQuery(api.today.find.queryOptions({ input: { xAccountId: id } })).data
  const lacksCredits = today && waitsForCredits(today)
  return (
    <dl className="grid grid-cols-2 gap-4 *:border-0 *:p-0 sm:grid-cols-3">
      <StatCard label="Followers" value={followerCount} />
      <StatCard
        label="Used of the daily cap"
        value={today?.countedInDay}
        hint={today && `of ${formatNumber(today.capNow)} in 24 hours`}
      />
      <StatCard
        label="Next message"
        value={today && (today.nextSendAt && !lacksCredits ? nextText(new Date(today.nextSendAt)) : null)}
        hint={today && (today.nextSendAt ? lacksCredits && 'Waiting for X credits' : 'Nothing is scheduled')}
      />
    </dl>
  )
}

function nextText(at: Date): string {
  const hoursLeft = (at.getTime() - Date.now()) / 3_600_000
  if (hoursLeft <= 0) return 'Now'
  if (hoursLeft >= 6 * 24) return formatDate(at, { month: 'short', day: 'numeric' })
  return formatDate(at, { hour: 'numeric', minute: '2-digit', ...(hoursLeft < 24 ? {} : { weekday: 'short' }) })
}

interface HowToConnectProps {
  connection: Pick<XConnection, 'methods'> | undefined
  onConnected: () => void
}

/** The connection methods that this server supports. */
function HowToConnect({ connection, onConnected }: HowToConnectProps) {
  if (!connection) return null
  const { methods } = connection
  const hasPassword = methods.includes('password')
  if (methods.length === 0) {
    return <Callout title="X is not set up on this server">Give this server access to X to connect accounts.</Callout>
  }
  return (
    <div className="grid gap-5 border-t border-line pt-5">
      <div className="flex flex-wrap items-center justify-between gap-3">
        <p className="text-muted">
          {hasPassword ? "Approve access on X's own page." : "You'll approve access on X. We never see your password."}
        </p>
        <ConnectWithX variant="primary" className="max-sm:w-full" />
      </div>
      {hasPassword && (
        <>
          <OrDivider />
          <ConnectForm variant="secondary" onConnected={onConnected} />
        </>
      )}
    </div>
  )
}

/** Next steps, and Disconnect if there is only one account. If there are several, each row has a button. */
export function NextSteps({ connected, accounts }: { connected: boolean; accounts: readonly XAccount[] }) {
  const disconnect = useDisconnect(null)
  if (!connected && accounts.length !== 1) return null
  return (
    <div className="flex flex-wrap gap-2 border-t border-line pt-5 max-sm:[&>*]:w-full">
      {connected && (
        <>
          <ButtonLink variant="primary" to={`${paths.xAutomation}?tab=scraper`} icon={<Search aria-hidden />}>
            Scrape followers
          </ButtonLink>
          <ButtonLink to={paths.leads} icon={<Upload aria-hidden />}>
            Import a CSV file
          </ButtonLink>
        </>
      )}
      <Button
        variant="ghost"
        icon={<Unplug aria-hidden />}
        loading={disconnect.isPending}
        onClick={() => disconnect.run()}
      >
        {disconnect.isPending ? 'Disconnecting…' : 'Disconnect'}
      </Button>
    </div>
  )
}

interface AddAccountProps extends Pick<HowToConnectProps, 'onConnected'> {
  used: number
  limit: number
  methods: XConnection['methods']
}

/** Connects another account, or says that the plan's limit is reached. */
function AddAccount({ used, limit, methods, onConnected }: AddAccountProps) {
  const [isOpen, setIsOpen] = useState(false)
  // Close the form once an account is connected.
  useEffect(() => {
    if (used > 0) setIsOpen(false)
  }, [used])
  if (used >= limit) {
    return (
      <p className="text-muted">
        Your plan includes {formatCount(limit, 'X account')}. <SeePlans />
      </p>
    )
  }
  if (isOpen) return <HowToConnect connection={{ methods }} onConnected={onConnected} />
  return (
    <div className="flex flex-wrap items-center justify-between gap-3">
      <p className="text-muted" data-numeric>
        {formatNumber(used)} of {formatCount(limit, 'X account')} connected
      </p>
      <Button icon={<Plus aria-hidden />} className="max-sm:w-full" onClick={() => setIsOpen(true)}>
        Connect another account
      </Button>
    </div>
  )
}
