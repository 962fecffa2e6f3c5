import { isPlanId } from '@x-automated/contract/platform/plans'
import type { FastifyInstance } from 'fastify'
import type { Env } from '../env.ts'

/** GET /buy/:planId: a plan's payment page. Pricing links here, to work without JavaScript. */
export function servePaymentLinks(app: FastifyInstance, { env }: { env: Pick<Env, 'payments'> }): void {
  app.get<{ Params: { planId: string } }>('/buy/:planId', (request, reply) => {
    const { planId } = request.params
    if (!isPlanId(planId)) return reply.callNotFound()
    // A plan without a payment link is bought on the billing page, signed in.
    return reply.header('cache-control', 'no-store').redirect(env.payments?.links[planId] ?? '/billing', 302)
  })
}
