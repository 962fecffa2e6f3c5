import { mkdtempSync, rmSync } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { idOfHandle } from '@x-automated/stand-ins/x/ids'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { makeLeads } from '../../test/leads.ts'
import { connectX, makePerson, type Person } from '../../test/makers.ts'
import { openApp, type TestApp } from '../../test/open-app.ts'
import { setFaults } from '../../test/outreach.ts'

let app: TestApp
let person: Person
const dataDir = mkdtempSync(join(tmpdir(), 'x-automated-pictures-'))
beforeAll(async () => {
  app = await openApp({ x: true, env: { DATA_DIR: dataDir } })
  person = await makePerson(app)
})
afterAll(() => rmSync(dataDir, { recursive: true, force: true }))

const pictureOf = (handle: string) => `${app.x.url}/profile_images/${idOfHandle(handle)}.webp`
async function leadWith(profileImageUrl: string | null) {
  const [lead] = await makeLeads(app, person, [{ profileImageUrl }])
  return person.client.leads.find({ id: lead!.id })
}
const get = (path: string) => fetch(`${app.origin}${path}`)

it('serves the picture of a lead and of an X account, without a token', async () => {
  const lead = await leadWith(pictureOf('ada'))
  await connectX(app, person)
  const { accounts } = await person.client.xAccount.list()
  for (const path of [lead.pictureUrl, accounts[0]!.pictureUrl]) {
    const response = await get(path!)
    expect(response.status).toBe(200)
    expect(Object.fromEntries(response.headers)).toMatchObject({
      'content-type': 'image/webp',
      'cache-control': 'private, max-age=86400',
      'x-content-type-options': 'nosniff',
      'content-security-policy': "default-src 'none'; sandbox; frame-ancestors 'none'",
    })
    expect(Buffer.from(await response.arrayBuffer()).toString('latin1', 8, 12)).toBe('WEBP')
  }
})

it('has the same address in every list of leads', async () => {
  const { id, pictureUrl } = await leadWith(pictureOf('bruno'))
  const pages = [await person.client.leads.list({}), await person.client.messages.leads({})]
  for (const { leads } of pages) expect(leads.find((lead) => lead.id === id)?.pictureUrl).toBe(pictureUrl)
})

it('asks X once, even if several people look', async () => {
  const { pictureUrl } = await leadWith(pictureOf('cleo'))
  expect(await Promise.all([1, 2, 3].map(async () => (await get(pictureUrl!)).status))).toEqual([200, 200, 200])
  await setFaults(app, { method: 'GET', path: '/profile_images/*', times: 100, status: 503 })
  expect((await get(pictureUrl!)).status).toBe(200)
  await setFaults(app)
})

it('stores no picture of someone who is not stored', async () => {
  const { pictures } = app.services
  const files = async () =>
    (await readdir(dataDir, { recursive: true, withFileTypes: true })).filter((f) => f.isFile()).length
  const before = await files()
  expect((await get(pictures.urlOfSource(pictureOf('gina'))!)).status).toBe(200)
  expect(await files()).toBe(before)
  expect((await get((await leadWith(pictureOf('gina'))).pictureUrl!)).status).toBe(200)
  expect(await files()).toBe(before + 1)
})

it('gives no address to a picture on another host, or to none', async () => {
  for (const url of [null, '', 'https://evil.example/a.png', `${app.x.url}.evil.example/a.png`])
    expect((await leadWith(url)).pictureUrl).toBeNull()
})

it('returns 404 for every other address', async () => {
  const [lead, other] = [await leadWith(pictureOf('dora')), await leadWith(pictureOf('enzo'))]
  const withoutPicture = await leadWith(`${app.x.url}/profile_images/none.webp`)
  const [path, query] = lead.pictureUrl!.split('?') as [string, string]
  const later = query.replace(/expires=(\d+)/, (_, expires) => `expires=${Number(expires) + 86_400}`)
  for (const address of [
    path,
    `${path}?${later}`,
    `${path}?${query}x`,
    `${path}?${query}&signature=x`,
    `${other.pictureUrl!.split('?')[0]}?${query}`,
    `/api/pictures/nobody?${query}`,
    withoutPicture.pictureUrl!,
  ]) {
    const response = await get(address)
    expect([address, response.status, (await response.json()).code]).toEqual([address, 404, 'PICTURE_NOT_FOUND'])
  }
  await person.client.leads.remove({ id: lead.id })
  expect((await get(lead.pictureUrl!)).status).toBe(404)
})

it('stops serving an address after the end of the next day', async () => {
  const { pictures } = app.services
  const { id, pictureUrl } = await leadWith(pictureOf('flora'))
  const query = new URL(pictureUrl!, app.origin).searchParams
  const [expires, signature] = [Number(query.get('expires')), query.get('signature')!]
  const hours = (expires * 1_000 - Date.now()) / 3_600_000
  expect(hours).toBeGreaterThan(24)
  expect(hours).toBeLessThanOrEqual(48)
  expect(pictures.isSigned(id, expires, signature)).toBe(true)
  expect(pictures.isSigned(id, expires, signature, expires * 1_000)).toBe(false)
})
