import type { InputOf } from '@x-automated/contract/contract'
import { type AssignableRole, INVITATION_DAYS, INVITATIONS_MAX } from '@x-automated/contract/identity/people'
import { and, desc, eq, getTableColumns, gt, lt, sql } from 'drizzle-orm'
import type { Actor } from '../../../actor.ts'
import { one } from '../../../db/one.ts'
import type { Db } from '../../../db/open.ts'
import { Refusal } from '../../../refusal.ts'
import type { ClientHashes, Limits } from '../../../requests/limits.ts'
import { hashToken, newToken } from '../../../sealing.ts'
import { requireAccountSession } from '../auth/sessions.ts'
import { authUsers } from '../auth/tables.ts'
import { workspaceMembers, workspaces } from '../workspaces/tables.ts'
import { addMember } from '../workspaces/workspaces.ts'
import { invitationEmail } from './emails.ts'
import { type Context, lockPeople } from './locks.ts'
import { invitationLink } from './rules.ts'
import { workspaceInvitations } from './tables.ts'

const isOpen = gt(workspaceInvitations.expiresAt, sql`now()`)
const invitationColumns = { ...getTableColumns(workspaceInvitations), invitedBy: authUsers.name }

/** The pending invitations and, if the plan is full, why no more people can join. */
export async function list({ db, plans }: Pick<Context, 'db' | 'plans'>, { workspaceId }: Actor) {
  const invitations = await db
    .select(invitationColumns)
    .from(workspaceInvitations)
    .leftJoin(authUsers, eq(authUsers.id, workspaceInvitations.userId))
    .where(and(eq(workspaceInvitations.workspaceId, workspaceId), isOpen))
    .orderBy(desc(workspaceInvitations.sentAt))
    .limit(INVITATIONS_MAX)
  const beyond = await plans.findPeopleLimit(db, workspaceId)
  return { invitations, planLimit: beyond?.message ?? null }
}

/** Emails an invitation, or a new link if one is pending. Does not reveal whether the address has an account. */
export async function invite(context: Context, actor: Actor, { email, role }: InputOf<'people', 'invite'>) {
  const { workspaceId } = actor
  await context.limits.consume('inviteByWorkspace', workspaceId)
  return context.db.transaction(async (tx) => {
    const workspace = await lockPeople(tx, actor, 'admin')
    const beyond = await context.plans.findPeopleLimit(tx, workspaceId)
    if (beyond) throw beyond
    const isHere = and(eq(workspaceMembers.workspaceId, workspaceId), eq(authUsers.email, email))
    const [here] = await tx
      .select({ id: authUsers.id })
      .from(workspaceMembers)
      .innerJoin(authUsers, eq(authUsers.id, workspaceMembers.userId))
      .where(isHere)
    if (here) throw new Refusal('ALREADY_IN_WORKSPACE')
    const isOfWorkspace = eq(workspaceInvitations.workspaceId, workspaceId)
    await tx.delete(workspaceInvitations).where(and(isOfWorkspace, lt(workspaceInvitations.expiresAt, sql`now()`)))
    const [pending] = await tx
      .select({ id: workspaceInvitations.id })
      .from(workspaceInvitations)
      .where(and(isOfWorkspace, eq(workspaceInvitations.email, email)))
    if (!pending && (await tx.$count(workspaceInvitations, isOfWorkspace)) >= INVITATIONS_MAX)
      throw new Refusal(
        'TOO_MANY',
        `This workspace already has ${INVITATIONS_MAX} pending invitations. Revoke one first.`,
      )
    return send(context, tx, { workspace, email, role, actor })
  })
}

/** Emails an invitation again, with a new link. */
export async function resend(context: Context, actor: Actor, id: string) {
  const isIt = and(eq(workspaceInvitations.id, id), eq(workspaceInvitations.workspaceId, actor.workspaceId), isOpen)
  const [existing] = await context.db.select().from(workspaceInvitations).where(isIt)
  if (!existing) throw new Refusal('INVITATION_NOT_FOUND')
  await context.limits.consume('inviteByWorkspace', actor.workspaceId)
  return context.db.transaction(async (tx) => {
    const workspace = await lockPeople(tx, actor, 'admin')
    const [invitation] = await tx.select().from(workspaceInvitations).where(isIt)
    if (!invitation) throw new Refusal('INVITATION_NOT_FOUND')
    const beyond = await context.plans.findPeopleLimit(tx, actor.workspaceId)
    if (beyond) throw beyond
    return send(context, tx, { workspace, email: invitation.email, role: invitation.role, actor })
  })
}

/** Counts an invitation just before it is sent, so that rejected attempts do not count. */
async function countInvitation(limits: Limits, { workspaceId }: Actor, email: string): Promise<void> {
  await limits.consume('inviteByWorkspaceAndRecipient', hashToken(`${workspaceId}\n${email}`))
  await limits.consume('inviteByRecipient', hashToken(email))
}

interface Sent {
  workspace: string
  email: string
  role: AssignableRole
  actor: Actor
}

async function send({ limits, outbox, origin }: Context, tx: Db, { workspace, email, role, actor }: Sent) {
  await countInvitation(limits, actor, email)
  const token = newToken()
  const row = {
    role,
    tokenHash: hashToken(token),
    userId: actor.userId,
    sentAt: sql`now()`,
    expiresAt: sql`now() + make_interval(days => ${INVITATION_DAYS})`,
  }
  const [invitation] = await tx
    .insert(workspaceInvitations)
    .values({ workspaceId: actor.workspaceId, email, ...row })
    .onConflictDoUpdate({ target: [workspaceInvitations.workspaceId, workspaceInvitations.email], set: row })
    .returning()
  const [inviter] = await tx.select({ name: authUsers.name }).from(authUsers).where(eq(authUsers.id, actor.userId))
  if (!invitation || !inviter) throw new Refusal('FORBIDDEN')
  const facts = { workspace, invitedBy: inviter.name, role, link: invitationLink(origin, token) }
  await outbox.post(tx, invitationEmail(email, facts))
  return { ...invitation, invitedBy: inviter.name }
}

/** Revokes an invitation. @throws Refusal INVITATION_NOT_FOUND, FORBIDDEN */
export async function revoke(db: Db, actor: Actor, id: string): Promise<void> {
  await db.transaction(async (tx) => {
    await lockPeople(tx, actor, 'admin')
    const isIt = and(eq(workspaceInvitations.id, id), eq(workspaceInvitations.workspaceId, actor.workspaceId))
    const [revoked] = await tx.delete(workspaceInvitations).where(isIt).returning({ id: workspaceInvitations.id })
    if (!revoked) throw new Refusal('INVITATION_NOT_FOUND')
  })
}

/** Revokes the invitations that a former admin sent: one may be to another of their own addresses. */
export async function revokeInvitationsBy(tx: Db, { workspaceId }: Actor, userId: string): Promise<void> {
  const isOfWorkspace = and(eq(workspaceInvitations.workspaceId, workspaceId), eq(workspaceInvitations.userId, userId))
  await tx.delete(workspaceInvitations).where(isOfWorkspace)
}

/** The invitation behind an emailed link. @throws Refusal INVITATION_NOT_FOUND, RATE_LIMITED */
export async function findReceived(
  { db, limits, request }: { db: Db; limits: Limits; request: ClientHashes },
  { token }: InputOf<'people', 'findInvitation'>,
) {
  await limits.consume('invitationByAddress', request)
  const [invitation] = await db
    .select({ ...invitationColumns, workspaceName: workspaces.name })
    .from(workspaceInvitations)
    .innerJoin(workspaces, eq(workspaces.id, workspaceInvitations.workspaceId))
    .leftJoin(authUsers, eq(authUsers.id, workspaceInvitations.userId))
    .where(and(eq(workspaceInvitations.tokenHash, hashToken(token)), isOpen))
  if (!invitation) throw new Refusal('INVITATION_NOT_FOUND')
  return invitation
}

/** Accepts an invitation, which requires that the caller has verified the invited address. */
export async function accept(
  { db, plans }: Pick<Context, 'db' | 'plans'>,
  actor: Actor,
  { token }: InputOf<'people', 'accept'>,
) {
  const { userId } = actor
  await requireAccountSession(db, actor)
  return db.transaction(async (tx) => {
    const [invitation] = await tx
      .select()
      .from(workspaceInvitations)
      .where(and(eq(workspaceInvitations.tokenHash, hashToken(token)), isOpen))
      .for('update')
    if (!invitation) throw new Refusal('INVITATION_NOT_FOUND')
    const [user] = await tx.select().from(authUsers).where(eq(authUsers.id, userId))
    if (!user?.emailVerified || user.email !== invitation.email) throw new Refusal('INVITATION_ADDRESS')
    await enter({ db: tx, plans }, invitation, userId)
    return one(
      await tx
        .select({ id: workspaces.id, name: workspaces.name, role: workspaceMembers.role })
        .from(workspaceMembers)
        .innerJoin(workspaces, eq(workspaces.id, workspaceMembers.workspaceId))
        .where(and(eq(workspaceMembers.workspaceId, invitation.workspaceId), eq(workspaceMembers.userId, userId))),
    )
  })
}

type Row = typeof workspaceInvitations.$inferSelect

/** Redeems an invitation. Existing members keep their role. @throws Refusal PLAN_LIMIT */
async function enter(
  { db: tx, plans }: Pick<Context, 'db' | 'plans'>,
  { id, workspaceId, role }: Row,
  userId: string,
): Promise<void> {
  const beyond = await plans.findPeopleLimit(tx, workspaceId)
  if (beyond) throw beyond
  await tx.delete(workspaceInvitations).where(eq(workspaceInvitations.id, id))
  await addMember(tx, { workspaceId, userId, role })
}

/** Deletes all invitations of an address. */
export async function deleteInvitationsTo(tx: Db, email: string): Promise<void> {
  await tx.delete(workspaceInvitations).where(eq(workspaceInvitations.email, email))
}

/**
 * Finds and locks the pending invitation of an address that was proved without the emailed link.
 * @returns null if there is none, or the plan has no room
 */
export async function findOpenInvitation(
  { db: tx, plans }: Pick<Context, 'db' | 'plans'>,
  { workspaceId, email }: { workspaceId: string; email: string },
): Promise<{ enter(userId: string): Promise<void> } | null> {
  const [invitation] = await tx
    .select()
    .from(workspaceInvitations)
    .where(and(eq(workspaceInvitations.workspaceId, workspaceId), eq(workspaceInvitations.email, email), isOpen))
    .for('update')
  if (!invitation || (await plans.findPeopleLimit(tx, workspaceId))) return null
  return { enter: (userId) => enter({ db: tx, plans }, invitation, userId) }
}

/** Deletes expired invitations. */
export async function purgeExpired(db: Db): Promise<void> {
  await db.delete(workspaceInvitations).where(lt(workspaceInvitations.expiresAt, sql`now()`))
}
