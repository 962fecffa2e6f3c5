import { setTimeout as sleep } from 'node:timers/promises'
import { idOfHandle } from '@x-automated/stand-ins/x/ids'
import { sql } from 'drizzle-orm'
import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { call, connectX, makePerson, type Person, subscribe } from '../../test/makers.ts'
import { openApp, type TestApp } from '../../test/open-app.ts'
import { changeScrapes, makeScrape, startScrape, until } from '../../test/scrapes.ts'
import { signOut } from '../domains/identity/auth/sessions.ts'

const SLOW = 'f3500_slowly'

let app: TestApp
beforeAll(async () => {
  app = await openApp({ x: true, workers: true })
  await fetch(`${app.x.url}/_faults`, {
    method: 'PUT',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify([{ path: `/2/users/${idOfHandle(SLOW)}/followers`, delayMs: 100 }]),
  })
})
let person: Person
beforeEach(async () => {
  person = await makePerson(app)
  await subscribe(app, person)
  await connectX(app, person)
})

interface Event {
  id: number
  event: string
  data: { id: string; status: string; fetched: number; matched: number }
}

/** Opens the stream. `read` returns its events until it ends or `enough` returns true. */
async function open(id: string, headers: Record<string, string> = {}, token = person.token) {
  const response = await fetch(`${app.url}/scrapes/${id}/events`, {
    headers: { authorization: `Bearer ${token}`, 'accept-encoding': 'br, gzip', ...headers },
  })
  async function read(enough: (event: Event) => boolean = () => false): Promise<Event[]> {
    const events: Event[] = []
    const decoder = new TextDecoder()
    let text = ''
    for await (const chunk of response.body as unknown as AsyncIterable<Uint8Array>) {
      text += decoder.decode(chunk, { stream: true })
      const blocks = text.split('\n\n')
      text = blocks.pop() as string
      for (const block of blocks) {
        const fields = Object.fromEntries(block.split('\n').map((line) => line.split(/: (.*)/s).slice(0, 2)))
        if (!fields.event) continue
        const event = { id: Number(fields.id), event: fields.event, data: JSON.parse(fields.data) }
        events.push(event)
        if (enough(event)) return events
      }
    }
    return events
  }
  return { response, read }
}

/** Stores a scrape that no worker runs. */
async function stillScrape(status: 'waiting' | 'completed' = 'waiting'): Promise<string> {
  const resumesAt = status === 'waiting' ? new Date(Date.now() + 600_000) : null
  return (await makeScrape(app, person, { status, resumesAt, version: 7 })).id
}

describe('GET /scrapes/{id}/events', () => {
  it('streams progress for each page, then done, then ends', async () => {
    const id = await startScrape(person, SLOW)
    const { response, read } = await open(id)
    expect(response.status).toBe(200)
    expect(response.headers.get('content-type')).toBe('text/event-stream; charset=utf-8')
    expect(response.headers.get('content-encoding')).toBeNull()
    const events = await read()
    expect(events.at(-1)).toMatchObject({
      event: 'done',
      data: { id, status: 'completed', fetched: 3_500, matched: 3_500 },
    })
    expect(events.slice(0, -1).every((event) => event.event === 'progress')).toBe(true)
    expect(events.map((event) => event.data.fetched)).toEqual(expect.arrayContaining([1_000, 2_000, 3_000, 3_500]))
    const ids = events.map((event) => event.id)
    expect(ids).toEqual([...new Set(ids)].sort((a, b) => a - b))
    // The last event equals the scrape.
    expect((await person.call('GET', `/scrapes/${id}`)).body).toEqual(events.at(-1)!.data)
    expect(JSON.stringify(events)).not.toContain(person.workspaceId)
  })

  it('continues after Last-Event-ID', async () => {
    const id = await startScrape(person, SLOW)
    const seen = await (await open(id)).read((event) => event.data.fetched >= 1_000)
    const last = seen.at(-1)!.id
    const rest = await (await open(id, { 'last-event-id': String(last) })).read()
    expect(rest.every((event) => event.id > last)).toBe(true)
    expect(rest.at(-1)).toMatchObject({ event: 'done', data: { fetched: 3_500 } })
  })

  it('skips seen versions, and sends done immediately if the scrape is over', async () => {
    const waits = await open(await stillScrape(), { 'last-event-id': '7' })
    const over = await open(await stillScrape('completed'), { 'last-event-id': '7' })
    expect(await over.read()).toMatchObject([{ id: 7, event: 'done', data: { status: 'completed' } }])
    const first = await Promise.race([waits.read(), new Promise((resolve) => setTimeout(resolve, 500, 'silent'))])
    expect(first).toBe('silent')
  })

  it('streams changes by others immediately', async () => {
    const id = await stillScrape()
    const { read } = await open(id)
    const events = await read((event) => {
      if (event.event === 'progress') void person.call('POST', `/scrapes/${id}/cancel`)
      return false
    })
    expect(events).toMatchObject([
      { event: 'progress', data: { status: 'waiting' } },
      { event: 'done', data: { status: 'canceled' } },
    ])
  })

  it('detects changes without a notification', async () => {
    const id = await stillScrape()
    const { read } = await open(id)
    const fail = () => changeScrapes(app, { id }, { status: 'failed', version: sql`version + 1` })
    const events = await read((event) => {
      if (event.event === 'progress') fail().catch(expect.unreachable)
      return false
    })
    expect(events).toMatchObject([{ event: 'progress' }, { event: 'done', data: { status: 'failed' } }])
  })

  it('ends without done when the token expires', async () => {
    const now = Math.floor(Date.now() / 1000)
    const payload = {
      sub: person.id,
      sid: person.actor.sessionId,
      wid: person.workspaceId,
      role: 'viewer',
      iat: now,
      exp: now + 4,
    }
    const token = await app.services.auth.sign(app.db, payload)
    const { read } = await open(await stillScrape(), {}, token)
    expect(await read()).toMatchObject([{ event: 'progress' }])
    expect(Date.now() / 1000).toBeGreaterThanOrEqual(now + 3.9)
  })

  it.each([
    ['removed', (owner: Person, { id }: Person) => owner.client.people.remove({ id })],
    ['made a viewer', (owner: Person, { id }: Person) => owner.client.people.update({ id, role: 'viewer' })],
    ['signed out', (_: Person, { actor }: Person) => signOut({ db: app.db, auth: app.services.auth }, actor, 'local')],
  ])('ends within a second, without another event, once its person is %s', async (_, end) => {
    const id = await stillScrape()
    const member = await makePerson(app, { in: person, role: 'member' })
    const { read } = await open(id, {}, member.token)
    const reading = read((event) => {
      if (event.event === 'progress') void end(person, member).then(() => person.call('POST', `/scrapes/${id}/cancel`))
      return false
    })
    const events = await Promise.race([reading, sleep(1_500, 'open')])
    expect(events).toMatchObject([{ event: 'progress' }])
  })

  it('returns 401, 404 and 429 in the error envelope', async () => {
    const id = await stillScrape()
    expect((await call(app, 'GET', `/scrapes/${id}/events`)).body.code).toBe('UNAUTHORIZED')
    const stranger = await makePerson(app)
    for (const wrong of [id, 'nonsense', 'x'.repeat(250)]) {
      const response = await stranger.call('GET', `/scrapes/${wrong}/events`)
      expect([response.status, response.body.code]).toEqual([404, 'SCRAPE_NOT_FOUND'])
    }
    const streams = await Promise.all(Array.from({ length: 20 }, () => open(id)))
    const refused = await person.call('GET', `/scrapes/${id}/events`)
    expect([refused.status, refused.body.code, refused.headers.get('retry-after')]).toEqual([429, 'RATE_LIMITED', '5'])
    await Promise.all(streams.map((stream) => stream.read(() => true)))
    await expect.poll(async () => (await open(id)).response.status).toBe(200)
    await signOut({ db: app.db, auth: app.services.auth }, person.actor, 'local')
    expect((await person.call('GET', `/scrapes/${id}/events`)).status).toBe(401)
  })

  it('ends immediately when the server shuts down', async () => {
    const server = await app.startAnother()
    const id = await stillScrape()
    const response = await fetch(`${server.url}/api/scrapes/${id}/events`, {
      headers: { authorization: `Bearer ${person.token}` },
    })
    const began = Date.now()
    await Promise.all([response.text(), server.close()])
    // Otherwise the stream would last as long as its token.
    expect(Date.now() - began).toBeLessThan(20_000)
  })
})

it('streams do not slow a scrape down', async () => {
  const id = await startScrape(person, 'f1500_watch')
  const streams = await Promise.all(Array.from({ length: 10 }, () => open(id)))
  const all = await Promise.all(streams.map((stream) => stream.read()))
  expect(all.map((events) => events.at(-1)?.event)).toEqual(Array(10).fill('done'))
  await until(app, id, (row) => row.status === 'completed')
})
