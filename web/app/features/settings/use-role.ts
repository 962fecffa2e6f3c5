import { useQuery } from '@tanstack/react-query'
import type { Role } from '@x-automated/contract/route'
import { api } from '../../api'

const ORDER: readonly Role[] = ['viewer', 'member', 'admin', 'owner']

/** Is a role enough for what needs another? */
export function isAtLeast(own: Role, needed: Role): boolean {
  return ORDER.indexOf(own) >= ORDER.indexOf(needed)
}

/** May one do here what needs this role? Undefined while one's own role is not known. */
export function useHasRole(role: Role): boolean | undefined {
  const own = useQuery(api.auth.me.queryOptions()).data?.workspace.role
  return own && isAtLeast(own, role)
}

/** Is what needs this role to be shown? Also while one's own is not known: most people work in a workspace of their own. */
export function useIsOffered(role: Role): boolean {
  return useHasRole(role) !== false
}
