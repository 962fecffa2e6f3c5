import { idOfHandle } from '@x-automated/stand-ins/x/ids'
import { eq } from 'drizzle-orm'
import fc from 'fast-check'
import { beforeAll, describe, expect, it } from 'vitest'
import { deleteCampaigns, planFollowUp, reactivate } from '../../../../test/campaigns.ts'
import { call, connectX, type Person } from '../../../../test/makers.ts'
import {
  deleteMessages,
  holdMessages,
  insertMessages,
  makeDue,
  makeFollowUps,
  markSent,
} from '../../../../test/messages.ts'
import { openApp, type TestApp } from '../../../../test/open-app.ts'
import {
  ALL_DAY,
  claimNext,
  launch,
  makeCampaign,
  makeList,
  openHandles,
  openSenders,
} from '../../../../test/outreach.ts'
import { watchAccount } from '../../../../test/reply-watches.ts'
import { identify, leaveIdle, loseConnection, rest } from '../../../../test/x-accounts.ts'
import { liftAppLimits, limitApps, refillFunds, runOutOfFunds } from '../../../../test/x-apps.ts'
import { xAccounts } from '../../platform/x-account/tables.ts'

let app: TestApp
beforeAll(async () => {
  app = await openApp({ x: true, env: { X_PRICES: 'published' } })
})
const { connected } = openSenders(() => app)

const DAY_MS = 24 * 3_600_000

/** Ages of claims in the past two days. Those near a day are left out: they could leave the day during the test. */
const ages = fc.array(
  fc.record({
    ageMs: fc.integer({ min: 0, max: 2 * DAY_MS }).filter((ms) => Math.abs(ms - DAY_MS) > 3_600_000),
    isSent: fc.boolean(),
  }),
  { minLength: 1, maxLength: 30 },
)

/** Adds claims of the past two days. @returns how many of them count, by account */
async function addHistory(person: Person, accountIds: readonly (string | null)[], seed: number): Promise<number[]> {
  const { id } = await makeCampaign(person, await makeList(app, person, []))
  const histories = fc.sample(ages, { numRuns: accountIds.length, seed })
  return Promise.all(
    histories.map(async (history, index) => {
      const xAccountId = accountIds[index]
      await insertMessages(
        app,
        history.map(({ ageMs, isSent }) => {
          const claimedAt = new Date(Date.now() - ageMs)
          const outcome = isSent ? { status: 'sent' as const, sentAt: claimedAt } : { status: 'failed' as const }
          return { workspaceId: person.workspaceId, campaignId: id, message: 'Hi', xAccountId, claimedAt, ...outcome }
        }),
      )
      return history.filter(({ ageMs }) => ageMs < DAY_MS).length
    }),
  )
}

it('every screen shows the same use of the daily cap, and the cap holds from that number on', async () => {
  const { person, account } = await connected()
  const second = await connectX(app, person)
  const { person: elsewhere } = await connected()
  // The same X account, connected by another workspace.
  const [shared] = await app.db.select().from(xAccounts).where(eq(xAccounts.id, account.id))
  const [twin] = await identify(app, { workspaceId: elsewhere.workspaceId }, shared!.xUserId)
  const [own = 0, ofSecond = 0] = await addHistory(person, [account.id, second.id], 1)
  const [ofTwin = 0] = await addHistory(elsewhere, [twin!.id], 2)
  const used = new Map([
    [account.id, own + ofTwin],
    [second.id, ofSecond],
  ])

  const { code } = await person.client.extension.createCode()
  const { token } = (await call(app, 'POST', '/extension/pair', { code, version: '1.0.0' })).body
  const report = { version: '1.0.0', signedInAs: 'a', paused: false, pageChanged: null, sendsInBackground: true }
  const { accounts } = await person.client.sendingSettings.find({})
  for (const [xAccountId, count] of used) {
    const { id } = await launch(person, await makeList(app, person, openHandles(1)), {
      xAccountId,
      channel: 'extension',
    })
    const state = await call(app, 'POST', '/extension/state', report, { authorization: `Bearer ${token}` })
    const counts = {
      home: (await person.client.today.find({ xAccountId })).countedInDay,
      settings: accounts.find((account) => account.xAccountId === xAccountId)?.countedInDay,
      flight: (await person.client.sequences.flight({ id })).account.countedInDay,
      extension: state.body.sentToday,
    }
    expect(counts).toEqual({ home: count, settings: count, flight: count, extension: count })
    const reasonAt = async (dailyCap: number) => {
      await person.client.sendingSettings.saveLimits({ ...ALL_DAY, xAccountId, dailyCap })
      return (await person.client.campaigns.find({ id })).waitingFor?.reason ?? null
    }
    expect([await reasonAt(Math.max(1, count)), await reasonAt(count + 1)]).toEqual([count > 0 ? 'cap' : null, null])
    await person.client.campaigns.update({ id, status: 'archived' })
  }
  expect((await person.client.today.find({})).countedInDay).toBe(own + ofTwin + ofSecond)
})

describe('the time of the next message, while a launch can be undone', () => {
  const HOLD_SECONDS = 30
  const later = (hours: number) => new Date(Date.now() + hours * 3_600_000)
  const untilOf = async (person: Person, id: string) => (await person.client.campaigns.find({ id })).waitingFor?.until

  /** Launches a campaign that a worker has looked at, so that its account is scheduled for the end of the undo. */
  async function launched() {
    const { person, account } = await connected()
    // Messages that other tests have queued are due by now.
    await leaveIdle(app)
    const { id } = await makeCampaign(person, await makeList(app, person, openHandles(2)))
    await person.client.campaigns.queue({ id, holdSeconds: HOLD_SECONDS })
    await expect(claimNext(app)).rejects.toThrow('No message is due.')
    const next = async () => (await person.client.today.find({})).nextSendAt
    return { person, account, id, next }
  }

  it('is the end of the undo', async () => {
    const { next } = await launched()
    expect(Date.parse((await next())!) - Date.now()).toBeGreaterThan(0)
    expect(Date.parse((await next())!) - Date.now()).toBeLessThanOrEqual((HOLD_SECONDS + 1) * 1_000)
  })

  /** Adds a message that was claimed at the given time, and refused. */
  async function addRefused(person: Person, xAccountId: string, claimedAt: Date) {
    const { id } = await makeCampaign(person, await makeList(app, person, []))
    const claim = { xAccountId, claimedAt, status: 'failed' as const }
    await insertMessages(app, [{ workspaceId: person.workspaceId, campaignId: id, message: 'Hi', ...claim }])
  }

  type Launched = Awaited<ReturnType<typeof launched>>
  const limits: Record<string, (made: Launched) => Promise<unknown>> = {
    'the spending limit': ({ person }) => person.client.xCosts.saveLimit({ limitCents: 1 }),
    'an X app without credits': () => runOutOfFunds(app, later(1)),
    'a limit of X': (made) => rest(app, { id: made.account.id }, later(1)),
    'the limit of the X app': () => limitApps(app, 10, later(1)),
    'the daily cap': async ({ person, account }) => {
      await addRefused(person, account.id, later(-1))
      await person.client.sendingSettings.saveLimits({ ...ALL_DAY, xAccountId: account.id, dailyCap: 1 })
    },
    'the interval': async ({ person, account }) => {
      await addRefused(person, account.id, new Date())
      await person.client.sendingSettings.saveLimits({ ...ALL_DAY, xAccountId: account.id, pauseSeconds: 3_600 })
    },
    'the sending window': async ({ person, account }) => {
      const hour = (after: number) => `${String(later(after).getUTCHours()).padStart(2, '0')}:00`
      const hours = { start: hour(2), end: hour(3) }
      await person.client.sendingSettings.saveLimits({ ...ALL_DAY, xAccountId: account.id, hours })
    },
  }
  it.each(Object.keys(limits))('is not before the end of %s', async (name) => {
    const made = await launched()
    try {
      await limits[name]!(made)
      const [until, next] = [await untilOf(made.person, made.id), await made.next()]
      expect(Date.parse(next!) - Date.now()).toBeGreaterThan(HOLD_SECONDS * 1_000 + 60_000)
      expect(Math.abs(Date.parse(next!) - Date.parse(until!))).toBeLessThan(60_000)
      const { waitingFor } = await made.person.client.campaigns.find({ id: made.id })
      const { campaigns } = await made.person.client.today.find({})
      expect(campaigns[0]?.waitingFor?.reason).toBe(waitingFor!.reason)
    } finally {
      await refillFunds(app)
      await liftAppLimits(app)
    }
  })

  const stops: Record<string, (made: Launched) => Promise<unknown>> = {
    'the campaign is paused': ({ person, id }) => person.client.campaigns.update({ id, status: 'paused' }),
    'the launch is undone': ({ person, id }) => person.client.campaigns.undoLaunch({ id }),
    'the people are held': ({ id }) => holdMessages(app, { campaignId: id }),
    'the account is lost': ({ account }) => loseConnection(app, { id: account.id }),
  }
  it.each(Object.keys(stops))('is none once %s', async (name) => {
    const made = await launched()
    await stops[name]!(made)
    expect(await made.next()).toBeNull()
    await deleteCampaigns(app, { id: made.id })
  })

  it('is not before X can be read again, if only a follow-up is queued', async () => {
    const { account, id, next } = await launched()
    await makeFollowUps(app, { campaignId: id }, account.id, { dueAt: new Date() })
    const [failsSince, in1Hour] = [new Date(), later(1)]
    await watchAccount(app, idOfHandle(account.handle), {
      failsSince,
      readUntil: null,
      restsUntil: in1Hour,
      nextPollAt: in1Hour,
    })
    expect(Date.parse((await next())!)).toBeGreaterThan(Date.now() + 3_500_000)
  })

  it('of planned follow-ups is not before the end of a limit', async () => {
    const { person, id, next } = await launched()
    await deleteMessages(app, { campaignId: id })
    await planFollowUp(app, { id }, later(0.1))
    expect(await next()).not.toBeNull()
    await person.client.xCosts.saveLimit({ limitCents: 1 })
    const now = new Date()
    expect(await next()).toBe(new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + 1, 1)).toISOString())
  })

  it('is that of the other people of a launch, once the first have got their messages', async () => {
    const { person, account } = await connected()
    const list = await makeList(app, person, openHandles(52))
    const { id } = await makeCampaign(person, list)
    await person.client.campaigns.queue({ id, limit: 50 })
    await markSent(app, { campaignId: id })
    const { nextSendAt } = await person.client.today.find({})
    const now = new Date()
    expect(nextSendAt).toBe(new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + 1, 1)).toISOString())
    expect(await person.client.today.find({ xAccountId: account.id })).toMatchObject({ nextSendAt })
  })

  it("is another account's follow-up, if that is due before a queued message", async () => {
    const { person, account, id, next } = await launched()
    await makeDue(app, { campaignId: id }, later(3))
    const second = await connectX(app, person, openHandles(1)[0]!)
    const list = await makeList(app, person, openHandles(1))
    const planned = await makeCampaign(person, list)
    await reactivate(app, { id: planned.id }, { xAccountId: second.id, followUpDueAt: later(1) })
    expect(Date.parse((await next())!)).toBeLessThan(Date.now() + 2 * 3_600_000)
    const { nextSendAt } = await person.client.today.find({ xAccountId: account.id })
    expect(Date.parse(nextSendAt!)).toBeGreaterThan(Date.now() + 2 * 3_600_000)
  })
})
