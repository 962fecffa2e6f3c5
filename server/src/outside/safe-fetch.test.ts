import type { lookup } from 'node:dns'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, it, onTestFinished } from 'vitest'
import { AddressRefused, createSafeFetch } from './safe-fetch.ts'

const strict = createSafeFetch({ allowLoopback: false })
const local = createSafeFetch({ allowLoopback: true, timeoutMs: 300, maxBytes: 1_000 })

async function serve(listener: RequestListener): Promise<string> {
  const server = createServer(listener).listen(0, '127.0.0.1')
  await new Promise((resolve) => server.once('listening', resolve))
  onTestFinished(() => void server.close())
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

it.each(['http://example.com/', 'https://127.0.0.1/', 'https://localhost/'])(
  'rejects %s without sending a request',
  async (address) => {
    await expect(strict(address)).rejects.toThrow(AddressRefused)
  },
)

it('rejects a name if any of its addresses is private, in the lookup used to connect', async () => {
  for (const private_ of ['127.0.0.1', '::ffff:10.0.0.1', '::7f00:1']) {
    const addresses = [
      { address: '93.184.215.14', family: 4 },
      { address: private_, family: private_.includes(':') ? 6 : 4 },
    ]
    const resolve = ((_name: string, _options: object, done: (error: null, results: object[]) => void) =>
      done(null, addresses)) as unknown as typeof lookup
    const fetchBy = createSafeFetch({ allowLoopback: false, resolve })
    await expect(fetchBy('https://rebinding.example/')).rejects.toThrow('resolves to a private address')
  }
})

it('passes on requests and responses, and follows no redirects', async () => {
  const url = await serve((request, reply) => {
    if (request.url === '/away') return void reply.writeHead(302, { location: 'http://127.0.0.1:1/' }).end()
    let body = ''
    request.on('data', (part) => {
      body += part
    })
    request.on('end', () =>
      reply
        .writeHead(201, { 'content-type': 'application/json' })
        .end(JSON.stringify([request.method, request.headers['content-length'], body])),
    )
  })
  const response = await local(`${url}/`, { method: 'POST', body: new URLSearchParams({ a: 'b c' }) })
  expect([response.status, await response.json()]).toEqual([201, ['POST', '5', 'a=b+c']])
  expect((await local(`${url}/away`)).status).toBe(302)
})

it('fails if an answer is too long or takes too long', async () => {
  const long = await serve((_request, reply) => void reply.end('x'.repeat(2_000)))
  await expect(local(long)).rejects.toThrow(/longer than 1000 bytes/)
  const slow = await serve((_request, reply) => {
    reply.write('x')
  })
  await expect(local(slow)).rejects.toThrow(/abort/i)
})

it('returns the beginning of an incomplete answer with takesBeginning', async () => {
  const begins = createSafeFetch({ allowLoopback: true, timeoutMs: 300, maxBytes: 10, takesBeginning: true })
  const listeners: RequestListener[] = [
    (_request, reply) => void reply.end('0123456789 and more'),
    (_request, reply) => void reply.write('01234', () => reply.destroy()),
    (_request, reply) => void reply.write('01234'),
  ]
  const read = await Promise.all(listeners.map(async (listener) => (await begins(await serve(listener))).text()))
  expect(read).toEqual(['0123456789', '01234', '01234'])
})
