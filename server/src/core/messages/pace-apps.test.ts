import { sql } from 'drizzle-orm'
import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { deleteCampaigns } from '../../../test/campaigns.ts'
import { connectX, makePerson, type Person, subscribe } from '../../../test/makers.ts'
import { openApp, type TestApp } from '../../../test/open-app.ts'
import { launch, letPass, makeList, openHandles, sendDue } from '../../../test/outreach.ts'
import { deleteAccounts, letSend } from '../../../test/x-accounts.ts'
import { forgetAppClaims, liftAppLimits, limitApps } from '../../../test/x-apps.ts'
import { OPERATOR_APP_ID } from '../../domains/platform/x-apps/tables.ts'
import { findSendingState } from './sending-state.ts'

let app: TestApp
beforeAll(async () => {
  app = await openApp({ x: true })
})
beforeEach(async () => {
  await deleteCampaigns(app)
  await forgetAppClaims(app)
  await deleteAccounts(app)
  await liftAppLimits(app)
  await registerAtX([])
})

const OTHER = { id: 'other', secret: 'secret', consumerSecret: 'consumer', bearerToken: 'bearer' }

/** Makes X limit the messages of the operator's app, and of another app. */
async function limitAtX(messagesPerDay: number): Promise<void> {
  const { clientId, clientSecret, consumerSecret, bearerToken } = app.x
  const operator = { id: clientId, secret: clientSecret, consumerSecret, bearerToken }
  await registerAtX([operator, OTHER].map((xApp) => ({ ...xApp, messagesPerDay })))
}
async function registerAtX(apps: object[]): Promise<void> {
  const headers = { 'content-type': 'application/json' }
  await fetch(`${app.x.url}/_apps`, { method: 'PUT', headers, body: JSON.stringify(apps) })
}
/** Sets the limit as if X's headers had already reported it. */
const knownLimit = (limit: number) => limitApps(app, limit)

async function connected(): Promise<{ person: Person; account: { id: string; handle: string } }> {
  const person = await makePerson(app)
  await subscribe(app, person)
  return { person, account: await connectX(app, person) }
}
const campaignOf = async (person: Person, count: number) =>
  launch(person, await makeList(app, person, openHandles(count)))
const waitOf = async (person: Person, id: string) => (await person.client.campaigns.find({ id })).waitingFor
const appOf = async (person: Person) => (await person.call('GET', '/sending/settings')).body.xApp
const sentBy = async (handle: string) =>
  ((await (await fetch(`${app.x.url}/_log/dms?from=${handle}`)).json()) as unknown[]).length
/** Makes every waiting account due. */
const wake = () => letSend(app, sql`next_send_at is not null`)

describe('the daily limit of an X app', () => {
  it('is taken from the headers of X, over the accounts of two workspaces', async () => {
    await limitAtX(3)
    const [first, other] = [await connected(), await connected()]
    const campaigns = [await campaignOf(first.person, 2), await campaignOf(other.person, 2)]
    expect(await appOf(first.person)).toMatchObject({ dailyLimit: null })
    await sendDue(app)
    expect(await appOf(first.person)).toEqual({ isOwn: false, sentInDay: expect.any(Number), dailyLimit: 3 })
    expect((await sentBy(first.account.handle)) + (await sentBy(other.account.handle))).toBe(3)
    const waits = [await waitOf(first.person, campaigns[0]!.id), await waitOf(other.person, campaigns[1]!.id)]
    expect(waits.some((wait) => wait?.reason === 'app')).toBe(true)
  })

  it('makes accounts wait until the oldest message is a day old, and refuses manual messages until then', async () => {
    await knownLimit(2)
    const { person } = await connected()
    const campaign = await campaignOf(person, 3)
    expect(await sendDue(app)).toHaveLength(2)
    const wait = await waitOf(person, campaign.id)
    expect(wait?.reason).toBe('app')
    expect(Date.parse(String(wait?.until)) - Date.now()).toBeGreaterThan(86_000_000)
    const list = await makeList(app, person, openHandles(1))
    const [leadId] = list.leadIds
    const written = await person.call('POST', '/messages/send', {
      leadId,
      message: 'Hello',
      templateVariables: { name: 'Ann', handle: 'ann' },
    })
    expect([written.status, written.body.code, written.body.error]).toEqual([
      429,
      'RATE_LIMITED',
      'The X app has sent all messages that X allows it in 24 hours. Try again later.',
    ])
    await letPass(app, campaign.id, 25)
    await wake()
    expect(await sendDue(app)).toHaveLength(1)
  })

  it('lets the account with the fewest messages of 24 hours send first', async () => {
    await knownLimit(3)
    const [busy, idle] = [await connected(), await connected()]
    const first = await campaignOf(busy.person, 5)
    expect(await sendDue(app)).toHaveLength(3)
    await campaignOf(idle.person, 5)
    expect(await sendDue(app)).toHaveLength(0)
    const { rows } = await app.db.execute<{ id: string }>(sql`select id from x_accounts order by next_send_at`)
    expect(rows.map(({ id }) => id)).toEqual([idle.account.id, busy.account.id])
    expect(await waitOf(busy.person, first.id)).toMatchObject({ reason: 'app' })
  })

  it('holds while two processes claim for several accounts at the same time', async () => {
    await knownLimit(7)
    const people = await Promise.all(Array.from({ length: 4 }, connected))
    for (const { person } of people) await campaignOf(person, 4)
    const sent = await Promise.all([sendDue(app), sendDue(app), sendDue(app)])
    expect(sent.flat().length).toBeLessThanOrEqual(7)
    await wake()
    await sendDue(app)
    const { rows } = await app.db.execute<{ count: number }>(sql`select count(*)::int as count from x_app_claims`)
    expect(rows[0]?.count).toBe(7)
  })

  it('counts no message that was returned unsent, and none without a limit', async () => {
    const { person } = await connected()
    await campaignOf(person, 1)
    await sendDue(app)
    const count = async () =>
      (await app.db.execute<{ count: number }>(sql`select count(*)::int as count from x_app_claims`)).rows[0]?.count
    expect(await count()).toBe(0)
    await knownLimit(5)
    const campaign = await campaignOf(person, 1)
    await letSend(app)
    await fetch(`${app.x.url}/_faults`, {
      method: 'PUT',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify([{ method: 'POST', path: '/2/dm_conversations/with/*/messages', status: 429, times: 1 }]),
    })
    await sendDue(app)
    expect(await count()).toBe(0)
    expect(await waitOf(person, campaign.id)).toMatchObject({ reason: 'x' })
  })

  it('leaves the accounts of another app alone', async () => {
    await limitAtX(1)
    const operator = await connected()
    await campaignOf(operator.person, 2)
    await sendDue(app)
    const own = await makePerson(app)
    await subscribe(app, own)
    const { id, secret, ...secrets } = OTHER
    expect((await own.call('PUT', '/x-app', { clientId: id, clientSecret: secret, ...secrets })).status).toBe(200)
    await knownLimit(1)
    const account = await connectX(app, own)
    await campaignOf(own, 2)
    await sendDue(app)
    expect(await sentBy(account.handle)).toBe(1)
    expect(await appOf(own)).toEqual({ isOwn: true, sentInDay: 1, dailyLimit: 1 })
  })
})

describe('the share of an account', () => {
  it('is what the app has left, divided by the accounts that have something to send, and the cap of pre-flight', async () => {
    await knownLimit(100)
    const [first, other] = [await connected(), await connected()]
    await campaignOf(other.person, 1)
    const account = { id: first.account.id, xUserId: '1', restsUntil: null, xAppId: OPERATOR_APP_ID }
    const state = await findSendingState(app.db, app.env, { workspaceId: first.person.workspaceId, account })
    expect([state.appShare, state.limits.dailyDmCap]).toEqual([50, 50])
    const settings = (await first.person.call('GET', '/sending/settings')).body
    expect(settings.accounts[0].appShare).toBe(50)
    const list = await makeList(app, first.person, openHandles(60))
    const preflight = await first.person.client.campaigns.preflight({
      leadListId: list.id,
      channel: 'api',
      messageTemplate: 'Hello {name}',
    } as never)
    expect(preflight.perDay[0]?.count).toBe(50)
  })
})
