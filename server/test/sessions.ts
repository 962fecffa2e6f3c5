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
