import type { FastifyInstance } from 'fastify'
import { PAYMENTS_WEBHOOK_PATH, receivePayment } from '../domains/platform/billing/engine.ts'
import { Refusal } from '../refusal.ts'
import type { Services } from '../services.ts'

/**
 * POST /api/billing/webhook: payment provider events. Stored immediately, processed by the queue.
 */
export async function servePaymentsWebhook(app: FastifyInstance, services: Services): Promise<void> {
  await app.register(async (raw) => {
    raw.removeAllContentTypeParsers()
    raw.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body))

    raw.post(PAYMENTS_WEBHOOK_PATH, async (request) => {
      if (!services.payments) throw new Refusal('NOT_FOUND')
      const signature = request.headers['stripe-signature']
      const body = Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0)
      const event = typeof signature === 'string' ? await receivePayment(services, body, signature) : null
      if (!event) throw new Refusal('FORBIDDEN', 'The signature is invalid or too old.')
      return { success: true }
    })
  })
}
