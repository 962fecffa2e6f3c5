import type { FastifyInstance } from 'fastify'
import { contextOf } from '../api.ts'
import { finishAuthorize } from '../domains/identity/identities/service.ts'
import type { Services } from '../services.ts'

/**
 * GET /api/auth/callback/google: Google's redirect. Always redirects to a page on our own origin.
 */
export function serveGoogleCallback(app: FastifyInstance, services: Services): void {
  app.get('/api/auth/callback/google', async (request, reply) => {
    const context = contextOf(request, services, (name, value) => reply.header(name, value))
    const page = await finishAuthorize(context, new URL(request.url, services.origin))
    return reply.header('cache-control', 'no-store').header('referrer-policy', 'no-referrer').redirect(page)
  })
}
