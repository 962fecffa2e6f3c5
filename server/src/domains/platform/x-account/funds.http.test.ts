import { eq, sql } from 'drizzle-orm'
import { beforeAll, beforeEach, expect, it } from 'vitest'
import { pauseNow } from '../../../../test/campaigns.ts'
import { makePerson, type Person } from '../../../../test/makers.ts'
import { makeDue } from '../../../../test/messages.ts'
import { openApp, type TestApp } from '../../../../test/open-app.ts'
import {
  dmsOf,
  eventually,
  launch,
  makeList,
  openHandles,
  openSenders,
  SENDS,
  sendDue,
  setFaults,
} from '../../../../test/outreach.ts'
import { watchAccount } from '../../../../test/reply-watches.ts'
import { makeScrape } from '../../../../test/scrapes.ts'
import { changeApp } from '../../../../test/x-accounts.ts'
import { addOwnApp, letTryFunds, refillFunds, runOutOfFunds } from '../../../../test/x-apps.ts'
import { dms } from '../../../core/tables/messages.ts'
import { replyWatches } from '../../../core/tables/replies.ts'
import { XError } from '../../../outside/x-errors.ts'
import { scrapes } from '../../leads/scrapes/tables.ts'
import { OPERATOR_APP_ID, xApps } from '../x-apps/tables.ts'
import { withFunds } from '../x-costs/funds.ts'
import { watchFunds } from './funds.ts'
import { xAccounts } from './tables.ts'

const OPERATOR = 'operator@example.com'
const EVERYTHING = { path: '/2/', status: 402 }

let app: TestApp
beforeAll(async () => {
  app = await openApp({ x: true, env: { X_PRICES: 'published', OPERATORS: OPERATOR }, mailbox: true })
})
beforeEach(async () => {
  await pauseNow(app, { status: 'active' })
  await refillFunds(app)
})
const { connected, start, arrivedFrom } = openSenders(() => app)

const operatorsApp = async () => (await app.db.select().from(xApps).where(eq(xApps.id, OPERATOR_APP_ID)))[0]!
/** Lets the hour until the next try pass. */
const letTryPass = () => letTryFunds(app)
const kindsOf = async (person: Person) =>
  (await person.client.notifications.list({})).notifications.map(({ kind }) => kind)
/** The messages that were logged at level error. */
const alarms: string[] = []
const log = {
  warn() {},
  error: (_: unknown, text: string) => alarms.push(text),
} as unknown as TestApp['services']['log']
const watch = (services: Partial<TestApp['services']> = {}) => watchFunds({ ...app.services, log, ...services })

it('nobody fails while X has no credits, everything waits, and all get their message once they return', async () => {
  const { person, account } = await connected()
  await setFaults(app, EVERYTHING)
  const campaign = await launch(person, await makeList(app, person, openHandles(10)))
  const stop = await start()
  const waiting = await eventually(
    async () => (await person.client.campaigns.find({ id: campaign.id })).waitingFor,
    'it waits',
  )
  expect(waiting.reason).toBe('funds')
  await stop()
  const current = await person.client.campaigns.find({ id: campaign.id })
  expect(current).toMatchObject({ status: 'active', reason: null, dmsFailedCount: 0, dmsQueuedCount: 10 })
  expect((await dmsOf(person, campaign.id)).every(({ status }) => status === 'queued')).toBe(true)
  expect(await person.client.xCosts.find({})).toMatchObject({ funds: 'empty', fundsSince: expect.any(String) })

  // Until a try succeeds, X is not called.
  expect(await sendDue(app)).toEqual([])
  await letTryPass()
  await watch()
  expect((await operatorsApp()).fundsTryAt!.getTime()).toBeGreaterThan(Date.now() + 3_000_000)

  await setFaults(app)
  await letTryPass()
  await watch()
  expect(await operatorsApp()).toMatchObject({ fundsEmptySince: null, fundsTryAt: null })
  await start()
  await eventually(async () => (await arrivedFrom(account.handle)).length === 10, 'all ten messages', 20_000)
  expect(await person.client.xCosts.find({})).toMatchObject({ funds: 'ok', fundsSince: null })
})

it('makes one call an hour while X has no credits, in one of several processes', async () => {
  const { person } = await connected()
  await setFaults(app, { ...SENDS, status: 402, times: 1 }, { path: '/2/users/me', status: 402 })
  await launch(person, await makeList(app, person, openHandles(2)))
  expect(await sendDue(app)).toEqual([])
  await letTryPass()
  const tried: string[] = []
  const x = {
    ...app.services.x!,
    findMe(token: string) {
      tried.push(token)
      return app.services.x!.findMe(token)
    },
  }
  await Promise.all([1, 2, 3].map(() => watch({ x })))
  await watch({ x })
  expect(tried).toHaveLength(1)
})

it('notifies the operators once, by email and in the log, and shows it on Home and to viewers', async () => {
  const { person } = await connected()
  const viewer = await makePerson(app, { in: person, role: 'viewer' })
  await setFaults(app, { ...SENDS, status: 402 })
  await launch(person, await makeList(app, person, openHandles(1)))
  await sendDue(app)
  alarms.length = 0
  const posted: unknown[] = []
  const outbox = {
    ...app.services.outbox,
    postAll: async (_: unknown, mails: readonly unknown[]) => void posted.push(...mails),
  }
  await Promise.all([1, 2].map(() => watch({ outbox })))
  await watch({ outbox })
  expect(posted).toMatchObject([{ to: OPERATOR, subject: 'The X app of X-Automated has no credits left' }])
  expect(alarms).toHaveLength(1)
  expect(await kindsOf(person)).toEqual([])
  const operator = await makePerson(app, { email: OPERATOR })
  const credits = await operator.client.operator.xCredits()
  expect(credits).toMatchObject({ fundsSince: expect.any(String), triedAt: expect.any(String), ownAppsWithout: 0 })
  expect((await viewer.client.today.find({})).needs).toMatchObject([
    { code: 'funds', params: { isOwnApp: false }, path: '/settings?tab=x-costs' },
  ])
})

it('notifies the owners of an own app, and lets other apps send', async () => {
  const [{ person, account }, other] = [await connected(), await connected()]
  const own = await addOwnApp(app, person)
  await changeApp(app, { id: account.id }, own)
  await setFaults(app, { ...SENDS, status: 402, times: 1 })
  await launch(person, await makeList(app, person, openHandles(1)))
  await sendDue(app)
  await watch()
  await watch()
  expect(await kindsOf(person)).toEqual(['funds'])
  expect((await operatorsApp()).fundsEmptySince).toBeNull()
  await launch(other.person, await makeList(app, other.person, openHandles(1)))
  expect(await sendDue(app)).toHaveLength(1)
  expect((await person.client.today.find({})).needs).toMatchObject([{ code: 'funds', params: { isOwnApp: true } }])
})

it('refuses messages by hand with X_FUNDS, which are sent later without a trace of the first try', async () => {
  const { person } = await connected()
  const { leadIds, handles } = await makeList(app, person, openHandles(1))
  const send = () =>
    person.call('POST', '/messages/send', {
      leadId: leadIds[0],
      message: 'Hi',
      templateVariables: { name: 'Ann', handle: handles[0] },
    })
  await setFaults(app, { ...SENDS, status: 402, times: 1 })
  for (let tries = 0; tries < 2; tries += 1)
    expect(await send()).toMatchObject({
      status: 503,
      body: { code: 'X_FUNDS', error: expect.stringContaining('has no credits left') },
    })
  expect(await app.db.$count(dms, eq(dms.leadId, leadIds[0]!))).toBe(0)
  await letTryPass()
  await watch()
  expect((await send()).status).toBe(200)
})

it('names the app of the workspace if X refuses a message because of its credits', async () => {
  const { person, account } = await connected()
  await changeApp(app, { id: account.id }, await addOwnApp(app, person))
  const { leadIds, handles } = await makeList(app, person, openHandles(1))
  await setFaults(app, { ...SENDS, status: 402, times: 1 })
  const input = { leadId: leadIds[0], message: 'Hi', templateVariables: { name: 'Ann', handle: handles[0] } }
  expect((await person.call('POST', '/messages/send', input)).body).toMatchObject({
    code: 'X_FUNDS',
    error: expect.stringMatching(/^Your X app has no credits left/),
  })
})

it('makes unsettled messages, scrapes and reads due within a minute of the return', async () => {
  const { person, account } = await connected()
  await setFaults(
    app,
    { ...SENDS, dropAfter: true, times: 1 },
    { path: '/2/dm_conversations', method: 'GET', status: 402 },
  )
  const campaign = await launch(person, await makeList(app, person, openHandles(1)))
  const stop = await start()
  await eventually(async () => (await operatorsApp()).fundsEmptySince, 'the conversation cannot be read')
  await stop()
  const [message] = await app.db.select().from(dms).where(eq(dms.campaignId, campaign.id))
  expect(message).toMatchObject({ status: 'queued', outcomeUnknown: true })
  const scrape = await makeScrape(app, person, {
    twitterHandle: 'f120_funds',
    maxFollowers: 1_000_000,
    maxResults: 10,
    status: 'waiting',
    resumesAt: new Date(Date.now() + 3_600_000),
  })
  const [{ xUserId } = { xUserId: '' }] = await app.db.select().from(xAccounts).where(eq(xAccounts.id, account.id))
  await watchAccount(app, xUserId, { nextPollAt: new Date(Date.now() + 3_600_000) })
  await setFaults(app)
  await letTryPass()
  await watch()
  const [resumed] = await app.db.select().from(scrapes).where(eq(scrapes.id, scrape.id))
  expect(resumed!.resumesAt!.getTime()).toBeLessThanOrEqual(Date.now())
  const [row] = await app.db.select().from(replyWatches).where(eq(replyWatches.xUserId, xUserId))
  expect(row!.nextPollAt.getTime()).toBeLessThanOrEqual(Date.now())
  const mine = eq(dms.campaignId, campaign.id)
  expect(await app.db.$count(dms, sql`${mine} and due_at <= now() + interval '1 minute'`)).toBe(1)
  await makeDue(app, mine)
  await start()
  await eventually(
    async () => (await app.db.$count(dms, sql`campaign_id = ${campaign.id} and status = 'sent'`)) === 1,
    'the message is settled',
  )
  expect(await arrivedFrom(account.handle)).toHaveLength(1)
})

it('waits for credits too if only a call of the app itself is refused, and makes no more of them', async () => {
  let calls = 0
  const refuse = () =>
    withFunds(app.db, OPERATOR_APP_ID, () => {
      calls += 1
      return Promise.reject(new XError('funds', 'Your credits are used up.'))
    })
  await expect(refuse()).rejects.toMatchObject({ kind: 'funds', retryAt: expect.any(Date) })
  await expect(refuse()).rejects.toMatchObject({ kind: 'funds', retryAt: expect.any(Date) })
  expect(calls).toBe(1)
  expect((await operatorsApp()).fundsEmptySince).not.toBeNull()
})

it('tries an account whose workspace has room below its spending limit', async () => {
  await connected()
  const { person } = await connected()
  await person.client.xCosts.saveLimit({ limitCents: 0 })
  await runOutOfFunds(app, new Date(0), { id: OPERATOR_APP_ID })
  await watch()
  expect((await operatorsApp()).fundsEmptySince).toBeNull()
})

it('connects the first account of an app whose credits are back, which ends the waiting', async () => {
  const person = await makePerson(app)
  const connect = () => person.call('POST', '/session/connect', { username: 'first_account', password: 'long enough' })
  await setFaults(app, { path: '/2/users/me', status: 402 })
  expect((await connect()).status).toBe(503)
  expect((await operatorsApp()).fundsEmptySince).not.toBeNull()
  await setFaults(app)
  expect((await connect()).status).toBe(200)
  expect((await operatorsApp()).fundsEmptySince).toBeNull()
  await watch()
  expect((await operatorsApp()).fundsTryAt).toBeNull()
})

it('says why an account cannot be connected or refreshed, and does not lose it', async () => {
  const { person, account } = await connected()
  await setFaults(app, { path: '/2/users/me', status: 402 })
  const refused = { status: 503, body: { code: 'X_UNAVAILABLE', error: expect.stringContaining('no credits left') } }
  expect(
    await person.call('POST', '/session/connect', { username: 'another_one', password: 'long enough' }),
  ).toMatchObject(refused)
  expect(await person.call('POST', `/x-accounts/${account.id}/check`)).toMatchObject(refused)
  expect(await person.client.xAccount.status()).toMatchObject({ connected: true, handle: account.handle })
})
