import { keepPreviousData, useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import type { GivenRole, Person } from '@x-automated/contract/identity/people'
import type { Role } from '@x-automated/contract/route'
import { Ellipsis } from 'lucide-react'
import { useState } from 'react'
import { api, client, errorText } from '../../../api'
import { QueryError } from '../../../query-error'
import { Avatar } from '../../../ui/avatar'
import { Badge } from '../../../ui/badge'
import { IconButton } from '../../../ui/button'
import { useConfirm } from '../../../ui/confirm'
import { DateTime } from '../../../ui/date-time'
import { Menu, MenuItem } from '../../../ui/menu'
import { Pager } from '../../../ui/pager'
import { Select } from '../../../ui/select'
import { Skeleton, SkeletonLine, SkeletonRows } from '../../../ui/skeleton'
import { ActionsTh, Table, Td, Th, Tr } from '../../../ui/table'
import { toast } from '../../../ui/toast'
import { showFailure, useReauthentication } from '../auth/reauthentication'
import { GIVEN_ROLES, ROLES, withArticle } from './role-text'
import { isAtLeast } from './use-role'

const PAGE_SIZE = 50

/** Query options for a page of members. */
export function peoplePage(page: number) {
  return api.people.list.queryOptions({ input: { page, pageSize: PAGE_SIZE }, placeholderData: keepPreviousData })
}

/** One placeholder row: most workspaces have one member. */
export function PeopleSkeleton() {
  return (
    <Table label="People">
      <thead>
        <tr>
          <Th>Person</Th>
          <Th>Role</Th>
          <Th>Since</Th>
        </tr>
      </thead>
      <tbody>
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
      </tbody>
    </Table>
  )
}

/** The workspace's members, with actions for admins. */
export function PeopleTable({ role }: { role: Role }) {
  const [page, setPage] = useState(1)
  const list = useQuery(peoplePage(page))
  const mayManage = isAtLeast(role, 'admin')
  const { data } = list
  if (list.isError && !data) {
    return <QueryError query={list} fallback="Failed to load members. Please try again." />
  }
  return (
    <div className="grid gap-4">
      <Table label="People" stale={list.isPlaceholderData}>
        <thead>
          <tr>
            <Th>Person</Th>
            <Th>Role</Th>
            <Th>Since</Th>
            {mayManage && <ActionsTh end />}
          </tr>
        </thead>
        <tbody>
          {data ? (
            data.people.map((person) => <PersonRow key={person.id} person={person} viewerRole={role} />)
          ) : (
            <SkeletonRows columns={mayManage ? 4 : 3} />
          )}
        </tbody>
      </Table>
      <Pager page={page} pageSize={PAGE_SIZE} query={list} onChange={setPage} noun="people" />
    </div>
  )
}

function PersonRow({ person, viewerRole }: { person: Person; viewerRole: Role }) {
  const { name, email, role, isYou, joinedAt } = person
  const mayManage = isAtLeast(viewerRole, 'admin')
  // Users can't restore their own role, and the owner's can't change.
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
        {mayChange ? <RoleSelect person={person} role={role as GivenRole} /> : <Badge>{ROLES[role].name}</Badge>}
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

function RoleSelect({ person, role }: { person: Person; role: GivenRole }) {
  const queries = useQueryClient()
  const update = useMutation(
    api.people.update.mutationOptions({
      onSuccess: ({ name, role: given }) => void toast.success(`${name} is now ${withArticle(given)}.`),
      onError: (error) => void toast.error(errorText(error, 'Failed to change the role. Please try again.')),
      onSettled: () => queries.invalidateQueries({ queryKey: api.people.key() }),
    }),
  )
  return (
    <Select
      aria-label={`Role of ${person.name}`}
      className="w-32"
      disabled={update.isPending}
      value={update.isPending ? update.variables.role : role}
      options={GIVEN_ROLES.map((value) => ({ value, label: ROLES[value].name }))}
      onChange={(event) => update.mutate({ id: person.id, role: event.currentTarget.value as GivenRole })}
    />
  )
}

function PersonMenu({ person: { id, name, email }, mayHandOver }: { person: Person; mayHandOver: boolean }) {
  const queries = useQueryClient()
  const confirm = useConfirm()
  const withReauthentication = useReauthentication()
  const onSettled = () =>
    Promise.all([api.people.key(), api.auth.key()].map((queryKey) => queries.invalidateQueries({ queryKey })))
  const remove = useMutation(
    api.people.remove.mutationOptions({
      onSuccess: () => void toast.success(`${name} was removed from the workspace.`),
      onError: (error) => void toast.error(errorText(error, 'Failed to remove them. Please try again.')),
      onSettled,
    }),
  )
  const transfer = useMutation({
    mutationFn: () => withReauthentication(() => client.people.transfer({ personId: id })),
    onSuccess: () => void toast.success(`${name} now owns the workspace.`),
    onError: (error) => showFailure(error, 'Failed to transfer ownership. Please try again.'),
    onSettled,
  })
  const askRemove = async () => {
    const body = `${email} loses access within a minute. What they created stays.`
    if (await confirm({ title: `Remove ${name}?`, body, confirm: 'Remove', danger: true })) remove.mutate({ id })
  }
  const askTransfer = async () => {
    const body = "They'll control billing and deletion. You become an admin and can't undo this."
    if (await confirm({ title: `Make ${name} the owner?`, body, confirm: 'Make owner', danger: true }))
      transfer.mutate()
  }
  return (
    <Menu
      trigger={
        <IconButton label={`More for ${name}`} size="sm" disabled={remove.isPending || transfer.isPending}>
          <Ellipsis aria-hidden />
        </IconButton>
      }
    >
      {mayHandOver && <MenuItem onSelect={askTransfer}>Make owner</MenuItem>}
      <MenuItem danger onSelect={askRemove}>
        Remove
      </MenuItem>
    </Menu>
  )
}
