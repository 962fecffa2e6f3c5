import type { GivenRole } from '@x-automated/contract/people'
import type { Role } from '@x-automated/contract/route'

/** What each role is called, and what it may do here. */
export const ROLES: Record<Role, { name: string; does: string }> = {
  owner: { name: 'Owner', does: 'Does everything, billing and deletion too.' },
  admin: { name: 'Admin', does: 'Manages people, X accounts and single sign-on, and runs campaigns.' },
  member: { name: 'Member', does: 'Runs campaigns: leads, lists, messages and scrapes.' },
  viewer: { name: 'Viewer', does: 'Sees everything, and changes nothing.' },
}

/** The roles that can be given, the one that most people get first. */
export const GIVEN_ROLES: readonly GivenRole[] = ['member', 'viewer', 'admin']

const article = { owner: 'an', admin: 'an', member: 'a', viewer: 'a' } as const satisfies Record<Role, string>

/** 'as a member', as a sentence says it. */
export function asRole(role: Role): string {
  return `as ${article[role]} ${role}`
}

/** 'As a viewer one sees everything, and changes nothing.' */
export function roleSentence(role: Role): string {
  const { does } = ROLES[role]
  return `As ${article[role]} ${role} one ${does.charAt(0).toLowerCase()}${does.slice(1)}`
}
