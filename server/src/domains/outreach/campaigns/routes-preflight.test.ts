import { PreflightInput } from '@x-automated/contract/outreach/preflight'
import { eq, sql } from 'drizzle-orm'
import { beforeAll, describe, expect, it } from 'vitest'
import { closeTo, recordReply } from '../../../../test/leads.ts'
import { connectX, makePerson, type Person, subscribe } from '../../../../test/makers.ts'
import { openApp, type TestApp } from '../../../../test/open-app.ts'
import { ALL_DAY, launch, makeCampaign, makeList, openHandles } from '../../../../test/outreach.ts'
import { loseConnection } from '../../../../test/x-accounts.ts'
import { xAccounts } from '../../platform/x-account/tables.ts'
import { preflight } from './preflight.ts'

let app: TestApp
let stranger: Person
beforeAll(async () => {
  app = await openApp({ env: { SEND_INTERVAL_SECONDS: '60' } })
  stranger = await makePerson(app)
})

const NOBODYS = '01900000-0000-7000-8000-000000000000'
const DAY_SECONDS = 86_400

const check = async (person: Person, body: object) => (await person.call('POST', '/campaigns/preflight', body)).body
const checkSaved = async (person: Person, id: string) => (await person.call('GET', `/campaigns/${id}/preflight`)).body
/** Seconds from now to the last message, to within ten. */
const lastIn = ({ lastSendAt }: { lastSendAt: string }) =>
  Math.round((Date.parse(lastSendAt) - Date.now()) / 10_000) * 10

describe('POST /campaigns/preflight', () => {
  it('returns who gets which message, when, and what is missing', async () => {
    const own = await makePerson(app)
    const account = await connectX(app, own)
    const list = await makeList(app, own, openHandles(4), {
      names: ['Ada', ' ', '', 'Bo'],
      metadata: [{ Company: 'Acme' }, { company: ' ' }, {}, { company: 7 }],
    })
    const messageTemplate = 'Hi {Lead_Name|friend} of {company|your team}, {lead_name} {twitter_handle} {half'
    const body = await check(own, { leadListId: list.id, messageTemplate })
    const today = new Date().toISOString().slice(0, 10)
    expect(body).toEqual({
      leads: 4,
      willSend: 4,
      limitNow: 4,
      waitUntil: null,
      skipped: [],
      messages: [0, 1, 2].map((n) => ({
        leadId: list.leadIds[n],
        twitterHandle: list.handles[n],
        stepNumber: 1,
        variant: 'A',
        message: [
          `Hi Ada of Acme, Ada @${list.handles[0]} {half`,
          `Hi friend of your team, there @${list.handles[1]} {half`,
          `Hi friend of your team, there @${list.handles[2]} {half`,
        ][n],
      })),
      checked: 4,
      missing: [
        { place: '{lead_name}', leads: 2 },
        { place: '{company|your team}', leads: 3 },
      ],
      ahead: 0,
      firstSendAt: expect.any(String),
      lastSendAt: expect.any(String),
      perDay: [{ date: expect.stringMatching(/^\d{4}-/), count: expect.any(Number), followUps: 0 }],
      costCents: null,
      billCents: null,
      plan: { limit: 50, used: 0, remaining: 50, resetsAt: expect.stringMatching(/-01T00:00:00/) },
      warnings: [],
    })
    expect(body.perDay[0].date >= today).toBe(true)
    // Three intervals of 60 s, with an average jitter of 10%.
    expect(lastIn(body)).toBe(200)
    // Queued messages of the account go first, and the cap spreads them over days.
    await launch(own, list, { xAccountId: account.id, channel: 'extension' })
    await own.client.sendingSettings.saveLimits({ ...ALL_DAY, xAccountId: account.id, dailyCap: 3 })
    const later = await check(own, { leadListId: list.id, messageTemplate: '', allowRepeat: true })
    expect(later).toMatchObject({ ahead: 4, willSend: 4 })
    expect(Math.floor(lastIn(later) / DAY_SECONDS)).toBe(2)
  })

  it('warns of people without a first name', async () => {
    const own = await makePerson(app)
    await connectX(app, own)
    const names = ['Ada Hill', 'Acme Labs', '']
    const { id: leadListId } = await makeList(app, own, openHandles(3), { names })
    expect(await check(own, { leadListId, messageTemplate: 'Hi {{first_name}}, {first_name|friend}' })).toMatchObject({
      missing: [
        { place: '{first_name}', leads: 2 },
        { place: '{first_name|friend}', leads: 2 },
      ],
      warnings: ['no_first_name'],
    })
    const { missing, warnings } = await check(own, { leadListId, messageTemplate: 'Hi {lead_name}' })
    expect([missing, warnings]).toEqual([[{ place: '{lead_name}', leads: 1 }], []])
  })

  it('counts people by the reason to skip them', async () => {
    const own = await makePerson(app)
    const list = await makeList(app, own, openHandles(6))
    await recordReply(app, { id: list.leadIds.slice(0, 2) })
    await own.client.suppressions.create({ handles: [list.handles[0]!] })
    await launch(
      own,
      { ...list, ...(await listOf(own, list.leadIds.slice(2, 4))) },
      { channel: 'extension', name: 'Old' },
    )
    const plan = { leadListId: list.id, messageTemplate: 'Hi' }
    const [oldFirst, oldSecond] = list.handles.slice(2, 4)
    const skipped = (await check(own, plan)).skipped as { reason: object; count: number; sample: string[] }[]
    expect(skipped.map(({ sample, ...rest }) => ({ ...rest, sample: [...sample].sort() }))).toEqual([
      {
        reason: {
          code: 'queued_elsewhere',
          params: { how: 'campaign', campaign: 'Old', campaignId: expect.any(String) },
        },
        count: 2,
        sample: [oldFirst, oldSecond].sort(),
      },
      { reason: { code: 'replied', params: {} }, count: 1, sample: [list.handles[1]] },
      { reason: { code: 'suppressed', params: { reason: 'manual' } }, count: 1, sample: [list.handles[0]] },
    ])
    expect(await check(own, { ...plan, allowRepeat: true, allowReplied: true })).toMatchObject({
      leads: 6,
      willSend: 5,
    })
    const smart = await own.client.lists.create({ name: 'Smart', filter: {} })
    expect(await check(own, { ...plan, leadListId: smart.id })).toMatchObject({ leads: 6, willSend: 2 })
    // A saved campaign is checked in the same way, and the launch does what the check predicted.
    const saved = await makeCampaign(own, list, { channel: 'extension' })
    expect(await checkSaved(own, saved.id)).toMatchObject({ leads: 6, willSend: 2, checked: 6 })
    expect(await own.client.campaigns.queue({ id: saved.id })).toMatchObject({ dmsQueued: 2, totalLeads: 6 })
  })

  it('skips people who take no messages from the account, and warns if most do not', async () => {
    const own = await makePerson(app)
    const account = await connectX(app, own)
    const list = await makeList(app, own, openHandles(5))
    const [accountRow] = await app.db.select().from(xAccounts).where(eq(xAccounts.id, account.id))
    const close = (count: number, closedTo: string) => closeTo(app, { id: list.leadIds.slice(0, count) }, closedTo)
    await close(5, 'another account')
    expect(await check(own, { leadListId: list.id, messageTemplate: 'Hi' })).toMatchObject({
      willSend: 5,
      warnings: [],
    })
    await close(3, accountRow!.xUserId)
    const skipped = [{ reason: { code: 'closed_inbox', params: {} }, count: 3 }]
    expect(await check(own, { leadListId: list.id, messageTemplate: 'Hi' })).toMatchObject({
      willSend: 2,
      skipped,
      warnings: ['closed_inboxes'],
    })
    const { id } = await makeCampaign(own, list)
    expect(await own.client.campaigns.queue({ id })).toMatchObject({ dmsQueued: 2, totalLeads: 5 })
  })

  it('includes follow-ups in the dates and the cost', async () => {
    const own = await makePerson(app)
    await subscribe(app, own)
    await connectX(app, own)
    const list = await makeList(app, own, openHandles(2))
    const days = (amount: number) => ({ amount, unit: 'days' as const })
    const steps = [
      { variants: [{ messageTemplate: 'Hi {lead_name}', weight: 1 }, { messageTemplate: '' }] },
      { delay: days(3), variants: [{ messageTemplate: 'And?' }] },
    ]
    const plan = { leadListId: list.id, steps, reengagement: { afterDays: 30, messageTemplate: 'Still there?' } }
    const body = await check(own, plan)
    expect(body.perDay.map(({ followUps }: { followUps: number }) => followUps)).toEqual([0, 2, 2])
    expect(Math.round(lastIn(body) / DAY_SECONDS)).toBe(33)
  })

  it('estimates what X bills: messages through its API, and reading them before follow-ups', async () => {
    const own = await makePerson(app)
    await subscribe(app, own)
    await connectX(app, own)
    const leadListId = (await makeList(app, own, openHandles(2))).id
    const context = { ...app.services, db: app.db, x: { sendPriceCents: 1.5, readPriceCents: 1 } } as never
    const firstStep = { variants: [{ messageTemplate: 'Hi' }] }
    const two = [firstStep, { delay: { amount: 3, unit: 'days' }, variants: [{ messageTemplate: 'And?' }] }]
    const costOf = async (channel: 'api' | 'extension', steps: object[]) =>
      (await preflight(context, own.actor, PreflightInput.parse({ leadListId, channel, steps }))).costCents
    const costs = async () => [
      await costOf('api', [firstStep]),
      await costOf('extension', [firstStep]),
      await costOf('api', two),
    ]
    expect(await costs()).toEqual([3, null, 10])
  })

  it('estimates the whole bill, and warns if it exceeds what the spending limit leaves', async () => {
    const own = await makePerson(app)
    await connectX(app, own)
    const identified = await makeList(app, own, openHandles(4))
    const unknown = await makeList(app, own, openHandles(4), { unknownIds: true })
    const context = { ...app.services, db: app.db, x: { sendPriceCents: 1.5, readPriceCents: 1 } } as never
    const billFor = (leadListId: string, channel: 'api' | 'extension' = 'api') =>
      preflight(context, own.actor, PreflightInput.parse({ leadListId, channel, messageTemplate: 'Hi' }))
    // 4 messages, each read once; 1 reply, delivered and read; 5 entries that are read again on the day of sending.
    expect(await billFor(identified.id)).toMatchObject({ billCents: 6 + 4 + 2 + 5, warnings: [] })
    expect((await billFor(unknown.id)).billCents).toBe(17 + 4)
    expect((await billFor(identified.id, 'extension')).billCents).toBe(2 + 5)
    await own.client.xCosts.saveLimit({ limitCents: 16 })
    expect((await billFor(identified.id)).warnings).toEqual(['spending'])
    await own.client.xCosts.saveLimit({ limitCents: 17 })
    expect((await billFor(identified.id)).warnings).toEqual([])
  })

  it('begins with the next month if the spending limit leaves no room for a message through the API', async () => {
    const own = await makePerson(app)
    await connectX(app, own)
    const leadListId = (await makeList(app, own, openHandles(1))).id
    const context = { ...app.services, db: app.db, env: { ...app.services.env, messageMills: 15 } } as never
    const firstOf = async (channel: 'api' | 'extension') =>
      (await preflight(context, own.actor, PreflightInput.parse({ leadListId, channel, messageTemplate: 'Hi' })))
        .firstSendAt
    await own.client.xCosts.saveLimit({ limitCents: 1 })
    const now = new Date()
    const nextMonth = new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + 1))
    expect(await firstOf('api')).toEqual(nextMonth)
    expect((await firstOf('extension'))?.getTime()).toBeLessThan(nextMonth.getTime())
  })

  it('plans the people whom the plan does not cover for the next months', async () => {
    const own = await makePerson(app)
    await connectX(app, own)
    const list = await makeList(app, own, openHandles(60))
    const { perDay, lastSendAt, plan, willSend } = await check(own, { leadListId: list.id, messageTemplate: 'Hi' })
    const next = perDay.filter(({ date }: { date: string }) => date >= plan.resetsAt.slice(0, 10))
    const sum = (days: { count: number }[]) => days.reduce((total, { count }) => total + count, 0)
    expect([willSend, sum(perDay)]).toEqual([60, 60])
    expect(sum(next)).toBeGreaterThanOrEqual(10)
    expect(lastSendAt > plan.resetsAt).toBe(true)
  })

  it('does not read the state of reply detection without follow-ups', async () => {
    const own = await makePerson(app)
    await connectX(app, own)
    const list = await makeList(app, own, openHandles(1))
    await app.db.transaction(async (tx) => {
      await tx.execute(sql`lock table reply_watches in access exclusive mode`)
      expect(await check(own, { leadListId: list.id, messageTemplate: 'Hi' })).toMatchObject({ willSend: 1 })
    })
  })

  it('warns about what speaks against the launch', async () => {
    const own = await makePerson(app)
    const list = await makeList(app, own, openHandles(51))
    await own.client.sendingSettings.saveBasis({ required: false, hasReadRules: true })
    const plan = { leadListId: list.id, messageTemplate: 'Hi' }
    expect((await check(own, plan)).warnings).toEqual(['plan', 'no_x_account'])
    await subscribe(app, own)
    await own.client.sendingSettings.saveBasis({ required: true })
    const steps = [
      { variants: [{ messageTemplate: 'Hi' }] },
      { delay: { amount: 1, unit: 'hours' }, variants: [{ messageTemplate: 'And?' }] },
    ]
    const followUps = await check(own, { leadListId: list.id, steps, channel: 'extension' })
    expect([followUps.warnings, followUps.willSend]).toEqual([['no_basis', 'no_detection'], 0])
    const shut = { ...app.services, db: app.db, env: { ...app.env, dailyDmCap: 0, isRealX: false } } as never
    await own.client.sendingSettings.saveBasis({ required: false, hasReadRules: true })
    const input = {
      leadListId: list.id,
      messageTemplate: '',
      channel: 'extension' as const,
      allowRepeat: false,
      allowReplied: false,
    }
    expect((await preflight(shut, own.actor, input)).warnings).toEqual(['never_ends'])
  })

  it('rejects steps without an active variant, unknown lists and accounts, and those of other workspaces', async () => {
    const own = await makePerson(app)
    const list = await makeList(app, own, openHandles(1))
    const theirs = await makeList(app, stranger, [])
    const account = await connectX(app, stranger)
    for (const [body, status, code] of [
      [{ leadListId: list.id }, 400, 'INVALID_INPUT'],
      [
        { leadListId: list.id, steps: [{ variants: [{ messageTemplate: '', isActive: false }] }] },
        400,
        'INVALID_INPUT',
      ],
      [{ messageTemplate: '', leadListId: NOBODYS }, 404, 'LEAD_LIST_NOT_FOUND'],
      [{ messageTemplate: '', leadListId: theirs.id }, 404, 'LEAD_LIST_NOT_FOUND'],
      [{ messageTemplate: '', leadListId: list.id, xAccountId: account.id }, 404, 'X_ACCOUNT_NOT_FOUND'],
    ] as const) {
      const response = await own.call('POST', '/campaigns/preflight', body)
      expect([response.status, response.body.code]).toEqual([status, code])
    }
  })
})

/** Creates a list of these leads. */
async function listOf(person: Person, leadIds: string[]): Promise<{ id: string }> {
  const { id } = await person.client.lists.create({ name: 'Some' })
  await person.client.lists.addLeads({ id, leadIds })
  return { id }
}

describe('GET /campaigns/{id}/preflight of a launched campaign', () => {
  it('covers what is left, with the interval, the cap and messages ahead', async () => {
    const own = await makePerson(app)
    const account = await connectX(app, own)
    const older = await launch(own, await makeList(app, own, openHandles(3)), { channel: 'extension' })
    const list = await makeList(app, own, openHandles(4))
    const newer = await launch(own, list, { channel: 'extension' })
    expect(lastIn(await checkSaved(own, older.id))).toBe(130)
    const rest = await checkSaved(own, newer.id)
    expect(rest).toMatchObject({ leads: 4, willSend: 4, ahead: 3, skipped: [], checked: 0, warnings: [] })
    expect(rest.messages.map(({ twitterHandle }: { twitterHandle: string }) => twitterHandle)).toEqual(
      list.handles.slice(0, 3),
    )
    expect(lastIn(rest)).toBe(400)
    await own.client.sendingSettings.saveLimits({ ...ALL_DAY, xAccountId: account.id, dailyCap: 3 })
    expect((await own.call('POST', `/campaigns/${older.id}/claim`, { holder: 'a' })).status).toBe(200)
    // One message was sent today. Of the seven queued, two more may be sent today, and then three per day.
    expect(Math.round(lastIn(await checkSaved(own, newer.id)) / DAY_SECONDS)).toBe(2)
    await own.client.campaigns.update({ id: newer.id, status: 'archived' })
    expect(await checkSaved(own, newer.id)).toMatchObject({ willSend: 0, perDay: [], lastSendAt: null, warnings: [] })
  })

  it('ignores campaigns that cannot send now, and shows who was skipped', async () => {
    const own = await makePerson(app)
    const account = await connectX(app, own)
    await launch(own, await makeList(app, own, openHandles(3)))
    const list = await makeList(app, own, openHandles(4))
    await own.client.suppressions.create({ handles: [list.handles[0]!] })
    const { id } = await launch(own, list, { channel: 'extension' })
    expect(await checkSaved(own, id)).toMatchObject({
      ahead: 3,
      willSend: 3,
      skipped: [{ reason: { code: 'suppressed' }, count: 1, sample: [list.handles[0]] }],
    })
    await loseConnection(app, { id: account.id })
    expect(await checkSaved(own, id)).toMatchObject({ ahead: 0 })
  })

  it('returns 404 for unknown campaigns and those of other workspaces', async () => {
    const own = await makePerson(app)
    const { id } = await makeCampaign(own, await makeList(app, own, []))
    for (const response of [
      await stranger.call('GET', `/campaigns/${id}/preflight`),
      await own.call('GET', `/campaigns/${NOBODYS}/preflight`),
    ])
      expect([response.status, response.body.code]).toEqual([404, 'CAMPAIGN_NOT_FOUND'])
  })
})
