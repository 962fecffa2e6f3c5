import { eq, inArray } from 'drizzle-orm'
import { beforeAll, describe, expect, it } from 'vitest'
import { connectX, makePerson, type Person } from '../../../../test/makers.ts'
import { openApp, type TestApp } from '../../../../test/open-app.ts'
import { ALL_DAY, dmsOf, eventually, launch, makeCampaign, makeList, openHandles } from '../../../../test/outreach.ts'
import { leads } from '../../leads/leads/tables.ts'
import { xAccounts } from '../../platform/x-account/tables.ts'
import { estimate } from './service-preparing.ts'
import { campaigns } from './tables.ts'

let app: TestApp
let person: Person
let stranger: Person
beforeAll(async () => {
  app = await openApp({ mailbox: true, workers: true, env: { SEND_INTERVAL_SECONDS: '60' } })
  person = await makePerson(app)
  stranger = await makePerson(app)
})

const NOBODYS = '01900000-0000-7000-8000-000000000000'

describe('POST /campaigns/estimate', () => {
  it('returns duration, cost, messages ahead, and leads with empty placeholders', async () => {
    const own = await makePerson(app)
    const account = await connectX(app, own)
    const list = await makeList(app, own, openHandles(4), {
      names: ['Ada', ' ', '', 'Bo'],
      metadata: [{ Company: 'Acme' }, { company: ' ' }, {}, { company: 7 }],
    })
    const ask = (body: object) => own.call('POST', '/campaigns/estimate', { leadListId: list.id, ...body })
    const { status, body } = await ask({
      messageTemplate: 'Hi {Lead_Name|friend} of {company|your team}, {lead_name} {twitter_handle} {half',
    })
    // Three intervals of 60 s, with an average jitter of 10%.
    expect([status, body]).toEqual([
      200,
      {
        leads: 4,
        replied: 0,
        ahead: 0,
        seconds: 198,
        costCents: null,
        checked: 4,
        missing: [
          { place: '{lead_name}', leads: 2 },
          { place: '{company|your team}', leads: 3 },
        ],
      },
    ])
    // Queued messages of the account go first, and the cap spreads them over days.
    await launch(own, list, { xAccountId: account.id, channel: 'extension' })
    await own.client.sendingSettings.saveLimits({ ...ALL_DAY, xAccountId: account.id, dailyCap: 3 })
    expect((await ask({})).body).toMatchObject({ ahead: 4, seconds: 2 * 86_400 + 66, missing: [] })
    // The real X bills each message sent through its API.
    const services = { ...app.services, db: app.db, x: { sendPriceCents: 1.5 } }
    const context = services as never
    const plan = { leadListId: list.id, messageTemplate: '', allowReplied: false }
    const shut = { ...services, env: { ...app.env, dailyDmCap: 0 } } as never
    expect((await estimate(shut, own.actor, { ...plan, channel: 'api' })).seconds).toBeNull()
    expect(await estimate(context, own.actor, { ...plan, channel: 'api' })).toMatchObject({ costCents: 6 })
    expect(await estimate(context, own.actor, { ...plan, channel: 'extension' })).toMatchObject({ costCents: null })
    const smart = await own.client.lists.create({ name: 'Smart', filter: {} })
    expect((await ask({ leadListId: smart.id, messageTemplate: '{lead_name}' })).body).toMatchObject({
      leads: 4,
      checked: 4,
      missing: [{ place: '{lead_name}', leads: 2 }],
    })
  })

  it('counts people who replied only if the campaign includes them, and never suppressed leads', async () => {
    const own = await makePerson(app)
    const list = await makeList(app, own, openHandles(4))
    await app.db
      .update(leads)
      .set({ repliedAt: new Date() })
      .where(inArray(leads.id, list.leadIds.slice(0, 2)))
    await own.client.suppressions.create({ handles: [list.handles[0]!] })
    const ask = async (allowReplied: boolean, leadListId = list.id) =>
      (await own.call('POST', '/campaigns/estimate', { leadListId, allowReplied })).body
    expect(await ask(false)).toMatchObject({ leads: 4, replied: 1, seconds: 132 })
    expect(await ask(true)).toMatchObject({ leads: 4, replied: 1, seconds: 198 })
    const smart = await own.client.lists.create({ name: 'Smart', filter: {} })
    expect(await ask(false, smart.id)).toMatchObject({ leads: 4, replied: 1, seconds: 132 })
  })

  it('rejects unknown lists and accounts, and those of other workspaces', async () => {
    const list = await makeList(app, person, [])
    const theirs = await makeList(app, stranger, [])
    const account = await connectX(app, stranger)
    for (const [body, status, code] of [
      [{}, 400, 'INVALID_INPUT'],
      [{ leadListId: NOBODYS }, 404, 'LEAD_LIST_NOT_FOUND'],
      [{ leadListId: theirs.id }, 404, 'LEAD_LIST_NOT_FOUND'],
      [{ leadListId: list.id, xAccountId: account.id }, 404, 'X_ACCOUNT_NOT_FOUND'],
    ] as const) {
      const answer = await person.call('POST', '/campaigns/estimate', body)
      expect([answer.status, answer.body.code]).toEqual([status, code])
    }
  })
})

describe('GET /campaigns/{id}/forecast', () => {
  it('matches the estimate and includes the interval, the cap and messages ahead', async () => {
    const own = await makePerson(app)
    const account = await connectX(app, own)
    const [first, second] = [await makeList(app, own, openHandles(3)), await makeList(app, own, openHandles(4))]
    const older = await launch(own, first, { channel: 'extension' })
    const newer = await launch(own, second, { channel: 'extension' })
    const forecast = async (id: string) => {
      const { status, body } = await own.call('GET', `/campaigns/${id}/forecast`)
      return [status, body]
    }
    expect(await forecast(older.id)).toEqual([200, { seconds: 132 }])
    expect(await forecast(newer.id)).toEqual([200, { seconds: 396 }])
    await own.client.sendingSettings.saveLimits({ ...ALL_DAY, xAccountId: account.id, dailyCap: 3 })
    expect((await own.call('POST', `/campaigns/${older.id}/claim`, { holder: 'a' })).status).toBe(200)
    // One was sent today. Of the seven queued, two more may be sent today, then three per day.
    const [, { seconds }] = await forecast(newer.id)
    expect(seconds).toBeGreaterThan(2 * 86_400 - 60)
    expect(seconds).toBeLessThan(2 * 86_400 + 200)
    const draft = await makeCampaign(own, second)
    expect(await forecast(draft.id)).toEqual([200, { seconds: null }])
    await own.client.campaigns.update({ id: newer.id, status: 'paused' })
    expect(await forecast(newer.id)).toEqual([200, { seconds: null }])
  })

  it('ignores campaigns that cannot send now', async () => {
    const own = await makePerson(app)
    const account = await connectX(app, own)
    await launch(own, await makeList(app, own, openHandles(3)))
    const { id } = await launch(own, await makeList(app, own, openHandles(4)), { channel: 'extension' })
    const seconds = async () => (await own.call('GET', `/campaigns/${id}/forecast`)).body.seconds
    expect(await seconds()).toBe(6 * 66)
    await app.db.update(xAccounts).set({ status: 'lost' }).where(eq(xAccounts.id, account.id))
    expect(await seconds()).toBe(3 * 66)
  })

  it('counts the workspace’s queued messages if the account is unknown', async () => {
    const own = await makePerson(app)
    const older = await makeList(app, own, openHandles(3))
    await launch(own, older, { channel: 'extension' })
    const estimated = await own.call('POST', '/campaigns/estimate', { leadListId: older.id, channel: 'extension' })
    expect(estimated.body).toMatchObject({ ahead: 3, seconds: 5 * 66 })
    const { id } = await launch(own, await makeList(app, own, openHandles(2)), { channel: 'extension' })
    expect((await own.call('GET', `/campaigns/${id}/forecast`)).body).toEqual({ seconds: 4 * 66 })
  })

  it('returns 404 for unknown campaigns and those of other workspaces', async () => {
    const { id } = await makeCampaign(person, await makeList(app, person, []))
    for (const answer of [
      await stranger.call('GET', `/campaigns/${id}/forecast`),
      await person.call('GET', `/campaigns/${NOBODYS}/forecast`),
    ])
      expect([answer.status, answer.body.code]).toEqual([404, 'CAMPAIGN_NOT_FOUND'])
  })
})

describe('POST /campaigns/{id}/duplicate', () => {
  it('creates a draft copy with nothing queued', async () => {
    const list = await makeList(app, person, openHandles(2))
    const both = { allowRepeat: true, allowReplied: true }
    const first = await launch(person, list, { name: 'x'.repeat(200), channel: 'extension', ...both })
    const { status, body } = await person.call('POST', `/campaigns/${first.id}/duplicate`)
    expect([status, body]).toEqual([
      200,
      {
        ...first,
        id: expect.not.stringMatching(first.id),
        name: `${'x'.repeat(193)} (copy)`,
        status: 'draft',
        totalLeadsInList: 0,
        dmsQueuedCount: 0,
        openEnrollments: 0,
        createdAt: expect.any(String),
        updatedAt: expect.any(String),
      },
    ])
    expect(await dmsOf(person, body.id)).toEqual([])
    const viewer = await makePerson(app, { in: person, role: 'viewer' })
    expect((await viewer.call('POST', `/campaigns/${first.id}/duplicate`)).status).toBe(403)
  })

  it('returns 409 if the list was deleted and 404 if the campaign is unknown', async () => {
    const list = await makeList(app, person, [])
    const campaign = await makeCampaign(person, list)
    await person.client.lists.remove({ id: list.id })
    for (const [id, status, code] of [
      [campaign.id, 409, 'CAMPAIGN_STATE'],
      [NOBODYS, 404, 'CAMPAIGN_NOT_FOUND'],
    ] as const) {
      const answer = await person.call('POST', `/campaigns/${id}/duplicate`)
      expect([answer.status, answer.body.code]).toEqual([status, code])
    }
    expect(await app.db.$count(campaigns, eq(campaigns.leadListId, list.id))).toBe(0)
  })
})

describe('POST /campaigns/{id}/test', () => {
  it('emails the message rendered for the first lead or the chosen one', async () => {
    const list = await makeList(app, person, openHandles(2), { names: ['Ada', ''] })
    const campaign = await makeCampaign(person, list, { name: 'Spring', messageTemplate: 'Hi {lead_name}\n\nBye' })
    const test = (body: object) => person.call('POST', `/campaigns/${campaign.id}/test`, body)
    const read = () =>
      fetch(`${app.mailbox.url}/messages?to=${person.email}`).then(
        (answer) => answer.json() as Promise<{ subject: string; text: string }[]>,
      )
    const sent = { status: 200, body: { success: true, sentTo: person.email } }
    expect(await test({})).toMatchObject(sent)
    expect(await test({ leadId: list.leadIds[1] })).toMatchObject(sent)
    const mails = await eventually(async () => {
      const found = await read()
      return found.length === 2 ? found : null
    }, 'both mails arrive')
    expect(mails.map(({ subject }) => subject)).toEqual(Array(2).fill('Test message from “Spring”'))
    const texts = mails.map(({ text }) => text)
    for (const words of [`This is the message that @${list.handles[0]} would receive:\n\nHi Ada\n\nBye`, 'Hi there'])
      expect(texts.some((text) => text.includes(words))).toBe(true)
    expect(await dmsOf(person, campaign.id)).toEqual([])
  })

  it('uses a lead that matches the smart list, and an example lead if none matches', async () => {
    const own = await makePerson(app)
    const { handles } = await makeList(app, own, openHandles(1))
    for (const [filter, handle] of [
      [{}, handles[0]],
      [{ keyword: 'nobody has this' }, 'mayabuilds'],
    ] as const) {
      const { id: leadListId } = await own.client.lists.create({ name: 'Smart', filter })
      const { id } = await makeCampaign(own, { id: leadListId, leadIds: [], handles: [] }, { name: `To ${handle}` })
      await own.client.campaigns.sendTest({ id })
      await eventually(async () => {
        const answer = await fetch(`${app.mailbox.url}/messages?to=${own.email}`)
        const mails = (await answer.json()) as { text: string }[]
        return mails.some(({ text }) => text.includes(`This is the message that @${handle} would receive`))
      }, `a test email for @${handle}`)
    }
  })

  it('returns 404 for other workspaces and 429 after too many tests', async () => {
    const list = await makeList(app, stranger, openHandles(1))
    const { id } = await makeCampaign(person, await makeList(app, person, []))
    for (const [who, body, code] of [
      [person, { leadId: list.leadIds[0] }, 'LEAD_NOT_FOUND'],
      [stranger, {}, 'CAMPAIGN_NOT_FOUND'],
    ] as const) {
      const answer = await who.call('POST', `/campaigns/${id}/test`, body)
      expect([answer.status, answer.body.code]).toEqual([404, code])
    }
    for (let n = 0; n < 30; n += 1) await app.services.limits.consume('testMailByUser', person.id).catch(() => {})
    expect((await person.call('POST', `/campaigns/${id}/test`, {})).status).toBe(429)
  })
})
