import type { Role } from '@x-automated/contract/route'
import { and, asc, eq, sql } from 'drizzle-orm'
import type { Db } from '../../db/open.ts'
import { workspaceMembers, workspaces } from './tables.ts'

export interface Membership {
  id: string
  name: string
  role: Role
}

/** The workspace that everyone starts with; made at the first call, found at each further one. */
export async function ensurePersonalWorkspace(db: Db, user: { id: string; name: string }): Promise<Membership> {
  const find = async () => {
    const [found] = await db
      .select({ id: workspaces.id, name: workspaces.name, role: workspaceMembers.role })
      .from(workspaces)
      .innerJoin(
        workspaceMembers,
        sql`${workspaceMembers.workspaceId} = ${workspaces.id} and ${workspaceMembers.userId} = ${user.id}`,
      )
      .where(eq(workspaces.personalOf, user.id))
    return found
  }
  const found = await find()
  if (found) return found
  const [made] = await db
    .insert(workspaces)
    .values({ name: user.name, personalOf: user.id })
    .onConflictDoNothing()
    .returning({ id: workspaces.id })
  if (made) await db.insert(workspaceMembers).values({ workspaceId: made.id, userId: user.id, role: 'owner' })
  const workspace = await find()
  if (!workspace) throw new Error('personal workspace could not be made')
  return workspace
}

/** Every workspace the user is a member of, the oldest first. */
export async function listWorkspaces(db: Db, userId: string): Promise<Membership[]> {
  return db
    .select({ id: workspaces.id, name: workspaces.name, role: workspaceMembers.role })
    .from(workspaceMembers)
    .innerJoin(workspaces, eq(workspaces.id, workspaceMembers.workspaceId))
    .where(eq(workspaceMembers.userId, userId))
    .orderBy(asc(workspaces.createdAt))
}

/** What somebody is in a workspace; null for who is no member. */
export async function findRole(db: Db, member: { workspaceId: string; userId: string }): Promise<Role | null> {
  const [found] = await db
    .select({ role: workspaceMembers.role })
    .from(workspaceMembers)
    .where(and(eq(workspaceMembers.workspaceId, member.workspaceId), eq(workspaceMembers.userId, member.userId)))
  return found?.role ?? null
}
