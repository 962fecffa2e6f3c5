import { PassThrough } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import { DraftsDone, DraftsInput } from '@x-automated/contract/outreach/writer'
import type { FastifyInstance } from 'fastify'
import { stillHasRole } from '../domains/identity/auth/caller.ts'
import { writeDrafts } from '../domains/outreach/writer/drafts.ts'
import { asRefusal } from '../operations.ts'
import { Refusal } from '../refusal.ts'
import type { Services } from '../services.ts'
import { envelopeOf, sendRefusal } from './envelope.ts'
import { sendEvents } from './event-stream.ts'
import { readInput } from './read-input.ts'
import { signedIn } from './signed-in.ts'

/**
 * How long to wait for the first draft before the response starts. Until then, an error has its own
 * status. Proxies give up on silent requests later.
 */
const SILENT_MS = 5_000
const HEARTBEAT_MS = 10_000
/** How many streams a user may have open. */
const STREAMS_PER_USER = 3

/**
 * POST /api/writer/drafts: server-sent events `draft`, one per draft, and `done`; or `error` with
 * the error envelope. An error before the first event is an ordinary response.
 */
export function serveWriterDrafts(app: FastifyInstance, services: Services): void {
  const open = new Map<string, number>()

  app.post('/api/writer/drafts', { compress: false }, async (request, reply) => {
    const disconnect = new AbortController()
    reply.raw.on('close', () => disconnect.abort())
    const { actor, database } = await signedIn(services, [request, reply], 'member', 'writer:write')
    const input = readInput(DraftsInput, request.body ?? {})
    const count = open.get(actor.userId) ?? 0
    if (count >= STREAMS_PER_USER) throw new Refusal('RATE_LIMITED', undefined, { retryAfterSeconds: 5 })
    open.set(actor.userId, count + 1)
    const close = () => {
      const rest = (open.get(actor.userId) ?? 1) - 1
      if (rest > 0) open.set(actor.userId, rest)
      else open.delete(actor.userId)
    }

    const drafts = writeDrafts({ ...services, db: database.db }, actor, input, disconnect.signal)
    const first = drafts.next()
    first.catch(() => {})
    const isLate = Symbol('late')
    try {
      // A refusal before the first draft gets its own status, unless the model takes long.
      await Promise.race([first, sleep(SILENT_MS, isLate, { ref: false })])
    } catch (error) {
      close()
      const refusal = asRefusal(error)
      if (refusal) return sendRefusal(reply, refusal)
      throw error
    }

    const stream = new PassThrough()
    const write = (text: string) => {
      if (!reply.raw.destroyed) stream.write(text)
    }
    const heartbeat = setInterval(() => write(': still here\n\n'), HEARTBEAT_MS)
    const writeEvents = async () => {
      let next = await first
      for (; !next.done; next = await drafts.next()) {
        // Drafts can take a minute or more, during which a member may be removed.
        if (!actor.apiKey && !(await stillHasRole(database.db, actor))) throw new Refusal('UNAUTHORIZED')
        write(eventOf('draft', next.value))
      }
      write(eventOf('done', DraftsDone.parse(next.value)))
    }
    writeEvents()
      .catch((error: unknown) => {
        const refusal = asRefusal(error)
        if (!refusal) request.log.error({ err: error }, 'drafts failed')
        write(eventOf('error', envelopeOf(refusal ?? new Refusal('INTERNAL'))))
      })
      .finally(() => {
        clearInterval(heartbeat)
        close()
        stream.end()
      })
    if (disconnect.signal.aborted) return reply.hijack()
    return sendEvents(reply, stream)
  })
}

function eventOf(event: 'draft' | 'done' | 'error', data: unknown): string {
  return `event: ${event}\ndata: ${JSON.stringify(data)}\n\n`
}
