import { createHmac } from 'node:crypto'
import { idOfHandle } from '@x-automated/stand-ins/x/ids'
import { eq } from 'drizzle-orm'
import { beforeAll, describe, expect, it } from 'vitest'
import { connectX, makePerson, type Person } from '../../../../test/makers.ts'
import { openApp, type TestApp } from '../../../../test/open-app.ts'
import {
  completed,
  launch,
  makeList,
  openHandles,
  openSenders,
  SENDS,
  sendDue,
  setFaults,
} from '../../../../test/outreach.ts'
import { billEarlier, dayAgo, deleteCharges, insertBilled, insertCharges } from '../../../../test/x-costs.ts'
import { withAccount } from '../x-account/tokens.ts'
import { xBilledResources, xCharges } from './tables.ts'
import { purgeCharges } from './x-costs.ts'

let app: TestApp
beforeAll(async () => {
  app = await openApp({ x: true, env: { X_PRICES: 'published' } })
})
const { connected: connect, start } = openSenders(() => app)

/** Creates a person with an X account whose connection has cost nothing. */
async function connected() {
  const made = await connect()
  await app.services.xMeters.flush()
  await deleteCharges(app, made.person)
  return made
}

/** X's charges this month, by account and purpose. */
async function chargesOf(person: Person) {
  await app.services.xMeters.flush()
  return person.client.xCosts.find({})
}

const lookUp = (accountId: string, handle: string, services = app.services) =>
  withAccount(services, accountId, (x, token) => x.findUser(token, handle))

describe('GET /x-costs', () => {
  it('returns zeros before the first call', async () => {
    const person = await makePerson(app)
    expect(await chargesOf(person)).toEqual({
      totalCents: 0,
      limitCents: null,
      funds: 'ok',
      fundsSince: null,
      accounts: [],
    })
  })

  it('counts messages where their outcome is recorded, and people who were looked up before', async () => {
    const { person, account } = await connected()
    await launch(person, await makeList(app, person, openHandles(2), { unknownIds: true }))
    await launch(person, await makeList(app, person, openHandles(1)), { name: 'Known ids' })
    expect(await sendDue(app)).toHaveLength(3)
    expect(await chargesOf(person)).toMatchObject({
      totalCents: 6.5,
      accounts: [
        {
          xAccountId: account.id,
          cents: 6.5,
          byPurpose: [
            { purpose: 'send', count: 3, cents: 4.5 },
            { purpose: 'lookup', count: 2, cents: 2 },
          ],
        },
      ],
    })
  })

  it('counts who has connected an account', async () => {
    const { person, account } = await connect()
    expect((await chargesOf(person)).accounts).toEqual([
      { xAccountId: account.id, cents: 1, byPurpose: [{ purpose: 'lookup', count: 1, cents: 1 }] },
    ])
  })

  it('counts a message once that was settled by reading its conversation, and what was read', async () => {
    const { person } = await connected()
    await setFaults(app, { ...SENDS, dropAfter: true, times: 1 })
    const campaign = await launch(person, await makeList(app, person, openHandles(1)))
    await start()
    await completed(person, campaign.id)
    const { accounts } = await chargesOf(person)
    expect(accounts[0]!.byPurpose).toEqual([
      { purpose: 'send', count: 1, cents: 1.5 },
      { purpose: 'read', count: 1, cents: 1 },
    ])
  })

  it('counts the same person once a day for an app, also if two workspaces look them up', async () => {
    const [{ person, account }, other] = [await connected(), await connected()]
    await Promise.all([lookUp(account.id, 'open_same'), lookUp(account.id, 'open_same')])
    expect(await chargesOf(person)).toMatchObject({ totalCents: 1 })
    await lookUp(other.account.id, 'open_same')
    expect(await chargesOf(other.person)).toMatchObject({ totalCents: 0 })
    await billEarlier(app, { xId: idOfHandle('open_same') })
    await lookUp(account.id, 'open_same')
    expect(await chargesOf(person)).toMatchObject({ totalCents: 2 })
  })

  it('does not count people whom X does not find, and failed calls', async () => {
    const { person, account } = await connected()
    await lookUp(account.id, 'missing_one')
    await lookUp(account.id, '').catch(() => {})
    expect(await chargesOf(person)).toMatchObject({ totalCents: 0, accounts: [] })
  })

  it('returns what X publishes no price for as an entry of its own', async () => {
    const { person, account } = await connected()
    const charge = { day: dayAgo(0), xAccountId: account.id, purpose: 'read' as const }
    await insertCharges(
      app,
      person,
      { ...charge, resource: 'chat_event', count: 7, mills: null },
      { ...charge, resource: 'dm_event', count: 2, mills: 20 },
    )
    expect((await chargesOf(person)).accounts[0]!.byPurpose).toEqual([
      { purpose: 'read', count: 2, cents: 2 },
      { purpose: 'read', count: 7, cents: null },
    ])
  })

  it('returns another month on request, and rejects what is no month', async () => {
    const { person, account } = await connected()
    await insertCharges(app, person, {
      day: '2026-02-28',
      xAccountId: account.id,
      purpose: 'scrape',
      resource: 'user',
      count: 100,
      mills: 1_000,
    })
    expect(await person.client.xCosts.find({ month: '2026-02' })).toMatchObject({ totalCents: 100 })
    expect(await person.client.xCosts.find({ month: '2026-03' })).toMatchObject({ totalCents: 0 })
    expect((await person.call('GET', '/x-costs?month=2026-13')).status).toBe(400)
  })

  it('counts deliveries of what people write, once per event, for an account of the workspace', async () => {
    const { person, account } = await connected()
    const filter = { user_id: idOfHandle(account.handle) }
    const deliver = async (data: object) => {
      const body = JSON.stringify({ data: { filter, payload: {}, ...data } })
      const signature = createHmac('sha256', app.x.consumerSecret).update(body).digest('base64')
      const headers = { 'x-twitter-webhooks-signature': `sha256=${signature}` }
      expect((await fetch(`${app.url}/x/webhook`, { method: 'POST', headers, body })).status).toBe(200)
    }
    const events = ['chat.received', 'dm.received', 'follow.follow', 'profile.update.bio', 'post.reply.create']
    for (const event_type of [...events, ...events, 'dm.sent', 'dm.read', 'chat.sent', 'unknown.event'])
      await deliver({ event_type, event_uuid: `-${event_type}` })
    // A repeated delivery of an event without an id has the same bytes.
    for (const event_type of ['dm.received', 'dm.received']) await deliver({ event_type, payload: { of: event_type } })
    await deliver({ event_type: 'dm.received', event_uuid: 1, filter: { user_id: '12345' } })
    expect((await chargesOf(person)).accounts).toEqual([
      { xAccountId: account.id, cents: 5, byPurpose: [{ purpose: 'events', count: 6, cents: 5 }] },
    ])
  })

  it('costs nothing with a stand-in X, and still counts', async () => {
    const free = await app.startAnother({ env: { X_PRICES: 'none' } })
    const { person, account } = await connected()
    await lookUp(account.id, 'open_free', free.services)
    await free.services.xMeters.flush()
    expect(await chargesOf(person)).toMatchObject({
      totalCents: 0,
      accounts: [{ byPurpose: [{ purpose: 'lookup', count: 1, cents: 0 }] }],
    })
  })
})

it('forgets charges whose workspace was deleted in the meantime, and writes the others', async () => {
  const [{ person, account }, other] = [await connected(), await connected()]
  await lookUp(other.account.id, 'open_gone')
  await other.person.call('DELETE', '/me/account', {})
  await lookUp(account.id, 'open_stays')
  expect(await chargesOf(person)).toMatchObject({ totalCents: 1 })
})

it('purgeCharges deletes charges after 400 days, and what was charged for after two', async () => {
  const { person, account } = await connected()
  const charge = { xAccountId: account.id, purpose: 'send', resource: 'message', count: 1, mills: 15 } as const
  for (const days of [400, 401]) await insertCharges(app, person, { ...charge, day: dayAgo(days) })
  for (const days of [1, 2]) await insertBilled(app, person.id, dayAgo(days))
  await purgeCharges(app.db)
  expect(await app.db.$count(xCharges, eq(xCharges.workspaceId, person.workspaceId))).toBe(1)
  expect(await app.db.$count(xBilledResources, eq(xBilledResources.xAppId, person.id))).toBe(1)
})

describe('PUT /x-costs/limit', () => {
  it('lets owners set and remove the limit, and nobody else', async () => {
    const { person } = await connected()
    expect(await person.client.xCosts.saveLimit({ limitCents: 2_000 })).toEqual({ limitCents: 2_000 })
    expect((await person.client.xCosts.find({})).limitCents).toBe(2_000)
    expect(await person.client.xCosts.saveLimit({ limitCents: null })).toEqual({ limitCents: null })
    expect((await person.client.xCosts.find({})).limitCents).toBe(null)
    const admin = await makePerson(app, { in: person, role: 'admin' })
    expect(await admin.call('PUT', '/x-costs/limit', { limitCents: 1 })).toMatchObject({ status: 403 })
    const viewer = await makePerson(app, { in: person, role: 'viewer' })
    expect((await viewer.client.xCosts.find({})).limitCents).toBe(null)
  })

  it.each([-1, 0.5, 100_000_001, '5', undefined])('rejects %j', async (limitCents) => {
    const person = await makePerson(app)
    expect((await person.call('PUT', '/x-costs/limit', { limitCents })).status).toBe(400)
  })

  it('keeps the limits of workspaces apart', async () => {
    const [person, other] = [await makePerson(app), await makePerson(app)]
    await person.client.xCosts.saveLimit({ limitCents: 100 })
    await connectX(app, other)
    expect((await other.client.xCosts.find({})).limitCents).toBe(null)
  })
})
