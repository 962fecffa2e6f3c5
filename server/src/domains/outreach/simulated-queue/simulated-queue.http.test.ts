import { SUPPRESSION_REASONS } from '@x-automated/contract/leads/suppressions'
import { eq, sql } from 'drizzle-orm'
import { beforeAll, describe, expect, it } from 'vitest'
import { connectX, makePerson, type Person } from '../../../../test/makers.ts'
import { changeHolder, endLeases } from '../../../../test/messages.ts'
import { openApp, type TestApp } from '../../../../test/open-app.ts'
import {
  ALL_DAY,
  arrived,
  dmsOf,
  eventually,
  expectCountsRight,
  launch,
  makeList,
  openHandles,
  openSenders,
} from '../../../../test/outreach.ts'
import { insertSuppressions } from '../../../../test/suppressions.ts'
import { letSend } from '../../../../test/x-accounts.ts'
import { claimDue } from '../../../core/messages/claim.ts'
import { expireLeases } from '../../../core/messages/settle.ts'
import { leads } from '../../../core/tables/leads.ts'
import { dms } from '../../../core/tables/messages.ts'
import { xAccounts } from '../../platform/x-account/tables.ts'
import { processQueue } from './simulated-queue.ts'

let app: TestApp
const senders = openSenders(() => app)
beforeAll(async () => {
  app = await openApp({ x: true })
})

const FAILURE = 'Simulated send failure'

/** Creates a user with an active campaign that no worker sends. */
async function running(count: number) {
  const person = await makePerson(app)
  const account = await connectX(app, person)
  const list = await makeList(app, person, openHandles(count))
  return { person, account, list, campaign: await launch(person, list) }
}

/**
 * Creates a source of chance that draws these numbers in turn, and then repeats the last. `during`
 * runs while a message is claimed.
 */
function chance(draws: number[], during: () => Promise<unknown> = async () => {}) {
  const waits: number[] = []
  let turn = 0
  return {
    waits,
    random: () => draws[Math.min(turn++, draws.length - 1)] ?? 0,
    wait: (ms: number) => {
      waits.push(ms)
      return during()
    },
  }
}

const run = (person: Person, batchSize: number, lots: ReturnType<typeof chance>) =>
  processQueue({ ...app.services, db: app.db } as never, person.actor, { batchSize }, lots)

describe('POST /campaigns/process-queue', () => {
  it('processes one message and sends nothing to X', async () => {
    const { person, campaign } = await running(2)
    expect((await person.client.campaigns.list({})).simulatedQueue).toBe(true)
    const { status, body } = await person.call('POST', '/campaigns/process-queue', { batchSize: 1 })
    expect(status).toBe(200)
    expect(body).toEqual({
      success: true,
      processed: 1,
      sent: expect.any(Number),
      failed: 1 - body.sent,
      campaignsCompleted: 0,
      problems: [],
    })
    expect((await person.client.campaigns.find({ id: campaign.id })).dmsQueuedCount).toBe(1)
    expect(await arrived(app)).toEqual([])
  })

  it('returns 400 for invalid input, 403 for viewers, and 404 with the real X', async () => {
    const person = await makePerson(app)
    const viewer = await makePerson(app, { in: person, role: 'viewer' })
    expect((await person.call('POST', '/campaigns/process-queue', { batchSize: 0 })).status).toBe(400)
    expect((await viewer.call('POST', '/campaigns/process-queue', {})).status).toBe(403)
    const other = await app.startAnother({ env: { STAND_INS: 'off' } })
    const headers = { authorization: `Bearer ${person.token}`, 'content-type': 'application/json' }
    const response = await fetch(`${other.url}/api/campaigns/process-queue`, { method: 'POST', headers, body: '{}' })
    expect([response.status, (await response.json()).code]).toEqual([404, 'NOT_FOUND'])
    const list = await fetch(`${other.url}/api/campaigns`, { headers })
    expect((await list.json()).simulatedQueue).toBe(false)
  })
})

describe('the simulated queue', () => {
  it('takes 500 to 1,000 ms per message, records 80% as sent, and completes campaigns', async () => {
    const { person, campaign, list } = await running(6)
    // The draws are a wait and an outcome for each message. An outcome below 0.8 means sent.
    const lots = chance([0, 0.1, 1, 0.79, 0.5, 0.8, 0.25, 0.99, 0.75, 0])
    expect(await run(person, 5, lots)).toMatchObject({ processed: 5, sent: 3, failed: 2, campaignsCompleted: 0 })
    expect(lots.waits).toEqual([500, 1000, 750, 625, 875])
    expect((await dmsOf(person, campaign.id)).map(({ status, errorMessage }) => errorMessage ?? status)).toEqual([
      'sent',
      'sent',
      FAILURE,
      FAILURE,
      'sent',
      'queued',
    ])
    const statuses = await app.db.select().from(leads).where(eq(leads.workspaceId, person.workspaceId))
    expect(statuses.find(({ id }) => id === list.leadIds[2])?.dmStatus).toBe('failed_contact')
    expect(await run(person, 5, chance([0]))).toMatchObject({ processed: 1, sent: 1, campaignsCompleted: 1 })
    expect((await person.client.campaigns.find({ id: campaign.id })).status).toBe('completed')
    // A simulated failure was never tried at X, so it can be queued again.
    const failed = (await dmsOf(person, campaign.id)).find(({ status }) => status === 'failed')
    await person.client.campaigns.requeue({ id: failed!.id })
    expect(await run(person, 5, chance([0]))).toMatchObject({ processed: 1, sent: 1, campaignsCompleted: 1 })
    expect(await run(person, 5, chance([0]))).toEqual({
      success: true,
      processed: 0,
      sent: 0,
      failed: 0,
      campaignsCompleted: 0,
      problems: [],
    })
  })

  it("ignores the account's interval", async () => {
    const { person, account } = await running(5)
    await person.client.sendingSettings.saveLimits({ ...ALL_DAY, xAccountId: account.id, pauseSeconds: 30 })
    const lots = chance([0, 0])
    const services = { ...app.services, db: app.db, env: { ...app.services.env, sendIntervalSeconds: 60 } }
    const done = await processQueue(services as never, person.actor, { batchSize: 5 }, lots)
    expect(done).toMatchObject({ processed: 5, sent: 5, campaignsCompleted: 1 })
    expect(lots.waits).toEqual([500, 500, 500, 500, 500])
  })

  it('answers within a second per message despite an interval of a minute', async () => {
    const { person } = await running(3)
    const other = await app.startAnother({ env: { SEND_INTERVAL_SECONDS: '60' } })
    const began = performance.now()
    const response = await fetch(`${other.url}/api/campaigns/process-queue`, {
      method: 'POST',
      headers: { authorization: `Bearer ${person.token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ batchSize: 3 }),
    })
    expect(await response.json()).toMatchObject({ processed: 3 })
    expect(performance.now() - began).toBeGreaterThan(1_500)
    expect(performance.now() - began).toBeLessThan(10_000)
  })

  it("respects the account's sending window", async () => {
    const { person, account } = await running(1)
    const hour = new Date().getUTCHours()
    const at = (hours: number) => `${String((hour + hours) % 24).padStart(2, '0')}:00`
    const hours = { start: at(3), end: at(5) }
    await person.client.sendingSettings.saveLimits({ ...ALL_DAY, xAccountId: account.id, hours })
    const { status, body } = await person.call('POST', '/campaigns/process-queue', {})
    expect([status, body.error]).toEqual([429, "This X account's sending limits allow no message right now."])
  })

  it('skips a lead who was suppressed after queueing', async () => {
    const { person, list } = await running(2)
    // Insert it directly, because the API would stop queued messages immediately.
    await insertSuppressions(app, person, { twitterHandle: list.handles[0]!, reason: SUPPRESSION_REASONS[0] })
    expect(await run(person, 5, chance([0]))).toMatchObject({ processed: 1, sent: 1, campaignsCompleted: 1 })
  })

  it('applies a pause to claimed messages and claims nothing from paused campaigns', async () => {
    const { person, campaign } = await running(2)
    const lots = chance([0], () => person.client.campaigns.update({ id: campaign.id, status: 'paused' }))
    expect(await run(person, 5, lots)).toMatchObject({ processed: 0, problems: [] })
    expect(await app.db.$count(dms, sql`campaign_id = ${campaign.id} and claimed_at is not null`)).toBe(0)
    expect(await person.client.campaigns.find({ id: campaign.id })).toMatchObject({
      status: 'paused',
      dmsQueuedCount: 2,
    })
  })

  it('fails a message and releases its lead if the campaign is archived meanwhile', async () => {
    const { person, campaign, list } = await running(1)
    const lots = chance([0], () => person.client.campaigns.update({ id: campaign.id, status: 'archived' }))
    expect(await run(person, 5, lots)).toMatchObject({ processed: 1, sent: 0, failed: 1 })
    expect((await dmsOf(person, campaign.id))[0]).toMatchObject({
      status: 'failed',
      errorMessage: 'Missing campaign relation',
    })
    const [lead] = await app.db.select().from(leads).where(eq(leads.id, list.leadIds[0]!))
    expect(lead?.dmStatus).toBe('not_sent')
    expect((await person.client.billing.overview()).usage).toContainEqual(
      expect.objectContaining({ what: 'dms', used: 0 }),
    )
  })

  it('reports lost messages and internal errors, and continues', async () => {
    const { person, list } = await running(2)
    let first = true
    const lost = chance([0], async () => {
      if (first) await changeHolder(app, sql`lease_expires_at is not null`)
      first = false
    })
    expect(await run(person, 5, lost)).toMatchObject({
      processed: 1,
      sent: 1,
      problems: [`Failed to record outcome for @${list.handles[0]}: Another sender has claimed this message.`],
    })
  })

  it('queues a dropped message again', async () => {
    const { person, account, list } = await running(1)
    const isTheirs = eq(xAccounts.id, account.id)
    app.expectFault(/out of luck/)
    const faulty = {
      ...chance([0]),
      random: () => {
        throw new Error('out of luck')
      },
    }
    expect(await run(person, 1, faulty)).toMatchObject({
      processed: 0,
      problems: [`Error processing DM for @${list.handles[0]}: out of luck`],
    })
    // A sender that finds nothing to send takes the account off the schedule.
    await letSend(app, isTheirs, new Date(0))
    expect(await claimDue(app.db, 1, app.services.env)).toEqual({ claimed: null, isIdle: false, unread: null })
    // The message was not sent, so it is queued again when its lease expires.
    await endLeases(app, sql`holder = 'simulated' and lease_expires_at is not null`)
    await expireLeases(app.db)
    const [scheduled] = await app.db.select().from(xAccounts).where(isTheirs)
    expect(scheduled?.nextSendAt).not.toBeNull()
    expect(await run(person, 5, chance([0]))).toMatchObject({ processed: 1, sent: 1 })
  })

  it('returns 429 with Retry-After at the daily cap', async () => {
    const { person, account } = await running(3)
    await person.client.sendingSettings.saveLimits({ ...ALL_DAY, xAccountId: account.id, dailyCap: 2 })
    expect(await run(person, 5, chance([0]))).toMatchObject({ processed: 2 })
    const response = await person.call('POST', '/campaigns/process-queue', {})
    expect([response.status, response.body.error]).toEqual([
      429,
      "This X account's sending limits allow no message right now.",
    ])
    expect(Number(response.headers.get('retry-after'))).toBeGreaterThan(86_000)
  })

  it('returns 429 if an older campaign sends first and another sender has its messages', async () => {
    const { person } = await running(1)
    await launch(person, await makeList(app, person, openHandles(1)))
    const oldest = sql`campaign_id = (select id from campaigns where workspace_id = ${person.workspaceId} order by created_at limit 1)`
    await changeHolder(app, oldest, { holder: 'extension:x', leaseExpiresAt: sql`now() + interval '1 minute'` })
    const { status, body } = await person.call('POST', '/campaigns/process-queue', {})
    expect([status, body.error]).toEqual([
      429,
      'An older campaign on this X account sends first, and another sender has claimed its messages.',
    ])
  })

  it('gives a restored lead the failed status of its message', async () => {
    const { person, list } = await running(1)
    let removalId = ''
    const lots = chance([0, 0.9], async () => {
      removalId = (await person.client.leads.removeMany({ leadIds: list.leadIds })).removalId ?? ''
    })
    expect(await run(person, 1, lots)).toMatchObject({ processed: 1, failed: 1 })
    await person.client.leads.restore({ removalId })
    const [lead] = await app.db.select().from(leads).where(eq(leads.id, list.leadIds[0]!))
    expect(lead?.dmStatus).toBe('failed_contact')
  })

  it('never shares a message with workers', async () => {
    const { person, account, campaign } = await running(30)
    const quick = { random: Math.random, wait: () => new Promise((resolve) => setTimeout(resolve, 5)) }
    const [runs] = await Promise.all([
      Promise.all(
        Array.from({ length: 3 }, () =>
          processQueue({ ...app.services, db: app.db } as never, person.actor, { batchSize: 8 }, quick),
        ),
      ),
      senders.start(),
    ])
    await eventually(
      async () => (await person.client.campaigns.find({ id: campaign.id })).dmsQueuedCount === 0,
      'all are done',
    )
    const rows = await app.db.select().from(dms).where(eq(dms.campaignId, campaign.id))
    const simulated = rows.filter(({ holder }) => holder === 'simulated')
    expect(simulated.length).toBeGreaterThan(0)
    expect(simulated).toHaveLength(runs.reduce((sum, { processed }) => sum + processed, 0))
    expect(simulated.every(({ xEventId }) => xEventId === null)).toBe(true)
    const reached = await senders.arrivedFrom(account.handle)
    expect(reached).toHaveLength(30 - simulated.length)
    expect(new Set(reached.map(({ to }) => to)).size).toBe(reached.length)
    await expectCountsRight(app)
  })
})
