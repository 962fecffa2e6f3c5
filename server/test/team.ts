import type { Role } from '@x-automated/contract/route'
import { eq } from 'drizzle-orm'
import { workspaceInvitations } from '../src/domains/identity/people/tables.ts'
import { workspaceMembers, workspaces } from '../src/domains/identity/workspaces/tables.ts'
import { workspaceBranding } from '../src/domains/platform/branding/tables.ts'
import { hashToken } from '../src/sealing.ts'
import { linkIn, mailTo, makeAccount, PASSWORD } from './accounts.ts'
import { type Answer, call, type Person, subscribe } from './makers.ts'
import { matching, type Which, type Writer } from './matching.ts'
import type { TestApp } from './open-app.ts'

/** Creates the owner of a workspace with a team plan, who can invite people. */
export async function makeOwner(app: TestApp): Promise<Person> {
  const owner = await makeAccount(app)
  await subscribe(app, owner)
  return owner
}

/** A session with tokens issued by the server. */
interface OpenedSession {
  token: string
  refreshToken: string
  call(method: string, path: string, body?: unknown): Promise<Answer>
  /** Refreshes the tokens, as browsers do after a 401. */
  renew(): Promise<void>
}

/** Signs in to an account that `makeAccount` created. */
export async function openSession(app: TestApp, { email }: { email: string }): Promise<OpenedSession> {
  const { status, body } = await call(app, 'POST', '/auth/sign-in/email', { email, password: PASSWORD })
  if (status !== 200) throw new Error(`${email} could not sign in: ${status}`)
  const session: OpenedSession = {
    token: body.token,
    refreshToken: body.refreshToken,
    call: (method, path, sent) => call(app, method, path, sent, { authorization: `Bearer ${session.token}` }),
    async renew() {
      const response = await call(app, 'POST', '/auth/refresh', { refreshToken: session.refreshToken })
      if (response.status !== 200) throw new Error(`the session is over: ${response.status}`)
      Object.assign(session, { token: response.body.token, refreshToken: response.body.refreshToken })
    },
  }
  return session
}

/** Switches to another workspace. */
export async function switchTo(session: OpenedSession, workspaceId: string): Promise<void> {
  const { status, body } = await session.call('POST', '/workspace/switch', { workspaceId })
  if (status !== 200) throw new Error(`could not switch: ${status}`)
  Object.assign(session, { token: body.token, refreshToken: body.refreshToken })
}

/** Returns the token of the newest invitation emailed to an address. */
export async function invitationToken(app: TestApp, email: string): Promise<string> {
  const link = linkIn(await mailTo(app, email, /^Join /), '/invitation#')
  return new URLSearchParams(link.hash.slice(1)).get('token') ?? ''
}

/** Creates an account with a password and a role in the owner's workspace, and a session there. */
export async function makeColleague(app: TestApp, owner: Person, role: 'viewer' | 'member' | 'admin') {
  const person = await makeAccount(app, { in: owner, role })
  const session = await openSession(app, person)
  await switchTo(session, owner.workspaceId)
  return { ...person, session }
}

type Memberships = Which<typeof workspaceMembers>
type Membership = typeof workspaceMembers.$inferSelect

/** Creates a workspace without members. @returns its id */
export async function makeWorkspace({ db }: Writer, name: string): Promise<string> {
  const [workspace] = await db.insert(workspaces).values({ name }).returning()
  return workspace!.id
}

/** Renames a workspace, even to a name that the product rejects. */
export async function renameWorkspace({ db }: Writer, id: string, name: string): Promise<void> {
  await db.update(workspaces).set({ name }).where(eq(workspaces.id, id))
}

/** Makes a person a member of a workspace, without an invitation. */
export async function joinWorkspace({ db }: Writer, workspaceId: string, userId: string, role: Role): Promise<void> {
  await db.insert(workspaceMembers).values({ workspaceId, userId, role })
}

/** Ends memberships, without the other effects of leaving. */
export async function leaveWorkspace({ db }: Writer, which: Memberships): Promise<Membership[]> {
  return db.delete(workspaceMembers).where(matching(workspaceMembers, which)).returning()
}

/** Changes roles, without the other effects of a change. */
export async function changeRole({ db }: Writer, which: Memberships, role: Role): Promise<void> {
  await db.update(workspaceMembers).set({ role }).where(matching(workspaceMembers, which))
}

/** Invites these addresses as viewers, without sending emails. */
export async function inviteMany({ db }: Writer, { workspaceId }: Person, emails: readonly string[]): Promise<void> {
  const expiresAt = new Date(Date.now() + 60_000)
  await db
    .insert(workspaceInvitations)
    .values(
      emails.map((email) => ({ workspaceId, email, role: 'viewer' as const, tokenHash: hashToken(email), expiresAt })),
    )
}

/** Lets the invitations of an email address expire. */
export async function expireInvitations({ db }: Writer, email: string): Promise<void> {
  const expiresAt = new Date(Date.now() - 1_000)
  await db.update(workspaceInvitations).set({ expiresAt }).where(eq(workspaceInvitations.email, email))
}

/** Changes the email address that the invitation with this token is for. */
export async function readdress({ db }: Writer, token: string, email: string): Promise<void> {
  await db
    .update(workspaceInvitations)
    .set({ email })
    .where(eq(workspaceInvitations.tokenHash, hashToken(token)))
}

/** Sets the color of the workspace's reports. */
export async function saveColor({ db }: Writer, workspaceId: string, color: string): Promise<void> {
  await db.insert(workspaceBranding).values({ workspaceId, color })
}
