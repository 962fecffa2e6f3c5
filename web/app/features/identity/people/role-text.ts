import type { AssignableRole } from '@x-automated/contract/identity/people'
import type { Role } from '@x-automated/contract/route'

/** Each role's name and permissions. */
export const ROLES: Record<Role, { name: string; does: string }> = {
  owner: { name: 'Owner', does: 'Full access, including billing and deletion.' },
  admin: { name: 'Admin', does: 'Manage people, X accounts, single sign-on and API keys, and run campaigns.' },
  member: { name: 'Member', does: 'Run campaigns and manage leads, lists, messages and scrapes.' },
  viewer: { name: 'Viewer', does: 'View only.' },
}

/** Roles that can be assigned. The first is the default. */
export const ASSIGNABLE_ROLES: readonly AssignableRole[] = ['member', 'viewer', 'admin']

const article = { owner: 'an', admin: 'an', member: 'a', viewer: 'a' } as const satisfies Record<Role, string>

/** 'as a member', to end a sentence. */
export function asRole(role: Role): string {
  return `as ${withArticle(role)}`
}

/** 'a member'. */
export function withArticle(role: Role): string {
  return `${article[role]} ${role}`
}

/** 'Viewer: View only.' */
export function roleSentence(role: Role): string {
  const { name, does } = ROLES[role]
  return `${name}: ${does}`
}
