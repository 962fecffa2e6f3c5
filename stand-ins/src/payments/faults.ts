import { setTimeout as sleep } from 'node:timers/promises'
import type { FastifyInstance } from 'fastify'
import { z } from 'zod'
import { PaymentsProblem } from './wire.ts'

/** Befalls requests: `path` is how the path of one begins, `*` stands for anything but a slash. */
const RequestFault = z.strictObject({
  path: z.string().startsWith('/'),
  method: z.string().toUpperCase().optional(),
  /** Answers with this status and takes no effect. */
  status: z.int().min(400).max(599).optional(),
  delayMs: z.int().nonnegative().optional(),
  /** Cuts the connection and takes no effect. */
  dropBefore: z.boolean().optional(),
  /** Takes effect, then cuts the connection instead of answering. */
  dropAfter: z.boolean().optional(),
  times: z.int().positive().optional(),
})
/** Befalls what is told to webhooks: `type` is how the event's begins. */
const EventFault = z.strictObject({
  /** `lose`: it is never told; `delay`: later than those that follow; `reorder`: `count` are held back and told the other way round; `repeat`: told twice. */
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
    /** The connection is cut once the payments stand-in has done its work. */
    cutPayments: boolean
  }
}

export type Faults = ReturnType<typeof createFaults>

/** What is to go wrong; each fault befalls `times` requests or events, all where that is left out. Of several that fit the first counts. */
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
          throw new PaymentsProblem(fault.status, `A fault was asked for: ${fault.status}`, {
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
      /** What is still to befall. */
      app.get('/_faults', async () => faults)
    },
  }
}

function patternOf(path: string): RegExp {
  const escaped = path.replace(/[.+?^${}()|[\]\\]/g, '\\$&').replaceAll('*', '[^/]*')
  return new RegExp(`^${escaped}`)
}
