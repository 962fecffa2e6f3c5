import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { formatCount, pluralize } from '@x-automated/contract/format'
import type { AssignableRole, Person } from '@x-automated/contract/identity/people'
import type { Role } from '@x-automated/contract/route'
import { Ellipsis } from 'lucide-react'
import { useRef, useState } from 'react'
import { api, client } from '../../../api'
import { QueryError } from '../../../query-error'
import { Avatar } from '../../../ui/avatar'
import { Badge } from '../../../ui/badge'
import { IconButton } from '../../../ui/button'
import { DateTime } from '../../../ui/date-time'
import { Menu, MenuItem } from '../../../ui/menu'
import { Pager } from '../../../ui/pager'
import { Select } from '../../../ui/select'
import { Skeleton, SkeletonLine } from '../../../ui/skeleton'
import { Table, Td, Tr } from '../../../ui/table'
import { useAction } from '../../../use-action'
import { InvitationRow, Inviting } from './invitations'
import { KeepKeys, useKeysOf } from './keep-keys'
import { ASSIGNABLE_ROLES, ROLES, withArticle } from './role-text'
import { isAtLeast } from './use-role'

const PAGE_SIZE = 50
const COLUMNS = ['Person', 'Role', 'Since']

/** Query options for a page of members. */
export function peoplePage(page: number) {
  return api.people.list.queryOptions({ input: { page, pageSize: PAGE_SIZE }, placeholderData: keepPreviousData })
}

/** One placeholder row: most workspaces have one member. */
export function PeopleSkeleton() {
  return (
    <Table label="People" columns={COLUMNS}>
      <Tr aria-hidden>
        <Td>
          <span className="flex items-center gap-3">
            <Skeleton className="size-7 shrink-0 rounded-full!" />
            <span>
              <SkeletonLine className="w-28" />
              <SkeletonLine className="w-44" />
            </span>
          </span>
        </Td>
        <Td label="Role">
          <Skeleton className="h-6 w-16" />
        </Td>
        <Td label="Since">
          <SkeletonLine className="w-14" />
        </Td>
      </Tr>
    </Table>
  )
}

/** The workspace's members and invitations, with actions for admins. */
export function PeopleTable({ role }: { role: Role }) {
  const [page, setPage] = useState(1)
  const list = useQuery(peoplePage(page))
  const mayManage = isAtLeast(role, 'admin')
  const invitations = useQuery({ ...api.people.listInvitations.queryOptions(), enabled: mayManage })
  const { data } = list
  if (list.isError && !data) {
    return <QueryError query={list} fallback="Failed to load members. Please try again." />
  }
  return (
    <div className="grid gap-4">
      {mayManage && <Inviting />}
      {invitations.isError && !invitations.data && (
        <QueryError query={invitations} fallback="Failed to load the invitations. Please try again." />
      )}
      <Table
        label="People"
        columns={mayManage ? [...COLUMNS, { name: 'Actions', end: true, hidden: true }] : COLUMNS}
        stale={list.isPlaceholderData}
      >
        {data?.people.map((person) => (
          <PersonRow key={person.id} person={person} viewerRole={role} />
        ))}
        {page === 1 &&
          invitations.data?.invitations.map((invitation) => (
            <InvitationRow
              key={invitation.id}
              invitation={invitation}
              mayResend={invitations.data.planLimit === null}
            />
          ))}
      </Table>
      <Pager page={page} pageSize={PAGE_SIZE} query={list} onChange={setPage} noun="people" />
    </div>
  )
}

function PersonRow({ person, viewerRole }: { person: Person; viewerRole: Role }) {
  const { name, email, role, isYou, joinedAt } = person
  const mayManage = isAtLeast(viewerRole, 'admin')
  // Users could not undo changing their own role, and the owner's role is fixed.
  const mayChange = mayManage && !isYou && role !== 'owner'
  return (
    <Tr>
      <Td>
        <span className="flex min-w-0 items-center gap-3">
          <Avatar name={name} size="sm" />
          <span className="grid min-w-0">
            <span className="font-strong wrap-anywhere">
              {name}
              {isYou && <span className="text-muted"> (you)</span>}
            </span>
            <span className="text-muted wrap-anywhere">{email}</span>
          </span>
        </span>
      </Td>
      <Td label="Role">
        {mayChange ? <RoleSelect person={person} role={role as AssignableRole} /> : <Badge>{ROLES[role].name}</Badge>}
      </Td>
      <Td label="Since">
        <DateTime value={joinedAt} precision="day" />
      </Td>
      {mayManage && (
        <Td corner end>
          {mayChange && <PersonMenu person={person} mayHandOver={viewerRole === 'owner'} />}
        </Td>
      )}
    </Tr>
  )
}

function RoleSelect({ person, role }: { person: Person; role: AssignableRole }) {
  const keys = useKeysOf(person.id, true).filter(({ suspendedAt }) => suspendedAt === null)
  const update = useAction((role: AssignableRole) => client.people.update({ id: person.id, role }), {
    done: ({ name, role: newRole }) => {
      const change = `${name} is now ${withArticle(newRole)}.`
      if (newRole === 'admin' || keys.length === 0) return change
      return `${change} ${formatCount(keys.length, 'API key')} of theirs ${pluralize(keys.length, 'is', 'are')} suspended.`
    },
    failed: 'Failed to change the role. Please try again.',
    refetches: [api.people, api.apiKeys],
  })
  return (
    <Select
      aria-label={`Role of ${person.name}`}
      className="w-32"
      disabled={update.isPending}
      value={update.isPending ? update.variables : role}
      options={ASSIGNABLE_ROLES.map((value) => ({ value, label: ROLES[value].name }))}
      onChange={(event) => update.run(event.currentTarget.value as AssignableRole)}
    />
  )
}

/** Removes a person. Also removes the API keys that they created, unless the admin keeps them. */
function useRemovePerson(person: Person) {
  const { id, name, email } = person
  const keys = useKeysOf(id, true)
  const keepApiKeys = useRef(false)
  return useAction(() => client.people.remove({ id, keepApiKeys: keepApiKeys.current }), {
    question: () => {
      keepApiKeys.current = false
      return {
        title: `Remove ${name}?`,
        body: (
          <>
            {email} loses access within a minute. <KeepKeys count={keys.length} whose="their" choice={keepApiKeys} />
          </>
        ),
        confirm: 'Remove',
        danger: true,
      }
    },
    done: `${name} was removed from the workspace.`,
    failed: 'Failed to remove them. Please try again.',
    refetches: [api.people, api.auth, api.apiKeys],
  })
}

function PersonMenu({ person, mayHandOver }: { person: Person; mayHandOver: boolean }) {
  const { id, name } = person
  const remove = useRemovePerson(person)
  const transfer = useAction(() => client.people.transfer({ personId: id }), {
    question: {
      title: `Make ${name} the owner?`,
      body: "They'll control billing and deletion. You become an admin and can't undo this.",
      confirm: 'Make owner',
      danger: true,
    },
    done: `${name} now owns the workspace.`,
    failed: 'Failed to transfer ownership. Please try again.',
    refetches: [api.people, api.auth],
  })
  return (
    <Menu
      trigger={
        <IconButton
          icon={<Ellipsis />}
          label={`More for ${name}`}
          size="sm"
          disabled={remove.isPending || transfer.isPending}
        />
      }
    >
      {mayHandOver && <MenuItem onSelect={() => transfer.run()}>Make owner</MenuItem>}
      <MenuItem danger onSelect={() => remove.run()}>
        Remove
      </MenuItem>
    </Menu>
  )
}
