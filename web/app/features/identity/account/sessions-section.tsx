import { useQuery } from '@tanstack/react-query'
import type { SignedInSession } from '@x-automated/contract/identity/account'
import { CircleHelp, LogOut, Monitor, Puzzle, Smartphone, Tablet } from 'lucide-react'
import { api, client } from '../../../api'
import { session } from '../../../session'
import { Badge } from '../../../ui/badge'
import { Button } from '../../../ui/button'
import { DateTime } from '../../../ui/date-time'
import { SkeletonButton } from '../../../ui/skeleton'
import { useAction } from '../../../use-action'
import { Row, Rows, RowsSkeleton } from './rows'
import { Section } from './section'

/** The account's sessions. They can be ended. */
export function SessionsSection() {
  const list = useQuery(api.account.listSessions.queryOptions())
  const elsewhere = useAction(() => client.auth.signOut({ scope: 'others' }), {
    done: 'Signed out on all other devices.',
    refetches: [api.account.listSessions],
  })
  const everywhere = useAction(() => client.auth.signOut({ scope: 'global' }), {
    question: {
      title: 'Sign out everywhere?',
      body: 'This signs you out on every device, including this one.',
      confirm: 'Sign out everywhere',
      danger: true,
    },
    onSuccess: () => session.clear(),
  })
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
          {sessions.map((row) => (
            <SessionRow key={row.id} session={row} />
          ))}
        </Rows>
        <div className="flex flex-wrap gap-2">
          {sessions.length > 1 && (
            <Button size="sm" loading={elsewhere.isPending} onClick={() => elsewhere.run()}>
              Sign out elsewhere
            </Button>
          )}
          <Button
            size="sm"
            variant="ghost"
            icon={<LogOut aria-hidden />}
            loading={everywhere.isPending}
            onClick={() => everywhere.run()}
          >
            Sign out everywhere
          </Button>
        </div>
      </div>
    </Section>
  )
}

const deviceIcons = { desktop: Monitor, mobile: Smartphone, tablet: Tablet, extension: Puzzle, other: CircleHelp }

function SessionRow({ session: row }: { session: SignedInSession }) {
  const { id, current, device, deviceKind, place: location, createdAt, lastSeenAt } = row
  const Icon = deviceIcons[deviceKind]
  const name = `${device ?? 'Unknown device'}${deviceKind === 'extension' ? ' (extension)' : ''}`
  const end = useAction(() => client.account.endSession({ id }), {
    done: `${name} signed out.`,
    refetches: [api.account.listSessions],
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
          {location ?? 'Unknown place'} · signed in <DateTime value={createdAt} />
          {!current && (
            <>
              {' · '}last seen <DateTime value={lastSeenAt} />
            </>
          )}
        </>
      }
      action={
        !current && (
          <Button size="sm" loading={end.isPending} onClick={() => end.run()}>
            Sign out<span className="sr-only"> of {name}</span>
          </Button>
        )
      }
    />
  )
}
