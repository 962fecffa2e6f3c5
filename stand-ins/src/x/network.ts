import type { FastifyReply, FastifyRequest } from 'fastify'
import { HANDLE } from './ids.ts'
import type { CountCall, LimitedCall } from './limits.ts'
import type { Messages } from './messages.ts'
import { existenceOf, type Person, personOf, type Registry } from './people.ts'
import { genericProblem, userNotFound, userSuspended } from './problems.ts'
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

/**
 * Checks token and scopes, counts the call and sends its limits. @returns the caller @throws the
 * 401, 403 or 429
 */
export function callerOf(
  network: Network,
  request: FastifyRequest,
  reply: FastifyReply,
  call: LimitedCall,
  scopes: string[],
): Person {
  const grant = grantOf(network, request)
  const handle = grant && network.registry.find(grant.userId)
  if (!grant || handle === undefined) throw genericProblem(401)
  if (!scopes.every((scope) => grant.scopes.includes(scope))) throw genericProblem(403)
  reply.headers(network.count(call, grant.userId, grant.clientId))
  return personOf(handle)
}

/** The consent that a request's token belongs to. */
export function grantOf(network: Network, { headers }: FastifyRequest): Grant | undefined {
  return network.tokens.find(/^Bearer (.+)$/i.exec(headers.authorization ?? '')?.[1] ?? '')
}

type Found = { person: Person } | { error: object }

/** The person with this id, or the error that X puts into a 200. */
export function personById(network: Network, id: string): Found {
  return lookUp(network.registry.find(id), 'id', id)
}

/** The person with this valid handle, or the error that X puts into a 200. */
export function personByHandle(network: Network, handle: string): Found {
  const found = lookUp(handle, 'username', handle)
  if ('person' in found) network.registry.see(handle)
  return found
}

function lookUp(handle: string | undefined, parameter: 'id' | 'username', value: string): Found {
  const existence = handle && existenceOf(handle)
  if (existence === 'suspended') return { error: userSuspended(parameter, value) }
  return handle && existence === 'there' ? { person: personOf(handle) } : { error: userNotFound(parameter, value) }
}

/** Signs in any existing person with any long enough password. @returns their id */
export function signedInBy(network: Network, username = '', password = ''): string | undefined {
  const handle = username.trim().replace(/^@/, '')
  if (!HANDLE.test(handle) || password.length < SHORTEST_PASSWORD) return undefined
  const found = personByHandle(network, handle)
  return 'person' in found ? found.person.id : undefined
}
