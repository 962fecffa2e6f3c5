import { idOfHandle } from '@x-automated/stand-ins/x/ids'
import { eq, sql } from 'drizzle-orm'
import { beforeAll, describe, expect, it } from 'vitest'
import { connectX, makePerson } from '../../test/makers.ts'
import { backdateClaims } from '../../test/messages.ts'
import { openApp, type TestApp } from '../../test/open-app.ts'
import {
  ALL_DAY,
  completed,
  dmsOf,
  eventually,
  launch,
  makeCampaign,
  makeList,
  openHandles,
  openSenders,
  SENDS,
  setFaults,
  sleep,
} from '../../test/outreach.ts'
import { letSend } from '../../test/x-accounts.ts'
import { queueDirect } from '../core/messages/direct.ts'
import { SENDING_CHANNEL } from '../core/messages/schedule.ts'
import { leads } from '../core/tables/leads.ts'
import { leadListItems } from '../core/tables/list-entries.ts'
import { dms } from '../core/tables/messages.ts'
import { xAccounts } from '../domains/platform/x-account/tables.ts'

let app: TestApp
beforeAll(async () => {
  app = await openApp({ x: true })
})

const { start, withInterval, connected, arrivedFrom, countClaimed } = openSenders(() => app)

/** Schedules the account and waits until a worker has found nothing to send and unscheduled it. */
async function expectNothingToSend(accountId: string): Promise<void> {
  await letSend(app, { id: accountId })
  await app.db.execute(sql`select pg_notify(${SENDING_CHANNEL}, '')`)
  await eventually(async () => (await nextSendOf(accountId)) === null, 'a sender finds nothing to send')
}

const nextSendOf = async (accountId: string) =>
  (await app.db.select().from(xAccounts).where(eq(xAccounts.id, accountId)))[0]!.nextSendAt

/** Whether a worker has delayed the account by more than `minutes` minutes. */
const isDelayed = async (accountId: string, minutes: number) => {
  const next = await nextSendOf(accountId)
  return next !== null && next.getTime() > Date.now() + minutes * 60_000
}

describe('sending', () => {
  it('messages each lead once with any number of processes', async () => {
    const { person, account } = await connected()
    const list = await makeList(app, person, openHandles(60), { names: ['Zoë 🦊', '', 'محمد'] })
    await Promise.all([start(), start(), start()])
    const campaign = await launch(person, list)
    const done = await completed(person, campaign.id)

    expect(done).toMatchObject({ dmsSentCount: 60, dmsQueuedCount: 0, dmsFailedCount: 0, totalLeadsInList: 60 })
    expect(done.lastRunAt).not.toBeNull()
    const messages = await arrivedFrom(account.handle)
    expect(messages.map(({ to }) => to).sort()).toEqual([...list.handles].sort())
    expect(messages.find(({ to }) => to === list.handles[0])?.text).toBe(`Hi Zoë 🦊, I follow @${list.handles[0]}.`)
    expect(messages.find(({ to }) => to === list.handles[1])?.text).toMatch(/^Hi there,/)
    const rows = await app.db.select().from(dms).where(eq(dms.campaignId, campaign.id))
    expect(rows.every((dm) => dm.sentAt && dm.xEventId && !dm.leaseExpiresAt && !dm.outcomeUnknown)).toBe(true)
    const statuses = await app.db
      .select({ lead: leads.dmStatus, item: leadListItems.contactStatus })
      .from(leadListItems)
      .innerJoin(leads, eq(leads.id, leadListItems.leadId))
      .where(eq(leadListItems.leadListId, list.id))
    expect(statuses.every(({ lead, item }) => lead === 'contacted' && item === 'contacted')).toBe(true)
  })

  it('fails a message that X does not deliver, with the reason, and continues', async () => {
    const { person } = await connected()
    const list = await makeList(app, person, ['closed_inbox', ...openHandles(1)])
    await start()
    const campaign = await launch(person, list)
    const done = await completed(person, campaign.id)
    expect(done).toMatchObject({ dmsSentCount: 1, dmsFailedCount: 1 })
    const [failed] = await dmsOf(person, campaign.id)
    expect(failed).toMatchObject({
      status: 'failed',
      errorMessage: 'X rejected the message to @closed_inbox: You cannot send messages to this user.',
    })
    const [lead] = await app.db.select().from(leads).where(eq(leads.id, list.leadIds[0]!))
    expect(lead?.dmStatus).toBe('failed_contact')
  })

  it('looks up imported leads, stores their X id, and fails unknown ones', async () => {
    const { person } = await connected()
    const list = await makeList(app, person, [...openHandles(1), 'missing_one', 'suspended_one'], {
      unknownIds: true,
    })
    await start()
    const campaign = await launch(person, list)
    await completed(person, campaign.id)
    const [sent, failed, suspended] = await dmsOf(person, campaign.id)
    expect(suspended).toMatchObject({ status: 'failed', errorMessage: '@suspended_one is suspended on X.' })
    expect(sent).toMatchObject({ status: 'sent', errorMessage: null })
    expect(failed).toMatchObject({
      status: 'failed',
      errorMessage: "@missing_one doesn't exist on X.",
      reason: null,
    })
    const [lead] = await app.db.select().from(leads).where(eq(leads.id, list.leadIds[0]!))
    expect(lead?.xUserId).toBe(idOfHandle(list.handles[0]!))
  })

  it('messages a person with duplicate leads once', async () => {
    const { person, account } = await connected()
    const [handle] = openHandles(1) as [string]
    const list = await makeList(app, person, [handle])
    const again = await makeList(app, person, [handle], { unknownIds: true })
    await person.client.lists.addLeads({ id: list.id, leadIds: again.leadIds })
    await start()
    const campaign = await launch(person, list)
    await completed(person, campaign.id)
    expect(await arrivedFrom(account.handle)).toHaveLength(1)
    expect((await dmsOf(person, campaign.id)).filter(({ status }) => status === 'failed')).toMatchObject([
      {
        errorMessage: 'Skipped: this person is a duplicate of a lead who was already messaged.',
        reason: { code: 'duplicate', params: {} },
      },
    ])
  })

  it('fails a message whose lead was deleted', async () => {
    const { person } = await connected()
    const list = await makeList(app, person, openHandles(1))
    const campaign = await launch(person, list)
    await person.client.leads.remove({ id: list.leadIds[0]! })
    await start()
    await completed(person, campaign.id)
    expect((await dmsOf(person, campaign.id))[0]).toMatchObject({
      status: 'failed',
      lead: null,
      errorMessage: 'Skipped: Lead data or Twitter handle missing during processing.',
      reason: { code: 'lead_missing', params: {} },
    })
  })

  it('sends direct messages first, then the oldest campaign, while others wait', async () => {
    const { person, account } = await connected()
    const [older, newer, direct] = [
      await makeList(app, person, openHandles(2)),
      await makeList(app, person, openHandles(2)),
      await makeList(app, person, openHandles(1)),
    ]
    const first = await launch(person, older)
    const second = await launch(person, newer)
    expect([first.waiting, second.waiting]).toEqual([false, true])
    await queueDirect(app.db, person.actor, { leadIds: direct.leadIds, message: 'Hello {lead_name}' })
    await start(withInterval(0.3))
    await completed(person, second.id)
    const order = (await arrivedFrom(account.handle)).map(({ to }) => to)
    expect(order[0]).toBe(direct.handles[0])
    expect(order.slice(1, 3).sort()).toEqual([...older.handles].sort())
    expect(order.slice(3).sort()).toEqual([...newer.handles].sort())
  })

  it('waits for an older extension campaign on the account, except for direct messages', async () => {
    const { person, account } = await connected()
    const older = await launch(person, await makeList(app, person, openHandles(2)), { channel: 'extension' })
    const waiting = await makeList(app, person, openHandles(1))
    const newer = await launch(person, waiting)
    expect(newer.waiting).toBe(true)
    const direct = await makeList(app, person, openHandles(1))
    await queueDirect(app.db, person.actor, { leadIds: direct.leadIds })
    await start()
    await eventually(async () => (await arrivedFrom(account.handle)).length > 0, 'the direct message arrives')
    await eventually(
      async () => ((await nextSendOf(account.id))?.getTime() ?? 0) > Date.now() + 5_000,
      'the account is delayed',
    )
    expect((await arrivedFrom(account.handle)).map(({ to }) => to)).toEqual(direct.handles)
    await person.client.campaigns.update({ id: older.id, status: 'paused' })
    await completed(person, newer.id)
    expect((await arrivedFrom(account.handle)).map(({ to }) => to)).toEqual([...direct.handles, ...waiting.handles])
  })

  it('finishes the in-flight message before it stops', async () => {
    const { person } = await connected()
    const list = await makeList(app, person, openHandles(30))
    await setFaults(app, { ...SENDS, delayMs: 150 })
    const close = await start()
    const campaign = await launch(person, list)
    await eventually(async () => (await countClaimed(campaign.id)) > 0, 'a message is claimed')
    await close()
    expect(await countClaimed(campaign.id)).toBe(0)
    const { dmsSentCount } = await person.client.campaigns.find({ id: campaign.id })
    expect(dmsSentCount).toBeGreaterThan(0)
    expect(dmsSentCount).toBeLessThan(30)
  })
})

describe('a pause', () => {
  it.each([
    ['paused', undefined],
    ['paused', 'a key'],
    ['archived', undefined],
  ] as const)('sends nothing after the answer to %s (Idempotency-Key: %s)', async (status, idempotencyKey) => {
    const { person, account } = await connected()
    const list = await makeList(app, person, openHandles(100))
    await setFaults(app, { ...SENDS, delayMs: 80 })
    await Promise.all([start(), start()])
    const campaign = await launch(person, list)
    await eventually(async () => (await arrivedFrom(account.handle)).length >= 5, 'some messages arrived')

    const paused = await person.client.campaigns.update({ id: campaign.id, status }, { context: { idempotencyKey } })
    const { length } = await arrivedFrom(account.handle)
    expect(paused).toMatchObject({ status, dmsSentCount: length, dmsQueuedCount: 100 - length })
    expect(length).toBeLessThan(100)
    await expectNothingToSend(account.id)
    expect(await countClaimed(campaign.id)).toBe(0)
    expect(await arrivedFrom(account.handle)).toHaveLength(length)
    if (status === 'archived') return

    await setFaults(app)
    await person.client.campaigns.update({ id: campaign.id, status: 'active' })
    await completed(person, campaign.id)
    expect((await arrivedFrom(account.handle)).map(({ to }) => to).sort()).toEqual([...list.handles].sort())
  })

  it('takes effect before the next message if X is slower than the interval', async () => {
    const { person, account } = await connected()
    await setFaults(app, { ...SENDS, delayMs: 1_500 })
    await start(withInterval(0.2))
    const campaign = await launch(person, await makeList(app, person, openHandles(200)))
    await eventually(async () => (await countClaimed(campaign.id)) >= 3, 'sends overlap')
    const claims = () => app.db.$count(dms, sql`campaign_id = ${campaign.id} and claimed_at is not null`)
    const before = await claims()
    const pressed = performance.now()
    const paused = await person.client.campaigns.update({ id: campaign.id, status: 'paused' })
    // The pause waits only for in-flight messages, not until a process counts as hung.
    expect(performance.now() - pressed).toBeLessThan(24_000)
    expect(await claims()).toBeLessThanOrEqual(before + 5)
    const { length } = await arrivedFrom(account.handle)
    expect(paused).toMatchObject({ status: 'paused', dmsSentCount: length, dmsQueuedCount: 200 - length })
    expect(await countClaimed(campaign.id)).toBe(0)
  })
})

describe('a pause with a message in flight', () => {
  it('does not block the API while twenty pauses wait for a slow call', async () => {
    const { person, account } = await connected()
    await setFaults(app, { ...SENDS, delayMs: 8_000 })
    await start(withInterval(60))
    const { id } = await launch(person, await makeList(app, person, openHandles(3)))
    await eventually(async () => (await countClaimed(id)) === 1, 'a message is claimed')
    let answered = 0
    const pauses = Promise.all(
      Array.from({ length: 20 }, async () => {
        const campaign = await person.client.campaigns.update({ id, status: 'paused' })
        answered += 1
        return campaign
      }),
    )
    await eventually(
      async () => (await person.client.campaigns.find({ id })).status === 'paused',
      'the campaign is paused before its message has arrived',
    )
    expect(await person.client.campaigns.find({ id })).toMatchObject({ messagesInFlight: 1, dmsSentCount: 0 })
    for (let calls = 0; calls < 10; calls += 1) await person.client.leads.list({})
    expect(answered).toBe(0)
    expect(await arrivedFrom(account.handle)).toHaveLength(0)
    for (const campaign of await pauses)
      expect(campaign).toMatchObject({ status: 'paused', messagesInFlight: 0, dmsSentCount: 1, dmsQueuedCount: 2 })
    expect(await arrivedFrom(account.handle)).toHaveLength(1)
  })

  it('answers after 25 seconds and counts a message that an extension still owns', async () => {
    const { person } = await connected()
    const { id } = await launch(person, await makeList(app, person, openHandles(2)), { channel: 'extension' })
    const claim = await person.client.campaigns.claim({ id, holder: 'laptop' })
    if (claim.status !== 200) throw new Error('nothing was claimed')
    const pressed = performance.now()
    const { pausing } = await app.db.transaction(async (tx) => {
      await tx.execute(sql`select from campaigns where id = ${id} for update`)
      const pausing = person.client.campaigns.update({ id, status: 'paused' })
      // The limit includes the time that the pause waits for the campaign's row.
      await sleep(5_000)
      return { pausing }
    })
    const paused = await pausing
    expect(performance.now() - pressed).toBeGreaterThan(24_000)
    expect(performance.now() - pressed).toBeLessThan(45_000)
    expect(paused).toMatchObject({ status: 'paused', messagesInFlight: 1, dmsQueuedCount: 2 })
    const archived = person.client.campaigns.update({ id, status: 'archived' })
    await eventually(async () => (await person.client.campaigns.find({ id })).status === 'archived', 'it is archived')
    await person.client.campaigns.recordOutcome({ id: claim.body.dmId, lease: claim.body.lease, wasSent: true })
    expect(await archived).toMatchObject({ status: 'archived', messagesInFlight: 0, dmsSentCount: 1 })
  })
})

describe('the interval between two messages of an account', () => {
  /** Milliseconds between each account's messages, as received by the stand-in X. */
  async function gapsAtX(handles: string[]): Promise<number[]> {
    const log = await Promise.all(
      handles.map(async (handle) => {
        const response = await fetch(`${app.x.url}/_log/dms?from=${handle}`)
        return ((await response.json()) as { at: string }[]).map(({ at }) => new Date(at).getTime()).sort()
      }),
    )
    return log.flatMap((times) => times.slice(1).map((at, i) => at - (times[i] as number)))
  }
  /** Milliseconds from hand-over to arrival at the stand-in. */
  const TRANSPORT_MS = 60

  it('is never shorter at X with several accounts and slow claims', async () => {
    const teams = await Promise.all(Array.from({ length: 4 }, connected))
    const campaigns = await Promise.all(
      teams.map(async ({ person }) => ({
        person,
        id: (await launch(person, await makeList(app, person, openHandles(3)))).id,
      })),
    )
    await app.db.execute(sql`
      create function be_slow() returns trigger language plpgsql as 'begin perform pg_sleep(0.2); return new; end'`)
    try {
      await app.db.execute(sql`
        create trigger slow_claims before update on dms for each row
        when (old.lease_expires_at is null and new.lease_expires_at is not null) execute function be_slow()`)
      await Promise.all([start(withInterval(1)), start(withInterval(1))])
      for (const { person, id } of campaigns) await completed(person, id)
    } finally {
      await app.db.execute(sql`drop function be_slow cascade`)
    }
    const gaps = await gapsAtX(teams.map(({ account }) => account.handle))
    expect(gaps).toHaveLength(8)
    expect(Math.min(...gaps)).toBeGreaterThanOrEqual(1_000 - TRANSPORT_MS)
  })

  it('counts from the hand-over if looking up the lead took long', async () => {
    const { person, account } = await connected()
    const list = await makeList(app, person, openHandles(2), { unknownIds: true })
    await setFaults(app, { method: 'GET', path: '/2/users/by/username/*', delayMs: 400, times: 1 })
    const { id } = await launch(person, list)
    await start(withInterval(1))
    await completed(person, id)
    const [gap] = await gapsAtX([account.handle])
    expect(gap).toBeGreaterThanOrEqual(1_000 - TRANSPORT_MS)
  })
})

describe('sending limits', () => {
  it('apply across all processes and after long downtime', async () => {
    const { person, account } = await connected()
    const list = await makeList(app, person, openHandles(5))
    const campaign = await launch(person, list)
    // Simulates an hour of downtime.
    await letSend(app, { id: account.id }, new Date(Date.now() - 3_600_000))
    await Promise.all([start(withInterval(0.25)), start(withInterval(0.25))])
    await completed(person, campaign.id)
    const rows = await app.db.select().from(dms).where(eq(dms.campaignId, campaign.id)).orderBy(dms.claimedAt)
    const gaps = rows.slice(1).map((dm, i) => dm.claimedAt!.getTime() - rows[i]!.claimedAt!.getTime())
    expect(Math.min(...gaps)).toBeGreaterThanOrEqual(249)
  })

  it('apply across consecutive campaigns', async () => {
    const { person, account } = await connected()
    const [firstList, secondList] = [
      await makeList(app, person, openHandles(1)),
      await makeList(app, person, openHandles(1)),
    ]
    await start(withInterval(0.5))
    await completed(person, (await launch(person, firstList)).id)
    await completed(person, (await launch(person, secondList)).id)
    const claims = await app.db
      .select({ at: dms.claimedAt })
      .from(dms)
      .where(eq(dms.xAccountId, account.id))
      .orderBy(dms.claimedAt)
    expect(claims[1]!.at!.getTime() - claims[0]!.at!.getTime()).toBeGreaterThanOrEqual(499)
  })

  it("keep the account's cap in any 24 hours across its campaigns", async () => {
    const { person, account } = await connected()
    const [firstList, secondList] = [
      await makeList(app, person, openHandles(2)),
      await makeList(app, person, openHandles(4)),
    ]
    await person.client.sendingSettings.saveLimits({ ...ALL_DAY, xAccountId: account.id, dailyCap: 3 })
    await Promise.all([start(), start()])
    await launch(person, firstList)
    const second = await launch(person, secondList)
    await eventually(async () => (await arrivedFrom(account.handle)).length === 3, 'the cap is reached')
    await eventually(() => isDelayed(account.id, 60), 'a sender finds the cap reached')
    expect(await arrivedFrom(account.handle)).toHaveLength(3)
    const hours = ((await nextSendOf(account.id))!.getTime() - Date.now()) / 3_600_000
    expect(hours).toBeGreaterThan(23.9)
    expect(hours).toBeLessThanOrEqual(24)

    // A day later.
    await backdateClaims(app, { xAccountId: account.id }, 86_400)
    await letSend(app, { id: account.id })
    await completed(person, second.id)
    expect(await arrivedFrom(account.handle)).toHaveLength(6)
  })

  it('are shared by two workspaces that connected the same X account', async () => {
    const [first, second] = [await makePerson(app), await makePerson(app)]
    const accounts = [await connectX(app, first, 'shared_sender'), await connectX(app, second, 'shared_sender')]
    await first.client.sendingSettings.saveLimits({ ...ALL_DAY, xAccountId: accounts[0]!.id, dailyCap: 5 })
    await second.client.sendingSettings.saveLimits({ ...ALL_DAY, xAccountId: accounts[1]!.id, dailyCap: 5 })
    const lists = [await makeList(app, first, openHandles(4)), await makeList(app, second, openHandles(4))] as const
    await Promise.all([start(), start()])
    await Promise.all([launch(first, lists[0]), launch(second, lists[1])])
    await eventually(async () => (await arrivedFrom('shared_sender')).length >= 5, 'the cap is reached')
    for (const { id } of accounts)
      await eventually(
        async () => (await nextSendOf(id)) === null || (await isDelayed(id, 60)),
        'a sender finds the cap reached, or nothing more to send',
      )
    expect(await arrivedFrom('shared_sender')).toHaveLength(5)
  })

  it('are reevaluated when a process starts with a higher cap', async () => {
    const { person, account } = await connected()
    const close = await start({ env: { ...app.services.env, dailyDmCap: 1 } })
    const { id } = await launch(person, await makeList(app, person, openHandles(3)))
    await eventually(() => isDelayed(account.id, 60), 'a sender finds the cap reached')
    await close()
    expect(await arrivedFrom(account.handle)).toHaveLength(1)
    await start()
    expect(await completed(person, id)).toMatchObject({ dmsSentCount: 3 })
  })

  it('allow nothing with a cap of 0', async () => {
    const { person, account } = await connected()
    await start({ env: { ...app.services.env, dailyDmCap: 0 } })
    await launch(person, await makeList(app, person, openHandles(1)))
    await eventually(() => isDelayed(account.id, 50), 'a sender finds the cap reached')
    expect(await arrivedFrom(account.handle)).toEqual([])
  })
})

it('sends nothing from a campaign that was never launched', async () => {
  const { person, account } = await connected()
  await makeCampaign(person, await makeList(app, person, openHandles(1)))
  await start()
  await expectNothingToSend(account.id)
  expect(await arrivedFrom(account.handle)).toEqual([])
})
