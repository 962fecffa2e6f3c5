import type { Role } from '@x-automated/contract/route'
import type { FastifyRequest } from 'fastify'
import { type Actor, roleAllows } from '../actor.ts'
import { authenticate } from '../domains/identity/auth/service.ts'
import { Refusal } from '../refusal.ts'
import type { Services } from '../services.ts'

/** Authenticates a request to an edge. @throws Refusal UNAUTHORIZED, RATE_LIMITED, FORBIDDEN */
export async function signedIn(services: Services, request: FastifyRequest, access: Role): Promise<Actor> {
  const actor = await authenticate(services, request.headers.authorization ?? null)
  services.limits.countCall(actor.userId)
  if (!roleAllows(actor.role, access)) throw new Refusal('FORBIDDEN')
  return actor
}
