import { PassThrough } from 'node:stream'
import type { FastifyInstance } from 'fastify'
import type { Services } from '../services.ts'
import { sendEvents, tokenOf } from './event-stream.ts'
import { signedIn } from './signed-in.ts'

/** How soon clients should reconnect. */
const RETRY_MS = 2_000
/** A client with this much unread output is disconnected. When it reconnects, it continues where it was. */
const BUFFER_MAX_BYTES = 256 * 1024

/**
 * GET /api/events: one stream per browser of the changes in the workspace, as `{ kind, ids }`.
 * Last-Event-ID continues a stream for 10 minutes; after that it begins with the event `reset`.
 */
export function serveEvents(app: FastifyInstance, services: Services): void {
  const open = new Set<() => void>()
  app.addHook('preClose', async () => {
    for (const end of open) end()
  })

  app.get('/api/events', { compress: false, exposeHeadRoute: false }, async (request, reply) => {
    const { actor } = await signedIn(services, [request, reply], 'viewer')
    const { token, expiresAt } = tokenOf(request)
    const stream = new PassThrough()
    const end = () => void stream.end()
    const leave = await services.events.follow({
      actor,
      seen: positionOf(request.headers['last-event-id']),
      expiresAt,
      write(text) {
        if (stream.writableLength > BUFFER_MAX_BYTES) stream.destroy()
        else if (!stream.writableEnded) stream.write(text)
      },
      isValid: async () => (await services.auth.verify(token).catch(() => null)) !== null,
      end,
    })
    const expiry = setTimeout(end, expiresAt.getTime() - Date.now())
    open.add(end)
    const finish = () => {
      clearTimeout(expiry)
      open.delete(end)
      leave()
    }
    if (stream.destroyed) finish()
    else stream.once('close', finish)
    // The client may be gone already.
    if (reply.raw.destroyed) stream.destroy()
    reply.raw.once('close', () => stream.destroy())
    if (!stream.writableEnded) stream.write(`retry: ${RETRY_MS}\n\n`)
    return sendEvents(reply, stream)
  })
}

/** The position in Last-Event-ID; null without one. If it is not a number, it counts as older than all. */
function positionOf(header: string | string[] | undefined): number | null {
  if (header === undefined) return null
  return /^\d{1,15}$/.test(String(header)) ? Number(header) : -1
}
