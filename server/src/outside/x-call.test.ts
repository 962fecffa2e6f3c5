import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { createXCall } from './x-call.ts'
import { XError } from './x-errors.ts'
import { createUnpublishedLimits, limitOf } from './x-limits.ts'
import type { XNote } from './x-report.ts'
import { keysOf } from './x-report.ts'
import { unreadable } from './x-schemas.ts'

let respond: RequestListener
const paths: string[] = []
const notes: XNote[] = []
const server = createServer((request, response) => {
  paths.push(`${request.method} ${request.url}`)
  respond(request, response)
})
let apiUrl: string
let api: ReturnType<typeof createXCall>
beforeAll(async () => {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as { port: number }
  apiUrl = `http://127.0.0.1:${port}`
  api = createXCall({ apiUrl, report: (note) => notes.push(note) })
})
beforeEach(() => {
  paths.length = 0
  notes.length = 0
})
afterAll(() => {
  server.closeAllConnections()
  server.close()
})

const respondWith = (status: number, body: string, headers: Record<string, string> = {}) => {
  respond = (_, response) => response.writeHead(status, headers).end(body)
}

describe('a call of X', () => {
  it.each([
    [403, '<html>Attention required', 'unavailable'],
    [524, '<html>Timeout', 'unknown'],
    [201, '{"data": {"dm_ev', 'unknown'],
  ])('that is answered with %i %s fails as %s and is counted', async (status, body, kind) => {
    respondWith(status, body)
    await expect(api.call('/2/users/12/followers?max_results=5')).rejects.toMatchObject({ kind })
    expect(notes).toEqual([{ source: 'error', name: `GET /2/users/{id}/followers ${status}`, keys: [] }])
  })

  it('fails as unknown after a timeout and a lost connection, and as unavailable if nothing listens', async () => {
    respond = () => {}
    await expect(createXCall({ apiUrl, timeoutMs: 100 }).call('/2/users/me')).rejects.toMatchObject({ kind: 'unknown' })
    respond = (request) => request.socket.destroy()
    await expect(api.call('/2/users/me')).rejects.toMatchObject({ kind: 'unknown' })
    const closed = createServer().listen(0, '127.0.0.1')
    await once(closed, 'listening')
    const nowhere = createXCall({ apiUrl: `http://127.0.0.1:${(closed.address() as { port: number }).port}` })
    await new Promise((done) => closed.close(done))
    await expect(nowhere.call('/2/users/me')).rejects.toMatchObject({ kind: 'unavailable' })
  })

  it('succeeds without a body', async () => {
    respond = (_, response) => response.writeHead(204).end()
    expect(await api.call('/2/activity/subscriptions/9', { method: 'DELETE' })).toEqual({})
  })

  it('reports what it cannot read by its keys', async () => {
    respondWith(200, JSON.stringify({ data: [{ id: '1', text: 'secret', '12345': { x: 1 } }] }))
    const read = (error: Error) =>
      api.read('/2/dm_conversations/with/77/dm_events?x=1', {}, () => {
        throw error
      })
    await expect(read(unreadable())).rejects.toMatchObject({ kind: 'unknown', isUnreadable: true })
    const keys = ['data[].*.x', 'data[].id', 'data[].text']
    expect(notes).toEqual([{ source: 'answer', name: 'GET /2/dm_conversations/with/{id}/dm_events', keys }])
    await expect(read(new XError('forbidden', 'No'))).rejects.toMatchObject({ kind: 'forbidden' })
    expect(notes).toHaveLength(1)
  })
})

describe('a parameter that X refuses', () => {
  const refusal = (body: object) => {
    respond = (_, response) => {
      const isFirst = paths.length === 1
      response.writeHead(isFirst ? 400 : 200).end(JSON.stringify(isFirst ? body : { data: [] }))
    }
  }
  const path = '/2/dm_events?max_results=5&dm_event.fields=id%2Csender_id&expansions=sender_id'

  it('is left out, with only the values that X names, once', async () => {
    refusal({ errors: [{ parameters: { 'dm_event.fields': ['sender_id'] } }] })
    expect(await api.call(path)).toEqual({ data: [] })
    expect(paths[1]).toBe('GET /2/dm_events?max_results=5&dm_event.fields=id&expansions=sender_id')
    expect(notes).toEqual([{ source: 'parameter', name: 'GET /2/dm_events', keys: ['dm_event.fields'] }])
  })
  it('is left out entirely if X names all values, or none', async () => {
    for (const named of [['id,sender_id'], []]) {
      paths.length = 0
      refusal({ errors: [{ parameters: { 'dm_event.fields': named } }] })
      await api.call(path)
      expect(paths[1]).toBe('GET /2/dm_events?max_results=5&expansions=sender_id')
    }
  })
  it('is an error if the answer depends on it, or if X refuses again', async () => {
    refusal({ errors: [{ parameters: { max_results: ['5'] } }] })
    await expect(api.call(path)).rejects.toMatchObject({ kind: 'invalid' })
    expect(paths).toHaveLength(1)
    paths.length = 0
    respondWith(400, JSON.stringify({ errors: [{ parameters: { expansions: ['sender_id'] } }] }))
    await expect(api.call(path)).rejects.toMatchObject({ kind: 'invalid' })
    expect(paths).toHaveLength(2)
  })
})

describe('limitOf', () => {
  const now = Date.parse('2026-11-28T12:00:00Z')
  const inSeconds = (seconds: number) => String(now / 1_000 + seconds)
  const limit = (headers: Record<string, string>, caller: 'account' | 'app' = 'account') => {
    const { retryAt, limitOf: whose } = limitOf(new Headers(headers), caller, now)
    return [(retryAt.getTime() - now) / 1_000, whose]
  }

  it("waits for the window's reset, and 15 minutes without one", () => {
    expect(limit({ 'x-rate-limit-reset': inSeconds(90) })).toEqual([90, 'account'])
    expect(limit({ 'x-rate-limit-reset': inSeconds(90) }, 'app')).toEqual([90, 'app'])
    for (const reset of [undefined, '', 'soon', '-5', '1e9'])
      expect(limit(reset === undefined ? {} : { 'x-rate-limit-reset': reset })).toEqual([900, 'account'])
  })
  it('waits at least 5 seconds and at most a day', () => {
    for (const seconds of [-600, 0, 2]) expect(limit({ 'x-rate-limit-reset': inSeconds(seconds) })[0]).toBe(5)
    expect(limit({ 'x-rate-limit-reset': inSeconds(9_000_000) })[0]).toBe(86_400)
  })
  it('ignores Retry-After', () => {
    expect(limit({ 'retry-after': '5', 'x-rate-limit-reset': inSeconds(90) })[0]).toBe(90)
  })

  const used = (whose: 'user' | 'app', seconds: number, remaining = '0') => ({
    [`x-${whose}-limit-24hour-limit`]: '1440',
    [`x-${whose}-limit-24hour-remaining`]: remaining,
    [`x-${whose}-limit-24hour-reset`]: inSeconds(seconds),
    'x-rate-limit-reset': inSeconds(300),
  })
  it.each([
    ["the account's day", used('user', 10_800), [10_800, 'account']],
    ["the app's day", used('app', 7_200), [7_200, 'app']],
    ['the later one', { ...used('app', 7_200), ...used('user', 10_800) }, [10_800, 'account']],
    ['the later one', { ...used('app', 7_200), ...used('user', 3_600) }, [7_200, 'app']],
    [
      'the window, if something is left of the day',
      { ...used('app', 7_200, '1'), ...used('user', 9, '3') },
      [300, 'account'],
    ],
    ['5 seconds, if the reset of the day is over', used('app', -5), [5, 'app']],
  ])('waits for %s', (_, headers, expected) => {
    expect(limit(headers)).toEqual(expected)
  })
})

describe('a limit that X does not publish', () => {
  it('allows 10 calls in 15 minutes per token and kind of call', () => {
    const limits = createUnpublishedLimits()
    const use = (name: string, token: string, minutes: number) => () => limits.use(name, token, minutes * 60_000)
    for (let call = 0; call < 10; call += 1) use('chat events', 'a', call)()
    expect(use('chat events', 'a', 14)).toThrow(
      expect.objectContaining({ kind: 'rate-limit', retryAt: new Date(900_000) }),
    )
    for (const free of [use('chat events', 'b', 14), use('public keys', 'a', 14), use('chat events', 'a', 15)])
      expect(free).not.toThrow()
  })
  it('ends with the first answer that shows the real one', () => {
    const limits = createUnpublishedLimits()
    limits.learn('chat events', new Headers())
    for (let call = 0; call < 10; call += 1) limits.use('chat events', 'a', 0)
    limits.learn('chat events', new Headers({ 'x-rate-limit-limit': '100' }))
    expect(() => limits.use('chat events', 'a', 0)).not.toThrow()
  })
})

describe('keysOf', () => {
  it('names fields and never values, nor names that are data', () => {
    const body = { data: { users: { '12': { data: { name: 'Ana' } } }, list: [{ a: 1 }, { b: [{ c: null }] }] } }
    expect(keysOf(body)).toEqual(['data.list[].a', 'data.list[].b[].c', 'data.users.*.data.name'])
    expect(keysOf({ data: [], meta: {}, errors: null })).toEqual(['data', 'errors', 'meta'])
    for (const nothing of [null, 5, 'text', []]) expect(keysOf(nothing)).toEqual([])
    const names = Object.fromEntries(['a b', 'a@b.com', '<b>', 'x'.repeat(41), 'ключ'].map((name) => [name, 1]))
    expect(keysOf(names)).toEqual(['*'])
  })
  it('stops after 40', () => {
    const many = Object.fromEntries(Array.from({ length: 20 }, (_, a) => [`k${a}`, { a: { b: {} }, c: {} }]))
    const deep = JSON.parse(`${'{"a":['.repeat(5_000)}1${']}'.repeat(5_000)}`)
    expect(keysOf({ a: many, b: many }).length).toBeLessThanOrEqual(40)
    expect(keysOf(deep)).toEqual(['a[].a[].a[].a[]'])
  })
})
