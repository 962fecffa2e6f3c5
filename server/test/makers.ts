import { randomBytes } from 'node:crypto'
import { type Client, createClient } from '@x-automated/contract/client'
import { contract } from '@x-automated/contract/contract'
import type { PlanId } from '@x-automated/contract/platform/plans'
import type { Role } from '@x-automated/contract/route'
import type { Achievement } from '@x-automated/contract/waitlist/waitlist'
import { desc, eq } from 'drizzle-orm'
import type { Actor, WorkspaceScope } from '../src/actor.ts'
import type { Db } from '../src/db/open.ts'
import { authSessions, authUsers } from '../src/domains/identity/auth/tables.ts'
import { workspaceMembers } from '../src/domains/identity/workspaces/tables.ts'
import { ensurePersonalWorkspace } from '../src/domains/identity/workspaces/workspaces.ts'
import { subscriptions } from '../src/domains/platform/billing/tables.ts'
import { xAccounts } from '../src/domains/platform/x-account/tables.ts'
import { rewardMonths } from '../src/domains/waitlist/waitlist/rules.ts'
import { members, rewardGrants } from '../src/domains/waitlist/waitlist/tables.ts'
import { hashToken, newToken } from '../src/sealing.ts'
import type { TestApp } from './open-app.ts'

export interface Person {
  id: string
  email: string
  workspaceId: WorkspaceScope
  actor: Actor
  /** This person's access token. */
  token: string
  /** Calls the API as this person. */
  client: Client
  /**
   * Like `fetch` on an API path with this person's token, for requests a typed client cannot send.
   */
  call(method: string, path: string, body?: unknown, headers?: Record<string, string>): Promise<Answer>
}

export interface Answer {
  status: number
  // biome-ignore lint/suspicious/noExplicitAny: tests look into bodies of every shape
  body: any
  headers: Headers
}

/**
 * Creates a signed-in person, with their own workspace or a role in another one. Skips the sign-up.
 */
export async function makePerson(
  app: TestApp,
  options: { in?: Person; role?: Role; email?: string } = {},
): Promise<Person> {
  const { db, services } = app
  const email = options.email ?? `${randomBytes(5).toString('hex')}@example.com`
  const [user] = await db
    .insert(authUsers)
    .values({ name: email.split('@')[0]!, email, emailVerified: true })
    .returning()
  const own = await ensurePersonalWorkspace(db, user!)
  const workspaceId = (options.in?.workspaceId ?? own.id) as WorkspaceScope
  const role = options.role ?? 'owner'
  if (options.in) await db.insert(workspaceMembers).values({ workspaceId, userId: user!.id, role })
  else if (role !== 'owner')
    await db.update(workspaceMembers).set({ role }).where(eq(workspaceMembers.userId, user!.id))
  const [session] = await db
    .insert(authSessions)
    .values({ userId: user!.id, token: hashToken(newToken()), expiresAt: new Date(Date.now() + 3_600_000) })
    .returning()
  const now = Math.floor(Date.now() / 1000)
  const claims = { sub: user!.id, sid: session!.id, wid: workspaceId, role, iat: now, exp: now + 900 }
  const token = await services.auth.sign(db, claims)
  return {
    id: user!.id,
    email,
    workspaceId,
    actor: { userId: user!.id, sessionId: session!.id, workspaceId, role },
    token,
    client: createClient({ contract, url: app.url, tokens: { current: () => token } }),
    call: (method, path, body, headers) =>
      call(app, method, path, body, { authorization: `Bearer ${token}`, ...headers }),
  }
}

/** Sends one raw request. String bodies are sent unchanged, others as JSON. */
export async function call(
  app: Pick<TestApp, 'url'>,
  method: string,
  path: string,
  body?: unknown,
  headers: Record<string, string> = {},
): Promise<Answer> {
  const response = await fetch(`${app.url}${path}`, {
    method,
    redirect: 'manual',
    headers: { ...(body === undefined ? {} : { 'content-type': 'application/json' }), ...headers },
    body: body === undefined ? undefined : typeof body === 'string' ? body : JSON.stringify(body),
  })
  const text = await response.text()
  const json = response.headers.get('content-type')?.includes('json') && text !== ''
  return { status: response.status, body: json ? JSON.parse(text) : text, headers: response.headers }
}

/** Reauthenticates the person's session, which allows sensitive changes. */
export async function prove(app: TestApp, { actor }: Person): Promise<void> {
  await app.db.update(authSessions).set({ reauthenticatedAt: new Date() }).where(eq(authSessions.id, actor.sessionId))
}

/** Gives the person's workspace a paid plan, by default Agency, which has no limit on leads. */
export async function subscribe(app: TestApp, person: Person, planId: PlanId = 'agency_monthly'): Promise<void> {
  const row = { planId, status: 'active' as const, currentPeriodEnd: new Date(Date.now() + 30 * 86_400_000) }
  await app.db
    .insert(subscriptions)
    .values({ workspaceId: person.workspaceId, ...row })
    .onConflictDoUpdate({ target: subscriptions.workspaceId, set: row })
}

/** Gives the person's account achievements of the waitlist, as earning them does. */
export async function earn(app: TestApp, { id, email }: Person, ...achievements: Achievement[]): Promise<void> {
  const [member] = await app.db
    .insert(members)
    .values({ email, normalizedEmail: email, accountUserId: id, achievements })
    .onConflictDoUpdate({ target: members.normalizedEmail, set: { accountUserId: id, achievements } })
    .returning()
  // Earned long ago, so that free months of Pro are over and only the other rewards apply.
  const earnedAt = new Date('2020-01-01')
  await app.db.insert(rewardGrants).values(
    achievements.map((achievement) => ({
      achievement,
      months: rewardMonths(achievement),
      memberId: member!.id,
      accountUserId: id,
      earnedAt,
      grantedAt: earnedAt,
    })),
  )
}

/**
 * Connects an X account to the workspace, through the stand-in X if the app has one, else with fake
 * tokens. Texts of the account's conversations are stored, unless `consents` is false.
 */
export async function connectX(
  app: TestApp,
  person: Person,
  username = `sender_${randomBytes(3).toString('hex')}`,
  { consents = true }: { consents?: boolean } = {},
): Promise<{ id: string; handle: string }> {
  if (app.x) {
    await person.client.xAccount.connect({ username, password: 'long enough' })
  } else {
    await app.db.insert(xAccounts).values({
      workspaceId: person.workspaceId,
      userId: person.id,
      xUserId: randomBytes(6).readUIntBE(0, 6).toString(),
      handle: username,
      status: 'connected',
      sealedAccessToken: app.services.sealer.seal('token'),
      accessTokenExpiresAt: new Date(Date.now() + 7_200_000),
      lastConnectedAt: new Date(),
    })
  }
  const account = await accountOf(app.db, person)
  if (consents)
    await app.db
      .update(xAccounts)
      .set({ storesConversations: true, consentBy: person.id, consentAt: new Date() })
      .where(eq(xAccounts.id, account.id))
  return account
}

async function accountOf(db: Db, person: Person): Promise<{ id: string; handle: string }> {
  const [account] = await db
    .select()
    .from(xAccounts)
    .where(eq(xAccounts.workspaceId, person.workspaceId))
    .orderBy(desc(xAccounts.chosenAt))
  return { id: account!.id, handle: account!.handle }
}
