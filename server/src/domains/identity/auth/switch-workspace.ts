import type { InputOf } from '@x-automated/contract/contract'
import type { SwitchProof } from '@x-automated/contract/identity/people'
import { and, eq, exists, isNotNull, sql } from 'drizzle-orm'
import type { Actor } from '../../../actor.ts'
import type { Db } from '../../../db/open.ts'
import { Refusal } from '../../../refusal.ts'
import { ssoConnections, ssoDomains } from '../sso/tables.ts'
import { chooseWorkspace, findChosenWorkspace, listWorkspaces, workspaceOf } from '../workspaces/workspaces.ts'
import { isOfConnection, openSession } from './sessions.ts'
import { authIdentities, authSessions, authUsers } from './tables.ts'
import type { Auth } from './tokens.ts'

/** Switches this session to another of the user's workspaces. */
export async function switchWorkspace(
  { db, auth }: { db: Db; auth: Auth },
  { userId, sessionId }: Actor,
  { workspaceId }: InputOf<'people', 'switch'>,
) {
  return db.transaction(async (tx) => {
    const [session] = await tx
      .select({ user: authUsers, ssoIdentityId: authSessions.ssoIdentityId })
      .from(authSessions)
      .innerJoin(authUsers, eq(authUsers.id, authSessions.userId))
      .where(and(eq(authSessions.id, sessionId), eq(authSessions.userId, userId)))
      // Locked until the tokens exist, so that the session's proof cannot change in the meantime.
      .for('update', { of: authSessions })
    if (!session) throw new Refusal('UNAUTHORIZED')
    const own = (await listWorkspaces(tx, userId)).find(({ id }) => id === workspaceId)
    if (!own) throw new Refusal('WORKSPACE_NOT_FOUND')
    if (session.ssoIdentityId)
      await requireSsoWorkspace(tx, { sessionId, userId, ssoIdentityId: session.ssoIdentityId }, own)
    if (!(await chooseWorkspace(tx, { sessionId, userId, workspaceId }))) throw new Refusal('WORKSPACE_NOT_FOUND')
    const workspace = await workspaceOf(tx, { sessionId, user: session.user })
    const { user, ...pair } = await openSession(tx, auth, { sessionId, user: session.user, workspace })
    return { ...pair, workspace }
  })
}

/** @throws Refusal REAUTHENTICATION_NEEDED: the session's single sign-on belongs to another workspace */
async function requireSsoWorkspace(
  tx: Db,
  { sessionId, userId, ssoIdentityId }: { sessionId: string; userId: string; ssoIdentityId: string },
  wanted: { id: string; name: string },
): Promise<void> {
  const present = await findChosenWorkspace(tx, sessionId)
  if (present?.id === wanted.id) return
  const select = () =>
    tx
      .select({ kind: ssoConnections.kind, issuer: ssoConnections.issuer })
      .from(authIdentities)
      .innerJoin(ssoConnections, isOfConnection)
  const isProved = tx
    .select({ one: sql`1` })
    .from(ssoDomains)
    .where(and(eq(ssoDomains.workspaceId, wanted.id), isNotNull(ssoDomains.verifiedAt)))
  const [from] = await select().where(eq(authIdentities.id, ssoIdentityId))
  const [to] = await select().where(
    and(eq(authIdentities.userId, userId), eq(ssoConnections.workspaceId, wanted.id), exists(isProved)),
  )
  const isSame = to !== undefined && to.kind === from?.kind && to.issuer === from.issuer
  const singleSignOn: SwitchProof['singleSignOn'] = to ? (isSame ? 'same' : 'another') : null
  throw new Refusal(
    'REAUTHENTICATION_NEEDED',
    `Single sign-on signed you in to ${present?.name ?? 'one workspace'} only. Confirm it's you to open ${wanted.name}.`,
    { details: { singleSignOn } satisfies SwitchProof },
  )
}
