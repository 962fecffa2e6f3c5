import type { lookup } from 'node:dns'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, it, onTestFinished } from 'vitest'
import { AddressRefused, createSafeFetch, isPublicAddress, refusalOf } from './safe-fetch.ts'

const strict = createSafeFetch({ allowPrivate: false })
const local = createSafeFetch({ allowPrivate: true, timeoutMs: 300, maxBytes: 1_000 })

async function serve(answer: RequestListener): Promise<string> {
  const server = createServer(answer).listen(0, '127.0.0.1')
  await new Promise((resolve) => server.once('listening', resolve))
  onTestFinished(() => void server.close())
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

it.each([
  '127.0.0.1',
  '127.1.2.3',
  '10.0.0.1',
  '172.16.5.5',
  '192.168.1.1',
  '169.254.169.254',
  '100.64.0.1',
  '0.0.0.0',
  '224.0.0.1',
  '255.255.255.255',
  '::1',
  '::',
  'fe80::1',
  'fd00::1',
  '::ffff:127.0.0.1',
  '64:ff9b::7f00:1',
  '2002:7f00:1::',
  'ff02::1',
])('%s is no public address', (address) => expect(isPublicAddress(address)).toBe(false))

it.each(['93.184.215.14', '2606:2800:21f:cb07:6820:80da:af6b:8b2c'])('%s is one', (address) =>
  expect(isPublicAddress(address)).toBe(true),
)

it.each([
  'http://example.com/',
  'ftp://example.com/',
  'file:///etc/passwd',
  'https://user:secret@example.com/',
  'https://127.0.0.1/',
  'https://2130706433/',
  'https://0x7f.1/',
  'https://[::1]/',
  'https://[::ffff:7f00:1]/',
  'https://169.254.169.254/latest/meta-data/',
  'https://localhost/',
  'https://metadata.google.internal/',
  'https://printer.local/',
])('%s is refused before anything is asked', async (address) => {
  expect(refusalOf(new URL(address), false)).toMatch(/^must /)
  await expect(strict(address)).rejects.toThrow(AddressRefused)
})

it('a name is refused by the look-up that would connect to it, also where only one of its addresses is private', async () => {
  for (const private_ of ['127.0.0.1', '::ffff:10.0.0.1']) {
    const addresses = [
      { address: '93.184.215.14', family: 4 },
      { address: private_, family: private_.includes(':') ? 6 : 4 },
    ]
    const resolve = ((_name: string, _options: object, done: (error: null, found: object[]) => void) =>
      done(null, addresses)) as unknown as typeof lookup
    const fetchBy = createSafeFetch({ allowPrivate: false, resolve })
    await expect(fetchBy('https://rebinding.example/')).rejects.toThrow('is an address of a private network')
  }
})

it('hands on what was asked and answered, and follows no redirect', async () => {
  const url = await serve((request, reply) => {
    if (request.url === '/away') return void reply.writeHead(302, { location: 'http://127.0.0.1:1/' }).end()
    let body = ''
    request.on('data', (part) => {
      body += part
    })
    request.on('end', () =>
      reply.writeHead(201, { 'content-type': 'application/json' }).end(JSON.stringify([request.method, body])),
    )
  })
  const answer = await local(`${url}/`, { method: 'POST', body: new URLSearchParams({ a: 'b c' }) })
  expect([answer.status, await answer.json()]).toEqual([201, ['POST', 'a=b+c']])
  expect((await local(`${url}/away`)).status).toBe(302)
})

it('ends an answer that is too long or takes too long', async () => {
  const long = await serve((_request, reply) => void reply.end('x'.repeat(2_000)))
  await expect(local(long)).rejects.toThrow(/longer than 1000 bytes/)
  const slow = await serve((_request, reply) => {
    reply.write('x')
  })
  await expect(local(slow)).rejects.toThrow(/abort/i)
})
