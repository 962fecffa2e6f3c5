import { setTimeout as sleep } from 'node:timers/promises'
import type { FastifyInstance } from 'fastify'
import { z } from 'zod'

/** A fault for requests whose path starts with `path`; `*` matches anything but a slash. */
const RequestFault = z.strictObject({
  path: z.string().startsWith('/'),
  method: z.string().toUpperCase().optional(),
  /** Responds with this status, without effect. */
  status: z.int().min(400).max(599).optional(),
  /**
   * At X, with `status`: its older body `{ code, message }`: 226 looks automated, 326 locked, 349
   * closed inbox.
   */
  code: z.int().optional(),
  /** At X, with status 429: seconds until the reset in the headers. Default 900. */
  resetSeconds: z.number().nonnegative().optional(),
  /** Waits first. The effect follows even if the caller has disconnected. */
  delayMs: z.int().nonnegative().optional(),
  /** Cuts the connection, without effect. */
  dropBefore: z.boolean().optional(),
  /** Takes effect, then cuts the connection instead of responding. */
  dropAfter: z.boolean().optional(),
  times: z.int().positive().optional(),
})
/** A fault for webhook events of the payments stand-in whose type starts with `type`. */
const EventFault = z.strictObject({
  /**
   * `lose` drops the event, `delay` sends it late, `reorder` reverses `count` events, `repeat`
   * sends it twice.
   */
  webhook: z.enum(['lose', 'delay', 'reorder', 'repeat']),
  type: z.string().default(''),
  delayMs: z.int().nonnegative().default(1_000),
  count: z.int().min(2).default(2),
  times: z.int().positive().optional(),
})
type RequestFault = z.infer<typeof RequestFault>
type EventFault = z.infer<typeof EventFault>
type Fault = RequestFault | EventFault

declare module 'fastify' {
  interface FastifyRequest {
    /** Cut the connection once the request took effect. */
    cutAfter: boolean
  }
}

export type Faults = ReturnType<typeof addFaults>

/**
 * Injects faults, each `times` times or always; the first match applies. Test endpoints have none.
 * @param errorOf the error of a fault with a status
 */
export function addFaults(
  app: FastifyInstance,
  stopping: AbortSignal,
  errorOf: (status: number, fault: RequestFault) => Error,
) {
  let faults: Fault[] = []
  const take = <F extends Fault>(fits: (fault: Fault) => fault is F): F | undefined => {
    const fault = faults.find(fits)
    if (fault?.times !== undefined && --fault.times <= 0) faults = faults.filter((one) => one !== fault)
    return fault
  }

  app.decorateRequest('cutAfter', false)
  // After the body is read, so the effect happens even if the caller disconnects during the delay.
  app.addHook('preHandler', async (request, reply) => {
    const path = request.url.split('?', 1)[0] ?? ''
    if (path.startsWith('/_')) return
    const fault = take(
      (one): one is RequestFault =>
        'path' in one && (one.method ?? request.method) === request.method && patternOf(one.path).test(path),
    )
    if (!fault) return
    if (fault.delayMs) await sleep(fault.delayMs, undefined, { signal: stopping }).catch(() => {})
    // If the server is closing, the request ends as if the process had died.
    if (fault.dropBefore || stopping.aborted) {
      reply.hijack()
      request.raw.socket.destroy()
      return
    }
    if (fault.status !== undefined) throw errorOf(fault.status, fault)
    request.cutAfter = fault.dropAfter === true
  })
  app.addHook('onSend', async (request, _reply, payload) => {
    if (request.cutAfter) request.raw.socket.destroy()
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

  return {
    forEvent: (type: string) => take((one): one is EventFault => 'webhook' in one && type.startsWith(one.type)),
  }
}

function patternOf(path: string): RegExp {
  const escaped = path.replace(/[.+?^${}()|[\]\\]/g, '\\$&').replaceAll('*', '[^/]*')
  return new RegExp(`^${escaped}`)
}
