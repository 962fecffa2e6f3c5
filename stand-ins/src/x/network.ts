import type { FastifyReply, FastifyRequest } from 'fastify'
import type { App, Apps } from './apps.ts'
import type { Chats } from './chats.ts'
import type { Credits } from './credits.ts'
import { HANDLE } from './ids.ts'
import type { CountCall, LimitedCall } from './limits.ts'
import type { Messages } from './messages.ts'
import { checkRequest } from './openapi.ts'
import { existenceOf, type Person, personOf, type Registry } from './people.ts'
import { genericProblem, userNotFound, userSuspended } from './problems.ts'
import type { Switches } from './switches.ts'
import type { Grant, Tokens } from './tokens.ts'

const SHORTEST_PASSWORD = 8

/** State that all routes share. */
export type Network = {
  url: () => string
  now: () => number
  registry: Registry
  messages: Messages
  chats: Chats
  tokens: Tokens
  apps: Apps
  credits: Credits
  switches: Switches
  count: CountCall
}

/** The person for whom a call is made, and the calling app. */
export type Caller = { person: Person; app: App }

/**
 * Checks token, scopes and request, counts the call, and sends the limit headers.
 * @returns the caller
 * @throws a 401 for a wrong token, 403 for a missing scope, 400 for an invalid request, 429 at a limit
 */
export function callerOf(
  network: Network,
  request: FastifyRequest,
  reply: FastifyReply,
  call: LimitedCall,
  scopes: string[],
): Caller {
  const grant = grantOf(network, request)
  const app = grant && network.apps.find(grant.clientId)
  const key = grant && network.registry.find(grant.userId)
  if (!app || key === undefined) throw genericProblem(401)
  if (!scopes.every((scope) => grant.scopes.includes(scope))) throw genericProblem(403)
  checkRequest(request)
  reply.headers(network.count(call, grant.userId, grant.clientId))
  return { person: asNow(network, personOf(key)), app }
}

/** Returns the app whose app-only token calls. @throws a 401 for a wrong token, 400 for an invalid request */
export function appOf(network: Network, request: FastifyRequest): App {
  const app = network.apps.ofBearer(request)
  checkRequest(request)
  return app
}

/** Returns the grant from which a request's token was issued; undefined without a valid token. */
export function grantOf(network: Network, { headers }: FastifyRequest): Grant | undefined {
  return network.tokens.find(/^Bearer (.+)$/i.exec(headers.authorization ?? '')?.[1] ?? '')
}

type LookupResult = { person: Person } | { error: object }

/** Returns the person with this id, or the error that X returns in a 200. */
export function personById(network: Network, id: string): LookupResult {
  return lookUp(network, network.registry.find(id), 'id', id)
}

/** Returns the person with this valid handle, or the error that X returns in a 200. */
export function personByHandle(network: Network, handle: string): LookupResult {
  const result = lookUp(network, network.registry.holderOf(handle), 'username', handle)
  if ('person' in result) network.registry.see(result.person.key)
  return result
}

function lookUp(network: Network, key: string | undefined, parameter: 'id' | 'username', value: string): LookupResult {
  const existence = key !== undefined && network.registry.handleOf(key) !== undefined && existenceOf(key)
  if (existence === 'suspended') return { error: userSuspended(parameter, value) }
  if (key === undefined || existence !== 'there') return { error: userNotFound(parameter, value) }
  return { person: asNow(network, personOf(key)) }
}

/** Returns the person with their current handle. */
export function asNow({ registry }: Network, person: Person): Person {
  const handle = registry.handleOf(person.key) ?? person.handle
  return handle.toLowerCase() === person.handle.toLowerCase() ? person : { ...person, handle }
}

/** Signs in any existing person with any password that is long enough. @returns their id, or undefined */
export function signedInBy(network: Network, username = '', password = ''): string | undefined {
  const handle = username.trim().replace(/^@/, '')
  if (!HANDLE.test(handle) || password.length < SHORTEST_PASSWORD) return undefined
  const result = personByHandle(network, handle)
  return 'person' in result ? result.person.id : undefined
}
