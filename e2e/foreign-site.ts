import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders } from 'node:http'

export interface ForeignSite {
  /** Differs from the product's origin. */
  origin: string
  /** Received POSTs, oldest first. */
  received: { path: string; headers: IncomingHttpHeaders; body: string }[]
  /** Sets the status of responses to POSTs. */
  answerWith(status: number): void
  close(): Promise<void>
}

/** Opens a site on another origin that serves `pages` by path and records POSTs. */
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
  if (typeof address !== 'object' || !address) throw new Error('the server has no port')
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
