import { sql } from 'drizzle-orm'
import { beforeAll, describe, expect, it } from 'vitest'
import { reactivate } from '../../../test/campaigns.ts'
import { recordClaim } from '../../../test/leads.ts'
import {
  deleteMessages,
  holdMessages,
  insertMessages,
  loseOutcome,
  makeDue,
  makeFollowUps,
  returnToQueue,
  waitForInbox,
} from '../../../test/messages.ts'
import { openApp, type TestApp } from '../../../test/open-app.ts'
import {
  ALL_DAY,
  claimNext,
  confirmDetection,
  dmsOf,
  launch,
  makeList,
  openHandles,
  openSenders,
} from '../../../test/outreach.ts'
import { failReads, forgetRead } from '../../../test/reply-watches.ts'
import { letOnlySend, loseConnection, reconnect, rest } from '../../../test/x-accounts.ts'
import { liftAppLimits, limitApps, refillFunds, runOutOfFunds } from '../../../test/x-apps.ts'

let app: TestApp
beforeAll(async () => {
  app = await openApp({ x: true, env: { X_PRICES: 'published' } })
})
const { connected } = openSenders(() => app)

const inHours = (hours: number) => new Date(Date.now() + hours * 3_600_000)

/** Queues a follow-up or a first message that a worker would claim now. */
async function queued(isFollowUp: boolean) {
  const { person, account } = await connected()
  const { id } = await launch(person, await makeList(app, person, openHandles(1)))

  if (isFollowUp) await makeFollowUps(app, { campaignId: id }, account.id)
  await confirmDetection(app)
  return {
    person,
    account,
    id,

    /** What the message waits for, according to itself and to its campaign. */
    async shown() {
      const [dm] = await dmsOf(person, id)
      const { waitingFor } = await person.client.campaigns.find({ id })
      return { message: dm!.reason?.code ?? null, campaign: waitingFor?.reason ?? null }
    },
    /** Whether a worker that looks at the account claims the message. */
    async isClaimable() {
      await letOnlySend(app, account.id)
      return (await claimNext(app).catch(() => null))?.campaignId === id
    },
  }
}
type Queued = Awaited<ReturnType<typeof queued>>

interface Hold {
  apply(made: Queued): Promise<unknown>
  lift(made: Queued): Promise<unknown>
}
const leadOf = (id: string) => sql`id in (select lead_id from dms where campaign_id = ${id})`
const limitedTo = (made: Queued, limits: object) =>
  made.person.client.sendingSettings.saveLimits({ ...ALL_DAY, xAccountId: made.account.id, ...limits })
const resting = (hours: number): Hold => ({
  apply: ({ account }) => rest(app, { id: account.id }, inHours(hours)),
  lift: ({ account }) => rest(app, { id: account.id }, null),
})
/** Inserts a message that the account claimed a minute ago, which counts toward its cap and its interval. */
const hasSent = ({ account, person, id }: Queued) => {
  const of = { workspaceId: person.workspaceId, campaignId: id, message: 'Hi', step: 9 }
  return insertMessages(app, [{ ...of, status: 'failed', xAccountId: account.id, claimedAt: inHours(-1 / 60) }])
}
const deleteSent = ({ id }: Queued) => deleteMessages(app, { campaignId: id, step: 9 })

const HOLDS = {
  'another campaign a day ago': {
    apply: ({ id }) => recordClaim(app, leadOf(id), inHours(-2), { lastClaimedCampaignId: null }),
    lift: async ({ id }) => {
      await recordClaim(app, leadOf(id), null)
      await makeDue(app, { campaignId: id })
    },
  },
  'an unclear inbox': {
    apply: ({ id }) => waitForInbox(app, { campaignId: id }, inHours(6)),
    lift: ({ id }) => waitForInbox(app, { campaignId: id }, null),
  },
  'replies that cannot be read': {
    apply: async () => {
      await forgetRead(app)
      await failReads(app)
    },
    lift: () => confirmDetection(app),
  },
  'an unknown outcome': {
    apply: ({ id }) => loseOutcome(app, { campaignId: id }, inHours(1)),
    lift: ({ id }) => returnToQueue(app, { campaignId: id }),
  },
  'the spending limit': {
    apply: ({ person }) => person.client.xCosts.saveLimit({ limitCents: 1 }),
    lift: ({ person }) => person.client.xCosts.saveLimit({ limitCents: null }),
  },
  'an app without credits': {
    apply: () => runOutOfFunds(app, inHours(1)),
    lift: () => refillFunds(app),
  },
  'the limit of the app': {
    apply: () => limitApps(app, 10, inHours(1)),
    lift: () => liftAppLimits(app),
  },
  'a limit of X for an hour': resting(1),
  'a limit of X for two days': resting(48),
  'the daily cap': {
    apply: async (made) => {
      await hasSent(made)
      await limitedTo(made, { dailyCap: 1 })
    },
    lift: deleteSent,
  },
  'the sending window': {
    apply: (made) => {
      const hour = (hours: number) => `${new Date(Date.now() + hours * 3_600_000).toISOString().slice(11, 13)}:00`
      return limitedTo(made, { hours: { start: hour(2), end: hour(3) } })
    },
    lift: (made) => limitedTo(made, {}),
  },
  'the interval': {
    apply: async (made) => {
      await hasSent(made)
      await limitedTo(made, { pauseSeconds: 3_600 })
    },
    lift: deleteSent,
  },
  'a pause of its campaign': {
    apply: ({ person, id }) => person.client.campaigns.update({ id, status: 'paused' }),
    lift: ({ id }) => reactivate(app, { id }),
  },
  'a pause of its person': {
    apply: ({ id }) => holdMessages(app, { campaignId: id }),
    lift: ({ id }) => holdMessages(app, { campaignId: id }, false),
  },
  'a lost account': {
    apply: ({ account }) => loseConnection(app, { id: account.id }),
    lift: ({ account }) => reconnect(app, { id: account.id }),
  },
} satisfies Record<string, Hold>
type HoldName = keyof typeof HOLDS

const FOLLOW_UP: HoldName = 'replies that cannot be read'

describe('a queued message shows what the claim waits for', () => {
  it.each<[HoldName, message: string | null, campaign: string | null]>([
    ['another campaign a day ago', 'day_apart', 'day_apart'],
    ['an unclear inbox', 'inbox_unclear', 'inbox_unclear'],
    ['replies that cannot be read', 'detection', 'detection'],
    ['an unknown outcome', 'settling', null],
    ['the spending limit', null, 'funds'],
    ['an app without credits', null, 'funds'],
    ['the limit of the app', null, 'app'],
    ['a limit of X for an hour', null, 'x'],
    ['the daily cap', null, 'cap'],
    ['the sending window', null, 'hours'],
    ['the interval', null, 'pause'],
    ['a pause of its campaign', null, null],
    ['a pause of its person', null, null],
    ['a lost account', null, 'account'],
  ])('%s', async (name, message, campaign) => {
    const made = await queued(name === FOLLOW_UP)
    const hold: Hold = HOLDS[name]
    expect(await made.shown()).toEqual({ message: null, campaign: null })
    await hold.apply(made)
    if (name === 'another campaign a day ago') expect((await made.shown()).message).toBe(message)
    expect(await made.isClaimable()).toBe(false)
    expect(await made.shown()).toEqual({ message, campaign })
    await hold.lift(made)
    expect((await made.shown()).message).toBeNull()
    expect(await made.isClaimable()).toBe(true)
  })

  it.each<[HoldName, HoldName, message: string | null, campaign: string | null]>([
    ['the spending limit', 'replies that cannot be read', null, 'funds'],
    ['an app without credits', 'replies that cannot be read', null, 'funds'],
    ['the daily cap', 'replies that cannot be read', null, 'cap'],
    ['the interval', 'replies that cannot be read', 'detection', 'detection'],
    ['the interval', 'another campaign a day ago', 'day_apart', 'day_apart'],
    ['a limit of X for an hour', 'another campaign a day ago', 'day_apart', 'day_apart'],
    ['a limit of X for an hour', 'an unclear inbox', 'inbox_unclear', 'inbox_unclear'],
    ['a limit of X for two days', 'another campaign a day ago', null, 'x'],
    ['a limit of X for two days', 'an unclear inbox', null, 'x'],
    ['another campaign a day ago', 'replies that cannot be read', 'day_apart', null],
    ['the spending limit', 'an unknown outcome', 'settling', 'funds'],
    ['a pause of its campaign', 'replies that cannot be read', null, null],
    ['a pause of its campaign', 'another campaign a day ago', null, null],
    ['a pause of its person', 'another campaign a day ago', null, null],
    ['a lost account', 'replies that cannot be read', null, 'account'],
  ])('%s, then %s', async (firstHold, other, message, campaign) => {
    const made = await queued([firstHold, other].includes(FOLLOW_UP))
    const [first, second]: Hold[] = [HOLDS[firstHold], HOLDS[other]]
    await first!.apply(made)
    await second!.apply(made)
    expect(await made.isClaimable()).toBe(false)
    expect(await made.shown()).toMatchObject({ message })
    if (campaign) expect(await made.shown()).toMatchObject({ campaign })
    await first!.lift(made)
    expect(await made.isClaimable()).toBe(false)
    await second!.lift(made)
    expect(await made.isClaimable()).toBe(true)
  })

  it('nothing of its own while an older campaign sends first', async () => {
    const { person, account } = await connected()
    const [older, younger] = [
      await launch(person, await makeList(app, person, openHandles(1))),
      await launch(person, await makeList(app, person, openHandles(1))),
    ]
    await recordClaim(app, leadOf(younger.id))
    expect((await dmsOf(person, younger.id))[0]!.reason).toBeNull()
    expect((await person.client.campaigns.find({ id: younger.id })).waitingFor).toMatchObject({ reason: 'turn' })
    await letOnlySend(app, account.id)
    expect((await claimNext(app)).campaignId).toBe(older.id)
  })
})
