import { setTimeout as sleep } from 'node:timers/promises'
import type { FastifyInstance } from 'fastify'
import { z } from 'zod'
import { PaymentsProblem } from './wire.ts'

/** A fault for requests whose path starts with `path`; `*` matches anything but a slash. */
const RequestFault = z.strictObject({
  path: z.string().startsWith('/'),
  method: z.string().toUpperCase().optional(),
  /** Responds with this status, without effect. */
  status: z.int().min(400).max(599).optional(),
  delayMs: z.int().nonnegative().optional(),
  /** Cuts the connection, without effect. */
  dropBefore: z.boolean().optional(),
  /** Takes effect, then cuts the connection instead of responding. */
  dropAfter: z.boolean().optional(),
  times: z.int().positive().optional(),
})
/** A fault for webhook events whose type starts with `type`. */
const EventFault = z.strictObject({
  /**
   * `lose` drops the event, `delay` sends it late, `reorder` reverses `count` events, `repeat`
   * sends it twice.
   */
  webhook: z.enum(['lose', 'delay', 'reorder', 'repeat']),
  type: z.string().optional(),
  delayMs: z.int().nonnegative().optional(),
  count: z.int().min(2).optional(),
  times: z.int().positive().optional(),
})
type RequestFault = z.infer<typeof RequestFault>
type EventFault = z.infer<typeof EventFault>

declare module 'fastify' {
  interface FastifyRequest {
    /** Cut the connection once the request took effect. */
    cutPayments: boolean
  }
}

export type Faults = ReturnType<typeof createFaults>

/** Injects faults, each `times` times or always. The first match applies. */
export function createFaults(stopping: AbortSignal) {
  let faults: (RequestFault | EventFault)[] = []
  const spend = <F extends RequestFault | EventFault>(fault: F | undefined): F | undefined => {
    if (fault?.times !== undefined && --fault.times <= 0) faults = faults.filter((one) => one !== fault)
    return fault
  }
  const isOf = (fault: RequestFault | EventFault, method: string, path: string): fault is RequestFault =>
    'path' in fault && (fault.method ?? method) === method && patternOf(fault.path).test(path)

  return {
    forEvent: (type: string) =>
      spend(faults.find((one): one is EventFault => 'webhook' in one && type.startsWith(one.type ?? ''))),

    addTo(app: FastifyInstance) {
      app.decorateRequest('cutPayments', false)
      app.addHook('preHandler', async (request, reply) => {
        const path = request.url.split('?', 1)[0] ?? ''
        if (path.startsWith('/_')) return
        const fault = spend(faults.find((one): one is RequestFault => isOf(one, request.method, path)))
        if (!fault) return
        if (fault.delayMs) await sleep(fault.delayMs, undefined, { signal: stopping }).catch(() => {})
        if (fault.dropBefore || stopping.aborted) {
          reply.hijack()
          request.raw.socket.destroy()
          return
        }
        if (fault.status !== undefined)
          throw new PaymentsProblem(fault.status, `Injected fault: ${fault.status}`, {
            type: fault.status === 402 ? 'card_error' : fault.status === 429 ? 'invalid_request_error' : 'api_error',
            ...(fault.status === 429 ? { code: 'rate_limit' } : {}),
          })
        request.cutPayments = fault.dropAfter === true
      })
      app.addHook('onSend', async (request, _reply, payload) => {
        if (request.cutPayments) request.raw.socket.destroy()
        return payload
      })
      app.put('/_faults', async (request, reply) => {
        const given = z.array(z.union([RequestFault, EventFault])).safeParse(request.body)
        if (!given.success) return reply.code(400).send({ error: z.prettifyError(given.error) })
        faults = given.data
        return faults
      })
      /** The remaining faults. */
      app.get('/_faults', async () => faults)
    },
  }
}

function patternOf(path: string): RegExp {
  const escaped = path.replace(/[.+?^${}()|[\]\\]/g, '\\$&').replaceAll('*', '[^/]*')
  return new RegExp(`^${escaped}`)
}
