import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import type { SignedInSession } from '@x-automated/contract/identity/account'
import { CircleHelp, LogOut, Monitor, Puzzle, Smartphone, Tablet } from 'lucide-react'
import { api, client } from '../../../api'
import { session } from '../../../session'
import { Badge } from '../../../ui/badge'
import { Button } from '../../../ui/button'
import { useConfirm } from '../../../ui/confirm'
import { DateTime } from '../../../ui/date-time'
import { SkeletonButton } from '../../../ui/skeleton'
import { toast } from '../../../ui/toast'
import { showFailure, useReauthentication } from '../auth/reauthentication'
import { Row, Rows, RowsSkeleton } from './rows'
import { Section } from './section'

/** Sessions of the account, which can be ended. */
export function SessionsSection() {
  const queries = useQueryClient()
  const withReauthentication = useReauthentication()
  const confirm = useConfirm()
  const list = useQuery(api.account.listSessions.queryOptions())
  const refetchSessions = () => queries.invalidateQueries({ queryKey: api.account.listSessions.key() })
  const elsewhere = useMutation({
    mutationFn: () => withReauthentication(() => client.auth.signOut({ scope: 'others' })),
    onSuccess() {
      toast.success('Signed out on all other devices.')
      return refetchSessions()
    },
    onError: (error) => showFailure(error),
  })
  const everywhere = useMutation({
    mutationFn: () => withReauthentication(() => client.auth.signOut({ scope: 'global' })),
    onSuccess: () => session.clear(),
    onError: (error) => showFailure(error),
  })
  const askEverywhere = async () => {
    const yes = await confirm({
      title: 'Sign out everywhere?',
      body: 'This signs you out on every device, including this one.',
      confirm: 'Sign out everywhere',
      danger: true,
    })
    if (yes) everywhere.mutate()
  }
  const sessions = list.data?.sessions ?? []
  return (
    <Section
      id="sessions"
      query={list}
      skeleton={
        <div className="grid gap-5">
          <RowsSkeleton rows={1} />
          <SkeletonButton size="sm" className="w-44" />
        </div>
      }
      description="Devices signed in to your account. If you don't recognize one, sign it out and change your password."
    >
      <div className="grid gap-5">
        <Rows label="Sessions">
          {sessions.map((one) => (
            <SessionRow key={one.id} session={one} onEnded={refetchSessions} />
          ))}
        </Rows>
        <div className="flex flex-wrap gap-2">
          {sessions.length > 1 && (
            <Button size="sm" loading={elsewhere.isPending} onClick={() => elsewhere.mutate()}>
              Sign out elsewhere
            </Button>
          )}
          <Button
            size="sm"
            variant="ghost"
            icon={<LogOut aria-hidden />}
            loading={everywhere.isPending}
            onClick={askEverywhere}
          >
            Sign out everywhere
          </Button>
        </div>
      </div>
    </Section>
  )
}

const deviceIcons = { desktop: Monitor, mobile: Smartphone, tablet: Tablet, extension: Puzzle, other: CircleHelp }

function SessionRow({ session: one, onEnded }: { session: SignedInSession; onEnded: () => Promise<void> }) {
  const { id, current, device, deviceKind, place, createdAt, lastSeenAt } = one
  const Icon = deviceIcons[deviceKind]
  const name = `${device ?? 'Unknown device'}${deviceKind === 'extension' ? ' (extension)' : ''}`
  const withReauthentication = useReauthentication()
  const end = useMutation({
    mutationFn: () => withReauthentication(() => client.account.endSession({ id })),
    onSuccess() {
      toast.success(`${name} signed out.`)
      return onEnded()
    },
    onError(error) {
      showFailure(error)
      // It may have ended already.
      void onEnded()
    },
  })
  return (
    <Row
      icon={<Icon aria-hidden />}
      title={
        <>
          {name}
          {current && <Badge tone="good">This device</Badge>}
        </>
      }
      detail={
        <>
          {place ?? 'Unknown place'} · signed in <DateTime value={createdAt} />
          {!current && (
            <>
              {' · '}last seen <DateTime value={lastSeenAt} />
            </>
          )}
        </>
      }
      action={
        !current && (
          <Button size="sm" loading={end.isPending} onClick={() => end.mutate()}>
            Sign out<span className="sr-only"> of {name}</span>
          </Button>
        )
      }
    />
  )
}
