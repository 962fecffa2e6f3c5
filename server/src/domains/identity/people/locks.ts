import type { Role } from '@x-automated/contract/route'
import { and, eq } from 'drizzle-orm'
import { type Actor, roleAllows } from '../../../actor.ts'
import type { Db } from '../../../db/open.ts'
import { Refusal } from '../../../refusal.ts'
import type { RequestContext } from '../../../requests/context.ts'
import { workspaceMembers, workspaces } from '../workspaces/tables.ts'

export type Context = Pick<RequestContext, 'db' | 'outbox' | 'plans' | 'limits' | 'origin' | 'apiKeys'>

/** Locks the members and rechecks the caller's role. @returns the workspace's name */
export async function lockPeople(tx: Db, actor: Actor, needed: Role): Promise<string> {
  const [workspace] = await tx
    .select({ name: workspaces.name })
    .from(workspaces)
    .where(eq(workspaces.id, actor.workspaceId))
    // Other transactions can still insert rows that reference the workspace.
    .for('no key update')
  const [member] = await tx
    .select({ role: workspaceMembers.role })
    .from(workspaceMembers)
    .where(isMember(actor, actor.userId))
  if (!workspace || !member || !roleAllows(member.role, needed)) throw new Refusal('FORBIDDEN')
  return workspace.name
}

export function isMember({ workspaceId }: Pick<Actor, 'workspaceId'>, userId: string) {
  return and(eq(workspaceMembers.workspaceId, workspaceId), eq(workspaceMembers.userId, userId))
}
