import { createHmac } from 'node:crypto'
import { sql } from 'drizzle-orm'
import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { ageUnreadables, deleteDeliveries, deleteUnreadables } from '../../../../test/deliveries.ts'
import { call, makePerson, type Person } from '../../../../test/makers.ts'
import { openApp, type TestApp } from '../../../../test/open-app.ts'
import { createUnreadables, purgeUnreadables } from './unreadable.ts'

let app: TestApp
let operator: Person
beforeAll(async () => {
  app = await openApp({ x: true })
  operator = await makePerson(app)
  app.services.env.operators.push(operator.email)
})
beforeEach(async () => {
  await deleteUnreadables(app)
  await deleteDeliveries(app)
})

const list = async (input: { page?: number; pageSize?: number } = {}) => {
  await app.services.unreadables.flush()
  return operator.client.operator.unreadable(input)
}
const metric = async () => (await fetch(`${app.origin}/metrics`)).text()

/** Delivers an event as X does. */
async function deliver(body: unknown, status = 200) {
  const text = typeof body === 'string' ? body : JSON.stringify(body)
  const signature = createHmac('sha256', app.x.consumerSecret).update(text).digest('base64')
  const response = await fetch(`${app.url}/x/webhook`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-twitter-webhooks-signature': `sha256=${signature}` },
    body: text,
  })
  expect(response.status).toBe(status)
}

describe('what X sends and nobody can read', () => {
  const secret = 'a secret of a person'
  const odd = { data: { event_type: 'dm.received', payload: { direct_message_events: [{ secret }] } } }

  it('is counted in /metrics and listed for operators by its keys, without its values', async () => {
    await deliver(odd)
    await deliver(odd)
    await deliver({ data: { event_type: 'chat.received', payload: { conversation_id: 'g123', sender_id: '5' } } })
    const { unreadable, total } = await list()
    expect(total).toBe(2)
    expect(unreadable).toContainEqual({
      id: expect.any(String),
      source: 'event',
      name: 'dm.received',
      keys: ['data.event_type', 'data.payload.direct_message_events[].secret'],
      count: 2,
      lastAt: expect.any(String),
    })
    expect(unreadable).toContainEqual(expect.objectContaining({ source: 'group', name: 'chat.received', keys: [] }))
    expect(await metric()).toContain('x_unreadable_total{source="event",name="dm.received"} 2')
    const { rows } = await app.db.execute(sql`select x_unreadables::text as row from x_unreadables`)
    expect(JSON.stringify(rows)).not.toContain(secret)
  })

  it.each([['a type that X does not document', { data: { event_type: 'dm.new', payload: {} } }, 'dm.new']])(
    'includes a delivery that is %s, which may be a message',
    async (_, body, name) => {
      await deliver(body)
      expect((await list()).unreadable).toMatchObject([{ source: 'event', name }])
      expect((await deleteDeliveries(app)).map(({ holds }) => holds)).toEqual([true])
    },
  )

  it.each([
    ['no JSON', '<html></html>'],
    ['a list', [odd]],
    ['a text', '"stop"'],
    ['null', 'null'],
    ['empty', ''],
  ])('includes a delivery that is %s, which is refused', async (_, body) => {
    await deliver(body, 400)
    expect((await list()).unreadable).toMatchObject([{ source: 'event', name: 'none' }])
    expect((await app.db.execute(sql`select from x_deliveries`)).rowCount).toBe(0)
  })

  it('includes answers and errors of calls', async () => {
    const { x } = app.services
    const token = 'unknown'
    await expect(x!.findMe(token)).rejects.toMatchObject({ kind: 'unauthorized' })
    expect((await list()).unreadable).toEqual([])
    const put = (faults: object[]) =>
      fetch(`${app.x.url}/_faults`, {
        method: 'PUT',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(faults),
      })
    await put([{ path: '/2/users/me', status: 451, times: 1 }])
    await expect(x!.findMe(token)).rejects.toMatchObject({ kind: 'invalid' })
    expect((await list()).unreadable).toMatchObject([{ source: 'error', name: 'GET /2/users/me 451' }])
    await put([])
  })

  it('is added up over processes and days, and ends after 7 days', async () => {
    const another = createUnreadables(app.db, app.services.log)
    const note = { source: 'answer' as const, name: 'GET /2/dm_events', keys: ['data', 'meta'] }
    for (const { report } of [another, another, app.services.unreadables]) report(note)
    await another.flush()
    expect((await list()).unreadable).toMatchObject([{ ...note, count: 3 }])
    const age = (days: number) => ageUnreadables(app, days)
    await age(6)
    another.report(note)
    await another.flush()
    expect(await list()).toMatchObject({ total: 1, unreadable: [{ count: 4 }] })
    await age(1)
    expect((await list()).unreadable).toMatchObject([{ count: 1 }])
    await age(23)
    await purgeUnreadables(app.db)
    expect(await app.db.execute(sql`select count from x_unreadables`)).toMatchObject({ rows: [{ count: 1 }] })
  })

  it('is limited to 200 forms a day, and forms that are listed go on counting', async () => {
    const flood = createUnreadables(app.db, app.services.log)
    for (let round = 0; round < 2; round += 1) {
      for (let form = 0; form < 150; form += 1)
        flood.report({ source: 'event', name: 'dm.received', keys: [`k${round}${form}`] })
      await flood.flush()
    }
    flood.report({ source: 'event', name: 'dm.received', keys: ['k00'] })
    flood.report({ source: 'event', name: 'dm.received', keys: ['new'] })
    await flood.flush()
    const { total } = await list({ pageSize: 100 })
    expect(total).toBeLessThanOrEqual(300)
    expect(total).toBe((await list({ page: 2, pageSize: 100 })).total)
    for (let name = 0; name < 300; name += 1) flood.report({ source: 'event', name: `dm.type_${name}`, keys: [] })
    expect((await flood.metric.get()).values.length).toBeLessThanOrEqual(201)
    const { rows } = await app.db.execute<{ keys: string[]; count: number }>(
      sql`select keys, count from x_unreadables where keys && array['k00', 'new']`,
    )
    expect(rows).toEqual([{ keys: ['k00'], count: 2 }])
  })

  it('is shown to operators only', async () => {
    const person = await makePerson(app)
    const nothing = await person.call('GET', '/operator/nothing')
    for (const { status, body } of [
      await person.call('GET', '/operator/unreadable'),
      await call(app, 'GET', '/operator/unreadable'),
    ])
      expect([status, body]).toEqual([404, nothing.body])
  })
})
