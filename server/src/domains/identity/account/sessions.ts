import { and, desc, eq, getTableColumns, gt, sql } from 'drizzle-orm'
import type { Actor } from '../../../actor.ts'
import type { Db } from '../../../db/open.ts'
import { Refusal } from '../../../refusal.ts'
import { countryOf } from '../../../requests/country.ts'
import { endSession as endSessionOf, requireAccountSession } from '../auth/sessions.ts'
import { authSessions } from '../auth/tables.ts'
import type { Auth } from '../auth/tokens.ts'
import { extensionPairings } from '../workspaces/tables.ts'
import { countryNameOf, type Device, deviceOf } from './rules.ts'

/** A readable device name for a session. */
export function deviceNameOf(userAgent: string | null): Device['device'] {
  return deviceOf(userAgent).device
}

/** The account's sessions, most recently used first. @throws Refusal REAUTHENTICATION_NEEDED */
export async function listSessions(db: Db, actor: Actor) {
  await requireAccountSession(db, actor)
  const rows = await db
    .select({ ...getTableColumns(authSessions), extensionOf: extensionPairings.sessionId })
    .from(authSessions)
    .leftJoin(extensionPairings, eq(extensionPairings.sessionId, authSessions.id))
    .where(and(eq(authSessions.userId, actor.userId), gt(authSessions.expiresAt, sql`now()`)))
    .orderBy(desc(authSessions.updatedAt))
  return {
    sessions: rows.map((row) => ({
      id: row.id,
      current: row.id === actor.sessionId,
      ...deviceOf(row.userAgent),
      ...(row.extensionOf && { deviceKind: 'extension' as const }),
      place: countryNameOf(row.ipAddress ? countryOf(row.ipAddress) : null),
      createdAt: row.createdAt,
      lastSeenAt: row.updatedAt,
    })),
  }
}

/** Ends one of the caller's sessions. A session from single sign-on can end only itself. */
export async function endSession({ db, auth }: { db: Db; auth: Auth }, actor: Actor, id: string): Promise<void> {
  if (id !== actor.sessionId) await requireAccountSession(db, actor)
  const ended = await db.transaction((tx) => endSessionOf(tx, auth, { userId: actor.userId, id }))
  if (!ended) throw new Refusal('SESSION_NOT_FOUND')
}
