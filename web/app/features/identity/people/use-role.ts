import { useQuery } from '@tanstack/react-query'
import type { Role } from '@x-automated/contract/route'
import { api } from '../../../api'

const ORDER: readonly Role[] = ['viewer', 'member', 'admin', 'owner']

/** Whether `own` includes the permissions of `needed`. */
export function isAtLeast(own: Role, needed: Role): boolean {
  return ORDER.indexOf(own) >= ORDER.indexOf(needed)
}

/** Whether the user has at least this role in the workspace; undefined while unknown. */
export function useHasRole(role: Role): boolean | undefined {
  const own = useQuery(api.auth.me.queryOptions()).data?.workspace.role
  return own && isAtLeast(own, role)
}

/**
 * Whether to show actions for this role. While the role is unknown this is true, because most users
 * own their workspace.
 */
export function useIsOffered(role: Role): boolean {
  return useHasRole(role) !== false
}
