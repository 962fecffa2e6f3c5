import type { FastifyInstance } from 'fastify'
import { confirmMember, unsubscribe } from '../domains/waitlist/waitlist/service.ts'
import { Refusal } from '../refusal.ts'
import type { Services } from '../services.ts'
import { serveUnsubscribePage } from './unsubscribe-page.ts'

type WithToken = { Querystring: { token?: unknown } }

/**
 * Links in emails to members: GET /api/waitlist/confirm, GET and POST /api/waitlist/unsubscribe.
 */
export async function serveWaitlistLinks(app: FastifyInstance, services: Services): Promise<void> {
  const context = { ...services, db: services.database.db }

  app.get<WithToken>('/api/waitlist/confirm', async (request, reply) => {
    const page = new URL('/waitlist', services.origin)
    try {
      await confirmMember(context, tokenOf(request.query))
      page.searchParams.set('confirmed', 'true')
    } catch (error) {
      if (!(error instanceof Refusal)) throw error
      page.searchParams.set('error', error.code)
    }
    return reply.header('cache-control', 'no-store').header('referrer-policy', 'no-referrer').redirect(page.href)
  })

  await serveUnsubscribePage(app, {
    path: '/api/waitlist/unsubscribe',
    question: 'Unsubscribe from waitlist emails?',
    async unsubscribe(token) {
      await unsubscribe(context, token)
      return "You'll get no more emails about the waitlist."
    },
  })
}

function tokenOf({ token }: { token?: unknown }): string {
  return typeof token === 'string' ? token : ''
}
