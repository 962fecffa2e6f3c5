import type { FastifyInstance } from 'fastify'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** How long a request to this route may take to arrive, in seconds. */
    bodySeconds?: number
  }
}

/** How long a request may take to arrive where its route says nothing else. */
const BODY_SECONDS = 120
/** The longest that any route gives. Node's own limit (`requestTimeout`) knows no routes, so it is this one. */
export const BODY_SECONDS_MAX = 15 * 60

/** Ends connections that are slower than their route allows, as Node does: through the server's `clientError`. */
export function limitBodyTime(app: FastifyInstance, { seconds = BODY_SECONDS }: { seconds?: number } = {}): void {
  app.addHook('onRequest', async (request) => {
    const { raw } = request
    const { 'content-length': length = '0', 'transfer-encoding': encoding } = request.headers
    if (length === '0' && !encoding) return
    const timer = setTimeout(
      () => {
        const late = Object.assign(new Error('Request timeout'), { code: 'ERR_HTTP_REQUEST_TIMEOUT' })
        if (!app.server.emit('clientError', late, raw.socket)) raw.socket.destroy()
      },
      (request.routeOptions.config.bodySeconds ?? seconds) * 1_000,
    )
    timer.unref()
    for (const event of ['end', 'close']) raw.once(event, () => clearTimeout(timer))
  })
}
