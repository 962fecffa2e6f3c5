import type { FastifyInstance } from 'fastify'
import type { Services } from '../app.ts'
import { confirmAddress } from '../domains/auth/service.ts'
import { Refusal } from '../refusal.ts'

/** GET /api/auth/verify-email?token=: the mailed link. Always redirects into the product, on our own origin. */
export function serveVerifyEmail(app: FastifyInstance, services: Services): void {
  app.get<{ Querystring: { token?: unknown; account?: unknown; challenge?: unknown } }>(
    '/api/auth/verify-email',
    // Scanners of mail look at links by HEAD: that must not confirm, nor use up the code.
    { exposeHeadRoute: false },
    async (request, reply) => {
      const callback = new URL('/auth/callback', services.origin)
      try {
        const { token, account, challenge } = request.query
        const { code } = await confirmAddress(
          { ...services, db: services.database.db },
          {
            token: typeof token === 'string' ? token : '',
            account: typeof account === 'string' ? account : '',
            codeChallenge: typeof challenge === 'string' ? challenge : null,
          },
        )
        if (code) callback.searchParams.set('code', code)
        else callback.searchParams.set('confirmed', 'before')
      } catch (error) {
        if (!(error instanceof Refusal)) throw error
        callback.searchParams.set('error', error.code)
      }
      return reply.header('cache-control', 'no-store').header('referrer-policy', 'no-referrer').redirect(callback.href)
    },
  )
}
