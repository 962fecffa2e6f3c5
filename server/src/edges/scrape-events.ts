import { once } from 'node:events'
import { PassThrough } from 'node:stream'
import { Id } from '@x-automated/contract/fields'
import { Scrape } from '@x-automated/contract/leads/scrapes'
import type { FastifyInstance } from 'fastify'
import { stillHasRole } from '../domains/identity/auth/caller.ts'
import { REVOCATIONS_CHANNEL } from '../domains/identity/auth/tokens.ts'
import { MEMBERSHIPS_CHANNEL } from '../domains/identity/workspaces/workspaces.ts'
import { find, follow, view } from '../domains/leads/scrapes/scrapes.ts'
import { Refusal } from '../refusal.ts'
import type { Services } from '../services.ts'
import { sendEvents, tokenOf } from './event-stream.ts'
import { signedIn } from './signed-in.ts'

/** Keeps proxies from closing an idle stream, and detects ended sessions. */
const HEARTBEAT_MS = 15_000
/** How soon clients should reconnect. */
const RETRY_MS = 2_000
/** Limit for all tabs of one user. */
const STREAMS_PER_USER = 20

/**
 * GET /api/scrapes/{id}/events: server-sent events `progress` and finally `done`, with the scrape
 * as data. Event ids are the scrape's versions, so Last-Event-ID skips what the client has seen.
 */
export function serveScrapeEvents(app: FastifyInstance, services: Services): void {
  const open = new Map<AbortController, string>()
  app.addHook('preClose', async () => {
    for (const stream of open.keys()) stream.abort()
  })

  app.get<{ Params: { id: string } }>(
    '/api/scrapes/:id/events',
    { compress: false, exposeHeadRoute: false },
    async (request, reply) => {
      const { actor, database } = await signedIn(services, [request, reply], 'viewer')
      const id = Id.safeParse(request.params.id).data
      if (id === undefined) throw new Refusal('SCRAPE_NOT_FOUND')
      await find(database.db, actor, id)
      if ([...open.values()].filter((userId) => userId === actor.userId).length >= STREAMS_PER_USER)
        throw new Refusal('RATE_LIMITED', undefined, { retryAfterSeconds: 5 })

      const stream = new PassThrough()
      const ended = new AbortController()
      open.set(ended, actor.userId)
      reply.raw.on('close', () => ended.abort())
      const { token, expiresAt } = tokenOf(request)
      const expiry = setTimeout(() => ended.abort(), expiresAt.getTime() - Date.now())
      const check = async () => {
        if ((await services.auth.verify(token).catch(() => null)) === null) ended.abort()
      }
      const heartbeat = setInterval(async () => {
        await check()
        if (!ended.signal.aborted) stream.write(': still here\n\n')
      }, HEARTBEAT_MS)
      const stops = [MEMBERSHIPS_CHANNEL, REVOCATIONS_CHANNEL].map((channel) =>
        services.channels.subscribe(channel, check),
      )

      const seen = Number(request.headers['last-event-id'] ?? -1)
      const writeEvents = async () => {
        stream.write(`retry: ${RETRY_MS}\n\n`)
        for await (const row of follow({ ...services, database }, actor, id, ended.signal)) {
          const scrape = Scrape.parse(view(row))
          const isOver = ['completed', 'canceled', 'failed'].includes(scrape.status)
          if (!isOver && row.version <= seen) continue
          if (!(await stillHasRole(database.db, actor))) break
          const event = `id: ${row.version}\nevent: ${isOver ? 'done' : 'progress'}\ndata: ${JSON.stringify(scrape)}\n\n`
          // A slow client skips intermediate states.
          if (!stream.write(event)) await once(stream, 'drain', { signal: ended.signal })
        }
      }
      writeEvents()
        .catch((error: unknown) => {
          if (!ended.signal.aborted) request.log.warn({ err: error }, 'scrape event stream failed')
        })
        .finally(() => {
          clearTimeout(expiry)
          clearInterval(heartbeat)
          for (const stop of stops) stop()
          open.delete(ended)
          stream.end()
        })
      return sendEvents(reply, stream)
    },
  )
}
