import { once } from 'node:events'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import Fastify, { type FastifyInstance } from 'fastify'

/**
 * A Fastify server for this machine only. It listens on 127.0.0.1, and a request whose Host is another name is refused,
 * so that no website can reach it through a name that it points at this machine.
 * `alsoKnownAs` are further names it answers to.
 */
export function loopbackServer(alsoKnownAs: string[] = []): FastifyInstance {
  const names = new Set(['127.0.0.1', 'localhost', '[::1]', ...alsoKnownAs])
  const app = Fastify({ forceCloseConnections: true, keepAliveTimeout: 60_000, bodyLimit: 256 * 1024 })
  app.addHook('onRequest', async (request, reply) => {
    const name = (request.headers.host ?? '').replace(/:\d+$/, '')
    if (!names.has(name)) return reply.code(421).send({ error: `This server does not answer to ${name || 'no name'}` })
  })
  return app
}

/** Listens on the loopback address and answers with where: `{ port, url }`. Port 0 takes a free one; a taken port throws EADDRINUSE. */
export async function listenOnLoopback(app: FastifyInstance, port: number) {
  await app.listen({ host: '127.0.0.1', port })
  const taken = (app.server.address() as AddressInfo).port
  return { port: taken, url: `http://127.0.0.1:${taken}` }
}

export type Secure = { port: number; close(): Promise<void> }

/** Lets a server that already listens answer over TLS as well, on a free loopback port. PEM texts. */
export async function listenOverTls(app: FastifyInstance, tls: { key: string; cert: string }): Promise<Secure> {
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
