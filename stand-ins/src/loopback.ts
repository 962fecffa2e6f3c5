import { once } from 'node:events'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import Fastify, { type FastifyInstance } from 'fastify'

/**
 * Creates a Fastify server for loopback. Rejects other Host names, to prevent DNS rebinding.
 * @param alsoKnownAs further names to accept
 */
export function loopbackServer(alsoKnownAs: string[] = []): FastifyInstance {
  const names = new Set(['127.0.0.1', 'localhost', '[::1]', ...alsoKnownAs])
  const app = Fastify({ forceCloseConnections: true, keepAliveTimeout: 60_000, bodyLimit: 256 * 1024 })
  app.addHook('onRequest', async (request, reply) => {
    const name = (request.headers.host ?? '').replace(/:\d+$/, '')
    if (!names.has(name)) return reply.code(421).send({ error: `Unknown host: ${name || 'none'}` })
  })
  return app
}

/** Listens on 127.0.0.1. If that fails, closes the app. @param port 0 for any free port @throws EADDRINUSE */
export async function listenOnLoopback(app: FastifyInstance, port: number) {
  await app.listen({ host: '127.0.0.1', port }).catch(async (error) => {
    await app.close()
    throw error
  })
  const bound = (app.server.address() as AddressInfo).port
  return { port: bound, url: `http://127.0.0.1:${bound}` }
}

/** Also serves a listening server over TLS, on a free loopback port. @param tls PEM texts */
export async function listenOverTls(app: FastifyInstance, tls: { key: string; cert: string }) {
  const server = createServer(tls, (request, reply) => app.server.emit('request', request, reply))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    port: (server.address() as AddressInfo).port,
    async close() {
      const closed = once(server, 'close')
      server.close()
      server.closeAllConnections()
      await closed
    },
  }
}
