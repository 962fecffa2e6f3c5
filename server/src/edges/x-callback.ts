import type { FastifyInstance } from 'fastify'
import { contextOf } from '../api.ts'
import { AUTHORIZATION_COOKIE, CALLBACK_PATH, finishAuthorize } from '../domains/platform/x-account/service.ts'
import type { Services } from '../services.ts'

/**
 * GET /api/session/callback: X's redirect. Always redirects to the Connect X tab, with the outcome.
 */
export function serveXCallback(app: FastifyInstance, services: Services): void {
  app.get(CALLBACK_PATH, async (request, reply) => {
    const context = contextOf(request, services, (name, value) => reply.header(name, value))
    const callback = new URL(request.url, services.origin)
    const outcome = await finishAuthorize(context, callback, cookieOf(request.headers.cookie))
    const page = new URL('/twitter', services.origin)
    page.searchParams.set('x', outcome)
    return reply
      .header('set-cookie', `${AUTHORIZATION_COOKIE}=; Path=${CALLBACK_PATH}; Max-Age=0; HttpOnly; SameSite=Lax`)
      .header('cache-control', 'no-store')
      .header('referrer-policy', 'no-referrer')
      .redirect(page.href)
  })
}

function cookieOf(header: string | undefined): string | null {
  const pairs = (header ?? '').split(';').map((pair) => pair.trim().split('=', 2))
  return pairs.find(([name]) => name === AUTHORIZATION_COOKIE)?.[1] ?? null
}
