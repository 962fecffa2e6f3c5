import { eq, type SQL } from 'drizzle-orm'
import { beforeAll, expect, it } from 'vitest'
import { pauseNow } from '../../../../test/campaigns.ts'
import { say } from '../../../../test/conversations.ts'
import { connectX, makePerson, type Person, subscribe } from '../../../../test/makers.ts'
import { openApp, type TestApp } from '../../../../test/open-app.ts'
import { eventually, launch, makeList, openHandles, openSenders, sendDue } from '../../../../test/outreach.ts'
import { letSend } from '../../../../test/x-accounts.ts'
import { dayAgo, deleteCharges, endMonth, insertCharges } from '../../../../test/x-costs.ts'
import type { XError } from '../../../outside/x-errors.ts'
import { scrapes } from '../../leads/scrapes/tables.ts'
import { withAccount } from '../x-account/tokens.ts'
import { OPERATOR_APP_ID } from '../x-apps/tables.ts'
import { createXMeters } from './meter.ts'

let app: TestApp
beforeAll(async () => {
  app = await openApp({ x: true, env: { X_PRICES: 'published' } })
})
const { connected: connect, start, arrivedFrom } = openSenders(() => app)

/** Creates a person with an X account whose connection has cost nothing. */
async function connected() {
  const made = await connect()
  await forgetCharges(made.person)
  return made
}

async function forgetCharges(person: Person) {
  await app.services.xMeters.flush()
  await deleteCharges(app, person)
}

const costsOf = async (person: Person) => {
  await app.services.xMeters.flush()
  return person.client.xCosts.find({})
}
const nextMonth = () => {
  const now = new Date()
  return new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + 1, 1)).toISOString()
}
const kindsOf = async (person: Person) =>
  (await person.client.notifications.list({})).notifications.map(({ kind, title }) => [kind, title])

it('sends until the next message would exceed the limit, then waits, and continues when the limit is raised', async () => {
  const { person, account } = await connected()
  const campaign = await launch(person, await makeList(app, person, openHandles(5)))
  // Two messages cost 3 cents, and the third one would cost 4.5.
  await person.client.xCosts.saveLimit({ limitCents: 4 })
  await start()
  await start()
  await eventually(async () => (await costsOf(person)).totalCents === 3, 'two messages')
  const waiting = await eventually(
    async () => (await person.client.campaigns.find({ id: campaign.id })).waitingFor,
    'the campaign waits',
  )
  expect(waiting).toEqual({ reason: 'funds', until: nextMonth() })
  expect(await arrivedFrom(account.handle)).toHaveLength(2)
  const current = await person.client.campaigns.find({ id: campaign.id })
  expect(current).toMatchObject({ status: 'active', dmsSentCount: 2, dmsFailedCount: 0, dmsQueuedCount: 3 })
  await person.client.xCosts.saveLimit({ limitCents: 100 })
  await eventually(async () => (await costsOf(person)).totalCents === 7.5, 'the other messages')
})

it('is not exceeded by two accounts and two processes that send at the same time', async () => {
  const { person, account } = await connected()
  const second = await connectX(app, person)
  await forgetCharges(person)
  const list = () => makeList(app, person, openHandles(6))
  await person.client.xCosts.saveLimit({ limitCents: 10 })
  const first = await launch(person, await list(), { xAccountId: account.id })
  const other = await launch(person, await list(), { xAccountId: second.id, name: 'Other' })
  await start()
  await start()
  await eventually(async () => {
    const all = await Promise.all([first, other].map(({ id }) => person.client.campaigns.find({ id })))
    return all.every(({ waitingFor }) => waitingFor?.reason === 'funds')
  }, 'both campaigns wait')
  await eventually(async () => (await costsOf(person)).totalCents === 9, 'six messages')
  expect([...(await arrivedFrom(account.handle)), ...(await arrivedFrom(second.handle))]).toHaveLength(6)
  await pauseNow(app, { workspaceId: person.workspaceId })
})

it('refuses messages by hand with X_FUNDS and a sentence that names the limit', async () => {
  const { person } = await connected()
  const { leadIds, handles } = await makeList(app, person, openHandles(1))
  await person.client.xCosts.saveLimit({ limitCents: 1 })
  const message = { leadId: leadIds[0], message: 'Hi', templateVariables: { name: 'Ann', handle: handles[0] } }
  expect(await person.call('POST', '/messages/send', message)).toMatchObject({
    status: 503,
    body: { code: 'X_FUNDS', error: expect.stringContaining("This month's X spending limit of $0.01") },
  })
  await person.client.xCosts.saveLimit({ limitCents: null })
  expect((await person.call('POST', '/messages/send', message)).status).toBe(200)
})

it('refuses an answer from the inbox with X_FUNDS', async () => {
  const { person, account } = await connected()
  const { handles, leadIds } = await makeList(app, person, openHandles(1))
  await say(app, handles[0]!, account.handle, 'What does it cost?')
  const [conversation] = (await person.client.conversations.list({ leadId: leadIds[0] })).conversations
  const { id, lastMessage } = conversation!
  const sendAnswer = () =>
    person.call('POST', `/conversations/${id}/messages`, { text: 'Nothing', afterMessageId: lastMessage.id })
  await person.client.xCosts.saveLimit({ limitCents: 1 })
  expect(await sendAnswer()).toMatchObject({ status: 503, body: { code: 'X_FUNDS' } })
  expect(await arrivedFrom(account.handle)).toEqual([])
  await person.client.xCosts.saveLimit({ limitCents: null })
  expect((await sendAnswer()).status).toBe(200)
})

it('lets lookups and scrapes wait whose most would exceed it', async () => {
  const { person, account } = await connected()
  await person.client.xCosts.saveLimit({ limitCents: 1 })
  const lookUp = (handle: string) => withAccount(app.services, account.id, (x, token) => x.findUser(token, handle))
  expect(await lookUp('open_within')).toMatchObject({ handle: 'open_within' })
  await app.services.xMeters.flush()
  await expect(lookUp('open_beyond')).rejects.toMatchObject({ kind: 'funds', retryAt: new Date(nextMonth()) })
  // The maximum was reserved, and what was not charged can be spent again. The same person costs nothing.
  await person.client.xCosts.saveLimit({ limitCents: 2 })
  expect(await lookUp('open_within')).toMatchObject({ handle: 'open_within' })
  await app.services.xMeters.flush()
  expect(await lookUp('missing_one')).toBeNull()
  await app.services.xMeters.flush()
  expect(await lookUp('open_beyond')).toMatchObject({ handle: 'open_beyond' })
  expect(await costsOf(person)).toMatchObject({ totalCents: 2 })
})

it('notifies owners once at 80%, and once when it is reached', async () => {
  const { person } = await connected()
  const colleague = await makePerson(app, { in: person, role: 'admin' })
  await launch(person, await makeList(app, person, openHandles(9)))
  await person.client.xCosts.saveLimit({ limitCents: 12 })
  expect(await sendDue(app)).toHaveLength(8)
  await app.services.xMeters.flush()
  expect(await kindsOf(person)).toEqual([
    ['spending', "This month's X spending limit of $0.12 is reached"],
    ['spending', "80% of this month's X spending limit is used"],
  ])
  expect(await kindsOf(colleague)).toEqual([])
  expect((await person.client.today.find({})).needs).toMatchObject([
    { code: 'spending', params: { spentCents: 12, limitCents: 12, isReached: true }, path: '/settings?tab=x-costs' },
  ])
  await pauseNow(app, { workspaceId: person.workspaceId })
  await person.client.xCosts.saveLimit({ limitCents: null })
  expect((await person.client.today.find({})).needs).toEqual([])
})

it('counts what was charged this month before it was set, and nothing of the month before', async () => {
  const { person, account } = await connected()
  const charge = { xAccountId: account.id, purpose: 'scrape', resource: 'user', count: 1 } as const
  const thisMonth = { ...charge, day: dayAgo(0), mills: 500 }
  await insertCharges(app, person, thisMonth, { ...charge, day: '2026-01-31', mills: 9_000 })
  await person.client.xCosts.saveLimit({ limitCents: 51 })
  await launch(person, await makeList(app, person, openHandles(1)))
  expect(await sendDue(app)).toEqual([])
  await endMonth(app, person)
  await person.client.xCosts.saveLimit({ limitCents: 52 })
  expect(await sendDue(app)).toHaveLength(1)
})

it('lets a scrape wait until the next month, which continues when the limit is raised', async () => {
  const { person } = await connected()
  await subscribe(app, person)
  await person.client.xCosts.saveLimit({ limitCents: 50 })
  const worker = await app.startAnother({ workers: true })
  const { id } = await person.client.scrapes.create({ twitterHandle: 'f120_money', type: 'followers', keywords: [] })
  const waiting = await eventually(async () => {
    const scrape = await person.client.scrapes.find({ id })
    return scrape.status === 'waiting' && scrape
  }, 'the scrape waits')
  expect(waiting).toMatchObject({ resumesAt: nextMonth(), error: expect.stringContaining('spending limit of $0.50') })
  await person.client.xCosts.saveLimit({ limitCents: null })
  await eventually(async () => (await person.client.scrapes.find({ id })).status === 'completed', 'the scrape ends')
  await worker.close()
  expect(await app.db.$count(scrapes, eq(scrapes.id, id))).toBe(1)
})

it('lets messages wait a minute, and notifies nobody, while only running calls could exceed it', async () => {
  const { person, account } = await connected()
  await person.client.xCosts.saveLimit({ limitCents: 100 })
  const caller = { workspaceId: person.workspaceId, accountId: account.id, appId: OPERATOR_APP_ID, isLimited: true }
  const meter = app.services.xMeters.of(caller, 'scrape')
  const page = { name: 'listUsers', mills: 990 }
  await meter.reserve(page)
  const campaign = await launch(person, await makeList(app, person, openHandles(2)))
  expect(await sendDue(app)).toEqual([])
  const { waitingFor } = await person.client.campaigns.find({ id: campaign.id })
  expect(waitingFor).toMatchObject({ reason: 'funds' })
  expect(new Date(waitingFor!.until!).getTime()).toBeLessThanOrEqual(Date.now() + 60_000)
  await expect(meter.reserve(page)).rejects.toSatisfy(
    ({ retryAt }: XError) => retryAt!.getTime() <= Date.now() + 60_000,
  )
  expect(await kindsOf(person)).toEqual([])
  meter.settle({ ...page, billables: [], error: null })
  await app.services.xMeters.flush()
  await letSend(app, { id: account.id }, new Date(0))
  expect(await sendDue(app)).toHaveLength(2)
})

it('keeps counting what the calls of a killed process may have cost', async () => {
  const { person, account } = await connected()
  await person.client.xCosts.saveLimit({ limitCents: 1 })
  const killed = createXMeters({ database: app.services.database, isPriced: true, log: app.services.log })
  await killed
    .of({ workspaceId: person.workspaceId, accountId: account.id, appId: OPERATOR_APP_ID, isLimited: true }, 'lookup')
    .reserve({ name: 'findUser', mills: 10 })
  await expect(
    withAccount(app.services, account.id, (x, token) => x.findUser(token, 'open_after_kill')),
  ).rejects.toMatchObject({ kind: 'funds' })
})

it('writes charges once the database answers again', async () => {
  const { person, account } = await connected()
  let isDown = true
  const execute = (statement: SQL) =>
    isDown ? Promise.reject(new Error('the database is down')) : app.db.execute(statement)
  const database = { db: { execute } } as unknown as TestApp['services']['database']
  const meters = createXMeters({ database, isPriced: true, log: app.services.log })
  const meter = meters.of(
    { workspaceId: person.workspaceId, accountId: account.id, appId: OPERATOR_APP_ID, isLimited: false },
    'lookup',
  )
  meter.settle({ name: 'findUser', mills: 10, billables: [{ resource: 'user', id: 'kept' }], error: null })
  await expect(meters.flush()).rejects.toThrow('down')
  isDown = false
  await meters.flush()
  await meters.flush()
  expect(await costsOf(person)).toMatchObject({ totalCents: 1 })
  await meters.close()
})
