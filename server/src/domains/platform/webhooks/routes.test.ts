import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders, type Server } from 'node:http'
import type { WebhookEvent } from '@x-automated/contract/platform/webhooks'
import { eq, sql } from 'drizzle-orm'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { mailsTo, mailTo } from '../../../../test/accounts.ts'
import { call, makePerson, type Person } from '../../../../test/makers.ts'
import { openApp, type TestApp } from '../../../../test/open-app.ts'
import {
  ageLog,
  deleteEndpoints,
  endPreviousSecrets,
  failFor,
  fillLog,
  insertDeliveries,
  leaveLastAttempt,
  makeDeliveriesDue,
  planDelivery,
  postponeDeliveries,
} from '../../../../test/webhooks.ts'
import { whileWaiting } from '../../../../test/while-waiting.ts'
import { members } from '../../waitlist/waitlist/tables.ts'
import { anonymizeMember } from '../../waitlist/waitlist/waitlist.ts'
import { attempt, claimDue, deliverDue, record, type WebhookContext } from './engine.ts'
import { webhookDeliveries, webhookEndpoints } from './tables.ts'
import { purgeDeliveries } from './webhooks.ts'

const OPERATOR = 'operator@example.com'
let app: TestApp
let operator: Person
let receiver: Receiver
beforeAll(async () => {
  receiver = await openReceiver()
  app = await openApp({ mailbox: true, workers: true, env: { TRUST_PROXY: 'loopback', OPERATORS: OPERATOR } })
  operator = await makePerson(app, { email: OPERATOR })
})
afterAll(() => receiver.server.close())
beforeEach(async () => {
  receiver.answers = () => [200, 'taken']
  receiver.received.length = 0
  await deleteEndpoints(app)
})

interface Receiver {
  url: string
  server: Server
  received: { path: string; headers: IncomingHttpHeaders; body: string }[]
  /** Status, body and headers for the n-th request, from 1; null closes the connection. */
  answers: (n: number) => [number, string, Record<string, string>?] | null
}

async function openReceiver(): Promise<Receiver> {
  const server = createServer(async (request, response) => {
    let body = ''
    for await (const chunk of request) body += chunk
    receiver.received.push({ path: request.url ?? '', headers: request.headers, body })
    const reply = receiver.answers(receiver.received.length)
    if (!reply) return response.socket?.destroy()
    response.writeHead(reply[0], reply[2] ?? {}).end(reply[1])
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as { port: number }
  const receiver: Receiver = { url: `http://127.0.0.1:${port}`, server, received: [], answers: () => [200, 'taken'] }
  return receiver
}

let address = 0
async function join(referralCode?: string, email = `m${randomBytes(5).toString('hex')}@example.com`) {
  const headers = { 'x-forwarded-for': `198.18.${++address % 250}.${Math.ceil(address / 250)}` }
  const { body, status } = await call(app, 'POST', '/waitlist/join', { email, referralCode }, headers)
  expect(status).toBe(200)
  return { ...(body as { position: number; referralCode: string }), email }
}

const endpoint = (events: WebhookEvent[] = ['member.joined'], path = '/hook') =>
  operator.client.webhooks.create({ url: `${receiver.url}${path}`, events })
const log = async (id: string) => (await operator.client.webhooks.deliveries({ id })).deliveries
const context = (): WebhookContext => ({ ...app.services, db: app.db })
/** Creates an endpoint to which only the test delivers. */
async function quietEndpoint(count = 1) {
  const made = await endpoint()
  await insertDeliveries(app, made.id, count)
  const [row] = await app.db.select().from(webhookEndpoints).where(eq(webhookEndpoints.id, made.id))
  return row!
}
const makeDue = (endpointId: string) => makeDeliveriesDue(app, endpointId)

/** Verifies a signature as a receiver would, independently of our code (standardwebhooks.com). */
function isSigned({ headers, body }: Receiver['received'][number], secret: string): boolean {
  const content = Buffer.from(`${headers['webhook-id']}.${headers['webhook-timestamp']}.${body}`)
  const expected = createHmac('sha256', Buffer.from(secret.replace('whsec_', ''), 'base64'))
    .update(content)
    .digest()
  const age = Math.abs(Date.now() / 1000 - Number(headers['webhook-timestamp']))
  return (
    age < 300 &&
    String(headers['webhook-signature'])
      .split(' ')
      .map((signature) => signature.split(','))
      .some(([version, encoded]) => {
        const bytes = Buffer.from(encoded ?? '', 'base64')
        return version === 'v1' && bytes.length === expected.length && timingSafeEqual(bytes, expected)
      })
  )
}

describe('events', () => {
  it('are signed and sent to every subscribed endpoint', async () => {
    const joins = await endpoint(['member.joined'], '/joins')
    const all = await endpoint(['member.joined', 'referral.credited', 'achievement.earned'], '/all')
    const referrer = await join()
    const friend = await join(referrer.referralCode)
    await expect.poll(() => receiver.received.length, { timeout: 60_000 }).toBe(7)
    const sentTo = (path: string) =>
      receiver.received
        .filter((request) => request.path === path)
        .map((request) => ({ ...request, event: JSON.parse(request.body) }))
    for (const request of sentTo('/joins')) expect(isSigned(request, joins.secret)).toBe(true)
    for (const request of sentTo('/all')) expect(isSigned(request, all.secret)).toBe(true)
    expect(isSigned(sentTo('/all')[0]!, joins.secret)).toBe(false)

    const [first, second] = await app.db.select().from(members).orderBy(members.position)
    expect(sentTo('/joins').map(({ event }) => event.data.email)).toEqual(
      expect.arrayContaining([referrer.email, friend.email]),
    )
    const of = (type: string) => sentTo('/all').filter(({ event }) => event.type === type)
    expect(of('member.joined').map(({ event }) => event.data)).toContainEqual({
      memberId: second!.id,
      email: friend.email,
      position: friend.position,
      referredBy: first!.id,
      joinedAt: expect.stringMatching(/^\d{4}-.*Z$/),
    })
    expect(of('referral.credited').map(({ event }) => event.data)).toEqual([
      { memberId: second!.id, referrerId: first!.id, referralCount: 1, position: 1, creditedAt: expect.any(String) },
    ])
    expect(of('achievement.earned').map(({ event }) => [event.data.memberId, event.data.achievement])).toEqual(
      expect.arrayContaining([
        [first!.id, 'pioneer'],
        [second!.id, 'pioneer'],
      ]),
    )
    // An event has the same id at every endpoint.
    const idsOf = (email: string) =>
      receiver.received
        .filter((request) => request.body.includes(email))
        .map((request) => request.headers['webhook-id'])
    expect(new Set(idsOf(friend.email)).size).toBe(1)
    // The outcome is recorded a moment later.
    await expect
      .poll(async () =>
        (await log(joins.id)).map(({ status, attempts, lastStatus, responseExcerpt }) => [
          status,
          attempts,
          lastStatus,
          responseExcerpt,
        ]),
      )
      .toEqual(Array(2).fill(['delivered', 1, 200, 'taken']))
  })

  it('are not queued by rolled-back transactions or for disabled endpoints', async () => {
    const { id } = await endpoint()
    const joined = await join()
    await expect.poll(() => receiver.received.length).toBe(1)
    await join(undefined, joined.email)
    await operator.client.webhooks.update({ id, enabled: false })
    await join()
    expect(await log(id)).toHaveLength(1)
  })

  it('are retried with the same id until delivered', async () => {
    receiver.answers = (n) => (n === 1 ? [500, 'x'.repeat(5_000)] : n === 2 ? null : [204, ''])
    const made = await quietEndpoint()
    await deliverDue(context(), made.id)
    const [failed] = await log(made.id)
    expect(failed).toMatchObject({ status: 'pending', attempts: 1, lastStatus: 500, lastError: 'HTTP 500' })
    expect(failed!.responseExcerpt).toHaveLength(1_024)
    const wait = Date.parse(failed!.nextAttemptAt!) - Date.parse(failed!.lastAttemptAt!)
    expect(wait).toBeGreaterThanOrEqual(4_000)
    expect(wait).toBeLessThan(8_000)
    expect((await operator.client.webhooks.list()).endpoints[0]!.failingSince).not.toBeNull()
    await makeDue(made.id)
    await deliverDue(context(), made.id)
    expect((await log(made.id))[0]).toMatchObject({
      attempts: 2,
      lastStatus: null,
      lastError: 'The connection was closed without a response',
    })
    await makeDue(made.id)
    await deliverDue(context(), made.id)
    expect((await log(made.id))[0]).toMatchObject({
      status: 'delivered',
      attempts: 3,
      lastError: null,
      nextAttemptAt: null,
    })
    expect((await operator.client.webhooks.list()).endpoints[0]!.failingSince).toBeNull()
    expect(new Set(receiver.received.map((request) => request.headers['webhook-id'])).size).toBe(1)
  })

  it('follow no redirects', async () => {
    receiver.answers = (n) => (n === 1 ? [302, '', { location: `${receiver.url}/elsewhere` }] : [200, ''])
    const made = await quietEndpoint()
    await deliverDue(context(), made.id)
    expect(receiver.received.map((request) => request.path)).toEqual(['/hook'])
    expect((await log(made.id))[0]!.lastError).toBe("HTTP 302: redirects aren't followed")
  })

  it('survive the death of their worker and ignore its late report', async () => {
    const made = await quietEndpoint()
    const [claimed] = await claimDue(app.db, made.id)
    // Leased deliveries belong to one worker. After the lease, another one can claim them.
    await deliverDue(context(), made.id)
    expect(receiver.received).toEqual([])
    await makeDue(made.id)
    receiver.answers = () => [500, '']
    await deliverDue(context(), made.id)
    expect(await record(context(), made, claimed!, { status: 200, excerpt: '' })).toBeNull()
    expect((await log(made.id))[0]).toMatchObject({ status: 'pending', attempts: 2, lastStatus: 500 })
  })

  it('are sent once each by several processes', async () => {
    const made = await quietEndpoint(60)
    const another = await app.startAnother({ workers: true })
    await Promise.all([
      deliverDue(context(), made.id),
      deliverDue(context(), made.id),
      deliverDue({ ...another.services, db: another.services.database.db }, made.id),
    ])
    // The other process's own worker may still be sending one.
    await expect
      .poll(() => operator.client.webhooks.deliveries({ id: made.id, status: 'delivered' }))
      .toMatchObject({ total: 60 })
    const ids = receiver.received.map((request) => request.headers['webhook-id'])
    expect([ids.length, new Set(ids).size]).toEqual([60, 60])
  })

  it('disable an endpoint that failed for a day, and email the operators', async () => {
    receiver.answers = () => [503, 'down']
    const made = await quietEndpoint(2)
    await leaveLastAttempt(app)
    await deliverDue(context(), made.id)
    expect((await log(made.id)).map((delivery) => [delivery.status, delivery.attempts])).toEqual(
      Array(2).fill(['failed', 8]),
    )
    // Two deliveries failed permanently, but others may have succeeded today.
    expect((await operator.client.webhooks.list()).endpoints[0]).toMatchObject({ enabled: true })
    await leaveLastAttempt(app)
    await failFor(app, 19)
    await deliverDue(context(), made.id)
    expect((await operator.client.webhooks.list()).endpoints[0]).toMatchObject({
      enabled: false,
      disabledReason: 'failing',
    })
    const mail = await mailTo(app, OPERATOR, /^A webhook was disabled$/)
    expect(mail.text).toContain(`${made.url} has failed for more than 18 hours`)
    expect((await mailsTo(app, OPERATOR)).length).toBe(1)
  })

  it('stop for an endpoint that answers 410 until it is enabled again', async () => {
    receiver.answers = (n) => (n === 1 ? [410, ''] : [200, ''])
    const made = await quietEndpoint()
    await deliverDue(context(), made.id)
    expect((await operator.client.webhooks.list()).endpoints[0]).toMatchObject({
      enabled: false,
      disabledReason: 'gone',
    })
    await planDelivery(app, made.id, 5)
    const enabled = await operator.client.webhooks.update({ id: made.id, enabled: true })
    expect(enabled).toMatchObject({ enabled: true, disabledReason: null, failingSince: null })
    await expect.poll(() => receiver.received.length, { timeout: 60_000 }).toBe(2)
  })

  it('are deleted after 30 days, and with their member', async () => {
    const { id } = await endpoint(['member.joined', 'achievement.earned'])
    const person = await makePerson(app)
    await join(undefined, person.email)
    expect((await log(id)).map((delivery) => delivery.event).sort()).toContain('member.joined')
    await anonymizeMember(app.db, person.id)
    expect(JSON.stringify(await log(id))).not.toContain(person.email)
    await join()
    await ageLog(app, 29)
    await purgeDeliveries(app.db)
    expect(await log(id)).not.toEqual([])
    await ageLog(app, 31)
    await purgeDeliveries(app.db)
    expect(await log(id)).toEqual([])
  })
})

describe('POST /operator/webhooks', () => {
  it.each([
    [{ url: 'nonsense', events: ['member.joined'] }, 'url'],
    [{ url: 'ftp://example.com', events: ['member.joined'] }, 'url'],
    [{ url: 'https://user:pass@example.com', events: ['member.joined'] }, 'url'],
    [{ url: 'https://example.com/#x', events: ['member.joined'] }, 'url'],
    [{ url: 'https://example.com', events: [] }, 'events'],
    [{ url: 'https://example.com', events: ['member.left'] }, 'events'],
    [{ url: 'https://example.com', events: ['member.joined', 'member.joined'] }, 'events'],
  ])('returns 400 for %j', async (body, field) => {
    const response = await operator.call('POST', '/operator/webhooks', body)
    expect([response.status, response.body.details[0].field.split('.')[0]]).toEqual([400, field])
    expect((await operator.client.webhooks.list()).endpoints).toEqual([])
  })

  it('returns 409 beyond 20, also for concurrent requests', async () => {
    const made = await Promise.all(
      Array.from({ length: 22 }, () =>
        operator.call('POST', '/operator/webhooks', { url: receiver.url, events: ['member.joined'] }),
      ),
    )
    expect(
      made
        .map((response) => response.status)
        .sort()
        .slice(-3),
    ).toEqual([200, 409, 409])
    expect(made.find((response) => response.status === 409)?.body.code).toBe('WEBHOOK_LIMIT')
  })

  it('shows the secret once and stores it encrypted', async () => {
    const { id, secret } = await endpoint()
    expect(secret).toMatch(/^whsec_/)
    expect(JSON.stringify((await operator.client.webhooks.list()).endpoints)).not.toContain('whsec')
    const [row] = await app.db.select().from(webhookEndpoints).where(eq(webhookEndpoints.id, id))
    expect(row!.sealedSecret).not.toContain(secret.slice(6))
  })
})

describe('operator webhook routes', () => {
  it('delete an endpoint with a long log without blocking joins', async () => {
    const { id } = await endpoint()
    await fillLog(app, id, 10_001)
    await whileWaiting(app, {
      lock: `select 1 from webhook_deliveries where endpoint_id = '${id}' limit 1 for update`,
      work: () => operator.client.webhooks.remove({ id }),
      others: () => join(),
    })
    expect([await app.db.$count(webhookDeliveries), await app.db.$count(webhookEndpoints)]).toEqual([0, 0])
  })

  it('store no readable secret for an Idempotency-Key', async () => {
    const key = { 'idempotency-key': crypto.randomUUID() }
    const body = { url: `${receiver.url}/hook`, events: ['member.joined'] }
    const made = await operator.call('POST', '/operator/webhooks', body, key)
    expect(made.body.secret).toMatch(/^whsec_/)
    expect((await operator.call('POST', '/operator/webhooks', body, key)).body).toEqual(made.body)
    const { rows } = await app.db.execute(sql`select r::text as row from idempotency_keys as r`)
    expect(JSON.stringify(rows)).not.toContain(made.body.secret.slice(6))
  })

  it('test, update, rotate and delete an endpoint', async () => {
    receiver.answers = (n) => (n === 2 ? [500, 'no'] : [200, 'yes'])
    const { id, secret } = await endpoint()
    expect(await operator.client.webhooks.test({ id })).toMatchObject({
      event: 'webhook.test',
      status: 'delivered',
      attempts: 1,
      responseExcerpt: 'yes',
    })
    // A failed test is not retried.
    expect(await operator.client.webhooks.test({ id })).toMatchObject({ status: 'failed', lastStatus: 500 })
    const rotated = await operator.client.webhooks.rotateSecret({ id })
    expect(Date.parse(rotated.previousSecretUntil) - Date.now()).toBeGreaterThan(23 * 3_600_000)
    await operator.client.webhooks.update({ id, url: `${receiver.url}/moved`, events: ['achievement.earned'] })
    await operator.client.webhooks.test({ id })
    const last = receiver.received.at(-1)!
    expect(last.path).toBe('/moved')
    expect([isSigned(last, secret), isSigned(last, rotated.secret)]).toEqual([true, true])
    await endPreviousSecrets(app)
    await operator.client.webhooks.test({ id })
    expect(isSigned(receiver.received.at(-1)!, secret)).toBe(false)
    expect((await operator.call('DELETE', `/operator/webhooks/${id}`)).status).toBe(204)
    expect((await operator.client.webhooks.list()).endpoints).toEqual([])
  })

  it('list the log by page, cursor and status, and redeliver events', async () => {
    receiver.answers = (n) => [n === 1 ? 400 : 200, '']
    const made = await quietEndpoint(5)
    await deliverDue(context(), made.id)
    const page = (more: object) => operator.client.webhooks.deliveries({ id: made.id, pageSize: 2, ...more })
    const first = await page({})
    expect(first).toMatchObject({ total: 5, page: 1, pageSize: 2 })
    const second = await page({ cursor: first.cursor! })
    const third = await page({ cursor: second.cursor! })
    expect(third.cursor).toBeNull()
    const ids = [first, second, third].flatMap((result) => result.deliveries.map((delivery) => delivery.id))
    expect(ids).toEqual([...new Set(ids)].sort().reverse())
    expect((await page({ page: 2 })).deliveries).toEqual(second.deliveries)

    // Due soon: unchanged. Due later: sent now. Finished: a new delivery with the same event id.
    const waiting = (await page({ status: 'pending' })).deliveries[0]!
    expect(await operator.client.webhooks.redeliver({ id: waiting.id })).toEqual(waiting)
    await postponeDeliveries(app, { id: waiting.id }, 5)
    await operator.client.webhooks.redeliver({ id: waiting.id })
    await expect.poll(() => receiver.received.length, { timeout: 60_000 }).toBe(6)
    const again = await operator.client.webhooks.redeliver({ id: third.deliveries[0]!.id })
    expect(again).toMatchObject({ eventId: third.deliveries[0]!.eventId, status: 'pending', attempts: 0 })
    await expect.poll(() => receiver.received.length, { timeout: 60_000 }).toBe(7)
    expect(receiver.received.at(-1)!.headers['webhook-id']).toBe(again.eventId)

    await operator.client.webhooks.update({ id: made.id, enabled: false })
    const refused = await operator.call('POST', `/operator/deliveries/${again.id}/redeliver`)
    expect([refused.status, refused.body.code]).toEqual([409, 'DELIVERY_STATE'])
  })

  it('return 404 with a specific code for missing resources', async () => {
    const nothing = '01900000-0000-7000-8000-000000000000'
    const responses = await Promise.all([
      operator.call('PATCH', `/operator/webhooks/${nothing}`, { description: 'x' }),
      operator.call('DELETE', `/operator/webhooks/${nothing}`),
      operator.call('POST', `/operator/webhooks/${nothing}/test`),
      operator.call('POST', `/operator/webhooks/${nothing}/secret`),
      operator.call('GET', `/operator/webhooks/${nothing}/deliveries`),
      operator.call('POST', `/operator/deliveries/${nothing}/redeliver`),
    ])
    expect(responses.map((response) => [response.status, response.body.code])).toEqual([
      ...Array(5).fill([404, 'WEBHOOK_NOT_FOUND']),
      [404, 'DELIVERY_NOT_FOUND'],
    ])
  })
})

it('reaches no private address by IP or name without stand-ins', async () => {
  const closed = { ...app.env, standIns: false }
  const refused = await app.startAnother({ env: { STAND_INS: 'off' } })
  for (const url of [receiver.url, 'https://127.0.0.1/', 'https://localhost/', 'http://example.com/']) {
    const response = await fetch(`${refused.url}/api/operator/webhooks`, {
      method: 'POST',
      headers: { authorization: `Bearer ${operator.token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ url, events: ['member.joined'] }),
    })
    expect([url, response.status]).toEqual([url, 400])
  }
  const made = await quietEndpoint()
  const [delivery] = await claimDue(app.db, made.id)
  for (const url of [receiver.url, receiver.url.replace('127.0.0.1', 'localhost')])
    expect(await attempt({ env: closed }, { ...made, url }, delivery!)).toEqual({
      problem: "The address isn't public",
    })
  expect(receiver.received).toEqual([])
})

it('delivers each event of a burst of joins once', async () => {
  const { id } = await endpoint()
  for (let batch = 0; batch < 2; batch += 1) await Promise.all(Array.from({ length: 20 }, () => join()))
  const delivered = () => operator.client.webhooks.deliveries({ id, status: 'delivered' })
  await expect.poll(async () => (await delivered()).total, { timeout: 60_000 }).toBe(40)
  expect(new Set(receiver.received.map((request) => request.headers['webhook-id'])).size).toBe(40)
  expect(receiver.received).toHaveLength(40)
})
