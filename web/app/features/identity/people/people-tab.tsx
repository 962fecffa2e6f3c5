import { useQuery } from '@tanstack/react-query'
import { useRef } from 'react'
import { api, client } from '../../../api'
import { QueryError } from '../../../query-error'
import { session } from '../../../session'
import { Button } from '../../../ui/button'
import { Callout } from '../../../ui/callout'
import { Card } from '../../../ui/card'
import { LoadingText, SkeletonButton, SkeletonLine } from '../../../ui/skeleton'
import { useAction } from '../../../use-action'
import { ReauthProvider } from '../auth/reauth-provider'
import { KeepKeys, useKeysOf } from './keep-keys'
import { PeopleSkeleton, PeopleTable, peoplePage } from './people-table'
import { asRole, ROLES } from './role-text'
import { isAtLeast } from './use-role'

/** Members and roles; admins can change them. */
export function PeopleTab() {
  const me = useQuery(api.auth.me.queryOptions())
  const mayInvite = me.data !== undefined && isAtLeast(me.data.workspace.role, 'admin')
  // Load both before rendering, so that nothing shifts.
  const people = useQuery(peoplePage(1))
  const invitations = useQuery({ ...api.people.listInvitations.queryOptions(), enabled: mayInvite })
  if (me.isError && !me.data) {
    return <QueryError query={me} fallback="Failed to load members. Please try again." />
  }
  if (!me.data || people.isPending || (mayInvite && invitations.isPending))
    return <PeopleTabSkeleton mayInvite={mayInvite} />
  const { name, role } = me.data.workspace
  return (
    <ReauthProvider>
      <div className="grid grid-cols-1 gap-6">
        {!mayInvite && (
          <Callout title={`You're in ${name} ${asRole(role)}`}>
            {ROLES[role].does} The owner and admins can invite people and change roles.
          </Callout>
        )}
        <PeopleTable role={role} />
        <RolesCard />
        {role !== 'owner' && <LeaveCard name={name} personId={me.data.id} mayHaveKeys={mayInvite} />}
      </div>
    </ReauthProvider>
  )
}

/** Placeholder of the tab. @param mayInvite false while unknown */
function PeopleTabSkeleton({ mayInvite }: { mayInvite: boolean }) {
  return (
    <div className="grid grid-cols-1 gap-6">
      <LoadingText>Loading members…</LoadingText>
      <div className="grid gap-4">
        {mayInvite && (
          <div className="flex items-center justify-between gap-3">
            <SkeletonLine className="w-48" />
            <SkeletonButton className="w-24" />
          </div>
        )}
        <PeopleSkeleton />
      </div>
    </div>
  )
}

function RolesCard() {
  return (
    <Card title="What each role can do">
      <dl className="grid gap-x-6 gap-y-2 sm:grid-cols-[auto_1fr]">
        {Object.values(ROLES).map(({ name, does }) => (
          <div key={name} className="contents">
            <dt className="font-strong">{name}</dt>
            <dd className="text-muted max-sm:-mt-2">{does}</dd>
          </div>
        ))}
      </dl>
    </Card>
  )
}

/** Leaves the workspace, which owners cannot do. The next token is for another workspace, so the page reloads. */
function LeaveCard({ name, personId, mayHaveKeys }: { name: string; personId: string; mayHaveKeys: boolean }) {
  const keys = useKeysOf(personId, mayHaveKeys)
  const keepApiKeys = useRef(false)
  const leave = useAction(() => client.people.leave({ keepApiKeys: keepApiKeys.current }), {
    question: () => {
      keepApiKeys.current = false
      return {
        title: `Leave ${name}?`,
        body: (
          <>
            You'll lose access to everything in it. To rejoin, you need an invitation.{' '}
            <KeepKeys count={keys.length} whose="your" choice={keepApiKeys} />
          </>
        ),
        confirm: 'Leave',
        danger: true,
      }
    },
    onSuccess: () => void session.refresh(),
    failed: 'Failed to leave. Please try again.',
  })
  return (
    <Card title="Leave this workspace" description="You keep your account and your own workspace.">
      <Button variant="danger" loading={leave.isPending} onClick={() => leave.run()}>
        Leave {name}
      </Button>
    </Card>
  )
}
