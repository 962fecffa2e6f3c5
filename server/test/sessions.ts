import { sql } from 'drizzle-orm'
import type { PgUpdateSetSource } from 'drizzle-orm/pg-core'
import { authRevocations, authSessions } from '../src/domains/identity/auth/tables.ts'
import { matching, type Which, type Writer } from './matching.ts'

// Changes sessions directly in the database. Each function changes all sessions that `which` selects.

type Sessions = Which<typeof authSessions>

/** Lets the sessions expire, as if they had not been used for too long. */
export async function expireSessions(to: Writer, which: Sessions): Promise<void> {
  await change(to, which, { expiresAt: new Date(Date.now() - 1) })
}

/** Sets the sessions' last reauthentication to `seconds` seconds ago. */
export async function backdateProof(to: Writer, which: Sessions, seconds: number): Promise<void> {
  await change(to, which, { reauthenticatedAt: sql`now() - make_interval(secs => ${seconds})` })
}

/** Removes the sessions' last reauthentication. */
export async function revokeProof(to: Writer, which: Sessions): Promise<void> {
  await change(to, which, { reauthenticatedAt: null })
}

/** Sets the IP address from which the sessions were last used. */
export async function useFrom(to: Writer, which: Sessions, ipAddress: string): Promise<void> {
  await change(to, which, { ipAddress })
}

/** Sets the single sign-on identity with which the sessions began. */
export async function beginBySso(to: Writer, which: Sessions, ssoIdentityId: string): Promise<void> {
  await change(to, which, { ssoIdentityId })
}

/** Records in the database that a session was ended, without notifying any process. */
export async function revoke({ db }: Writer, sessionId: string): Promise<void> {
  await db.insert(authRevocations).values({ sessionId })
}

async function change({ db }: Writer, which: Sessions, set: PgUpdateSetSource<typeof authSessions>): Promise<void> {
  await db.update(authSessions).set(set).where(matching(authSessions, which))
}

/** Pairs this number of extensions with a person. */
export async function pairMany(
  { db }: Writer,
  { id, workspaceId }: { id: string; workspaceId: string },
  count: number,
): Promise<void> {
  await db.execute(sql`
    with made as (
      insert into auth_sessions (user_id, token, expires_at)
      select ${id}::uuid, 'many ' || n, now() + interval '1 day' from generate_series(1, ${count}::int) n returning id
    )
    insert into extension_pairings (session_id, user_id, workspace_id, token_hash, version)
    select id, ${id}::uuid, ${workspaceId}::uuid, id::text, '1' from made`)
}
