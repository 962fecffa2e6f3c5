import { sql } from 'drizzle-orm'
import type { PgUpdateSetSource } from 'drizzle-orm/pg-core'
import { authRevocations, authSessions } from '../src/domains/identity/auth/tables.ts'
import { matching, type Which, type Writer } from './matching.ts'

// What happens to people's sessions. Each verb changes all sessions chosen.

type Sessions = Which<typeof authSessions>

/** The sessions were not used for so long that they are over. */
export async function expireSessions(to: Writer, which: Sessions): Promise<void> {
  await change(to, which, { expiresAt: new Date(Date.now() - 1) })
}

/** The sessions last confirmed who the person is that many seconds ago. */
export async function backdateProof(to: Writer, which: Sessions, seconds: number): Promise<void> {
  await change(to, which, { reauthenticatedAt: sql`now() - make_interval(secs => ${seconds})` })
}

/** The sessions never confirmed who the person is. */
export async function revokeProof(to: Writer, which: Sessions): Promise<void> {
  await change(to, which, { reauthenticatedAt: null })
}

/** The sessions were last used from this address. */
export async function useFrom(to: Writer, which: Sessions, ipAddress: string): Promise<void> {
  await change(to, which, { ipAddress })
}

/** The sessions began with this identity of single sign-on. */
export async function beginBySso(to: Writer, which: Sessions, ssoIdentityId: string): Promise<void> {
  await change(to, which, { ssoIdentityId })
}

/** The database says that a session was ended, and announces nothing. */
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
