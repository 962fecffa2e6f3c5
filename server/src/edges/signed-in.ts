import type { Role, Scope } from '@x-automated/contract/route'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Actor } from '../actor.ts'
import type { Database } from '../db/open.ts'
import { admit } from '../requests/admit.ts'
import type { Services } from '../services.ts'

/** The caller of an edge, and their workspace's share of the database. */
export interface SignedIn {
  actor: Actor
  database: Database
}

/**
 * Admits the caller of an edge. @param scope what an API key needs; without it, API keys may not
 * call @throws Refusal UNAUTHORIZED, RATE_LIMITED, FORBIDDEN, PLAN_LIMIT
 */
export async function signedIn(
  services: Services,
  [request, reply]: [FastifyRequest, FastifyReply],
  access: Role,
  scope: Scope | null = null,
): Promise<SignedIn> {
  const setHeader = (name: string, value: string) => void reply.header(name, value)
  const actor = await admit(services, request.headers.authorization ?? null, { access, scope }, setHeader)
  const operation = `${request.method} ${request.routeOptions.url}`
  return { actor, database: services.database.for({ workspaceId: actor.workspaceId, operation, isOutside: true }) }
}
