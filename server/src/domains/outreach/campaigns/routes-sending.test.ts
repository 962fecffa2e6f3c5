import { eq, sql } from 'drizzle-orm'
import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { archiveNow } from '../../../../test/campaigns.ts'
import { deleteEntries, recordClaim, setStatus } from '../../../../test/leads.ts'
import { connectX, makePerson, type Person, subscribe } from '../../../../test/makers.ts'
import { endLeases, makeDue, markClaimed, markFailed } from '../../../../test/messages.ts'
import { openApp, type TestApp } from '../../../../test/open-app.ts'
import {
  ALL_DAY,
  dmsOf,
  expectCountsRight,
  launch,
  makeCampaign,
  makeList,
  openHandles,
  stopNow,
  waitForBlockedStatement,
} from '../../../../test/outreach.ts'
import { disconnect, identify, leaveIdle, letSend, reconnect } from '../../../../test/x-accounts.ts'
import { queueDirect } from '../../../core/messages/direct.ts'
import { releaseLeads } from '../../../core/messages/release.ts'
import { expireLeases } from '../../../core/messages/settle.ts'
import { leads } from '../../../core/tables/leads.ts'
import { leadListItems } from '../../../core/tables/list-entries.ts'
import { dms } from '../../../core/tables/messages.ts'

let app: TestApp
let person: Person
let stranger: Person
beforeAll(async () => {
  app = await openApp()
  stranger = await makePerson(app)
})
// Each test has its own workspace, because only one campaign of a workspace sends at a time.
beforeEach(async () => {
  person = await makePerson(app)
})

const NOBODYS = '01900000-0000-7000-8000-000000000000'
const UNKNOWN = 'Outcome unknown: check the conversation before sending again'

const launched = async (count: number, by = person) =>
  launch(by, await makeList(app, by, openHandles(count)), { channel: 'extension' })
const claim = (id: string, by = person) => by.call('POST', `/campaigns/${id}/claim`, { holder: 'laptop' })
const report = (dmId: string, body: object, by = person) => by.call('POST', `/dms/${dmId}/outcome`, body)
const runOut = (dmId: string) => endLeases(app, { id: dmId })

describe('POST /campaigns/{id}/claim', () => {
  it('gives each message to one sender in list order, then returns 204, with Retry-After while leases run', async () => {
    const list = await makeList(app, person, openHandles(3))
    const campaign = await launch(person, list, { channel: 'extension' })
    const responses = await Promise.all(Array.from({ length: 5 }, () => claim(campaign.id)))
    const claimed = responses.filter(({ status }) => status === 200).map(({ body }) => body)
    expect(claimed.map(({ leadId }) => leadId).sort()).toEqual([...list.leadIds].sort())
    expect(new Set(claimed.map(({ lease }) => lease)).size).toBe(3)
    const [first] = claimed
    expect(first).toEqual({
      dmId: expect.any(String),
      lease: expect.any(String),
      leadId: expect.any(String),
      twitterHandle: expect.stringMatching(/^open_/),
      xUserId: expect.stringMatching(/^\d+$/),
      message: expect.stringMatching(/^Hi Lead \d, I follow @open_/),
      leaseExpiresAt: expect.any(String),
      sendsAs: null,
    })
    const seconds = (Date.parse(first.leaseExpiresAt) - Date.now()) / 1000
    expect(seconds).toBeGreaterThan(110)
    expect(seconds).toBeLessThanOrEqual(121)
    const none = responses.filter(({ status }) => status === 204)
    expect(none.map(({ body }) => body)).toEqual(['', ''])
    expect((await person.client.campaigns.find({ id: campaign.id })).dmsQueuedCount).toBe(3)
    // Senders wait until the first lease ends, because its message may be released by then.
    await endLeases(app, { id: first.dmId }, 30)
    const held = (await claim(campaign.id)).headers.get('retry-after')
    expect([29, 30]).toContain(Number(held))
    const alone = await person.call('POST', '/claim', { holder: 'laptop' })
    expect([alone.status, Math.abs(Number(alone.headers.get('retry-after')) - 30) <= 2]).toEqual([204, true])
    for (const { dmId, lease } of claimed.slice(1)) await report(dmId, { lease, wasSent: true })
    await runOut(first.dmId)
    await expireLeases(app.db)
    const over = await claim(campaign.id)
    expect([over.status, over.body.code]).toEqual([409, 'CAMPAIGN_STATE'])
  })

  it('returns the X account that the message counts against', async () => {
    const own = await makePerson(app)
    const { handle } = await connectX(app, own)
    const { id } = await launched(2, own)
    expect((await claim(id, own)).body).toMatchObject({ sendsAs: handle })
    await leaveIdle(app)
    expect((await own.call('POST', '/claim', { holder: 'laptop' })).body).toMatchObject({ sendsAs: handle })
  })

  it('claims while workers have delayed the account to wait for their turn', async () => {
    const own = await makePerson(app)
    await connectX(app, own)
    const { id } = await launched(2, own)
    const putOff = () => letSend(app, {}, new Date(Date.now() + 15_000))
    await putOff()
    expect((await claim(id, own)).status).toBe(200)
    await putOff()
    expect((await own.call('POST', '/claim', { holder: 'laptop' })).status).toBe(200)
  })

  it("returns 204 with Retry-After during the account's interval", async () => {
    const other = await app.startAnother({ env: { SEND_INTERVAL_SECONDS: '30' } })
    const paced = await makePerson(app)
    await connectX(app, paced)
    for (const by of [paced, person]) {
      const { id } = await launched(2, by)
      const ask = () =>
        fetch(`${other.url}/api/campaigns/${id}/claim`, {
          method: 'POST',
          headers: { authorization: `Bearer ${by.token}`, 'content-type': 'application/json' },
          body: '{"holder":"laptop"}',
        })
      // Without a known account, the workspace's limits apply.
      if (by === person) await markClaimed(app, sql`workspace_id = ${person.workspaceId}`, null)
      expect((await ask()).status).toBe(200)
      const wait = await ask()
      expect(wait.status).toBe(204)
      expect(Number(wait.headers.get('retry-after'))).toBeGreaterThan(25)
      expect(Number(wait.headers.get('retry-after'))).toBeLessThanOrEqual(36)
    }
  })

  it('returns 204 with Retry-After at the daily cap, which counts every channel', async () => {
    const capped = await makePerson(app)
    const account = await connectX(app, capped)
    const { id } = await launched(2, capped)
    await capped.client.sendingSettings.saveLimits({ ...ALL_DAY, xAccountId: account.id, dailyCap: 1 })
    expect((await claim(id, capped)).status).toBe(200)
    const wait = await claim(id, capped)
    expect(wait.status).toBe(204)
    expect(Number(wait.headers.get('retry-after'))).toBeGreaterThan(86_000)
  })

  it('keeps the cap of an account shared by two workspaces under concurrent claims', async () => {
    for (let round = 0; round < 6; round += 1) {
      const both = [await makePerson(app), await makePerson(app)]
      const xUserId = `90000${round}`
      const ids = await Promise.all(
        both.map(async (owner) => {
          const { id } = await connectX(app, owner)
          await identify(app, { id }, xUserId)
          await owner.client.sendingSettings.saveLimits({ ...ALL_DAY, xAccountId: id, dailyCap: 1 })
          return (await launched(2, owner)).id
        }),
      )
      const responses = await Promise.all([0, 1, 0, 1].map((index) => claim(ids[index]!, both[index])))
      expect(responses.map(({ status }) => status).sort()).toEqual([200, 204, 204, 204])
    }
  })

  it('never gives out a message whose lead was deleted', async () => {
    const list = await makeList(app, person, openHandles(1))
    const campaign = await launch(person, list, { channel: 'extension' })
    await deleteEntries(app, { leadListId: list.id })
    await person.client.leads.remove({ id: list.leadIds[0]! })
    expect((await claim(campaign.id)).status).toBe(204)
    expect((await dmsOf(person, campaign.id))[0]).toMatchObject({
      status: 'failed',
      errorMessage: 'Skipped: Lead data or Twitter handle missing during processing.',
      reason: { code: 'lead_missing', params: {} },
    })
    expect((await person.client.campaigns.find({ id: campaign.id })).status).toBe('completed')
  })

  it('gives out a message again that came due before the deletion of its lead was undone', async () => {
    const list = await makeList(app, person, openHandles(1))
    const campaign = await launch(person, list, { channel: 'extension' })
    const { removalId } = await person.client.leads.removeMany({ leadIds: list.leadIds })
    expect((await claim(campaign.id)).status).toBe(204)
    expect((await person.client.campaigns.find({ id: campaign.id })).status).toBe('completed')
    await person.client.leads.restore({ removalId: removalId! })
    expect((await person.client.leads.find({ id: list.leadIds[0]! })).dmStatus).toBe('queued')
    expect(await person.client.campaigns.find({ id: campaign.id })).toMatchObject({
      status: 'active',
      openEnrollments: 1,
    })
    const { body } = await claim(campaign.id)
    expect(body).toMatchObject({ leadId: list.leadIds[0] })
    await report(body.dmId, { lease: body.lease, wasSent: true })
    expect(await dmsOf(person, campaign.id)).toMatchObject([{ status: 'sent', reason: null }])
    await expectCountsRight(app)
  })

  it('rejects invalid holders, viewers and unknown campaigns', async () => {
    const { id } = await launched(1)
    expect((await person.call('POST', `/campaigns/${id}/claim`, { holder: ' ' })).status).toBe(400)
    const viewer = await makePerson(app, { in: person, role: 'viewer' })
    expect((await claim(id, viewer)).status).toBe(403)
    for (const response of [await claim(id, stranger), await claim(NOBODYS)])
      expect([response.status, response.body.code]).toEqual([404, 'CAMPAIGN_NOT_FOUND'])
  })

  it('returns 409 if the server sends the campaign or it is not active', async () => {
    const own = await makePerson(app)
    await connectX(app, own)
    const ours = await launch(own, await makeList(app, own, openHandles(1)))
    const response = await claim(ours.id, own)
    expect([response.status, response.body.code]).toEqual([409, 'CAMPAIGN_CHANNEL'])
    const paused = await makeCampaign(own, await makeList(app, own, openHandles(1)), { channel: 'extension' })
    const refused = await claim(paused.id, own)
    expect([refused.status, refused.body.code]).toEqual([409, 'CAMPAIGN_STATE'])
  })
})

describe('a claim whose response was lost', () => {
  it.each(['/campaigns/{id}/claim', '/claim'])('%s repeats its response for the same Idempotency-Key', async (path) => {
    const { id } = await launched(2)
    const ask = (key: string, holder = 'laptop') =>
      person.call('POST', path.replace('{id}', id), { holder }, { 'idempotency-key': key })
    const first = await ask('one')
    expect(first.status).toBe(200)
    const again = await ask('one')
    expect([again.status, again.body]).toEqual([200, first.body])
    const next = await ask('two')
    expect(next.status).toBe(200)
    expect(next.body.dmId).not.toBe(first.body.dmId)
    expect((await report(first.body.dmId, { lease: again.body.lease, wasSent: true })).status).toBe(200)
    expect(await ask('one', 'other')).toMatchObject({ status: 409, body: { code: 'IDEMPOTENCY_KEY_REUSED' } })
    expect((await ask('three')).status).toBe(204)
    // A 204 is not stored: senders poll every few seconds, and a message may be due by now.
    const { rowCount } = await app.db.execute(
      sql`select from idempotency_keys where key = 'three' and scope = ${`user:${person.id}`}`,
    )
    expect(rowCount).toBe(0)
    await person.client.campaigns.release({ id: next.body.dmId, lease: next.body.lease })
    expect(await ask('three')).toMatchObject({ status: 200, body: { dmId: next.body.dmId } })
  })

  it('holds no lock of an earlier account while the next is tried, and still repeats its response', async () => {
    await subscribe(app, person)
    const accounts = [(await connectX(app, person)).id, (await connectX(app, person)).id]
    const ids: string[] = []
    for (const xAccountId of accounts) {
      const list = await makeList(app, person, openHandles(2))
      ids.push((await launch(person, list, { channel: 'extension', xAccountId })).id)
    }
    await person.client.sendingSettings.saveLimits({ ...ALL_DAY, xAccountId: accounts[0]!, dailyCap: 1 })
    expect((await claim(ids[0]!)).status).toBe(200)
    const ask = () => person.call('POST', '/claim', { holder: 'laptop' }, { 'idempotency-key': 'several' })
    const waiting = await app.db.transaction(async (tx) => {
      await tx.execute(sql`select from campaigns where id = ${ids[1]} for update`)
      const response = ask()
      await waitForBlockedStatement(app)
      await tx.execute(sql`select from campaigns where id = ${ids[0]} for update nowait`)
      await tx.execute(sql`select from x_accounts where id = ${accounts[0]} for update nowait`)
      return { answer: response }
    })
    const first = await waiting.answer
    expect(first).toMatchObject({ status: 200, body: { sendsAs: expect.any(String) } })
    expect((await ask()).body).toEqual(first.body)
    const leased = await app.db
      .select({ id: dms.id })
      .from(dms)
      .where(sql`campaign_id = ${ids[1]} and lease is not null`)
    expect(leased).toEqual([{ id: first.body.dmId }])
  })

  it('leaves expired leases to the sweep', async () => {
    const { id } = await launched(1)
    const { body } = await claim(id)
    await runOut(body.dmId)
    const ask = () => person.call('POST', `/campaigns/${id}/claim`, { holder: 'page' }, { 'idempotency-key': 'late' })
    const soon = await ask()
    expect([soon.status, soon.headers.get('retry-after')]).toEqual([204, '1'])
    await expireLeases(app.db)
    expect((await ask()).status).toBe(409)
  })
})

describe('several active campaigns on one account', () => {
  const isWaiting = async (id: string) => (await person.client.campaigns.find({ id })).waiting
  const expectToWait = async (id: string) => {
    expect(await isWaiting(id)).toBe(true)
    for (const response of [await claim(id), await person.call('POST', '/claim', { holder: 'laptop' })]) {
      expect(response.status).toBe(204)
      expect(Number(response.headers.get('retry-after'))).toBeGreaterThan(0)
    }
  }

  it('makes an extension campaign wait until the older one has nothing queued', async () => {
    const account = await connectX(app, person)
    const ours = await launch(person, await makeList(app, person, openHandles(1)))
    const { id, xAccountId } = await launched(1)
    expect(xAccountId).toBe(account.id)
    await expectToWait(id)
    expect(await person.client.campaigns.find({ id })).toMatchObject({ waitsBehind: { id: ours.id, name: ours.name } })
    await person.client.campaigns.update({ id: ours.id, status: 'paused' })
    expect(await isWaiting(id)).toBe(false)
    expect((await claim(id)).status).toBe(200)
  })

  it.each(['api', 'extension'] as const)(
    'shows what a paused campaign on channel %s would wait for, and allows resuming it',
    async (channel) => {
      const account = await connectX(app, person)
      const older = await launch(person, await makeList(app, person, openHandles(1)))
      const paused = await makeCampaign(person, await makeList(app, person, openHandles(1)), { channel })
      expect(paused).toMatchObject({
        status: 'paused',
        waiting: false,
        waitsBehind: { id: older.id },
        xAccountId: null,
      })
      const { campaigns } = await person.client.campaigns.list({})
      expect(campaigns.find(({ id }) => id === paused.id)?.waitsBehind).toEqual({ id: older.id, name: older.name })
      await person.client.campaigns.update({ id: older.id, status: 'paused' })
      expect((await person.client.campaigns.find({ id: paused.id })).waitsBehind).toBeNull()
      await person.client.campaigns.update({ id: older.id, status: 'active' })
      const resumed = await person.client.campaigns.update({ id: paused.id, status: 'active' })
      expect(resumed).toMatchObject({ status: 'active', waiting: true, waitsBehind: { id: older.id } })
      expect(resumed.xAccountId).toBe(account.id)
    },
  )

  it('does not wait for an API campaign whose account is disconnected', async () => {
    const account = await connectX(app, person)
    const ours = await launch(person, await makeList(app, person, openHandles(1)))
    const { id } = await launched(2)
    await expectToWait(id)
    await disconnect(app, { id: account.id })
    expect(await person.client.campaigns.find({ id })).toMatchObject({ waiting: false, waitsBehind: null })
    expect((await claim(id)).status).toBe(200)
    await reconnect(app, { id: account.id })
    expect(await person.client.campaigns.find({ id })).toMatchObject({ waitsBehind: { id: ours.id } })
  })

  it('waits while a message of the older campaign is claimed', async () => {
    const [older, newer] = [await launched(1), await launched(1)]
    const { body } = await claim(older.id)
    await expectToWait(newer.id)
    await report(body.dmId, { lease: body.lease, wasSent: true })
    expect((await claim(newer.id)).status).toBe(200)
  })

  it('fixes the account at launch, or at the first claim after one is connected', async () => {
    const early = await launched(1)
    expect(early.xAccountId).toBeNull()
    const first = await connectX(app, person)
    expect((await claim(early.id)).status).toBe(200)
    expect(await person.client.campaigns.find({ id: early.id })).toMatchObject({ xAccountId: first.id })
    const late = await launched(1)
    // A new current account changes neither campaign.
    await connectX(app, person)
    await expectToWait(late.id)
    expect(await person.client.campaigns.find({ id: late.id })).toMatchObject({ xAccountId: first.id })
    const other = await launched(1)
    expect(await isWaiting(other.id)).toBe(false)
    expect((await claim(other.id)).status).toBe(200)
  })
})

describe('POST /claim', () => {
  const claimAny = (by: Person) => by.call('POST', '/claim', { holder: 'laptop' })

  it('claims from the oldest active extension campaign with a due message, else returns 204', async () => {
    const own = await makePerson(app)
    expect((await claimAny(own)).status).toBe(204)
    const [first, two] = [await launched(1, own), await launched(1, own)]
    const campaignOf = async () => {
      const { body } = await claimAny(own)
      await report(body.dmId, { lease: body.lease, wasSent: true }, own)
      return (await app.db.select().from(dms).where(eq(dms.id, body.dmId)))[0]?.campaignId
    }
    expect([await campaignOf(), await campaignOf()]).toEqual([first.id, two.id])
    expect((await claimAny(own)).status).toBe(204)
  })

  it('prefers campaigns of the account logged in to X', async () => {
    const own = await makePerson(app)
    await subscribe(app, own)
    const first = await connectX(app, own)
    const older = await launched(1, own)
    const second = await connectX(app, own)
    const newer = await launched(1, own)
    expect([older.xAccountId, newer.xAccountId]).toEqual([first.id, second.id])
    const claimAs = (signedInAs: string) => own.call('POST', '/claim', { holder: 'laptop', signedInAs })
    const { body } = await claimAs(second.handle.toUpperCase())
    expect(body).toMatchObject({ sendsAs: second.handle })
    // As long as the account logged in to X has an active campaign, the sender waits for it.
    expect((await claimAs(second.handle)).status).toBe(204)
    await report(body.dmId, { lease: body.lease, wasSent: true }, own)
    expect((await claimAs(second.handle)).body).toMatchObject({ sendsAs: first.handle })
  })

  it('returns 204 with Retry-After if a message will be due', async () => {
    const own = await makePerson(app)
    const { id } = await launched(1, own)
    await makeDue(app, { campaignId: id }, new Date(Date.now() + 3_600_000))
    const response = await claimAny(own)
    expect(response.status).toBe(204)
    expect(Number(response.headers.get('retry-after'))).toBeGreaterThan(3_500)
  })

  it('rejects invalid input and viewers', async () => {
    expect((await person.call('POST', '/claim', {})).status).toBe(400)
    const viewer = await makePerson(app, { in: person, role: 'viewer' })
    expect((await claimAny(viewer)).status).toBe(403)
  })
})

describe('POST /dms/{id}/outcome', () => {
  it('keeps a person queued after a failure while another message to them is queued', async () => {
    const list = await makeList(app, person, openHandles(1))
    const first = await launch(person, list, { channel: 'extension', allowRepeat: true })
    await launch(person, list, { channel: 'extension', allowRepeat: true })
    const { body } = await claim(first.id)
    await report(body.dmId, { lease: body.lease, wasSent: false })
    expect((await person.client.leads.find({ id: list.leadIds[0]! })).dmStatus).toBe('queued')
  })

  it('leaves nobody queued whose other campaign is archived while a failure is recorded', async () => {
    const list = await makeList(app, person, openHandles(1))
    const first = await launch(person, list, { channel: 'extension', allowRepeat: true })
    const second = await launch(person, list, { channel: 'extension', allowRepeat: true })
    const { body } = await claim(first.id)
    const { reported } = await app.db.transaction(async (tx) => {
      await tx.execute(sql`select from leads where id = ${list.leadIds[0]} for no key update`)
      const reported = report(body.dmId, { lease: body.lease, wasSent: false })
      await waitForBlockedStatement(app)
      await archiveNow({ db: tx }, { id: second.id })
      await releaseLeads(tx, second.id)
      return { reported }
    })
    expect(await reported).toMatchObject({ status: 200 })
    expect((await person.client.leads.find({ id: list.leadIds[0]! })).dmStatus).toBe('failed_contact')
  })

  it('records the outcome and completes the campaign with the last message', async () => {
    const list = await makeList(app, person, openHandles(3))
    const campaign = await launch(person, list, { channel: 'extension' })
    const outcomes = [
      { wasSent: true },
      { wasSent: false, errorMessage: 'The page had no message button.' },
      { wasSent: false },
    ]
    const completed: boolean[] = []
    for (const outcome of outcomes) {
      const { body } = await claim(campaign.id)
      const response = await report(body.dmId, { lease: body.lease, ...outcome })
      expect([response.status, response.body.success]).toEqual([200, true])
      completed.push(response.body.campaignCompleted)
    }
    expect(completed).toEqual([false, false, true])
    expect(await dmsOf(person, campaign.id)).toEqual([
      expect.objectContaining({ status: 'sent', sentAt: expect.any(String), errorMessage: null }),
      expect.objectContaining({ status: 'failed', sentAt: null, errorMessage: 'The page had no message button.' }),
      expect.objectContaining({ status: 'failed', errorMessage: 'Send failed via extension.' }),
    ])
    expect(await person.client.campaigns.find({ id: campaign.id })).toMatchObject({
      status: 'completed',
      dmsSentCount: 1,
      dmsFailedCount: 2,
      lastRunAt: expect.any(String),
    })
    const rows = await app.db
      .select({ lead: leads.dmStatus, item: leadListItems.contactStatus })
      .from(leadListItems)
      .innerJoin(leads, eq(leads.id, leadListItems.leadId))
      .where(eq(leadListItems.leadListId, list.id))
      .orderBy(leadListItems.addedAt)
    expect(rows).toEqual([
      { lead: 'contacted', item: 'contacted' },
      { lead: 'failed_contact', item: 'pending' },
      { lead: 'failed_contact', item: 'pending' },
    ])

    // Leads that return to the list keep their status.
    await person.client.lists.removeLeads({ id: list.id, leadIds: list.leadIds })
    await person.client.lists.addLeads({ id: list.id, leadIds: list.leadIds })
    expect(await person.client.lists.find({ id: list.id })).toMatchObject({ leadCount: 3, contactedCount: 1 })
  })

  it('keeps a lead contacted if a later message fails', async () => {
    const list = await makeList(app, person, openHandles(1))
    for (const wasSent of [true, false]) {
      const { id } = await launch(person, list, { channel: 'extension', allowRepeat: true })
      await recordClaim(app, { id: list.leadIds[0]! }, null)
      const { body } = await claim(id)
      expect((await report(body.dmId, { lease: body.lease, wasSent })).status).toBe(200)
      const [lead] = await app.db.select().from(leads).where(eq(leads.id, list.leadIds[0]!))
      expect(lead?.dmStatus).toBe('contacted')
    }
  })

  it('accepts the same outcome again, immediately or later', async () => {
    const { id } = await launched(2)
    const { body } = await claim(id)
    const outcome = { lease: body.lease, wasSent: true }
    const responses = await Promise.all(Array.from({ length: 5 }, () => report(body.dmId, outcome)))
    expect(responses.map((response) => [response.status, response.body])).toEqual(
      Array(5).fill([200, { success: true, campaignCompleted: false }]),
    )
    expect(await person.client.campaigns.find({ id })).toMatchObject({ dmsSentCount: 1, dmsQueuedCount: 1 })
    const other = await report(body.dmId, { lease: body.lease, wasSent: false })
    expect([other.status, other.body.code]).toEqual([409, 'LEASE_LOST'])
  })

  it('accepts outcomes of claimed messages after a pause or an archiving', async () => {
    for (const status of ['paused', 'archived'] as const) {
      const { id } = await launched(2)
      const { body } = await claim(id)
      await stopNow(person, id, status)
      expect((await report(body.dmId, { lease: body.lease, wasSent: true })).status).toBe(200)
      expect(await person.client.campaigns.find({ id })).toMatchObject({ status, dmsSentCount: 1 })
      if (status === 'paused') expect((await claim(id)).status).toBe(409)
    }
  })

  it('accepts a late outcome until the message is queued again, then returns 409', async () => {
    const { id } = await launched(2)
    const [first, second] = [(await claim(id)).body, (await claim(id)).body]
    await runOut(first.dmId)
    await runOut(second.dmId)
    await expireLeases(app.db)
    expect(await dmsOf(person, id)).toEqual(
      Array(2).fill(expect.objectContaining({ status: 'failed', errorMessage: UNKNOWN })),
    )
    expect(await person.client.campaigns.find({ id })).toMatchObject({ status: 'completed', dmsFailedCount: 2 })

    expect((await report(first.dmId, { lease: first.lease, wasSent: true })).status).toBe(200)
    expect(await person.client.campaigns.find({ id })).toMatchObject({ dmsSentCount: 1, dmsFailedCount: 1 })
    await person.client.campaigns.requeue({ id: second.dmId })
    const late = await report(second.dmId, { lease: second.lease, wasSent: true })
    expect([late.status, late.body.code]).toEqual([409, 'LEASE_LOST'])
    expect((await claim(id)).body.dmId).toBe(second.dmId)
  })

  it('does not reassign a message whose lease expired', async () => {
    const { id } = await launched(1)
    const { body } = await claim(id)
    await runOut(body.dmId)
    // Until the next sweep, the message is neither given out nor failed.
    const soon = await claim(id)
    expect([soon.status, soon.headers.get('retry-after')]).toEqual([204, '1'])
    await expireLeases(app.db)
    expect((await claim(id)).status).toBe(409)
    expect((await dmsOf(person, id))[0]).toMatchObject({ status: 'failed', errorMessage: UNKNOWN })
  })

  it('rejects invalid input, viewers, unknown messages and lost leases', async () => {
    const { id } = await launched(1)
    const { body } = await claim(id)
    expect((await report(body.dmId, { lease: body.lease })).status).toBe(400)
    expect((await report(body.dmId, { lease: body.lease, wasSent: false, errorMessage: '\u0000' })).status).toBe(400)
    const viewer = await makePerson(app, { in: person, role: 'viewer' })
    expect((await report(body.dmId, { lease: body.lease, wasSent: true }, viewer)).status).toBe(403)
    for (const response of [
      await report(body.dmId, { lease: body.lease, wasSent: true }, stranger),
      await report(NOBODYS, { lease: body.lease, wasSent: true }),
    ])
      expect([response.status, response.body.code]).toEqual([404, 'DM_NOT_FOUND'])
    for (const lease of [NOBODYS, 'not a lease']) {
      const response = await report(body.dmId, { lease, wasSent: true })
      expect([response.status, response.body.code]).toEqual([409, 'LEASE_LOST'])
    }
    await expectCountsRight(app)
  })
})

describe('POST /dms/{id}/requeue', () => {
  const requeue = (id: string, by = person) => by.call('POST', `/dms/${id}/requeue`)
  const failedOne = async () => {
    const campaign = await launched(1)
    const { body } = await claim(campaign.id)
    await report(body.dmId, { lease: body.lease, wasSent: false })
    return { campaignId: campaign.id, dmId: body.dmId as string, leadId: body.leadId as string }
  }

  it('queues a failed message again and reactivates a completed campaign', async () => {
    const { campaignId, dmId, leadId } = await failedOne()
    const response = await requeue(dmId)
    expect([response.status, response.body]).toEqual([
      200,
      expect.objectContaining({
        id: dmId,
        campaignId,
        status: 'queued',
        errorMessage: null,
        reason: null,
        lead: expect.objectContaining({ id: leadId }),
      }),
    ])
    expect(await person.client.campaigns.find({ id: campaignId })).toMatchObject({
      status: 'active',
      dmsQueuedCount: 1,
      dmsFailedCount: 0,
    })
    const { body } = await claim(campaignId)
    expect(body.dmId).toBe(dmId)
    expect((await report(dmId, { lease: body.lease, wasSent: true })).body.campaignCompleted).toBe(true)
  })

  it('gives the message its new text if it was edited since it failed', async () => {
    const { id } = await launched(2)
    const { body } = await claim(id)
    await report(body.dmId, { lease: body.lease, wasSent: false })
    await person.client.campaigns.update({ id, messageTemplate: 'Good day, {lead_name}' })
    expect((await requeue(body.dmId)).body).toMatchObject({ message: 'Good day, Lead 1', variant: { name: 'A' } })
    await expectCountsRight(app)
  })

  it('keeps the text of a message that may have been sent', async () => {
    const { id } = await launched(2)
    const { body } = await claim(id)
    await report(body.dmId, { lease: body.lease, wasSent: false, outcomeUnknown: true })
    const [sent] = await dmsOf(person, id)
    await person.client.campaigns.update({ id, messageTemplate: 'Good day, {lead_name}' })
    expect((await requeue(body.dmId)).body).toMatchObject({ message: sent!.message })
  })

  it('returns 404 for unknown messages and other workspaces, and 403 for viewers', async () => {
    const { dmId } = await failedOne()
    for (const response of [await requeue(dmId, stranger), await requeue(NOBODYS)])
      expect([response.status, response.body.code]).toEqual([404, 'DM_NOT_FOUND'])
    const viewer = await makePerson(app, { in: person, role: 'viewer' })
    expect((await requeue(dmId, viewer)).status).toBe(403)
  })

  it('returns 409 unless the message failed and its lead may be messaged', async () => {
    const { dmId } = await failedOne()
    const archived = await failedOne()
    await person.client.campaigns.update({ id: archived.campaignId, status: 'archived' })
    const orphan = await failedOne()
    await deleteEntries(app, { leadId: orphan.leadId })
    await person.client.leads.remove({ id: orphan.leadId })
    await requeue(dmId)
    const list = await makeList(app, person, openHandles(1))
    await launch(person, list, { channel: 'extension' })
    const skipped = (await dmsOf(person, (await launch(person, list, { channel: 'extension' })).id))[0]!
    for (const id of [dmId, archived.dmId, orphan.dmId, skipped.id]) {
      const response = await requeue(id)
      expect([response.status, response.body.code]).toEqual([409, 'DM_STATE'])
    }
    await expectCountsRight(app)
  })
})

describe('queueDirect', () => {
  it('queues none beside one that is queued, after another message to the person failed', async () => {
    const own = await makePerson(app)
    await connectX(app, own)
    const { leadIds } = await makeList(app, own, openHandles(1))
    await own.client.leads.queue({ leadIds, message: 'First' })
    await setStatus(app, { id: leadIds[0]! }, 'failed_contact')
    expect(await own.client.leads.queue({ leadIds, message: 'Second' })).toMatchObject({ queued: 0 })
  })

  it('gives a person one of two direct messages if both are queued again', async () => {
    const own = await makePerson(app)
    await connectX(app, own)
    const { leadIds } = await makeList(app, own, openHandles(1))
    const fail = () => markFailed(app, { leadId: leadIds[0]! })
    await own.client.leads.queue({ leadIds, message: 'First' })
    const [first] = await fail()
    await setStatus(app, { id: leadIds[0]! }, 'failed')
    await own.client.leads.queue({ leadIds, message: 'Second' })
    const response = await own.call('POST', `/dms/${first!.id}/requeue`)
    expect([response.status, response.body.error]).toEqual([409, 'This person is already queued for a direct message.'])
    await fail()
    await own.client.campaigns.requeue({ id: first!.id })
    const second = (await app.db.select().from(dms).where(eq(dms.leadId, leadIds[0]!))).find(({ step }) => step === 1)
    expect((await own.call('POST', `/dms/${second!.id}/requeue`)).body.code).toBe('DM_STATE')
  })

  it('queues one message per lead, except for leads who are queued or were messaged', async () => {
    const own = await makePerson(app)
    await connectX(app, own)
    const list = await makeList(app, own, openHandles(4), { names: ['Ada', 'Ben', 'Cid', 'Dee'] })
    await setStatus(app, { id: list.leadIds[2]! }, 'contacted')
    await setStatus(app, { id: list.leadIds[3]! }, 'failed_contact')
    const first = await queueDirect(app.db, own.actor, { leadIds: list.leadIds.slice(0, 1) })
    const rest = await queueDirect(app.db, own.actor, { filter: {}, message: 'Hi {lead_name} {twitter_handle}' })
    expect([first, rest]).toEqual([
      { success: true, queued: 1, cursor: null },
      { success: true, queued: 2, cursor: null },
    ])
    const rows = await app.db.select().from(dms).where(eq(dms.workspaceId, own.workspaceId)).orderBy(dms.id)
    expect(rows.map((dm) => dm.message)).toEqual([
      'Hello! I noticed your profile and wanted to connect.',
      `Hi Ben @${list.handles[1]}`,
      `Hi Dee @${list.handles[3]}`,
    ])
    expect(await queueDirect(app.db, own.actor, { filter: {} })).toEqual({ success: true, queued: 0, cursor: null })
  })

  it('returns 409 if no X account is connected', async () => {
    const own = await makePerson(app)
    const list = await makeList(app, own, openHandles(1))
    const response = await own.call('POST', '/leads/queue', { leadIds: list.leadIds })
    expect([response.status, response.body.code]).toEqual([409, 'X_NOT_CONNECTED'])
    expect((await own.client.leads.list({})).leads[0]?.dmStatus).toBe('not_sent')
  })

  it('omits a lead who may have received a message with an unknown outcome', async () => {
    const own = await makePerson(app)
    await connectX(app, own)
    const list = await makeList(app, own, openHandles(1))
    const { id } = await launch(own, list, { channel: 'extension' })
    await runOut((await claim(id, own)).body.dmId)
    await expireLeases(app.db)
    const [lead] = await app.db.select().from(leads).where(eq(leads.id, list.leadIds[0]!))
    expect(lead?.dmStatus).toBe('failed_contact')
    const response = await own.call('POST', '/leads/queue', { leadIds: list.leadIds })
    expect([response.status, response.body.queued]).toEqual([200, 0])
  })

  it('numbers its messages to a lead', async () => {
    const own = await makePerson(app)
    await connectX(app, own)
    const list = await makeList(app, own, openHandles(1))
    for (let i = 0; i < 3; i++) {
      await queueDirect(app.db, own.actor, { leadIds: list.leadIds })
      await markFailed(app, { leadId: list.leadIds[0]! })
      await setStatus(app, { id: list.leadIds[0]! }, 'failed_contact')
    }
    const rows = await app.db.select().from(dms).where(eq(dms.leadId, list.leadIds[0]!)).orderBy(dms.step)
    expect(rows.map((dm) => dm.step)).toEqual([0, 1, 2])
  })

  it('locks leads before the campaign, as recording an outcome does', async () => {
    const own = await makePerson(app)
    await connectX(app, own)
    const list = await makeList(app, own, openHandles(2))
    await queueDirect(app.db, own.actor, { leadIds: list.leadIds.slice(0, 1) })
    const queueing = await app.db.transaction(async (tx) => {
      await tx.execute(sql`select from leads where id = ${list.leadIds[1]} for update`)
      const waiting = queueDirect(app.db, own.actor, { leadIds: list.leadIds })
      await waitForBlockedStatement(app)
      await tx.execute(sql`
        select from campaigns where workspace_id = ${own.workspaceId} and kind = 'direct' for update nowait`)
      return { waiting }
    })
    expect(await queueing.waiting).toMatchObject({ queued: 1 })
  })

  it('requires a connected account and names an unknown variable', async () => {
    const own = await makePerson(app)
    const list = await makeList(app, own, openHandles(1))
    await expect(queueDirect(app.db, own.actor, { leadIds: list.leadIds })).rejects.toMatchObject({
      code: 'X_NOT_CONNECTED',
    })
    await expect(queueDirect(app.db, own.actor, { leadIds: list.leadIds, message: '{x}' })).rejects.toMatchObject({
      code: 'INVALID_INPUT',
      details: [{ field: 'message', problem: expect.stringContaining('{x}') }],
    })
  })
})
