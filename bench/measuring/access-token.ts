import { randomUUID } from 'node:crypto'
import type { Role } from '../../contract/src/route.ts'
import type { Services } from '../../server/src/services.ts'

interface Who {
  userId: string
  workspaceId: string
  role?: Role
  /** Defaults to a session that is not stored. */
  sessionId?: string
}

/** Signs an access token that outlasts the measurement. */
export async function accessToken(
  { auth, database }: Pick<Services, 'auth' | 'database'>,
  { userId, workspaceId, role = 'owner', sessionId = randomUUID() }: Who,
): Promise<string> {
  const iat = Math.floor(Date.now() / 1_000)
  const claims = { sub: userId, sid: sessionId, wid: workspaceId, role, iat, exp: iat + 86_400 }
  return auth.sign(database.db, claims)
}
