import { beforeAll, describe, expect, it } from 'vitest'
import { resetRateLimits } from '../../test/jobs.ts'
import { openApp, type TestApp } from '../../test/open-app.ts'
import { insertMember, recode } from '../../test/waitlist.ts'

let app: TestApp
/** Codes of the first members, by position. */
const codes: string[] = []
beforeAll(async () => {
  app = await openApp()
  for (const name of ['first', 'second', 'third']) {
    const joined = await app.anonymous.waitlist.join({ email: `${name}@example.com` })
    codes.push(joined.referralCode)
  }
})

const get = async (path: string) => {
  const response = await fetch(`${app.origin}${path}`)
  return { status: response.status, headers: response.headers, bytes: Buffer.from(await response.arrayBuffer()) }
}
/** Reads the header of a PNG: https://www.w3.org/TR/png/#11IHDR */
const sizeOf = (png: Buffer) => ({
  isPng: png.subarray(1, 4).toString() === 'PNG',
  width: png.readUInt32BE(16),
  height: png.readUInt32BE(20),
})

describe('the preview picture of a link', () => {
  it('is a PNG of the standard size that other sites can embed', async () => {
    const { status, headers, bytes } = await get('/share.png')
    expect([status, headers.get('content-type')]).toEqual([200, 'image/png'])
    expect(sizeOf(bytes)).toEqual({ isPng: true, width: 1200, height: 630 })
    expect(bytes.length).toBeLessThan(100_000)
    expect(headers.get('cross-origin-resource-policy')).toBe('cross-origin')
    expect(headers.get('cache-control')).toBe('public, max-age=86400')
  })

  it("shows the referrer's place", async () => {
    const [first, second, again] = await Promise.all(
      [codes[0], codes[1], codes[0]].map((code) => get(`/share/${code}.png`)),
    )
    expect(first?.headers.get('cache-control')).toBe('public, max-age=3600')
    expect(sizeOf(first?.bytes as Buffer)).toEqual({ isPng: true, width: 1200, height: 630 })
    expect(first?.bytes.equals(again?.bytes as Buffer)).toBe(true)
    expect(first?.bytes.equals(second?.bytes as Buffer)).toBe(false)
    // The picture shows only the position: another member with the same position gets the same picture.
    await recode(app, { position: 1 }, 'QW3RTY')
    expect((await get('/share/QW3RTY.png')).bytes.equals(first?.bytes as Buffer)).toBe(true)
  })

  it('is generic for unknown codes and members without a place', async () => {
    const product = (await get('/share.png')).bytes
    expect((await get('/share/Unknown1.png')).bytes.equals(product)).toBe(true)
    await insertMember(app, { email: 'account@example.com', referralCode: 'AC0UNT' })
    expect((await get('/share/AC0UNT.png')).bytes.equals(product)).toBe(true)
  })

  it('is generic and cached briefly for clients that looked up too many codes', async () => {
    const product = (await get('/share.png')).bytes
    for (let guess = 0; guess < 20; guess++) await get(`/share/Guess${guess}.png`)
    const existing = await get(`/share/${codes[1]}.png`)
    expect(existing.headers.get('cache-control')).toBe('public, max-age=60')
    expect(existing.bytes.equals(product)).toBe(true)
    await resetRateLimits(app)
    expect((await get(`/share/${codes[1]}.png`)).bytes.equals(product)).toBe(false)
  })

  it.each(['/share/', '/share/abc', '/share/a%20b.png', '/share/%00.png', `/share/${'x'.repeat(33)}.png`])(
    '%s returns 404',
    async (path) => {
      expect((await get(path)).status).toBe(404)
    },
  )

  it('is generic for a while if too many are requested together', async () => {
    const people = Array.from({ length: 30 }, (_, i) => ({
      email: `many${i}@example.com`,
      referralCode: `MANY${i}`,
      position: 1_000 + i,
    }))
    for (const member of people) await insertMember(app, member)
    const responses = await Promise.all(people.map(({ referralCode }) => get(`/share/${referralCode}.png`)))
    const product = (await get('/share.png')).bytes
    const later = responses.filter(({ headers }) => headers.get('cache-control') === 'public, max-age=60')
    expect(later.length).toBeGreaterThan(0)
    expect(later.length).toBeLessThan(30)
    for (const { status, bytes } of later) expect([status, bytes.equals(product)]).toEqual([200, true])
  })
})
