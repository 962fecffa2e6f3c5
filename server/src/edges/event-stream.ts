import type { Readable } from 'node:stream'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { decodeJwt } from 'jose'

/** Responds with server-sent events, which no proxy may store or delay. */
export function sendEvents(reply: FastifyReply, events: Readable): FastifyReply {
  return (
    reply
      .header('content-type', 'text/event-stream; charset=utf-8')
      .header('cache-control', 'no-store, no-transform')
      .header('x-accel-buffering', 'no')
      // A kept-alive connection would delay the shutdown.
      .header('connection', 'close')
      .send(events)
  )
}

/** The token of a request, which the caller has verified. A stream ends when its token expires. */
export function tokenOf({ headers }: FastifyRequest): { token: string; expiresAt: Date } {
  const token = headers.authorization?.slice('Bearer '.length) ?? ''
  return { token, expiresAt: new Date((decodeJwt(token).exp ?? 0) * 1000) }
}
