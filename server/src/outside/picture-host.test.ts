import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { createPictureHost, typeOfPicture } from './picture-host.ts'

const PNG = Buffer.from('\x89PNG\r\n\x1a\n and pixels', 'latin1')
let respond: (response: ServerResponse) => void
let requested: string[] = []
const server = createServer((request, response) => {
  requested.push(request.url ?? '')
  respond(response)
})
let origin: string
beforeAll(async () => {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  origin = `http://127.0.0.1:${(server.address() as { port: number }).port}`
})
afterAll(() => void server.close())

const fetchFrom = (handler: typeof respond) => {
  requested = []
  respond = handler
  return createPictureHost(origin).fetch(`${origin}/a.png`)
}

it('returns a picture', async () => {
  expect(await fetchFrom((response) => response.end(PNG))).toEqual(PNG)
})
it.each<[string, (response: ServerResponse) => void]>([
  ['is not a picture', (response) => response.setHeader('content-type', 'image/png').end('<svg onload="alert(1)"/>')],
  ['is longer than 200 KB', (response) => response.end(Buffer.concat([PNG, Buffer.alloc(205_000)]))],
  ['is missing', (response) => response.writeHead(404).end(PNG)],
  [
    'breaks off',
    (response) => response.writeHead(200, { 'content-length': '900' }).write(PNG, () => response.destroy()),
  ],
])('returns nothing if the file %s', async (_, handler) => {
  expect(await fetchFrom(handler)).toBeNull()
})
it('follows no redirect', async () => {
  expect(await fetchFrom((response) => response.writeHead(302, { location: '/other.png' }).end())).toBeNull()
  expect(requested).toEqual(['/a.png'])
})
it("fetches from X's image host only, or from the stand-in only", () => {
  const [real, standIn] = [createPictureHost(null), createPictureHost(origin)]
  expect(real.hasPicture('https://pbs.twimg.com/profile_images/1/a.jpg')).toBe(true)
  expect(standIn.hasPicture(`${origin}/a.png`)).toBe(true)
  for (const url of [null, '', `${origin}/a.png`, 'https://pbs.twimg.com.evil.example/a', 'http://pbs.twimg.com/a'])
    expect(real.hasPicture(url)).toBe(false)
  expect(standIn.hasPicture('https://pbs.twimg.com/a.png')).toBe(false)
})
it('knows JPEG, PNG and WebP by their first bytes', () => {
  const typeOf = (text: string) => typeOfPicture(Buffer.from(text, 'latin1'))
  expect(typeOf('\xff\xd8\xff\xe0')).toBe('image/jpeg')
  expect(typeOf('\x89PNG\r\n\x1a\n')).toBe('image/png')
  expect(typeOf('RIFF\x00\x00\x00\x00WEBPVP8 ')).toBe('image/webp')
  for (const text of ['', 'GIF89a', '<svg', 'RIFF\x00\x00\x00\x00WAVE', '%PDF-']) expect(typeOf(text)).toBeNull()
})
