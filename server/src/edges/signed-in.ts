import type { Role, Scope } from '@x-automated/contract/route'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Actor } from '../actor.ts'
import { admit } from '../requests/admit.ts'
import type { Services } from '../services.ts'

/**
 * The caller of an edge. @param scope what an API key needs; without it, none may call
 * @throws Refusal UNAUTHORIZED, RATE_LIMITED, FORBIDDEN, PLAN_LIMIT
 */
export function signedIn(
  services: Services,
  [request, reply]: [FastifyRequest, FastifyReply],
  access: Role,
  scope: Scope | null = null,
): Promise<Actor> {
  const setHeader = (name: string, value: string) => void reply.header(name, value)
  return admit(services, request.headers.authorization ?? null, { access, scope }, setHeader)
}
