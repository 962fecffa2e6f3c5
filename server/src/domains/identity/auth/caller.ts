import type { Role } from '@x-automated/contract/route'
import { and, eq, sql } from 'drizzle-orm'
import { type Actor, roleAllows } from '../../../actor.ts'
import type { Db } from '../../../db/open.ts'
import { Refusal } from '../../../refusal.ts'
import { listWorkspaces } from '../workspaces/workspaces.ts'
import { isSsoSession } from './sessions.ts'
import { authSessions, authUsers } from './tables.ts'
import type { Auth } from './tokens.ts'

/** The actor of an `Authorization: Bearer` header. @throws Refusal UNAUTHORIZED */
export async function authenticate({ auth }: { auth: Auth }, authorization: string | null): Promise<Actor> {
  const token = authorization?.match(/^Bearer ([\w-]+\.[\w-]+\.[\w-]+)$/i)?.[1]
  const actor = token ? await auth.verify(token) : null
  if (!actor) throw new Refusal('UNAUTHORIZED', auth.knowsKeys() ? undefined : 'JWKS is empty')
  return actor
}

/** Like `authenticate`, for operators only. @throws Refusal NOT_FOUND for everyone else */
export async function authenticateOperator(
  context: { db: Db; auth: Auth; env: { operators: string[] } },
  authorization: string | null,
): Promise<Actor> {
  const actor = await authenticate(context, authorization).catch((error: unknown) => {
    if (error instanceof Refusal) return null
    throw error
  })
  if (!actor || !(await isOperator(context.db, context.env, actor))) throw new Refusal('NOT_FOUND')
  return actor
}

/** Whether a person still has at least the same role in the workspace, in a session that has not ended. */
export async function stillHasRole(db: Db, { workspaceId, userId, sessionId, role }: Actor): Promise<boolean> {
  const { rows } = await db.execute<{ role: Role }>(sql`
    select role from workspace_members where workspace_id = ${workspaceId} and user_id = ${userId}
      and not exists (select from auth_revocations where session_id = ${sessionId})`)
  return rows.some((row) => roleAllows(row.role, role))
}

/** The signed-in user. @throws Refusal UNAUTHORIZED: the account no longer exists */
export async function findMe({ db, env }: { db: Db; env: { operators: string[] } }, actor: Actor) {
  const [user] = await db.select().from(authUsers).where(eq(authUsers.id, actor.userId))
  const workspaces = await listWorkspaces(db, actor.userId)
  const workspace = workspaces.find((w) => w.id === actor.workspaceId)
  if (!user || !workspace) throw new Refusal('UNAUTHORIZED')
  return {
    id: user.id,
    email: user.email,
    name: user.name,
    createdAt: user.createdAt,
    workspace,
    workspaces,
    ...(operates(env, user) && !(await isSsoSession(db, actor)) ? { operator: true as const } : {}),
  }
}

/** Whether the verified address is in OPERATORS. Single sign-on does not count as proof. */
async function isOperator(db: Db, env: { operators: string[] }, actor: Actor): Promise<boolean> {
  if (env.operators.length === 0) return false
  const [session] = await db
    .select({ user: authUsers, ssoIdentityId: authSessions.ssoIdentityId })
    .from(authUsers)
    .innerJoin(authSessions, eq(authSessions.userId, authUsers.id))
    .where(and(eq(authUsers.id, actor.userId), eq(authSessions.id, actor.sessionId)))
  return session !== undefined && session.ssoIdentityId === null && operates(env, session.user)
}

function operates(env: { operators: string[] }, user: { email: string; emailVerified: boolean }): boolean {
  return user.emailVerified && env.operators.includes(user.email.toLowerCase())
}
