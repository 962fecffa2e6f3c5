import type { Role, Scope } from '@x-automated/contract/route'
import { type Actor, callerId, requireScope, roleAllows } from '../actor.ts'
import { authenticate } from '../domains/identity/auth/caller.ts'
import { authenticateExtension, extensionToken } from '../domains/outreach/extension/pairings.ts'
import { apiKeyToken, authenticateKey } from '../domains/platform/api-keys/api-keys.ts'
import { requireApiAccess } from '../domains/platform/billing/plan.ts'
import { Refusal } from '../refusal.ts'
import type { Services } from '../services.ts'

/** Whom an operation admits: people with at least this role, API keys with this scope, and perhaps extensions. */
interface Admission {
  access: Role
  scope: Scope | null
  byExtension?: boolean
}

/**
 * Returns the caller if the operation admits them, and counts the call. @param setHeader sets the
 * rate limit headers of API keys @throws Refusal UNAUTHORIZED, RATE_LIMITED, FORBIDDEN, PLAN_LIMIT
 */
export async function admit(
  { database, auth, limits }: Pick<Services, 'database' | 'auth' | 'limits'>,
  authorization: string | null,
  { access, scope, byExtension = false }: Admission,
  setHeader: (name: string, value: string) => void,
): Promise<Actor> {
  const { db } = database.for('signIn')
  const key = apiKeyToken(authorization)
  if (key) {
    const actor = await authenticateKey(db, key)
    const { limit, left, seconds } = limits.callsLeft(callerId(actor))
    setHeader('ratelimit-limit', `${limit}`)
    setHeader('ratelimit-remaining', `${Math.max(0, left - 1)}`)
    setHeader('ratelimit-reset', `${seconds}`)
    limits.countCall(callerId(actor))
    if (!scope) throw new Refusal('FORBIDDEN', 'API keys cannot call this operation.')
    await requireApiAccess(db, actor.workspaceId)
    requireScope(actor, scope)
    return actor
  }
  const token = extensionToken(authorization)
  const actor = token ? await authenticateExtension(db, token) : await authenticate({ auth }, authorization)
  limits.countCall(actor.userId)
  if (token && !byExtension) throw new Refusal('FORBIDDEN', 'Extensions cannot call this operation.')
  if (!roleAllows(actor.role, access)) throw new Refusal('FORBIDDEN')
  return actor
}
