import type { FastifyInstance } from 'fastify'
import { openConfirmation } from '../domains/identity/auth/service.ts'
import { Refusal } from '../refusal.ts'
import type { Services } from '../services.ts'

/**
 * GET /api/auth/verify-email?token=: a sign-up's emailed link. Always redirects to a page on our
 * own origin.
 */
export function serveVerifyEmail(app: FastifyInstance, services: Services): void {
  app.get<{ Querystring: { token?: unknown } }>(
    '/api/auth/verify-email',
    // HEAD must not use up the token.
    { exposeHeadRoute: false },
    async (request, reply) => {
      const token = typeof request.query.token === 'string' ? request.query.token : ''
      const context = { ...services, db: services.database.db }
      const page = await pageFor(context, { token, cookies: request.headers.cookie ?? null })
      return reply
        .header('cache-control', 'no-store')
        .header('referrer-policy', 'no-referrer')
        .redirect(new URL(page, services.origin).href)
    },
  )
}

async function pageFor(
  context: Parameters<typeof openConfirmation>[0],
  link: { token: string; cookies: string | null },
): Promise<string> {
  try {
    const opened = await openConfirmation(context, link)
    if (opened.outcome === 'confirmed') return `/auth/callback?code=${opened.code}`
    // In the fragment, which is not sent to servers or in Referer headers.
    return opened.outcome === 'confirmed before' ? '/auth/callback?confirmed=before' : `/auth/confirm#${link.token}`
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    return `/auth/callback?error=${error.code}`
  }
}
