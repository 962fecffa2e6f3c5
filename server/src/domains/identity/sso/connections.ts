import { isDeepStrictEqual } from 'node:util'
import type { InputOf } from '@x-automated/contract/contract'
import { and, asc, eq, exists, inArray, isNotNull, sql } from 'drizzle-orm'
import type { Actor } from '../../../actor.ts'
import { one } from '../../../db/one.ts'
import type { Db } from '../../../db/open.ts'
import { samlMetadata } from '../../../outside/saml.ts'
import { describeCertificate } from '../../../outside/saml-metadata.ts'
import type { Outbox } from '../../../ports.ts'
import { Refusal } from '../../../refusal.ts'
import type { Limits } from '../../../requests/limits.ts'
import { requireProof } from '../account/proof.ts'
import { endIdentities } from '../auth/sessions.ts'
import { authIdentities, authUsers } from '../auth/tables.ts'
import type { Auth } from '../auth/tokens.ts'
import { endLinkCodes } from '../identities/identities.ts'
import { workspaceMembers, workspaces } from '../workspaces/tables.ts'
import { findRole } from '../workspaces/workspaces.ts'
import { type AdminContext, shownDomain } from './domains.ts'
import { type ConnectionChange, connectionChangedEmail } from './emails.ts'
import { type Connection, checkConnection, fetchMetadata, type Provider, readProvider } from './engine.ts'
import { keepsLinks, providerIdOf, serviceProviderOf } from './rules.ts'
import { ssoConnections, ssoDomains, ssoRequests } from './tables.ts'

type OwnerContext = { db: Db; auth: Auth; limits: Limits; outbox: Outbox; origin: string }

/** Our SAML metadata. It exists for any id, so that it does not reveal which workspaces exist. */
export function metadataOf({ origin }: { origin: string }, workspaceId: string): Promise<string> {
  return samlMetadata(serviceProviderOf(origin, workspaceId))
}

/** The caller's workspaces with working single sign-on, and whether each is linked. */
export async function listOwn(db: Db, { userId }: Actor) {
  const linked = db
    .select({ one: sql`1` })
    .from(authIdentities)
    .where(and(eq(authIdentities.userId, userId), sql`${authIdentities.providerId} = 'sso:' || ${ssoConnections.id}`))
  const verified = db
    .select({ one: sql`1` })
    .from(ssoDomains)
    .where(and(eq(ssoDomains.workspaceId, workspaces.id), isNotNull(ssoDomains.verifiedAt)))
  const rows = await db
    .select({ id: workspaces.id, name: workspaces.name, linked: sql<boolean>`${exists(linked)}` })
    .from(workspaceMembers)
    .innerJoin(workspaces, eq(workspaces.id, workspaceMembers.workspaceId))
    .innerJoin(ssoConnections, eq(ssoConnections.workspaceId, workspaces.id))
    .where(and(eq(workspaceMembers.userId, userId), exists(verified)))
    .orderBy(asc(workspaces.createdAt))
  return { workspaces: rows }
}

export async function find({ db, origin }: { db: Db; origin: string }, { workspaceId }: Actor) {
  const [connection] = await db.select().from(ssoConnections).where(eq(ssoConnections.workspaceId, workspaceId))
  const domains = await db
    .select()
    .from(ssoDomains)
    .where(eq(ssoDomains.workspaceId, workspaceId))
    .orderBy(asc(ssoDomains.createdAt), asc(ssoDomains.id))
  return {
    connection: connection ? await shownConnection(db, connection) : null,
    domains: domains.map(shownDomain),
    serviceProvider: serviceProviderOf(origin, workspaceId),
  }
}

async function shownConnection(db: Db, connection: Connection) {
  const linkedCount = await db.$count(authIdentities, eq(authIdentities.providerId, providerIdOf(connection.id)))
  return { ...connection, certificates: (connection.certificates ?? []).map(describeCertificate), linkedCount }
}

/** Saves the workspace's provider. Ends pending sign-ins and, if subjects may now mean other people, all links. */
export async function save(context: AdminContext & OwnerContext, actor: Actor, input: InputOf<'sso', 'save'>) {
  const { db, limits } = context
  const { workspaceId, userId } = actor
  await requireProof(context, actor)
  if (input.metadataUrl) await limits.consume('lookUpByWorkspace', workspaceId)
  const fetchedXml = await fetchMetadata(context, input)
  return db.transaction(async (tx) => {
    await requireOwner(tx, actor)
    const [stored = null] = await tx
      .select()
      .from(ssoConnections)
      .where(eq(ssoConnections.workspaceId, workspaceId))
      .for('update')
    const provider = readProvider(context, input, { stored, fetchedXml })
    if (stored && isUnchanged(stored, provider)) return shownConnection(tx, stored)
    if (stored) {
      const endsLinks = !keepsLinks(stored, provider)
      await emailChange(context, tx, stored, { kind: 'changed', endsLinks })
      await tx.delete(ssoRequests).where(eq(ssoRequests.connectionId, stored.id))
      if (endsLinks) await unlinkAll(tx, context.auth, stored.id)
    }
    const saved = one(
      await tx
        .insert(ssoConnections)
        .values({ ...provider, workspaceId, userId })
        .onConflictDoUpdate({ target: ssoConnections.workspaceId, set: { ...provider, userId, updatedAt: sql`now()` } })
        .returning(),
    )
    if (!stored) await emailChange(context, tx, saved, { kind: 'set up', endsLinks: false })
    return shownConnection(tx, saved)
  })
}

function isUnchanged(stored: Connection, provider: Provider): boolean {
  return isDeepStrictEqual({ ...stored, ...provider }, stored)
}

/**
 * Reads the caller's role in the transaction, because the token's may be outdated. @throws Refusal
 * FORBIDDEN: not the owner
 */
async function requireOwner(tx: Db, { workspaceId, userId }: Actor): Promise<void> {
  if ((await findRole(tx, { workspaceId, userId })) !== 'owner') throw new Refusal('FORBIDDEN')
}

/** Emails the owner and everyone linked to a connection. Call it before the links end. */
async function emailChange(
  { outbox, origin }: OwnerContext,
  tx: Db,
  { id, workspaceId }: Connection,
  change: Pick<ConnectionChange, 'kind' | 'endsLinks'>,
): Promise<void> {
  const isOwnerHere = and(eq(workspaceMembers.workspaceId, workspaceId), eq(workspaceMembers.role, 'owner'))
  const isLinkedHere = eq(authIdentities.providerId, providerIdOf(id))
  // Built for each use, because a union modifies its first query.
  const owners = () => tx.select({ userId: workspaceMembers.userId }).from(workspaceMembers).where(isOwnerHere)
  const linked = () => tx.select({ userId: authIdentities.userId }).from(authIdentities).where(isLinkedHere)
  const people = await tx
    .select({
      email: authUsers.email,
      isOwner: sql<boolean>`${inArray(authUsers.id, owners())}`,
      isLinked: sql<boolean>`${inArray(authUsers.id, linked())}`,
    })
    .from(authUsers)
    .where(inArray(authUsers.id, owners().union(linked())))
  const workspace = one(
    await tx.select({ name: workspaces.name }).from(workspaces).where(eq(workspaces.id, workspaceId)),
  )
  const facts = { ...change, workspace: workspace.name, origin }
  await outbox.postAll(
    tx,
    people.map((person) => connectionChangedEmail(person, facts)),
  )
}

/** Removes the provider and every link to it. */
export async function remove(context: OwnerContext, actor: Actor): Promise<void> {
  await requireProof(context, actor)
  await context.db.transaction(async (tx) => {
    await requireOwner(tx, actor)
    const [removed] = await tx
      .delete(ssoConnections)
      .where(eq(ssoConnections.workspaceId, actor.workspaceId))
      .returning()
    if (!removed) throw new Refusal('SSO_CONNECTION_NOT_FOUND')
    await emailChange(context, tx, removed, { kind: 'removed', endsLinks: true })
    await unlinkAll(tx, context.auth, removed.id)
  })
}

/** Ends all identities and unused link codes of a connection. The caller has locked the connection. */
async function unlinkAll(tx: Db, auth: Auth, connectionId: string): Promise<void> {
  const providerId = providerIdOf(connectionId)
  await endLinkCodes(tx, providerId)
  await endIdentities(tx, auth, eq(authIdentities.providerId, providerId))
}

/** Unlinks everyone who signs in through a workspace. Call it before the workspace is deleted. */
export async function unlinkWorkspace(tx: Db, auth: Auth, workspaceId: string): Promise<void> {
  const [connection] = await tx
    .select({ id: ssoConnections.id })
    .from(ssoConnections)
    .where(eq(ssoConnections.workspaceId, workspaceId))
    .for('update')
  if (connection) await unlinkAll(tx, auth, connection.id)
}

/** @throws Refusal SSO_CONNECTION_NOT_FOUND, RATE_LIMITED */
export async function test(context: AdminContext, { workspaceId }: Actor) {
  const [connection] = await context.db.select().from(ssoConnections).where(eq(ssoConnections.workspaceId, workspaceId))
  if (!connection) throw new Refusal('SSO_CONNECTION_NOT_FOUND')
  await context.limits.consume('lookUpByWorkspace', workspaceId)
  const checks = await checkConnection(context, connection)
  return { ok: checks.every(({ ok }) => ok), checks }
}
