import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import { idOfHandle } from '@x-automated/stand-ins/x/ids'
import { eq } from 'drizzle-orm'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { connectX, makePerson, type Person, subscribe } from '../../../../test/makers.ts'
import { openApp, type TestApp } from '../../../../test/open-app.ts'
import { changeScrapes, everyone, foundBy, startScrape, until } from '../../../../test/scrapes.ts'
import { leads } from '../../../core/tables/leads.ts'
import { createXApi } from '../../../outside/x.ts'
import { runScrapes } from './running.ts'
import { scrapes } from './tables.ts'

/** Long enough for a busy machine: if a call timed out first, its fault would be used up unseen. */
const TIMEOUT_MS = 3_000

let app: TestApp
const closing: (() => Promise<unknown>)[] = []
beforeAll(async () => {
  app = await openApp({ x: true })
  const faults = Object.entries(FAULTS).flatMap(([handle, list]) =>
    list.map((fault) => ({ path: `/2/users/${idOfHandle(handle)}/followers`, ...fault })),
  )
  await fetch(`${app.x.url}/_faults`, {
    method: 'PUT',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(faults),
  })
  // A proxy to X that garbles the chosen responses.
  const garbling = createServer(async (request, response) => {
    const garble = GARBLED.get(`${request.url}`.split('?')[0] ?? '')?.shift()
    if (garble) return garble(response)
    const upstream = await fetch(`${app.x.url}${request.url}`, {
      method: request.method,
      headers: {
        authorization: request.headers.authorization ?? '',
        'content-type': request.headers['content-type'] ?? '',
      },
      ...(request.method === 'POST' ? { body: await new Response(request as never).text() } : {}),
    }).catch(() => null)
    if (!upstream) return response.destroy()
    const reset = upstream.headers.get('x-rate-limit-reset')
    response.writeHead(upstream.status, {
      'content-type': 'application/json',
      ...(reset ? { 'x-rate-limit-reset': reset } : {}),
    })
    return response.end(await upstream.text())
  }).listen(0, '127.0.0.1')
  await once(garbling, 'listening')
  const { port } = garbling.address() as { port: number }
  const { clientId, clientSecret } = app.x
  const x = createXApi({ apiUrl: `http://127.0.0.1:${port}`, clientId, clientSecret, timeoutMs: TIMEOUT_MS })
  const runner = await runScrapes({ ...app.services, x }, app.services.log)
  closing.push(runner.close, async () => {
    garbling.closeAllConnections()
    garbling.close()
  })
})
afterAll(async () => {
  for (const close of closing) await close()
})

/** Faults by handle. Every scrape below reads a page of 1,000 and a last one of 200. */
const FAULTS: Record<string, object[]> = {
  f1200_limit: [{ status: 429, resetSeconds: 2, times: 1 }],
  f1200_lost: [{ status: 401, times: 2 }],
  f1200_renew: [{ status: 401, times: 1 }],
  f1200_locked: [{ status: 403, code: 326, times: 1 }],
  f1200_trouble: [
    { status: 503, times: 1 },
    { status: 500, times: 1 },
  ],
  f1200_cut: [
    { dropBefore: true, times: 1 },
    { dropAfter: true, times: 1 },
  ],
  f1200_slow: [{ delayMs: TIMEOUT_MS + 1_000, times: 1 }],
  f1200_down: [{ status: 503, times: 3 }],
  f1200_gone: [{ status: 503, times: 3 }],
  f1200_refuse: [{ status: 403, times: 1 }],
  f1200_cancel: [{ delayMs: 250 }],
  f1200_wait: [{ status: 401 }],
}
const GARBLED = new Map<string, ((response: ServerResponse) => unknown)[]>([
  [
    `/2/users/${idOfHandle('f1200_mess')}/followers`,
    // The second response is JSON without the expected fields.
    [(response) => response.end('<html>Something went wrong'), (response) => response.end('{}')],
  ],
])

async function connected(): Promise<Person> {
  const person = await makePerson(app)
  await subscribe(app, person)
  await connectX(app, person)
  return person
}
const over = (row: { status: string }) => ['completed', 'failed', 'canceled'].includes(row.status)
const waiting = (row: { status: string }) => row.status === 'waiting'

/** Makes each failure the seventh in a row until the scrape fails, because eight real ones take minutes. */
async function failAtTheEighth(person: Person) {
  const own = eq(scrapes.workspaceId, person.workspaceId)
  for (;;) {
    await changeScrapes(app, { workspaceId: person.workspaceId, status: 'waiting' }, { failures: 7 })
    const [row] = await app.db.select().from(scrapes).where(own)
    if (row && over(row)) return
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
}

/** Asserts that every follower was saved once, and the counts match. */
async function expectWhole(id: string, handle: string) {
  const row = await until(app, id, over)
  const all = await everyone(app.x, handle, 'followers')
  expect(row).toMatchObject({ status: 'completed', error: null, fetched: all.length, matched: all.length, failures: 0 })
  expect((await foundBy(app, id)).sort()).toEqual(all.map((user) => user.id).sort())
  const n = await app.db.$count(leads, eq(leads.workspaceId, row.workspaceId))
  expect(n).toBe(all.length)
}

describe.concurrent('a scrape', () => {
  it("continues at X's reset time after a rate limit", async () => {
    const person = await connected()
    const id = await startScrape(person, 'f1200_limit')
    const row = await until(app, id, waiting)
    const wait = (row.resumesAt as Date).getTime() - row.updatedAt.getTime()
    // X's reset was 2 seconds away; the client waits at least 5.
    expect(wait).toBeGreaterThan(4_000)
    expect(wait).toBeLessThan(6_000)
    const { body } = await person.call('GET', `/scrapes/${id}`)
    expect(body).toMatchObject({ status: 'waiting', resumesAt: row.resumesAt?.toISOString() })
    expect(body.error).toBe("X's rate limit is reached. The scrape continues automatically.")
    await expectWhole(id, 'f1200_limit')
    expect(Date.now()).toBeGreaterThanOrEqual((row.resumesAt as Date).getTime() - 1_000)
  })

  it('continues once an account is connected after X rejected the connection', async () => {
    const person = await connected()
    const id = await startScrape(person, 'f1200_lost')
    const row = await until(app, id, waiting)
    expect(row).toMatchObject({ resumesAt: null, error: expect.stringContaining('Connect again') })
    expect((await person.call('GET', '/session/status')).body).toMatchObject({ connected: false })
    await connectX(app, person, 'another_one')
    const began = Date.now()
    await until(app, id, (now) => now.status === 'running' || over(now))
    // Earlier than the next sweep.
    expect(Date.now() - began).toBeLessThan(8_000)
    await expectWhole(id, 'f1200_lost')
  })

  it('continues with a refreshed token', async () => {
    const id = await startScrape(await connected(), 'f1200_renew')
    await expectWhole(id, 'f1200_renew')
  })

  it.each(['f1200_trouble', 'f1200_cut', 'f1200_slow', 'f1200_mess'])(
    'continues after errors, disconnects, timeouts and malformed responses: %s',
    async (handle) => {
      const id = await startScrape(await connected(), handle)
      expect(await until(app, id, waiting)).toMatchObject({ error: expect.stringMatching(/Trying again\.$/) })
      await expectWhole(id, handle)
    },
  )

  it('continues when resumed after eight failures in a row', async () => {
    const person = await connected()
    const id = await startScrape(person, 'f1200_down')
    await failAtTheEighth(person)
    expect(await until(app, id, over)).toMatchObject({
      status: 'failed',
      error:
        'Failed to scrape X followers. X is having trouble. We kept the leads found so far. Resume the scrape later.',
    })
    expect((await person.call('POST', `/scrapes/${id}/resume`)).body).toMatchObject({ status: 'queued', error: null })
    await expectWhole(id, 'f1200_down')
  })
})

describe.concurrent('a scrape that stops', () => {
  it('continues from its cursor when resumed after a cancellation', async () => {
    const person = await connected()
    const id = await startScrape(person, 'f1200_cancel')
    await until(app, id, (row) => row.matched === 1_000)
    const canceled = await person.call('POST', `/scrapes/${id}/cancel`)
    expect([canceled.status, canceled.body.status]).toEqual([200, 'canceled'])
    await new Promise((resolve) => setTimeout(resolve, 600))
    const row = await until(app, id, over)
    expect(row).toMatchObject({ status: 'canceled', matched: canceled.body.matched, fetched: canceled.body.fetched })
    expect(await foundBy(app, id)).toHaveLength(row.matched)
    expect((await person.call('POST', `/scrapes/${id}/cancel`)).body.code).toBe('SCRAPE_STATE')
    const resumed = await person.call('POST', `/scrapes/${id}/resume`)
    expect([resumed.status, resumed.body.status]).toEqual([200, 'queued'])
    await expectWhole(id, 'f1200_cancel')
  })

  it('reports a locked account and can be canceled', async () => {
    const person = await connected()
    const id = await startScrape(person, 'f1200_locked')
    const reason = 'X has locked this account. Unlock it on x.com, then refresh its status under Connect X.'
    expect(await until(app, id, waiting)).toMatchObject({ resumesAt: null, error: reason })
    expect((await person.call('GET', '/session/status')).body).toMatchObject({ connected: false, reason })
    expect((await person.call('POST', `/scrapes/${id}/cancel`)).body).toMatchObject({ status: 'canceled', error: null })
  })

  it('fails if X hides the list', async () => {
    const id = await startScrape(await connected(), 'f1200_refuse')
    expect(await until(app, id, over)).toMatchObject({
      status: 'failed',
      error: expect.stringContaining("X doesn't show the followers of @f1200_refuse"),
    })
  })

  it('makes POST /scrape/scrape return 409 if X rejects the connection', async () => {
    const person = await connected()
    const body = { twitterHandle: 'f1200_wait', type: 'followers' }
    const response = await person.call('POST', '/scrape/scrape', body)
    expect([response.status, response.body.code]).toEqual([409, 'X_SESSION_EXPIRED'])
    expect((await person.call('GET', '/scrapes')).body.scrapes).toMatchObject([{ status: 'canceled' }])
  })

  it('makes POST /scrape/scrape return 503 if X does not respond', async () => {
    const person = await connected()
    const answering = person.call('POST', '/scrape/scrape', { twitterHandle: 'f1200_gone', type: 'followers' })
    await failAtTheEighth(person)
    const response = await answering
    expect([response.status, response.body.code]).toEqual([503, 'X_UNAVAILABLE'])
    expect(response.body.error).toMatch(/^Failed to scrape X followers\. X is having trouble/)
  })
})
