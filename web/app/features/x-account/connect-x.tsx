import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import type { XConnection } from '@x-automated/contract/x-account'
import { CircleCheck, RefreshCw, Search, Unplug } from 'lucide-react'
import { useEffect, useState } from 'react'
import { api, errorWords } from '../../api'
import { paths } from '../../paths'
import { Badge } from '../../ui/badge'
import { Button, ButtonLink } from '../../ui/button'
import { Callout } from '../../ui/callout'
import { Card } from '../../ui/card'
import { useConfirm } from '../../ui/confirm'
import { DateTime } from '../../ui/date-time'
import { LoadingWords, Skeleton, SkeletonText } from '../../ui/skeleton'
import { toast } from '../../ui/toast'
import { ConnectForm } from './connect-form'
import { XHandle } from './x-handle'

/** Longer than this, and the page says that it takes long (specification §9). */
const SLOW_AFTER_MS = 3000

/** Is an X account connected? Connects one, or lets it go. */
export function ConnectX() {
  const status = useQuery(api.xAccount.status.queryOptions())
  const slow = useSlow(status.isPending)

  if (status.isPending) {
    return (
      <Card className="max-w-2xl" title="X account">
        <LoadingWords>Loading the state of your X connection...</LoadingWords>
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
  return (
    <div className="grid max-w-2xl gap-4">
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
            loading={status.isFetching}
            onClick={() => status.refetch()}
          >
            Refresh Status
          </Button>
        }
      >
        <div className="grid gap-5">
          <Standing connected={connected} connection={status.data} />
          {connected ? <Connected /> : <HowToConnect connection={status.data} />}
        </div>
      </Card>
    </div>
  )
}

function Standing({ connected, connection }: { connected: boolean; connection: XConnection | undefined }) {
  const lastConnected = connection?.lastConnected
  return (
    <div className="grid gap-2" role="status">
      <div className="flex flex-wrap items-center gap-x-3 gap-y-1.5">
        {connected ? (
          <Badge tone="good" icon={<CircleCheck aria-hidden />}>
            Connected
          </Badge>
        ) : (
          <Badge icon={<Unplug aria-hidden />}>Not Connected</Badge>
        )}
        {connected && connection?.handle && <XHandle handle={connection.handle} className="font-strong" />}
      </div>
      {connection && (
        <p className="text-muted">
          Last connected: {lastConnected ? <DateTime value={lastConnected} className="text-ink" /> : 'Never'}
        </p>
      )}
      {!connected && connection?.reason && <Callout tone="warn">{connection.reason}</Callout>}
    </div>
  )
}

function HowToConnect({ connection }: { connection: XConnection | undefined }) {
  // Unknown until the server has said which ways there are.
  if (!connection) return null
  if (connection.methods.includes('password')) return <ConnectForm />
  return (
    <Callout title="X offers no sign-in by password here">
      No account can be connected until this server is set up with X's own sign-in.
    </Callout>
  )
}

/** What comes next, and the way back. */
function Connected() {
  const queries = useQueryClient()
  const confirm = useConfirm()
  const disconnect = useMutation(
    api.xAccount.disconnect.mutationOptions({
      onSuccess: ({ message }) => {
        toast.success(message || 'Twitter account disconnected successfully!')
        // Campaigns that it sent for stop, and scrapes wait.
        for (const queryKey of [api.campaigns.key(), api.scrapes.key()]) void queries.invalidateQueries({ queryKey })
        return queries.invalidateQueries({ queryKey: api.xAccount.key() })
      },
      onError: (error) => toast.error(errorWords(error, 'Failed to disconnect Twitter account')),
    }),
  )
  const ask = async () => {
    const sure = await confirm({
      title: 'Disconnect X account',
      body: 'Are you sure you want to disconnect your Twitter account? You will need to reconnect it to use the automation features.',
      confirm: 'Disconnect',
      danger: true,
    })
    if (sure) disconnect.mutate(undefined)
  }
  return (
    <div className="flex flex-wrap gap-2 border-t border-line pt-5 max-sm:[&>*]:w-full">
      <ButtonLink to={`${paths.xAutomation}?tab=scraper`} variant="primary" icon={<Search aria-hidden />}>
        Scrape followers
      </ButtonLink>
      <Button icon={<Unplug aria-hidden />} loading={disconnect.isPending} onClick={ask}>
        {disconnect.isPending ? 'Disconnecting…' : 'Disconnect'}
      </Button>
    </div>
  )
}

function useSlow(busy: boolean): boolean {
  const [slow, setSlow] = useState(false)
  useEffect(() => {
    if (!busy) return
    const timer = setTimeout(() => setSlow(true), SLOW_AFTER_MS)
    return () => {
      clearTimeout(timer)
      setSlow(false)
    }
  }, [busy])
  return slow
}
