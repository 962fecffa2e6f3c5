import { setTimeout as sleep } from 'node:timers/promises'
import type { FastifyInstance, FastifyReply } from 'fastify'
import { z } from 'zod'

/** A fault for requests whose path starts with `path`; `*` matches anything but a slash. */
const RequestFault = z.strictObject({
  path: z.string().startsWith('/'),
  method: z.string().toUpperCase().optional(),
  /** Responds with this status and has no effect. A status below 400 requires a `body`. */
  status: z.int().min(200).max(599).optional(),
  /** Only for X, with `status`: uses X's older body `{ code, message }`. */
  code: z.int().optional(),
  /** Only for X: one of its errors, by name. `status` defaults to that error's usual status. */
  problem: z.string().optional(),
  /** Only with `status`: the body to send. Objects are sent as JSON, strings as HTML. */
  body: z.union([z.string(), z.record(z.string(), z.unknown())]).optional(),
  /** Additional response headers, also for requests that take effect. */
  headers: z.record(z.string(), z.string()).optional(),
  /** Only for X, with status 429: seconds until the reset in the headers. Can be negative. Defaults to 900. */
  resetSeconds: z.number().optional(),
  /** Only for X, with status 429: whose 24-hour limit is used up. */
  dayLimitOf: z.enum(['user', 'app']).optional(),
  /** Waits first. The request then takes effect even if the caller has disconnected. */
  delayMs: z.int().nonnegative().optional(),
  /** Cuts the connection before the request takes effect. */
  dropBefore: z.boolean().optional(),
  /** Takes effect, then cuts the connection instead of responding. */
  dropAfter: z.boolean().optional(),
  times: z.int().positive().optional(),
})
/** A fault for webhook events of X or the payments stand-in, whose type starts with `type`. */
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
export type RequestFault = z.infer<typeof RequestFault>
type EventFault = z.infer<typeof EventFault>
type Fault = RequestFault | EventFault

declare module 'fastify' {
  interface FastifyRequest {
    /** Whether to cut the connection once the request has taken effect. */
    cutAfter: boolean
    /** Headers that a fault adds to the response. */
    moreHeaders: Record<string, string> | null
  }
}

export type Faults = ReturnType<typeof addFaults>

/**
 * Injects faults, each `times` times or permanently. The first match applies. Test endpoints have
 * no faults.
 * @param errorOf builds the error for a fault with a status or a problem
 * @param problems valid names of problems
 */
export function addFaults(
  app: FastifyInstance,
  stopping: AbortSignal,
  errorOf: (status: number | undefined, fault: RequestFault) => Error,
  problems: readonly string[] = [],
) {
  let faults: Fault[] = []
  const take = <F extends Fault>(fits: (fault: Fault) => fault is F): F | undefined => {
    const fault = faults.find(fits)
    if (fault?.times !== undefined && --fault.times <= 0) faults = faults.filter((other) => other !== fault)
    return fault
  }
  const problemOf = (fault: Fault) => {
    if (!('path' in fault)) return undefined
    if (fault.problem !== undefined && !problems.includes(fault.problem)) return `Unknown problem: ${fault.problem}`
    const isError = fault.status === undefined || fault.status >= 400
    return isError || fault.body !== undefined ? undefined : 'A status below 400 needs a body'
  }

  app.decorateRequest('cutAfter', false)
  app.decorateRequest('moreHeaders', null)
  // Runs after the body was read, so the effect happens even if the caller disconnects during the
  // delay.
  app.addHook('preHandler', async (request, reply) => {
    const path = request.url.split('?', 1)[0] ?? ''
    if (path.startsWith('/_')) return
    const fault = take(
      (fault): fault is RequestFault =>
        'path' in fault && (fault.method ?? request.method) === request.method && patternOf(fault.path).test(path),
    )
    if (!fault) return
    if (fault.delayMs) await sleep(fault.delayMs, undefined, { signal: stopping }).catch(() => {})
    // If the server is closing, cut the connection, as if the process had died.
    if (fault.dropBefore || stopping.aborted) {
      reply.hijack()
      request.raw.socket.destroy()
      return
    }
    request.moreHeaders = fault.headers ?? null
    if (fault.status !== undefined && fault.body !== undefined)
      return reply.code(fault.status).send(bodyOf(reply, fault.body))
    if (fault.status !== undefined || fault.problem !== undefined) throw errorOf(fault.status, fault)
    request.cutAfter = fault.dropAfter === true
  })
  app.addHook('onSend', async (request, reply, payload) => {
    if (request.moreHeaders) reply.headers(request.moreHeaders)
    if (request.cutAfter) request.raw.socket.destroy()
    return payload
  })

  app.put('/_faults', async (request, reply) => {
    const parsed = z.array(z.union([RequestFault, EventFault])).safeParse(request.body)
    if (!parsed.success) return reply.code(400).send({ error: z.prettifyError(parsed.error) })
    const error = parsed.data.map(problemOf).find((problem) => problem !== undefined)
    if (error !== undefined) return reply.code(400).send({ error })
    faults = parsed.data
    return faults
  })
  app.get('/_faults', async () => faults)

  return {
    forEvent: (type: string) => take((fault): fault is EventFault => 'webhook' in fault && type.startsWith(fault.type)),
  }
}

/** Returns a body as text, and sets its content type as X does: problems have a `type`. */
function bodyOf(reply: FastifyReply, body: string | Record<string, unknown>): string {
  if (typeof body === 'string') reply.type('text/html; charset=utf-8')
  else reply.type('type' in body ? 'application/problem+json' : 'application/json; charset=utf-8')
  return typeof body === 'string' ? body : JSON.stringify(body)
}

function patternOf(path: string): RegExp {
  const escaped = path.replace(/[.+?^${}()|[\]\\]/g, '\\$&').replaceAll('*', '[^/]*')
  return new RegExp(`^${escaped}`)
}
