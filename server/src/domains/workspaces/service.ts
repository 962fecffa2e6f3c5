import type { Role } from '@x-automated/contract/route'
import { and, asc, eq, gt, isNotNull, lt, type SQL, sql } from 'drizzle-orm'
import type { Db } from '../../db/open.ts'
import { membershipChanges, workspaceChoices, workspaceMembers, workspaces } from './tables.ts'

/** NOTIFY channel on which processes tell each other that a membership changed: its key and its version. */
export const MEMBERSHIPS_CHANNEL = 'memberships'

export interface Membership {
  id: string
  name: string
  role: Role
}

/** A membership as access tokens carry it. */
export interface VersionedMembership extends Membership {
  /** Tokens of an earlier one are good no more once the membership has changed. */
  version: number
}

const membership = { id: workspaces.id, name: workspaces.name, role: workspaceMembers.role }
const versioned = { ...membership, version: workspaceMembers.version }

/** The workspace that everyone starts with; made at the first call, found at each further one. */
export async function ensurePersonalWorkspace(
  db: Db,
  user: { id: string; name: string },
): Promise<VersionedMembership> {
  const find = async () => {
    const [found] = await db
      .select(versioned)
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
    .select(membership)
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

// Where a session works

/** The workspace that a session works in; null if it has none yet, or its person was removed from it. */
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
 * The workspace that a session works in. A session that has none yet (new, or its person was taken out of it) gets the one
 * its person chose last, else their personal one, and stays there whatever other sessions choose.
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
    // Nobody is taken out of it before the choice stands.
    .for('key share', { of: workspaceMembers })
  const workspace = last ?? (await ensurePersonalWorkspace(tx, user))
  await tx
    .insert(workspaceChoices)
    .values({ sessionId, workspaceId: workspace.id, userId: user.id })
    .onConflictDoNothing()
  return workspace
}

/** Has a session, and the person's next sign-in, work in a workspace. @returns false where they are no member of it */
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

/** The next version of a membership, greater than all that were given. */
const nextVersion = sql<number>`nextval(pg_get_serial_sequence('workspace_members', 'version'))`

/** What `membershipChanges` and access tokens know a membership by. */
export function membershipKey({ workspaceId, userId }: { workspaceId: string; userId: string }): string {
  return `${workspaceId} ${userId}`
}

/** Gives a member another role. Access tokens that say the former one are refused from the commit on: here, and soon on every process. */
export async function setRole(
  tx: Db,
  { workspaceId, userId }: { workspaceId: string; userId: string },
  role: Role,
): Promise<void> {
  const isIt = and(eq(workspaceMembers.workspaceId, workspaceId), eq(workspaceMembers.userId, userId))
  await tx.update(workspaceMembers).set({ role, version: nextVersion }).where(isIt)
  await outdate(tx, isIt, sql`version`)
}

/** Ends memberships, and the access of their tokens. @param which of workspace_members */
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

/** The versions of memberships that changed since a moment, by their keys. */
export async function listMembershipChanges(db: Db, since: Date): Promise<{ key: string; version: number }[]> {
  const rows = await db.select().from(membershipChanges).where(gt(membershipChanges.changedAt, since))
  return rows.map((row) => ({ key: membershipKey(row), version: row.version }))
}

/** Removes changes that no access token is older than. */
export async function purgeMembershipChanges(db: Db): Promise<void> {
  await db.delete(membershipChanges).where(lt(membershipChanges.changedAt, sql`now() - interval '1 hour'`))
}
