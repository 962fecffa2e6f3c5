import type { FastifyRequest } from 'fastify'
import { HANDLE } from './ids.ts'
import type { CountCall, LimitedCall } from './limits.ts'
import type { Messages } from './messages.ts'
import { existenceOf, type Person, personOf, type Registry } from './people.ts'
import { genericProblem, missingScope, userNotFound, userSuspended } from './problems.ts'
import type { Grant, Tokens } from './tokens.ts'

const SHORTEST_PASSWORD = 8

/** Shared by all routes: people, messages, tokens and limits. */
export type Network = {
  url: () => string
  now: () => number
  registry: Registry
  messages: Messages
  tokens: Tokens
  count: CountCall
}

/** Checks token and scopes and counts the call. @returns the caller @throws the 401, 403 or 429 */
export function callerOf(
  network: Network,
  request: FastifyRequest,
  call: LimitedCall,
  scopes: string[],
): { grant: Grant; person: Person; limits: ReturnType<CountCall> } {
  const token = /^Bearer (.+)$/i.exec(request.headers.authorization ?? '')?.[1]
  const grant = token === undefined ? undefined : network.tokens.find(token)
  const handle = grant && network.registry.find(grant.userId)
  if (!grant || handle === undefined) throw genericProblem(401)
  if (!scopes.every((scope) => grant.scopes.includes(scope))) throw missingScope()
  return { grant, person: personOf(handle), limits: network.count(call, grant.userId, grant.clientId) }
}

/** The person with this id, or the error that X puts into a 200. */
export function personById(network: Network, id: string): { person: Person } | { error: object } {
  const handle = network.registry.find(id)
  if (handle === undefined) return { error: userNotFound('id', id) }
  const existence = existenceOf(handle)
  if (existence === 'missing') return { error: userNotFound('id', id) }
  if (existence === 'suspended') return { error: userSuspended('id', id) }
  return { person: personOf(handle) }
}

/** The person with this valid handle, or the error that X puts into a 200. */
export function personByHandle(network: Network, handle: string): { person: Person } | { error: object } {
  const existence = existenceOf(handle)
  if (existence === 'missing') return { error: userNotFound('username', handle) }
  if (existence === 'suspended') return { error: userSuspended('username', handle) }
  network.registry.see(handle)
  return { person: personOf(handle) }
}

/** Signs in any existing person with any long enough password. @returns their id */
export function signedInBy(network: Network, username = '', password = ''): string | undefined {
  const handle = username.trim().replace(/^@/, '')
  if (!HANDLE.test(handle) || password.length < SHORTEST_PASSWORD) return undefined
  const found = personByHandle(network, handle)
  return 'person' in found ? found.person.id : undefined
}
