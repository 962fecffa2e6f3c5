import type { FastifyInstance } from 'fastify'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** How long a request to this route may take to arrive, in seconds. */
    bodySeconds?: number
    /** Minimum upload speed for this route, measured over every `PACE_SECONDS`. */
    bodyBytesPerSecond?: number
  }
}

/** How long a request may take to arrive, by default. */
const BODY_SECONDS = 120
/** The longest time of any route, for Node's `requestTimeout`, which applies to all. */
export const BODY_SECONDS_MAX = 15 * 60
/** A connection may pause this long, for example in a tunnel. */
const PACE_SECONDS = 20

/** Ends connections slower than their route allows, through the event `clientError`, as Node does. */
export function limitBodyTime(
  app: FastifyInstance,
  { seconds = BODY_SECONDS, paceSeconds = PACE_SECONDS }: { seconds?: number; paceSeconds?: number } = {},
): void {
  const arriving = new Set<() => void>()
  app.addHook('onClose', async () => {
    for (const stop of arriving) stop()
  })
  app.addHook('onRequest', async (request) => {
    const { raw } = request
    const { 'content-length': length = '0', 'transfer-encoding': encoding } = request.headers
    if (length === '0' && !encoding) return
    const { bodySeconds = seconds, bodyBytesPerSecond = 0 } = request.routeOptions.config
    const end = () => {
      stop()
      const late = Object.assign(new Error('Request timeout'), { code: 'ERR_HTTP_REQUEST_TIMEOUT' })
      if (!app.server.emit('clientError', late, raw.socket)) raw.socket.destroy()
    }
    let bytesBefore = raw.socket.bytesRead
    const speedTimer = setInterval(() => {
      const { bytesRead } = raw.socket
      if (bytesRead - bytesBefore < bodyBytesPerSecond * paceSeconds) end()
      bytesBefore = bytesRead
    }, paceSeconds * 1_000)
    const timer = setTimeout(end, bodySeconds * 1_000)
    const stop = () => {
      clearInterval(speedTimer)
      clearTimeout(timer)
      arriving.delete(stop)
    }
    arriving.add(stop)
    for (const each of [speedTimer, timer]) each.unref()
    for (const event of ['end', 'close']) raw.once(event, stop)
  })
}
