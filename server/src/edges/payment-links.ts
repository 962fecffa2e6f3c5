import { isPlanId } from '@x-automated/contract/plans'
import type { FastifyInstance } from 'fastify'
import type { Env } from '../env.ts'

/**
 * `/buy/pro_monthly` leads to the payment provider's page for that plan. The pricing page is made before anybody knows these
 * addresses, and is to work without a script.
 */
export function servePaymentLinks(app: FastifyInstance, { env }: { env: Pick<Env, 'payments'> }): void {
  app.get<{ Params: { planId: string } }>('/buy/:planId', (request, reply) => {
    const { planId } = request.params
    if (!isPlanId(planId)) return reply.callNotFound()
    // Without a link of its own a plan is bought where one is signed in.
    return reply.header('cache-control', 'no-store').redirect(env.payments?.links[planId] ?? '/billing', 302)
  })
}
