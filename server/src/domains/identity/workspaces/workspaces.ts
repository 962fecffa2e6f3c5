import type { Role } from '@x-automated/contract/route'
import { and, asc, eq, gt, isNotNull, lt, type SQL, sql } from 'drizzle-orm'
import { deleteStandings } from '../../../core/people/lead-counts.ts'
import type { Db } from '../../../db/open.ts'
import { membershipChanges, workspaceChoices, workspaceMembers, workspaces } from './tables.ts'

/** NOTIFY channel for membership changes; the payload is the membership's key and version. */
export const MEMBERSHIPS_CHANNEL = 'memberships'

interface Membership {
  id: string
  name: string
  role: Role
}

/** A membership as access tokens contain it. */
export interface VersionedMembership extends Membership {
  /** Tokens with a lower version are rejected. */
  version: number
}

const membership = { id: workspaces.id, name: workspaces.name, role: workspaceMembers.role }
const versioned = { ...membership, version: workspaceMembers.version }

/** Returns the user's personal workspace, creating it on the first call. */
export async function ensurePersonalWorkspace(
  db: Db,
  user: { id: string; name: string },
): Promise<VersionedMembership> {
  const find = async () => {
    const [workspace] = await db
      .select(versioned)
      .from(workspaces)
      .innerJoin(
        workspaceMembers,
        sql`${workspaceMembers.workspaceId} = ${workspaces.id} and ${workspaceMembers.userId} = ${user.id}`,
      )
      .where(eq(workspaces.personalOf, user.id))
    return workspace
  }
  const existing = await find()
  if (existing) return existing
  const [made] = await db
    .insert(workspaces)
    .values({ name: user.name, personalOf: user.id })
    .onConflictDoNothing()
    .returning({ id: workspaces.id })
  if (made) await db.insert(workspaceMembers).values({ workspaceId: made.id, userId: user.id, role: 'owner' })
  const workspace = await find()
  if (!workspace) throw new Error('no personal workspace was inserted')
  return workspace
}

/** Renames a workspace, or makes it no longer a personal one. */
export async function changeWorkspace(
  tx: Db,
  id: string,
  change: Partial<Pick<typeof workspaces.$inferInsert, 'name' | 'personalOf'>>,
): Promise<void> {
  await tx.update(workspaces).set(change).where(eq(workspaces.id, id))
}

/** Deletes a workspace with everything that belongs to it. */
export async function deleteWorkspace(tx: Db, id: string): Promise<void> {
  await tx.delete(workspaces).where(eq(workspaces.id, id))
  await deleteStandings(tx, id)
}

/** The user's workspaces, oldest first. */
export async function listWorkspaces(db: Db, userId: string): Promise<Membership[]> {
  return db
    .select(membership)
    .from(workspaceMembers)
    .innerJoin(workspaces, eq(workspaces.id, workspaceMembers.workspaceId))
    .where(eq(workspaceMembers.userId, userId))
    .orderBy(asc(workspaces.createdAt))
}

/** A user's role in a workspace; null if they are not a member. */
export async function findRole(db: Db, member: { workspaceId: string; userId: string }): Promise<Role | null> {
  const [membership] = await db
    .select({ role: workspaceMembers.role })
    .from(workspaceMembers)
    .where(and(eq(workspaceMembers.workspaceId, member.workspaceId), eq(workspaceMembers.userId, member.userId)))
  return membership?.role ?? null
}

// The workspace of a session

/** A session's workspace; null if nothing is chosen yet, or the user was removed from it. */
export async function findChosenWorkspace(tx: Db, sessionId: string): Promise<VersionedMembership | null> {
  const [chosen] = await tx
    .select(versioned)
    .from(workspaceChoices)
    .innerJoin(workspaces, eq(workspaces.id, workspaceChoices.workspaceId))
    .innerJoin(
      workspaceMembers,
      and(
        eq(workspaceMembers.workspaceId, workspaceChoices.workspaceId),
        eq(workspaceMembers.userId, workspaceChoices.userId),
      ),
    )
    .where(eq(workspaceChoices.sessionId, sessionId))
  return chosen ?? null
}

/**
 * A session's workspace. If it has none (new, or the user was removed), assigns the one the user
 * chose last, else their personal one. Choices in other sessions do not affect it.
 */
export async function workspaceOf(
  tx: Db,
  { sessionId, user }: { sessionId: string; user: { id: string; name: string } },
): Promise<VersionedMembership> {
  const chosen = await findChosenWorkspace(tx, sessionId)
  if (chosen) return chosen
  const [last] = await tx
    .select(versioned)
    .from(workspaceMembers)
    .innerJoin(workspaces, eq(workspaces.id, workspaceMembers.workspaceId))
    .where(and(eq(workspaceMembers.userId, user.id), isNotNull(workspaceMembers.chosenAt)))
    .orderBy(sql`${workspaceMembers.chosenAt} desc`)
    .limit(1)
    // The lock keeps the membership from ending before the choice is stored.
    .for('key share', { of: workspaceMembers })
  const workspace = last ?? (await ensurePersonalWorkspace(tx, user))
  await tx
    .insert(workspaceChoices)
    .values({ sessionId, workspaceId: workspace.id, userId: user.id })
    .onConflictDoNothing()
  return workspace
}

/** Chooses the workspace of this session and of the next sign-in. @returns false: the user is not a member */
export async function chooseWorkspace(
  tx: Db,
  { sessionId, userId, workspaceId }: { sessionId: string; userId: string; workspaceId: string },
): Promise<boolean> {
  const [member] = await tx
    .update(workspaceMembers)
    .set({ chosenAt: sql`now()` })
    .where(and(eq(workspaceMembers.workspaceId, workspaceId), eq(workspaceMembers.userId, userId)))
    .returning({ userId: workspaceMembers.userId })
  if (!member) return false
  await tx
    .insert(workspaceChoices)
    .values({ sessionId, workspaceId, userId })
    .onConflictDoUpdate({ target: workspaceChoices.sessionId, set: { workspaceId, userId } })
  return true
}

// Changes of memberships

/** The next membership version, greater than all before. */
const nextVersion = sql<number>`nextval(pg_get_serial_sequence('workspace_members', 'version'))`

/** Identifies a membership in `membershipChanges` and access tokens. */
export function membershipKey({ workspaceId, userId }: { workspaceId: string; userId: string }): string {
  return `${workspaceId} ${userId}`
}

/** Adds a member, for whom this becomes the workspace chosen last. Existing members keep their role. */
export async function addMember(tx: Db, member: { workspaceId: string; userId: string; role: Role }): Promise<void> {
  await tx
    .insert(workspaceMembers)
    .values({ ...member, chosenAt: sql`now()` })
    .onConflictDoNothing()
}

/** Changes a member's role. All processes soon reject tokens with the former role. */
export async function setRole(
  tx: Db,
  { workspaceId, userId }: { workspaceId: string; userId: string },
  role: Role,
): Promise<void> {
  const isIt = and(eq(workspaceMembers.workspaceId, workspaceId), eq(workspaceMembers.userId, userId))
  await tx.update(workspaceMembers).set({ role, version: nextVersion }).where(isIt)
  await outdate(tx, isIt, sql`version`)
}

/** Ends memberships and revokes their tokens. @param which a condition on workspace_members */
export async function endMemberships(tx: Db, which: SQL | undefined): Promise<void> {
  await outdate(tx, which, nextVersion)
  await tx.delete(workspaceMembers).where(which)
}

async function outdate(tx: Db, which: SQL | undefined, version: SQL): Promise<void> {
  await tx.execute(sql`
    with outdated as (
      insert into ${membershipChanges} as c (workspace_id, user_id, version)
      select workspace_id, user_id, ${version} from ${workspaceMembers} where ${which ?? sql`true`}
      on conflict (workspace_id, user_id) do update set version = excluded.version, changed_at = now()
      returning workspace_id, user_id, version
    )
    select pg_notify(${MEMBERSHIPS_CHANNEL}, workspace_id || ' ' || user_id || ' ' || version) from outdated`)
}

/** Versions of the memberships that changed after `since`, by membership key. */
export async function listMembershipChanges(db: Db, since: Date): Promise<{ key: string; version: number }[]> {
  const rows = await db.select().from(membershipChanges).where(gt(membershipChanges.changedAt, since))
  return rows.map((row) => ({ key: membershipKey(row), version: row.version }))
}

/** Deletes the changes of a deleted user's memberships. */
export async function deleteMembershipChanges(tx: Db, userId: string): Promise<void> {
  await tx.delete(membershipChanges).where(eq(membershipChanges.userId, userId))
}

/** Deletes changes that are older than any valid access token. */
export async function purgeMembershipChanges(db: Db): Promise<void> {
  await db.delete(membershipChanges).where(lt(membershipChanges.changedAt, sql`now() - interval '1 hour'`))
}
