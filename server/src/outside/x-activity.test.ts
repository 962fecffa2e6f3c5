import { once } from 'node:events'
import { createServer, type IncomingMessage } from 'node:http'
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { createXActivity, type XActivity } from './x-activity.ts'

/** X's responses by method and path. Each call takes the next one in its list. */
let responses: Record<string, { status?: number; body?: unknown }[]>
const calls: { call: string; token: string | undefined; body: unknown }[] = []

async function bodyOf(request: IncomingMessage): Promise<unknown> {
  let text = ''
  for await (const part of request) text += part
  return text === '' ? null : JSON.parse(text)
}
const server = createServer(async (request, response) => {
  const call = `${request.method} ${request.url}`
  calls.push({ call, token: request.headers.authorization, body: await bodyOf(request) })
  const { status = 200, body } = responses[call.split('?')[0] ?? '']?.shift() ?? { status: 500, body: {} }
  response.writeHead(status).end(body === undefined ? '' : JSON.stringify(body))
})
let activity: XActivity
beforeAll(async () => {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as { port: number }
  activity = createXActivity({ apiUrl: `http://127.0.0.1:${port}`, consumerSecret: 'secret', bearerToken: 'app' })
})
beforeEach(() => {
  responses = {}
  calls.length = 0
})
afterAll(() => void server.close())

const URL = 'https://example.com/api/x/webhook'
const webhook = (id: string, valid = true) => ({ id, url: URL, valid, created_at: '2026-01-15T12:00:00.000Z' })
const subscription = (id: string, more: object = {}) => ({
  subscription_id: id,
  event_type: 'dm.received',
  filter: { user_id: '7' },
  webhook_id: '42',
  ...more,
})
const wanted = { eventType: 'dm.received', userId: '7', webhookId: '42' }

describe('ensureWebhook', () => {
  it.each([
    ['a list', { data: [webhook('1')], meta: { result_count: 1 } }],
    ['an object', { data: webhook('1') }],
  ])('finds the webhook in %s', async (_, body) => {
    responses = { 'GET /2/webhooks': [{ body }] }
    expect(await activity.ensureWebhook(URL)).toBe('1')
  })
  it.each([
    ['an object', { data: webhook('2') }],
    ['a list', { data: [webhook('2')] }],
    ['an object with a name', { data: { webhook: webhook('2') } }],
  ])('registers it, and reads the answer as %s', async (_, body) => {
    responses = { 'GET /2/webhooks': [{ body: { meta: { result_count: 0 } } }], 'POST /2/webhooks': [{ body }] }
    expect(await activity.ensureWebhook(URL)).toBe('2')
    expect(calls[1]).toMatchObject({ token: 'Bearer app', body: { url: URL } })
  })
  it('repeats the check of an invalid one', async () => {
    responses = { 'GET /2/webhooks': [{ body: { data: [webhook('3', false)] } }], 'PUT /2/webhooks/3': [{ body: {} }] }
    expect(await activity.ensureWebhook(URL)).toBe('3')
    expect(calls.map(({ call }) => call)).toEqual(['GET /2/webhooks', 'PUT /2/webhooks/3'])
  })
  it('finds the one that another process has registered meanwhile', async () => {
    responses = {
      'GET /2/webhooks': [{ body: { data: [] } }, { body: { data: [webhook('4')] } }],
      'POST /2/webhooks': [{ status: 400, body: { title: 'DuplicateUrlFailed' } }],
    }
    expect(await activity.ensureWebhook(URL)).toBe('4')
  })
  it.each([{ data: [{ id: 5 }] }, { data: 'no' }, { data: [{}] }])('fails as unknown for %j', async (body) => {
    responses = { 'GET /2/webhooks': [{ body }] }
    await expect(activity.ensureWebhook(URL)).rejects.toMatchObject({ kind: 'unknown', isUnreadable: true })
  })
})

describe('subscribe', () => {
  it.each([
    ['an object', { data: subscription('1') }],
    ['a list', { data: [subscription('1')], meta: { total_subscriptions: 1 } }],
    ['an object with a name', { data: { subscription: subscription('1') } }],
    ['a list with a name', { data: [{ subscription: subscription('1') }] }],
    ['an id alone', { data: { subscription: { subscription_id: '1' } } }],
  ])('reads the answer as %s', async (_, body) => {
    responses = { 'POST /2/activity/subscriptions': [{ status: 201, body }] }
    expect(await activity.subscribe('account', wanted)).toBe('1')
    expect(calls).toHaveLength(1)
    expect(calls[0]).toMatchObject({ token: 'Bearer account', body: { event_type: 'dm.received', webhook_id: '42' } })
  })
  it.each([
    [400, { title: 'DuplicateSubscription', detail: 'It exists.' }],
    [403, { errors: [{ message: 'DuplicateSubscriptionFailed: A subscription exists.' }] }],
    [409, { title: 'Conflict' }],
  ])('finds the existing one after a %i', async (status, body) => {
    responses = {
      'POST /2/activity/subscriptions': [{ status, body }],
      'GET /2/activity/subscriptions': [
        { body: { data: [subscription('8', { event_type: 'dm.sent' }), subscription('9')] } },
      ],
    }
    expect(await activity.subscribe('account', wanted)).toBe('9')
  })
  it('fails if the existing one belongs to another webhook', async () => {
    responses = {
      'POST /2/activity/subscriptions': [{ status: 409, body: {} }],
      'GET /2/activity/subscriptions': [{ body: { data: [subscription('9', { webhook_id: '41' })] } }],
    }
    await expect(activity.subscribe('account', wanted)).rejects.toMatchObject({ kind: 'duplicate' })
  })
  it('fails as unknown without an id', async () => {
    responses = { 'POST /2/activity/subscriptions': [{ body: { data: {} } }] }
    await expect(activity.subscribe('account', wanted)).rejects.toMatchObject({ kind: 'unknown' })
  })
})

describe('listSubscriptions', () => {
  it('reads all pages', async () => {
    responses = {
      'GET /2/activity/subscriptions': [
        { body: { data: [subscription('1')], meta: { next_token: 'b' } } },
        { body: { data: subscription('2'), meta: { next_token: 'c' } } },
        { body: { data: [{ subscription_id: '3', filter: {} }], meta: {} } },
      ],
    }
    expect(await activity.listSubscriptions()).toEqual([
      { id: '1', eventType: 'dm.received', userId: '7', webhookId: '42' },
      { id: '2', eventType: 'dm.received', userId: '7', webhookId: '42' },
      { id: '3', eventType: '', userId: '', webhookId: null },
    ])
    expect(calls.map(({ call }) => call.split('?')[1])).toEqual([
      'max_results=1000',
      'max_results=1000&pagination_token=b',
      'max_results=1000&pagination_token=c',
    ])
  })
  it('ends if X sends the same page again, and without data', async () => {
    const same = { body: { data: [subscription('1')], meta: { next_token: 'b' } } }
    responses = { 'GET /2/activity/subscriptions': [same, same, same] }
    expect(await activity.listSubscriptions()).toHaveLength(2)
    responses = { 'GET /2/activity/subscriptions': [{ body: { meta: { total_subscriptions: 0 } } }] }
    expect(await activity.listSubscriptions()).toEqual([])
  })
})

it('unsubscribe accepts every answer to a deletion, and a subscription that is gone', async () => {
  const deletion = 'DELETE /2/activity/subscriptions/5'
  for (const response of [
    { body: { data: { deleted: true } } },
    { status: 204 },
    { status: 404, body: { title: 'Not Found Error' } },
  ]) {
    responses = { [deletion]: [response] }
    await activity.unsubscribe('5')
  }
  responses = { [deletion]: [{ status: 503, body: {} }] }
  await expect(activity.unsubscribe('5')).rejects.toMatchObject({ kind: 'unknown' })
})

it('replay names minutes in UTC that cover the whole time, of the last 24 hours', async () => {
  const response = { body: { data: { job_id: '1', created_at: '2026-11-28T10:00:00Z' } } }
  responses = { 'POST /2/webhooks/replay': [response, response] }
  vi.useFakeTimers({ now: new Date('2026-11-28T10:02:30Z'), toFake: ['Date'] })
  const to = new Date('2026-11-28T10:00:00.001Z')
  await activity.replay({ webhookId: '42', from: new Date('2026-11-28T08:59:59.999Z'), to })
  await activity.replay({ webhookId: '42', from: new Date('2026-11-26T00:00:00Z'), to })
  vi.useRealTimers()
  expect(calls.map(({ token, body }) => ({ token, body }))).toEqual(
    ['202611280859', '202611271003'].map((from_date) => ({
      token: 'Bearer app',
      body: { webhook_id: '42', from_date, to_date: '202611281001' },
    })),
  )
})
