import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import type { XAccount, XConnection } from '@x-automated/contract/x-account'
import { Plus, RefreshCw, Search, Unplug } from 'lucide-react'
import { useEffect, useState } from 'react'
import { useSearchParams } from 'react-router'
import { api, errorText } from '../../api'
import { notifyOtherTabs } from '../../other-tabs'
import { paths } from '../../paths'
import { Button, ButtonLink } from '../../ui/button'
import { Callout } from '../../ui/callout'
import { Card } from '../../ui/card'
import { DateTime } from '../../ui/date-time'
import { LoadingText, Skeleton, SkeletonText } from '../../ui/skeleton'
import { toast } from '../../ui/toast'
import { useSlow } from '../../ui/use-slow'
import { SeePlans } from '../billing/usage-notice'
import { ReplyDetectionNotice } from '../replies/reply-detection'
import { ADMINS_CONNECT, RoleNotice } from '../settings/role-notice'
import { useIsOffered } from '../settings/use-role'
import { AccountBadge, AccountRows, useDisconnect } from './account-rows'
import { findOutcome } from './callback-outcomes'
import { ConnectForm } from './connect-form'
import { ConnectWithX } from './connect-with-x'
import { invalidateAccounts, useAccounts } from './use-accounts'
import { XHandle } from './x-handle'

/** Longer than this, and the page says that it takes long (specification §9). */
const SLOW_AFTER_MS = 3000

/** Which X accounts are connected. Connects one, chooses one, or lets one go. */
export function ConnectX() {
  const status = useQuery(api.xAccount.status.queryOptions())
  const accounts = useAccounts()
  const slow = useSlow(status.isPending, SLOW_AFTER_MS)
  const outcome = useOutcome(status.data)
  useAgreement(status.data, accounts)
  // X itself may be asked by members; others see what we know.
  const mayAsk = useIsOffered('member')
  const mayConnect = useIsOffered('admin')
  const refresh = useRefresh(mayAsk ? accounts.data?.accounts[0]?.id : undefined)

  if (status.isPending) {
    return (
      <Card className="max-w-2xl" title="X account">
        <LoadingText>Loading the state of your X connection...</LoadingText>
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
  // Whoever cannot be asked counts as not connected (specification §8).
  const connected = status.isSuccess && status.data.connected
  const all = accounts.data?.accounts ?? []
  const oneMore = accounts.data && mayConnect && (
    <OneMore
      used={all.filter((account) => account.status === 'connected').length}
      limit={accounts.data.limit}
      methods={status.data?.methods ?? []}
    />
  )
  return (
    <div className="grid max-w-2xl gap-4">
      {outcome && <Callout tone={outcome.tone}>{outcome.words}</Callout>}
      {connected && <ReplyDetectionNotice />}
      {status.isError && (
        <Callout
          tone="bad"
          action={
            <Button size="sm" loading={status.isFetching} onClick={() => status.refetch()}>
              Try Again
            </Button>
          }
        >
          Failed to get Twitter connection status. Please try refreshing the page.
        </Callout>
      )}
      <Card
        title="X account"
        description="The account that reads followers for you and sends your messages."
        actions={
          <Button
            size="sm"
            icon={<RefreshCw aria-hidden />}
            loading={status.isFetching || refresh.isPending}
            onClick={() => (refresh.mutate ? refresh.mutate() : status.refetch())}
          >
            Refresh Status
          </Button>
        }
      >
        <div className="grid gap-5">
          <Standing connected={connected} connection={status.data} />
          {!mayConnect ? (
            <RoleNotice needs="admin">{ADMINS_CONNECT}</RoleNotice>
          ) : (
            <>
              {!connected && <HowToConnect connection={status.data} />}
              <NextSteps connected={connected} accounts={all} />
            </>
          )}
          {connected && all.length === 1 && oneMore}
        </div>
      </Card>
      {all.length > 1 && (
        <Card
          title="All X accounts"
          description="Scrapes and new campaigns use the current one. Campaigns under way stay with their account; scrapes read through the current one."
        >
          <div className="grid gap-4">
            <AccountRows accounts={all} />
            {oneMore}
          </div>
        </Card>
      )}
    </div>
  )
}

/** How connecting on X's page ended, as the address says it once; until the connection changes again. */
function useOutcome(connection: XConnection | undefined) {
  const [params, setParams] = useSearchParams()
  const [named] = useState(() => params.get('x'))
  const [cameBackTo, setCameBackTo] = useState<string>()
  const standing = connection && `${connection.connected} ${connection.handle} ${connection.lastConnected}`
  if (standing !== undefined && cameBackTo === undefined) setCameBackTo(standing)
  useEffect(() => {
    if (!params.has('x')) return
    // X's answer came by the address: no call of this tab's has told the others.
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
  return standing === cameBackTo ? findOutcome(named) : null
}

/** The list is read again where it still calls the current account connected and the state says otherwise, or the other way about: whichever was read first is old. */
function useAgreement(connection: XConnection | undefined, accounts: ReturnType<typeof useAccounts>) {
  const listed = accounts.data?.accounts[0]?.status === 'connected'
  const differ = connection !== undefined && accounts.data !== undefined && connection.connected !== listed
  const { refetch } = accounts
  useEffect(() => {
    if (differ) void refetch()
  }, [differ, refetch])
}

/** Asks X itself about the current account. @param id undefined: there is none, and only we are asked */
function useRefresh(id: string | undefined) {
  const queries = useQueryClient()
  const check = useMutation(
    api.xAccount.check.mutationOptions({
      onSettled: () => invalidateAccounts(queries),
      onError: (error) => toast.error(errorText(error)),
    }),
  )
  return { isPending: check.isPending, mutate: id === undefined ? null : () => check.mutate({ id }) }
}

function Standing({ connected, connection }: { connected: boolean; connection: XConnection | undefined }) {
  const lastConnected = connection?.lastConnected
  return (
    <div className="grid gap-2" role="status">
      <div className="flex flex-wrap items-center gap-x-3 gap-y-1.5">
        <AccountBadge status={connected ? 'connected' : 'none'} />
        {connection?.handle && <XHandle handle={connection.handle} className="font-strong" />}
      </div>
      {connection && (
        <p className="text-muted">
          Last connected: {lastConnected ? <DateTime value={lastConnected} className="text-ink" /> : 'Never'}
        </p>
      )}
      {!connected && connection?.reason && (
        <Callout tone="warn" title="The connection was lost">
          {connection.reason} Scrapes that use this account go on then; campaigns that were paused for it wait for you
          to resume them.
        </Callout>
      )}
    </div>
  )
}

/** The ways that the configured X offers. */
function HowToConnect({ connection }: { connection: Pick<XConnection, 'methods'> | undefined }) {
  // Unknown until the server has said which ways there are.
  if (!connection) return null
  const byPassword = connection.methods.includes('password')
  if (connection.methods.length === 0) {
    return (
      <Callout title="X is not set up on this server">
        No account can be connected until this server is given access to X.
      </Callout>
    )
  }
  return (
    <div className="grid gap-4">
      {byPassword && (
        <>
          <ConnectForm />
          <p className="flex items-center gap-3 text-xs text-muted before:h-px before:flex-1 before:bg-line after:h-px after:flex-1 after:bg-line">
            OR
          </p>
        </>
      )}
      <div className="flex flex-wrap items-center justify-between gap-3">
        <p className="text-muted">On X you see what you allow, and X never tells us your password.</p>
        <ConnectWithX variant={byPassword ? 'secondary' : 'primary'} className="max-sm:w-full" />
      </div>
    </div>
  )
}

/** What comes next once an account is connected, and the way back, which a lost one has too. Of several, each row has it. */
export function NextSteps({ connected, accounts }: { connected: boolean; accounts: readonly XAccount[] }) {
  const disconnect = useDisconnect(null)
  const isThere = connected || accounts.length === 1
  if (!isThere) return null
  return (
    <div className="flex flex-wrap gap-2 border-t border-line pt-5 max-sm:[&>*]:w-full">
      {connected && (
        <ButtonLink to={`${paths.xAutomation}?tab=scraper`} variant="primary" icon={<Search aria-hidden />}>
          Scrape followers
        </ButtonLink>
      )}
      <Button icon={<Unplug aria-hidden />} loading={disconnect.isPending} onClick={disconnect.ask}>
        {disconnect.isPending ? 'Disconnecting…' : 'Disconnect'}
      </Button>
    </div>
  )
}

/** Room for another account, or the words why there is none. */
function OneMore({ used, limit, methods }: { used: number; limit: number; methods: XConnection['methods'] }) {
  const [asked, setAsked] = useState(false)
  // Connected: what was asked for is done.
  useEffect(() => {
    if (used > 0) setAsked(false)
  }, [used])
  if (used >= limit) {
    return (
      <p className="text-muted">
        Your plan includes {limit} X {limit === 1 ? 'account' : 'accounts'}. <SeePlans />
      </p>
    )
  }
  if (asked) return <HowToConnect connection={{ methods }} />
  return (
    <div className="flex flex-wrap items-center justify-between gap-3">
      <p className="text-muted" data-numeric>
        {used} of {limit} X accounts connected
      </p>
      <Button icon={<Plus aria-hidden />} className="max-sm:w-full" onClick={() => setAsked(true)}>
        Connect another account
      </Button>
    </div>
  )
}
