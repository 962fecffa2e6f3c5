import { randomUUID } from 'node:crypto'
import type { Role } from '../../contract/src/route.ts'
import type { Auth } from '../../server/src/domains/identity/auth/service.ts'

interface Who {
  userId: string
  workspaceId: string
  role?: Role
  /** Default: a session that is nowhere stored. */
  sessionId?: string
}

/** An access token for a day of measuring. */
export async function accessToken(
  auth: Auth,
  { userId, workspaceId, role = 'owner', sessionId = randomUUID() }: Who,
): Promise<string> {
  const iat = Math.floor(Date.now() / 1_000)
  const payload = { sub: userId, sid: sessionId, wid: workspaceId, role, iat, exp: iat + 86_400 }
  return (await auth.engine.api.signJWT({ body: { payload } })).token
}
