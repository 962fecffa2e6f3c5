import { setTimeout as sleep } from 'node:timers/promises'
import type { FastifyInstance } from 'fastify'
import { z } from 'zod'
import { codedProblem, genericProblem } from './problems.ts'

/**
 * A fault for requests whose path starts with `path` (`*` matches anything but a slash), for
 * `times` requests or all. The first match applies.
 */
export const Fault = z.strictObject({
  path: z.string().startsWith('/'),
  method: z.string().toUpperCase().optional(),
  /** Responds with this status, without effect. */
  status: z.int().min(400).max(599).optional(),
  /**
   * With `status`: X's older body `{ code, message }`: 226 looks automated, 326 locked, 349 closed
   * inbox.
   */
  code: z.int().optional(),
  /** With status 429: seconds until the reset in the headers. Default 900. */
  resetSeconds: z.number().nonnegative().optional(),
  /** Waits first. The effect follows even if the caller has disconnected. */
  delayMs: z.int().nonnegative().optional(),
  /** Cuts the connection, without effect. */
  dropBefore: z.boolean().optional(),
  /** Takes effect, then cuts the connection instead of responding. */
  dropAfter: z.boolean().optional(),
  times: z.int().positive().optional(),
})
export type Fault = z.infer<typeof Fault>

declare module 'fastify' {
  interface FastifyRequest {
    /** Cut the connection once the request took effect. */
    cutAfter: boolean
  }
}

/** Injects faults into all requests except those to the test endpoints. */
export function addFaults(app: FastifyInstance, now: () => number, stopping: AbortSignal) {
  app.decorateRequest('cutAfter', false)
  let faults: (Fault & { pattern: RegExp })[] = []

  const next = (method: string, path: string): Fault | undefined => {
    const fault = faults.find((one) => one.pattern.test(path) && (one.method ?? method) === method)
    if (!fault) return undefined
    if (fault.times !== undefined && --fault.times <= 0) faults = faults.filter((one) => one !== fault)
    return fault
  }

  // After the body is read, so the effect happens even if the caller disconnects during the delay.
  app.addHook('preHandler', async (request, reply) => {
    const path = request.url.split('?', 1)[0] ?? ''
    if (faults.length === 0 || path.startsWith('/_')) return
    const fault = next(request.method, path)
    if (!fault) return

    if (fault.delayMs) {
      try {
        await sleep(fault.delayMs, undefined, { signal: stopping })
      } catch {
        // The server is closing: the request ends as if the process had died.
        reply.hijack()
        return
      }
    }
    if (fault.dropBefore) {
      reply.hijack()
      request.raw.socket.destroy()
      return
    }
    if (fault.status !== undefined) {
      if (fault.code !== undefined) throw codedProblem(fault.status, fault.code)
      const reset = Math.ceil(now() / 1000 + (fault.resetSeconds ?? 900))
      const limits = { 'x-rate-limit-limit': '15', 'x-rate-limit-remaining': '0', 'x-rate-limit-reset': String(reset) }
      throw genericProblem(fault.status, fault.status === 429 ? limits : undefined)
    }
    request.cutAfter = fault.dropAfter === true
  })

  app.addHook('onSend', async (request, _reply, payload) => {
    if (request.cutAfter) request.raw.socket.destroy()
    return payload
  })

  app.put('/_faults', async (request, reply) => {
    const given = z.array(Fault).safeParse(request.body)
    if (!given.success) return reply.code(400).send({ error: z.prettifyError(given.error) })
    faults = given.data.map((fault) => ({ ...fault, pattern: patternOf(fault.path) }))
    return faults.map(({ pattern, ...fault }) => fault)
  })

  /** The remaining faults. */
  app.get('/_faults', async () => faults.map(({ pattern, ...fault }) => fault))
}

function patternOf(path: string): RegExp {
  const escaped = path.replace(/[.+?^${}()|[\]\\]/g, '\\$&').replaceAll('*', '[^/]*')
  return new RegExp(`^${escaped}`)
}
