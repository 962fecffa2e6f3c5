import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders } from 'node:http'

export interface ForeignSite {
  /** Where it is, without a trailing slash: never the product's origin. */
  origin: string
  /** What was posted to it, the oldest first. */
  received: { path: string; headers: IncomingHttpHeaders; body: string }[]
  /** What it answers posts with from now on. */
  answerWith(status: number): void
  close(): Promise<void>
}

/** Somebody else's site, on an origin of its own: it serves `pages` by their paths, and keeps what is posted to it. */
export async function openForeignSite(pages: Record<string, string>): Promise<ForeignSite> {
  const received: ForeignSite['received'] = []
  let status = 200
  const server = createServer(async (request, response) => {
    if (request.method === 'POST') {
      let body = ''
      for await (const chunk of request) body += chunk
      received.push({ path: request.url ?? '', headers: request.headers, body })
      return response.writeHead(status).end('taken')
    }
    const page = pages[request.url?.split('?', 1)[0] ?? '']
    response.writeHead(page ? 200 : 404, { 'content-type': 'text/html; charset=utf-8' }).end(page ?? '')
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  if (typeof address !== 'object' || !address) throw new Error('it listens nowhere')
  return {
    origin: `http://127.0.0.1:${address.port}`,
    received,
    answerWith: (next) => {
      status = next
    },
    async close() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}
