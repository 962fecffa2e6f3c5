import type { InputOf } from '@x-automated/contract/contract'
import { asc, desc, eq, inArray, sql } from 'drizzle-orm'
import { type Actor, roleAllows } from '../../../actor.ts'
import type { Db } from '../../../db/open.ts'
import { transact } from '../../../db/transact.ts'
import type { ApiKeys, Inbox } from '../../../ports.ts'
import { Refusal } from '../../../refusal.ts'
import { requireProof } from '../account/proof.ts'
import { authUsers } from '../auth/tables.ts'
import { workspaceMembers } from '../workspaces/tables.ts'
import { changeWorkspace, endMemberships, setRole } from '../workspaces/workspaces.ts'
import { ownerChangedEmail, removedEmail } from './emails.ts'
import { revokeInvitationsBy } from './invitations.ts'
import { type Context, isMember, lockPeople } from './locks.ts'

const shownPerson = {
  id: authUsers.id,
  name: authUsers.name,
  email: authUsers.email,
  role: workspaceMembers.role,
  joinedAt: workspaceMembers.createdAt,
}

/** One page of members: the owner first, then in the order they joined. */
export async function list(db: Db, actor: Actor, { page, pageSize }: InputOf<'people', 'list'>) {
  const isHere = eq(workspaceMembers.workspaceId, actor.workspaceId)
  const [rows, total] = await Promise.all([
    db
      .select(shownPerson)
      .from(workspaceMembers)
      .innerJoin(authUsers, eq(authUsers.id, workspaceMembers.userId))
      .where(isHere)
      .orderBy(desc(sql`${workspaceMembers.role} = 'owner'`), asc(workspaceMembers.createdAt), asc(authUsers.id))
      .limit(pageSize)
      .offset((page - 1) * pageSize),
    db.$count(workspaceMembers, isHere),
  ])
  return { people: rows.map((row) => ({ ...row, isYou: row.id === actor.userId })), total, page, pageSize }
}

/** Shown instead of the name of a person whose account was deleted. */
export const DELETED_ACCOUNT = 'Deleted account'

/** The names of people by id, without deleted accounts. */
export async function findNames(db: Db, ids: readonly string[]): Promise<Map<string, string>> {
  if (ids.length === 0) return new Map()
  const rows = await db
    .select({ id: authUsers.id, name: authUsers.name, email: authUsers.email })
    .from(authUsers)
    .where(inArray(authUsers.id, [...new Set(ids)]))
  return new Map(rows.map(({ id, name, email }) => [id, name || email]))
}

/** @throws Refusal PERSON_NOT_FOUND */
async function findPerson(tx: Db, actor: Actor, id: string) {
  const [person] = await tx
    .select(shownPerson)
    .from(workspaceMembers)
    .innerJoin(authUsers, eq(authUsers.id, workspaceMembers.userId))
    .where(isMember(actor, id))
    .for('update', { of: workspaceMembers })
  if (!person) throw new Refusal('PERSON_NOT_FOUND')
  return { ...person, isYou: person.id === actor.userId }
}

/** Changes a member's role, but not the owner's. */
export async function update(
  { db, inbox, apiKeys }: { db: Db; inbox: Inbox; apiKeys: ApiKeys },
  actor: Actor,
  { id, role }: InputOf<'people', 'update'>,
) {
  return transact(db, async (tx) => {
    await lockPeople(tx, actor, 'admin')
    const person = await findPerson(tx, actor, id)
    if (person.role === 'owner') throw new Refusal('LAST_OWNER')
    if (person.role !== role) await setRole(tx, { workspaceId: actor.workspaceId, userId: id }, role)
    if (role === 'viewer') await inbox.releaseMember(tx, actor.workspaceId, id)
    if (!roleAllows(role, 'admin')) {
      await revokeInvitationsBy(tx, actor, id)
      await apiKeys.suspendOf(tx, actor.workspaceId, id)
    }
    return { ...person, role }
  })
}

/** Removes a member. What they created stays, but their API keys are suspended (`keepApiKeys`) or removed. */
export async function remove(
  { db, outbox, origin, apiKeys }: Context,
  actor: Actor,
  { id, keepApiKeys }: InputOf<'people', 'remove'>,
): Promise<void> {
  await transact(db, async (tx) => {
    const workspace = await lockPeople(tx, actor, 'admin')
    const person = await findPerson(tx, actor, id)
    if (person.role === 'owner') throw new Refusal('LAST_OWNER')
    await revokeInvitationsBy(tx, actor, id)
    await (keepApiKeys ? apiKeys.suspendOf : apiKeys.removeOf)(tx, actor.workspaceId, id)
    await endMemberships(tx, isMember(actor, id))
    if (!person.isYou) await outbox.post(tx, removedEmail(person.email, { workspace, link: `${origin}/login` }))
  })
}

/** @throws Refusal LAST_OWNER; FORBIDDEN: the caller was already removed */
export async function leave(
  { db, apiKeys }: Pick<Context, 'db' | 'apiKeys'>,
  actor: Actor,
  { keepApiKeys }: InputOf<'people', 'leave'>,
) {
  await transact(db, async (tx) => {
    await lockPeople(tx, actor, 'viewer')
    const person = await findPerson(tx, actor, actor.userId)
    if (person.role === 'owner') throw new Refusal('LAST_OWNER')
    await revokeInvitationsBy(tx, actor, actor.userId)
    await (keepApiKeys ? apiKeys.suspendOf : apiKeys.removeOf)(tx, actor.workspaceId, actor.userId)
    await endMemberships(tx, isMember(actor, actor.userId))
  })
  return { success: true as const }
}

/** Transfers ownership; the former owner becomes an admin. */
export async function transfer(
  context: Context & { env: { supportEmail: string } },
  actor: Actor,
  { personId, currentPassword }: InputOf<'people', 'transfer'>,
) {
  const { db, outbox, origin } = context
  await requireProof(context, actor, currentPassword)
  await db.transaction(async (tx) => {
    const workspace = await lockPeople(tx, actor, 'owner')
    const next = await findPerson(tx, actor, personId)
    const former = await findPerson(tx, actor, actor.userId)
    if (next.id === former.id) return
    const { workspaceId } = actor
    await setRole(tx, { workspaceId, userId: former.id }, 'admin')
    await setRole(tx, { workspaceId, userId: next.id }, 'owner')
    await changeWorkspace(tx, workspaceId, { personalOf: null })
    const { supportEmail } = context.env
    const facts = {
      workspace,
      from: former.name,
      by: next.name,
      link: `${origin}/settings?tab=people`,
      supportEmail,
    }
    for (const { email } of [next, former]) await outbox.post(tx, ownerChangedEmail(email, facts))
  })
  return { success: true as const }
}

/** @throws Refusal FORBIDDEN */
export async function rename(db: Db, actor: Actor, { name }: InputOf<'people', 'rename'>) {
  return db.transaction(async (tx) => {
    await lockPeople(tx, actor, 'admin')
    await changeWorkspace(tx, actor.workspaceId, { name })
    const { role } = await findPerson(tx, actor, actor.userId)
    return { id: actor.workspaceId, name, role }
  })
}
