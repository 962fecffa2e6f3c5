import { sql } from 'drizzle-orm'
import { beforeAll, describe, expect, it } from 'vitest'
import { recordRequest } from '../../../../test/leads.ts'
import { connectX, makePerson, type Person } from '../../../../test/makers.ts'
import { backdateClaims, deleteMessages, insertMessages } from '../../../../test/messages.ts'
import { openApp, type TestApp } from '../../../../test/open-app.ts'
import { ALL_DAY, dmsOf, launch, makeCampaign, makeList, openHandles } from '../../../../test/outreach.ts'
import { leaveIdle, letSend, loseConnection, loseTimeZone } from '../../../../test/x-accounts.ts'
import { findSendingState } from '../../../core/messages/sending-state.ts'
import { OPERATOR_APP_ID } from '../../platform/x-apps/tables.ts'
import { find } from './settings.ts'

let app: TestApp
let owner: Person
let account: { id: string; handle: string }
beforeAll(async () => {
  app = await openApp()
  owner = await makePerson(app)
  account = await connectX(app, owner)
})

const claim = (person: Person, id: string) => person.call('POST', `/campaigns/${id}/claim`, { holder: 'laptop' })

describe('GET /sending/settings', () => {
  it('returns the defaults for the stand-in and the real X, for viewers too', async () => {
    const viewer = await makePerson(app, { in: owner, role: 'viewer' })
    const settings = await viewer.client.sendingSettings.find()
    expect(settings).toMatchObject({
      accounts: [
        {
          ...ALL_DAY,
          xAccountId: account.id,
          handle: account.handle,
          isDefault: true,
          sentInDay: 0,
          countedInDay: 0,
          capNow: 500,
          warmingUp: false,
          waitingFor: null,
        },
      ],
      limits: { dailyCap: 500, pauseSeconds: 0 },
      optOutWords: [],
      basis: { required: false, isRealX: false, liftedBy: null, liftedAt: null },
    })
    const real = await find(app.db, { ...app.env, isRealX: true }, owner.actor)
    expect(real.accounts[0]).toMatchObject({
      hours: { start: '09:00', end: '18:00' },
      warmUp: true,
      capNow: 20,
      warmingUp: true,
    })
    expect(real.basis).toMatchObject({ required: true, isRealX: true })
  })
})

describe('PUT /sending/limits', () => {
  it('lets an admin set the limits of an account, or of the extension without one', async () => {
    const admin = await makePerson(app, { in: owner, role: 'admin' })
    const changes = {
      timeZone: 'America/New_York',
      workDays: [5, 1, 1],
      hours: { start: '22:00', end: '02:00' },
      dailyCap: 40,
      warmUp: true,
      pauseSeconds: 90,
    }
    const saved = await admin.client.sendingSettings.saveLimits({ xAccountId: account.id, ...changes })
    expect(saved.accounts[0]).toMatchObject({ ...changes, workDays: [1, 5], capNow: 20, isDefault: false })
    expect((await owner.client.sendingSettings.find()).accounts).toEqual(saved.accounts)
    await owner.client.sendingSettings.saveLimits({ ...ALL_DAY, xAccountId: account.id })
    const alone = await makePerson(app)
    const own = await alone.client.sendingSettings.saveLimits({ ...ALL_DAY, xAccountId: null, dailyCap: 7 })
    expect(own.accounts).toMatchObject([{ xAccountId: null, handle: null, dailyCap: 7, capNow: 7 }])
  })

  it.each([
    ['an unknown time zone', { timeZone: 'Mars/Olympus' }],
    ['an offset instead of a time zone', { timeZone: '+02:00' }],
    ['no days', { workDays: [] }],
    ['an invalid day', { workDays: [8] }],
    ['empty hours', { hours: { start: '09:00', end: '09:00' } }],
    ['an invalid time', { hours: { start: '24:00', end: '09:00' } }],
    ['a cap of 0', { dailyCap: 0 }],
    ['a cap above the maximum', { dailyCap: 501 }],
    ['a negative pause', { pauseSeconds: -1 }],
    ['an unknown field', { more: 1 }],
  ])('returns 400 for %s and changes nothing', async (_, wrong) => {
    const before = await owner.client.sendingSettings.find()
    const response = await owner.call('PUT', '/sending/limits', { ...ALL_DAY, xAccountId: account.id, ...wrong })
    expect([response.status, response.body.code, response.body.details.length > 0]).toEqual([
      400,
      'INVALID_INPUT',
      true,
    ])
    expect(await owner.client.sendingSettings.find()).toEqual(before)
  })

  it('returns 404 for the former path /sending/pace', async () => {
    expect((await owner.call('PUT', '/sending/pace', { ...ALL_DAY, xAccountId: account.id })).status).toBe(404)
  })

  it('returns 403 to members and 404 for the account of another workspace', async () => {
    const member = await makePerson(app, { in: owner, role: 'member' })
    const stranger = await makePerson(app)
    const body = { ...ALL_DAY, xAccountId: account.id, dailyCap: 3 }
    expect((await member.call('PUT', '/sending/limits', body)).status).toBe(403)
    const response = await stranger.call('PUT', '/sending/limits', body)
    expect([response.status, response.body.code]).toEqual([404, 'X_ACCOUNT_NOT_FOUND'])
  })
})

describe('sending limits', () => {
  it('names what a campaign waits for without a time: an older campaign, or its account', async () => {
    const person = await makePerson(app)
    const own = await connectX(app, person)
    const list = () => makeList(app, person, openHandles(1))
    await launch(person, await list(), { xAccountId: own.id })
    const { id } = await launch(person, await list(), { xAccountId: own.id })
    const wait = async () => (await person.client.campaigns.find({ id })).waitingFor
    expect(await wait()).toEqual({ reason: 'turn', until: null })
    await loseConnection(app, { id: own.id })
    expect(await wait()).toEqual({ reason: 'account', until: null })
    await person.client.campaigns.update({ id, status: 'paused' })
    expect(await wait()).toBeNull()
  })

  it('limit claims, tell campaigns what they wait for, and stop sending if the time zone is invalid', async () => {
    const person = await makePerson(app)
    const own = await connectX(app, person)
    const { id } = await launch(person, await makeList(app, person, openHandles(9)), {
      channel: 'extension',
      xAccountId: own.id,
    })
    const wait = async () => (await person.client.campaigns.find({ id })).waitingFor
    const save = (changes: object) =>
      person.client.sendingSettings.saveLimits({ ...ALL_DAY, xAccountId: own.id, ...changes })
    expect(await wait()).toBeNull()

    // Working hours that start in one to two hours.
    const hour = (ahead: number) => new Date(Date.now() + ahead * 3_600_000).toISOString().slice(11, 13)
    await save({ hours: { start: `${hour(2)}:00`, end: `${hour(3)}:00` } })
    const closed = await claim(person, id)
    expect([closed.status, Number(closed.headers.get('retry-after')) > 3_000]).toEqual([204, true])
    expect(await wait()).toMatchObject({ reason: 'hours' })
    const { campaigns } = await person.client.campaigns.list({})
    expect(campaigns[0]?.waitingFor).toEqual(await wait())

    await save({ pauseSeconds: 300 })
    expect((await claim(person, id)).status).toBe(200)
    expect((await claim(person, id)).status).toBe(204)
    const pause = await wait()
    expect(pause?.reason).toBe('pause')
    const seconds = (Date.parse(pause!.until!) - Date.now()) / 1_000
    expect(seconds).toBeGreaterThan(290)
    expect(seconds).toBeLessThan(361)

    // Making the account due does not shorten the pause.
    await letSend(app, { id: own.id }, new Date(Date.now() - 1_000))
    expect((await claim(person, id)).status).toBe(204)

    await backdateClaims(app, sql`campaign_id = ${id} and claimed_at is not null`, 3_600)
    await save({ dailyCap: 1 })
    await leaveIdle(app, { id: own.id })
    expect((await claim(person, id)).status).toBe(204)
    expect(await wait()).toMatchObject({ reason: 'cap' })

    // Warm-up starts with the first message after it was turned on.
    await save({ warmUp: true })
    const claimed = { workspaceId: person.workspaceId, campaignId: id, message: 'Hi', xAccountId: own.id }
    await insertMessages(
      app,
      Array.from({ length: 20 }, (_, n) => ({ ...claimed, step: n + 1, claimedAt: new Date(Date.now() + n + 1) })),
    )
    expect(await wait()).toMatchObject({ reason: 'warm_up' })
    const standing = await findSendingState(app.db, app.env, {
      workspaceId: person.workspaceId,
      account: { id: own.id, xUserId: await xUserOf(own.id), restsUntil: null, xAppId: OPERATOR_APP_ID },
    })
    expect(standing.cap.cap).toBe(20)

    await deleteMessages(app, sql`campaign_id = ${id} and step > 0`)
    await save({})
    await loseTimeZone(app, own.id)
    expect((await claim(person, id)).status).toBe(204)
    await save({})
    expect((await claim(person, id)).status).toBe(200)
  })
})

async function xUserOf(id: string): Promise<string> {
  const { rows } = await app.db.execute<{ x: string }>(sql`select x_user_id as x from x_accounts where id = ${id}`)
  return rows[0]!.x
}

describe('PUT /sending/opt-out-words', () => {
  it('stores own words once, none if empty, and rejects invalid words and members', async () => {
    const save = async (words: string[]) => (await owner.client.sendingSettings.saveOptOutWords({ words })).optOutWords
    expect(await save([' Stop ', 'stop', 'lass das'])).toEqual(['stop', 'lass das'])
    expect(await save([])).toEqual([])
    for (const words of [['!'], ['a'.repeat(51)], Array.from({ length: 51 }, (_, i) => `w${i}`)])
      expect((await owner.call('PUT', '/sending/opt-out-words', { words })).status).toBe(400)
    const member = await makePerson(app, { in: owner, role: 'member' })
    expect((await member.call('PUT', '/sending/opt-out-words', { words: [] })).status).toBe(403)
  })
})

describe('PUT /sending/contact-basis', () => {
  it("requires a contact basis until the owner, after reading X's rules, stops requiring it", async () => {
    const person = await makePerson(app)
    await connectX(app, person)
    const admin = await makePerson(app, { in: person, role: 'admin' })
    expect((await admin.call('PUT', '/sending/contact-basis', { required: true })).status).toBe(403)
    expect((await person.client.sendingSettings.saveBasis({ required: true })).basis.required).toBe(true)
    const list = await makeList(app, person, openHandles(2))
    await recordRequest(app, { id: list.leadIds[0]! })
    const campaign = await launch(person, list)
    expect(campaign).toMatchObject({ totalLeadsInList: 2, dmsQueuedCount: 1, dmsFailedCount: 1 })
    const skipped = (await dmsOf(person, campaign.id)).find(({ status }) => status === 'failed')
    expect(skipped).toMatchObject({
      errorMessage: 'Skipped: this person has no contact basis. Set one on the leads page.',
      reason: { code: 'no_basis', params: {} },
    })
    const again = await person.call('POST', `/dms/${skipped!.id}/requeue`)
    expect([again.status, again.body.code]).toEqual([409, 'DM_STATE'])

    const unread = await person.call('PUT', '/sending/contact-basis', { required: false })
    expect([unread.status, unread.body.error]).toEqual([400, "Read X's rules first."])
    const lifted = await person.client.sendingSettings.saveBasis({ required: false, hasReadRules: true })
    expect(lifted.basis).toMatchObject({ required: false, liftedBy: expect.any(String), liftedAt: expect.any(String) })
    expect((await person.call('POST', `/dms/${skipped!.id}/requeue`)).status).toBe(200)
    await makeCampaign(person, list)
  })
})
