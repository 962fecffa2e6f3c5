import type { Role } from '@x-automated/contract/route'

declare const scoped: unique symbol
/** The id of a workspace that the caller was found to be a member of. Only the guard makes one. */
export type WorkspaceScope = string & { readonly [scoped]: true }

/** Who calls, and what they may reach: every service of a workspace's data takes one. */
export interface Actor {
  userId: string
  sessionId: string
  workspaceId: WorkspaceScope
  role: Role
}

const RANK: Record<Role, number> = { viewer: 0, member: 1, admin: 2, owner: 3 }

/** Does `role` include what `needed` may do? */
export function roleAllows(role: Role, needed: Role): boolean {
  return RANK[role] >= RANK[needed]
}
