import { randomBytes } from 'node:crypto'
import type { InputOf } from '@x-automated/contract/contract'
import { API_KEY_PREFIX, API_KEYS_MAX, type ApiKey } from '@x-automated/contract/platform/api-keys'
import { hasApiAccess } from '@x-automated/contract/platform/plans'
import type { Scope } from '@x-automated/contract/route'
import { and, desc, eq, isNull, sql } from 'drizzle-orm'
import { type Actor, roleAllows, type WorkspaceScope } from '../../../actor.ts'
import { one } from '../../../db/one.ts'
import type { Db } from '../../../db/open.ts'
import { invalidField, Refusal } from '../../../refusal.ts'
import type { RequestContext } from '../../../requests/context.ts'
import { hashToken } from '../../../sealing.ts'
import { requireProof } from '../../identity/account/proof.ts'
import { authUsers } from '../../identity/auth/tables.ts'
import { workspaceMembers } from '../../identity/workspaces/tables.ts'
import { planOf, requireApiAccess } from '../billing/plan.ts'
import { notifyOwners } from '../notifications/notifications.ts'
import { isKey, keyOf } from './rules.ts'
import { apiKeys } from './tables.ts'

type Row = typeof apiKeys.$inferSelect

const START_LENGTH = 12

/** The workspace's keys, newest first. */
export async function list(db: Db, actor: Actor) {
  const hasAccess = hasApiAccess(await planOf(db, actor.workspaceId))
  const rows = await db
    .select({ key: apiKeys, name: authUsers.name })
    .from(apiKeys)
    .leftJoin(authUsers, eq(authUsers.id, apiKeys.createdBy))
    .where(eq(apiKeys.workspaceId, actor.workspaceId))
    .orderBy(desc(apiKeys.id))
  return { keys: rows.map(({ key, name }) => answerOf(key, name, hasAccess)) }
}

function answerOf(row: Row, creator: string | null, hasAccess: boolean) {
  const isPast = (moment: Date | null) => moment !== null && moment.getTime() <= Date.now()
  const working = hasAccess ? 'active' : 'plan'
  const status: ApiKey['status'] = isPast(row.expiresAt) ? 'expired' : isPast(row.suspendedAt) ? 'suspended' : working
  return {
    ...row,
    scopes: row.scopes as Scope[],
    status,
    createdBy: creator === null ? null : { id: row.createdBy, name: creator },
  }
}

/**
 * Creates a key. Only this response contains it. @throws Refusal PLAN_LIMIT,
 * REAUTHENTICATION_NEEDED, TOO_MANY, INVALID_INPUT
 */
export async function create(
  context: Pick<RequestContext, 'db' | 'limits'>,
  actor: Actor,
  { name, scopes, expiresAt }: InputOf<'apiKeys', 'create'>,
) {
  const { db } = context
  const { workspaceId, userId } = actor
  await requireApiAccess(db, workspaceId)
  const expiry = expiresAt ? new Date(expiresAt) : null
  if (expiry && expiry.getTime() <= Date.now()) throw invalidField('expiresAt', 'must be in the future')
  await requireProof(context, actor)
  const key = keyOf(randomBytes(32))
  return db.transaction(async (tx) => {
    await requireAdmin(tx, actor)
    await tx.execute(sql`select pg_advisory_xact_lock(hashtextextended('API keys of ' || ${workspaceId}, 0))`)
    if ((await tx.$count(apiKeys, eq(apiKeys.workspaceId, workspaceId))) >= API_KEYS_MAX)
      throw new Refusal('TOO_MANY', `A workspace has at most ${API_KEYS_MAX} API keys. Delete one first.`)
    const start = key.slice(0, START_LENGTH)
    const values = { workspaceId, name, scopes, start, keyHash: hashToken(key), createdBy: userId, expiresAt: expiry }
    const row = one(await tx.insert(apiKeys).values(values).returning())
    await notifyOwners(tx, workspaceId, 'api_key_created', { keyName: name, personId: userId })
    return { ...answerOf(row, await findName(tx, userId), true), key }
  })
}

/** Reactivates a suspended key in the caller's name. @throws Refusal API_KEY_NOT_FOUND, API_KEY_STATE */
export async function adopt(db: Db, actor: Actor, id: string) {
  const { workspaceId, userId } = actor
  const hasAccess = hasApiAccess(await planOf(db, workspaceId))
  return db.transaction(async (tx) => {
    await requireAdmin(tx, actor)
    const [key] = await tx.select().from(apiKeys).where(own(workspaceId, id)).for('update')
    if (!key) throw new Refusal('API_KEY_NOT_FOUND')
    if (!key.suspendedAt) throw new Refusal('API_KEY_STATE')
    const adopted = { createdBy: userId, suspendedAt: null }
    const row = one(await tx.update(apiKeys).set(adopted).where(own(workspaceId, id)).returning())
    await notifyOwners(tx, workspaceId, 'api_key_created', { keyName: key.name, personId: userId, isAdopted: true })
    return answerOf(row, await findName(tx, userId), hasAccess)
  })
}

/** Keeps the caller an admin until the transaction ends. @throws Refusal FORBIDDEN */
async function requireAdmin(tx: Db, { workspaceId, userId }: Actor): Promise<void> {
  const [member] = await tx
    .select({ role: workspaceMembers.role })
    .from(workspaceMembers)
    .where(and(eq(workspaceMembers.workspaceId, workspaceId), eq(workspaceMembers.userId, userId)))
    .for('share')
  if (!member || !roleAllows(member.role, 'admin')) throw new Refusal('FORBIDDEN')
}

async function findName(db: Db, userId: string): Promise<string | null> {
  const [user] = await db.select({ name: authUsers.name }).from(authUsers).where(eq(authUsers.id, userId))
  return user?.name ?? null
}

/** The number of keys that are suspended or will be, and the name of one; null: there are none. */
export async function findSuspended(db: Db, workspaceId: string): Promise<{ count: number; name: string } | null> {
  const { rows } = await db.execute<{ count: number; name: string | null }>(sql`
    select count(*)::int as count, min(name) as name from api_keys
    where workspace_id = ${workspaceId} and suspended_at is not null and (expires_at is null or expires_at > now())`)
  const { count, name } = one(rows)
  return name === null ? null : { count, name }
}

/** Deletes the keys for which a person is responsible. */
export async function removeOf(tx: Db, workspaceId: string, userId: string): Promise<void> {
  await tx.delete(apiKeys).where(and(eq(apiKeys.workspaceId, workspaceId), eq(apiKeys.createdBy, userId)))
}

/** Suspends the keys of a person who is no longer an admin, until an admin adopts them. Notifies the owner. */
export async function suspendOf(tx: Db, workspaceId: string, userId: string): Promise<void> {
  const suspended = await tx
    .update(apiKeys)
    .set({ suspendedAt: sql`now()` })
    .where(and(eq(apiKeys.workspaceId, workspaceId), eq(apiKeys.createdBy, userId), isNull(apiKeys.suspendedAt)))
    .returning({ name: apiKeys.name })
  const [keyName] = suspended.map(({ name }) => name).sort()
  if (keyName === undefined) return
  const facts = { keys: suspended.length, keyName, personId: userId }
  await notifyOwners(tx, workspaceId, 'api_key_suspended', facts)
}

/** @throws Refusal API_KEY_NOT_FOUND */
export async function remove(db: Db, actor: Actor, id: string): Promise<void> {
  const removed = await db.delete(apiKeys).where(own(actor.workspaceId, id)).returning({ id: apiKeys.id })
  if (removed.length === 0) throw new Refusal('API_KEY_NOT_FOUND')
}

const own = (workspaceId: string, id: string) => and(eq(apiKeys.workspaceId, workspaceId), eq(apiKeys.id, id))

/** The token in an Authorization header, if it looks like an API key; else null. */
export function apiKeyToken(authorization: string | null): string | null {
  const token = authorization?.match(/^Bearer (\w+)$/i)?.[1]
  return token?.startsWith(API_KEY_PREFIX) ? token : null
}

/**
 * Authenticates a key, which acts for its creator. A key that an earlier version left without an
 * admin acts for the workspace's owner until it is suspended. Reads the database on every call, so
 * that deletion takes effect immediately. @throws Refusal UNAUTHORIZED: unknown, expired, deleted
 * or suspended
 */
export async function authenticateKey(db: Db, token: string): Promise<Actor> {
  const row = isKey(token) ? await findByToken(db, token) : undefined
  if (!row) throw new Refusal('UNAUTHORIZED', 'This API key is unknown, expired or deleted.')
  const { id, userId, scopes, createdBy } = row
  if (row.isSuspended) throw new Refusal('UNAUTHORIZED', 'This API key is suspended until an admin adopts it.')
  const workspaceId = row.workspaceId as WorkspaceScope
  if (row.isStale) await db.update(apiKeys).set({ lastUsedAt: sql`now()` }).where(own(workspaceId, id))
  return { userId, sessionId: id, apiKey: { id, scopes, createdBy }, workspaceId, role: 'member' }
}

async function findByToken(db: Db, token: string) {
  const { rows } = await db.execute<{
    id: string
    workspaceId: string
    userId: string
    scopes: Scope[]
    createdBy: string
    isStale: boolean
    isSuspended: boolean
  }>(sql`
    select k.id, k.workspace_id as "workspaceId", coalesce(creator.user_id, owner.user_id) as "userId", k.scopes,
      k.created_by as "createdBy",
      k.last_used_at is null or k.last_used_at < now() - interval '1 minute' as "isStale",
      coalesce(k.suspended_at <= now(), false) as "isSuspended"
    from api_keys k
    join workspace_members owner on owner.workspace_id = k.workspace_id and owner.role = 'owner'
    left join workspace_members creator
      on creator.workspace_id = k.workspace_id and creator.user_id = k.created_by and creator.role <> 'viewer'
    where k.key_hash = ${hashToken(token)} and (k.expires_at is null or k.expires_at > now())`)
  return rows[0]
}
