import { eq } from 'drizzle-orm'
import { beforeAll, describe, expect, it } from 'vitest'
import { complete, createdAt, insertCampaign } from '../../../../test/campaigns.ts'
import { deleteEntries } from '../../../../test/leads.ts'
import { connectX, makePerson, type Person, subscribe } from '../../../../test/makers.ts'
import { markDelivered, markFailed, markReplied, markSent } from '../../../../test/messages.ts'
import { openApp, type TestApp } from '../../../../test/open-app.ts'
import {
  dmsOf,
  expectCountsRight,
  launch,
  makeCampaign,
  makeList,
  openHandles,
  type SomeList,
} from '../../../../test/outreach.ts'
import { disconnect } from '../../../../test/x-accounts.ts'
import { listDms } from '../../../core/messages/read.ts'
import { campaigns } from '../../../core/tables/campaigns.ts'
import { leads } from '../../../core/tables/leads.ts'
import { dms } from '../../../core/tables/messages.ts'

let app: TestApp
let person: Person
let stranger: Person
let list: SomeList
beforeAll(async () => {
  app = await openApp()
  person = await makePerson(app)
  stranger = await makePerson(app)
  await connectX(app, person)
  // The tests send more messages than the Free plan includes.
  await subscribe(app, person)
  list = await makeList(app, person, openHandles(3))
})

const NOBODYS = '01900000-0000-7000-8000-000000000000'

/** Creates a campaign in this status, through the API if possible. */
async function campaignIn(status: 'draft' | 'paused' | 'active' | 'completed' | 'archived') {
  const own = await makeList(app, person, openHandles(2))
  const campaign = await makeCampaign(person, own, { status: status === 'draft' ? 'draft' : 'paused' })
  if (status === 'active' || status === 'archived')
    await person.client.campaigns.update({ id: campaign.id, status: 'active' })
  if (status === 'archived') await person.client.campaigns.update({ id: campaign.id, status })
  if (status === 'completed') await complete(app, { id: campaign.id })
  return campaign.id
}

it('returns 404 for anything that is not an id, of any length', async () => {
  for (const id of ['x', 'x'.repeat(300), NOBODYS]) {
    const { status, body } = await person.call('GET', `/campaigns/${id}`)
    expect([status, body.code]).toEqual([404, 'CAMPAIGN_NOT_FOUND'])
  }
})

describe('POST /campaigns', () => {
  const body = (more: object = {}) => ({
    name: ' Spring ',
    leadListId: list.id,
    messageTemplate: 'Hi {lead_name}',
    status: 'paused',
    ...more,
  })

  it.each(['paused', 'draft'])('creates a campaign as %s with nothing queued', async (status) => {
    const { status: code, body: campaign } = await person.call('POST', '/campaigns', body({ status }))
    expect(code).toBe(200)
    expect(campaign).toEqual({
      id: expect.any(String),
      name: 'Spring',
      leadListId: list.id,
      leadListName: 'List of 3',
      messageTemplate: 'Hi {lead_name}',
      channel: 'api',
      xAccountId: null,
      allowRepeat: false,
      allowReplied: false,
      status,
      totalLeadsInList: 0,
      dmsQueuedCount: 0,
      dmsSentCount: 0,
      dmsFailedCount: 0,
      dmsSkippedCount: 0,
      dmsDeliveredCount: 0,
      dmsRepliedCount: 0,
      stepCount: 1,
      peopleMessaged: 0,
      peopleSkipped: 0,
      peopleReplied: 0,
      peoplePositive: 0,
      openEnrollments: 0,
      nextFollowUpAt: null,
      undoUntil: null,
      lastRunAt: null,
      isSample: false,
      createdAt: expect.stringMatching(/Z$/),
      updatedAt: expect.stringMatching(/Z$/),
      pauseReason: null,
      reason: null,
      messagesInFlight: 0,
      waiting: false,
      waitsBehind: null,
      waitingFor: null,
    })
    expect(await dmsOf(person, campaign.id)).toEqual([])
  })

  it.each([
    ['an unknown variable', { messageTemplate: 'Hi {last_name}' }, 'messageTemplate', '{last_name}'],
    ['a blank name', { name: ' ' }, 'name', 'required'],
    ['a blank message', { messageTemplate: ' \n' }, 'messageTemplate', 'required'],
    ['a message besides steps', { steps: [{ variants: [{ messageTemplate: 'Hi' }] }] }, 'messageTemplate', 'left out'],
    ['another status', { status: 'active' }, 'status', ''],
    ['another channel', { channel: 'mail' }, 'channel', ''],
    ['a message that X would not take', { messageTemplate: 'x'.repeat(10_001) }, 'messageTemplate', ''],
  ])('returns 400: %s', async (_, more, field, word) => {
    const response = await person.call('POST', '/campaigns', body(more))
    expect([response.status, response.body.code]).toEqual([400, 'INVALID_INPUT'])
    expect(response.body.details).toEqual([{ field, problem: expect.stringContaining(word) }])
  })

  it('returns 403 for viewers', async () => {
    const viewer = await makePerson(app, { in: person, role: 'viewer' })
    expect((await viewer.call('POST', '/campaigns', body())).status).toBe(403)
  })

  it.each([
    ['LEAD_LIST_NOT_FOUND', () => ({ leadListId: NOBODYS })],
    ['LEAD_LIST_NOT_FOUND', async () => ({ leadListId: (await makeList(app, stranger, [])).id })],
    ['X_ACCOUNT_NOT_FOUND', () => ({ xAccountId: NOBODYS })],
    ['X_ACCOUNT_NOT_FOUND', async () => ({ xAccountId: (await connectX(app, stranger)).id })],
  ])('returns 404 %s', async (code, more) => {
    const response = await person.call('POST', '/campaigns', body(await more()))
    expect([response.status, response.body.code]).toEqual([404, code])
  })
})

describe('GET /campaigns', () => {
  it("returns the workspace's campaigns by page, newest first, without the built-in one", async () => {
    const own = await makePerson(app)
    await connectX(app, own)
    const some = await makeList(app, own, openHandles(1))
    for (const name of ['one', 'two', 'three']) await makeCampaign(own, some, { name })
    await own.client.leads.queue({ leadIds: some.leadIds })
    const { body } = await own.call('GET', '/campaigns?pageSize=2')
    expect(body).toMatchObject({ total: 3, page: 1, pageSize: 2 })
    expect(body.campaigns.map((campaign: { name: string }) => campaign.name)).toEqual(['three', 'two'])
    const next = await own.client.campaigns.list({ page: 2, pageSize: 2 })
    expect(next.campaigns.map((campaign) => campaign.name)).toEqual(['one'])
    expect((await stranger.client.campaigns.list({})).campaigns).toEqual([])
  })

  it('finds campaigns by a part of their name and by status', async () => {
    const own = await makePerson(app)
    const some = await makeList(app, own, [])
    for (const name of ['100% makers', '100 bakers', 'Bakers draft'])
      await makeCampaign(own, some, { name, status: name === 'Bakers draft' ? 'draft' : 'paused' })
    const find = async (input: object) => {
      const { campaigns: matches, total } = await own.client.campaigns.list(input)
      expect(total).toBe(matches.length)
      return matches.map(({ name }) => name)
    }
    expect(await find({ keyword: 'BAKER' })).toEqual(['Bakers draft', '100 bakers'])
    expect(await find({ keyword: '0%' })).toEqual(['100% makers'])
    expect(await find({ keyword: 'baker', status: 'paused' })).toEqual(['100 bakers'])
    expect(await find({ status: 'archived' })).toEqual([])
    expect((await own.call('GET', '/campaigns?status=gone')).status).toBe(400)
  })

  it('returns deep pages by cursor', async () => {
    const own = await makePerson(app)
    const some = await makeList(app, own, [])
    for (const name of ['one', 'two', 'three', 'four', 'five']) await makeCampaign(own, some, { name })
    // Created at the same time, so the id orders them.
    await createdAt(app, { workspaceId: own.workspaceId }, new Date())
    const names: string[] = []
    let cursor: string | undefined
    do {
      const page = await own.client.campaigns.list({ pageSize: 2, cursor })
      expect([page.total, page.simulatedQueue]).toEqual([5, false])
      names.push(...page.campaigns.map((campaign) => campaign.name))
      cursor = page.cursor ?? undefined
    } while (cursor)
    expect(names).toEqual((await own.client.campaigns.list({})).campaigns.map((campaign) => campaign.name))
    expect(new Set(names).size).toBe(5)
  })

  it('rejects invalid pages and malformed cursors', async () => {
    for (const query of ['page=0', 'cursor=x'])
      expect((await person.call('GET', `/campaigns?${query}`)).status).toBe(400)
  })
})

describe('GET /campaigns/{id}', () => {
  it('returns the campaign, also to viewers', async () => {
    const campaign = await makeCampaign(person, list)
    const viewer = await makePerson(app, { in: person, role: 'viewer' })
    expect(await viewer.client.campaigns.find({ id: campaign.id })).toEqual(campaign)
  })

  it('returns 404 for unknown, foreign and built-in campaigns, and invalid ids', async () => {
    const { id } = await makeCampaign(person, list)
    await person.client.leads.queue({ leadIds: (await makeList(app, person, openHandles(1))).leadIds })
    const [direct] = await app.db.select().from(campaigns).where(eq(campaigns.kind, 'direct'))
    for (const [who, path] of [
      [person, NOBODYS],
      [stranger, id],
      [person, direct!.id],
      [person, 'no-id'],
    ] as const) {
      const response = await who.call('GET', `/campaigns/${path}`)
      expect([response.status, response.body.code, response.body.error]).toEqual([
        404,
        'CAMPAIGN_NOT_FOUND',
        'Campaign not found or access denied',
      ])
    }
  })
})

describe('PATCH /campaigns/{id}: status', () => {
  it.each([
    ['draft', 'active'],
    ['paused', 'active'],
    ['active', 'paused'],
    ['draft', 'archived'],
    ['paused', 'archived'],
    ['active', 'archived'],
    ['completed', 'archived'],
    ['paused', 'paused'],
    ['active', 'active'],
  ] as const)('changes %s to %s', async (from, to) => {
    const id = await campaignIn(from)
    const response = await person.call('PATCH', `/campaigns/${id}`, { status: to })
    expect([response.status, response.body.status]).toEqual([200, to])
    expect((await person.client.campaigns.find({ id })).status).toBe(to)
  })

  it.each([
    ['draft', 'paused'],
    ['completed', 'active'],
    ['completed', 'paused'],
    ['archived', 'active'],
    ['archived', 'paused'],
    ['archived', 'archived'],
  ] as const)('returns 409 for %s → %s', async (from, to) => {
    const id = await campaignIn(from)
    const response = await person.call('PATCH', `/campaigns/${id}`, { status: to })
    expect([response.status, response.body.code]).toEqual([409, 'CAMPAIGN_STATE'])
    expect((await person.client.campaigns.find({ id })).status).toBe(from)
  })

  it('rejects completed and draft, which a user cannot set', async () => {
    const id = await campaignIn('paused')
    for (const status of ['completed', 'draft'])
      expect((await person.call('PATCH', `/campaigns/${id}`, { status })).status).toBe(400)
  })

  it("returns 404 for another workspace's campaign", async () => {
    const id = await campaignIn('paused')
    for (const body of [{ status: 'active' }, { status: 'paused' }, { name: 'mine' }]) {
      const response = await stranger.call('PATCH', `/campaigns/${id}`, body)
      expect([response.status, response.body.code]).toEqual([404, 'CAMPAIGN_NOT_FOUND'])
    }
  })

  it('returns 403 for viewers', async () => {
    const viewer = await makePerson(app, { in: person, role: 'viewer' })
    expect((await viewer.call('PATCH', `/campaigns/${await campaignIn('paused')}`, { status: 'active' })).status).toBe(
      403,
    )
  })

  it('returns 409 and queues nothing if no X account is connected', async () => {
    const own = await makePerson(app)
    const campaign = await makeCampaign(own, await makeList(app, own, openHandles(1)))
    for (const [method, path, body] of [
      ['PATCH', '', { status: 'active' }],
      ['POST', '/queue', undefined],
    ] as const) {
      const response = await own.call(method, `/campaigns/${campaign.id}${path}`, body)
      expect([response.status, response.body.code]).toEqual([409, 'X_NOT_CONNECTED'])
    }
    expect(await own.client.campaigns.find({ id: campaign.id })).toMatchObject({ status: 'paused', dmsQueuedCount: 0 })
    // The extension uses its own account.
    const other = await launch(own, await makeList(app, own, openHandles(1)), { channel: 'extension' })
    expect(other).toMatchObject({ status: 'active', dmsQueuedCount: 1 })
  })

  it('resumes paused direct messages with an API campaign, but not with an extension campaign', async () => {
    const own = await makePerson(app)
    const account = await connectX(app, own)
    const list = await makeList(app, own, openHandles(1))
    const values = {
      name: 'Direct',
      messageTemplate: '',
      channel: 'api',
      status: 'paused',
      reason: { code: 'x_locked', params: {} },
      pauseReason: 'Ask X.',
    } as const
    const direct = await insertCampaign(app, {
      ...values,
      kind: 'direct',
      workspaceId: own.workspaceId,
      xAccountId: account.id,
    })
    const isPaused = async () => {
      const [row] = await app.db.select().from(campaigns).where(eq(campaigns.id, direct.id))
      return row?.status === 'paused'
    }
    await launch(own, list, { channel: 'extension' })
    expect(await isPaused()).toBe(true)
    await launch(own, await makeList(app, own, openHandles(1)))
    expect(await isPaused()).toBe(false)
  })

  it('allows changing the recipients until the launch, then returns 409', async () => {
    const own = await makePerson(app)
    const list = await makeList(app, own, openHandles(1))
    const { id } = await makeCampaign(own, list, { channel: 'extension', allowRepeat: true })
    const changed = await own.call('PATCH', `/campaigns/${id}`, { allowRepeat: false, allowReplied: true })
    expect([changed.status, changed.body]).toMatchObject([200, { allowRepeat: false, allowReplied: true }])
    await own.client.campaigns.update({ id, status: 'active' })
    await own.client.campaigns.update({ id, status: 'paused' })
    for (const body of [{ allowRepeat: true }, { allowReplied: false }, { allowReplied: true, name: 'New' }]) {
      const { status, body: refused } = await own.call('PATCH', `/campaigns/${id}`, body)
      expect([status, refused.code, refused.error]).toEqual([
        409,
        'CAMPAIGN_STATE',
        "Recipients can't be changed after the launch.",
      ])
    }
    expect(await own.client.campaigns.find({ id })).toMatchObject({ name: 'Spring', allowReplied: true })
  })

  it('returns 409 if the list was deleted before anything was queued', async () => {
    const own = await makeList(app, person, openHandles(1))
    const campaign = await makeCampaign(person, own)
    await person.client.lists.remove({ id: own.id })
    expect(await person.client.campaigns.find({ id: campaign.id })).toMatchObject({
      leadListId: null,
      leadListName: null,
    })
    const response = await person.call('PATCH', `/campaigns/${campaign.id}`, { status: 'active' })
    expect([response.status, response.body.code]).toEqual([409, 'CAMPAIGN_STATE'])
    expect(response.body.error).toMatch(/^Could not fetch leads for the campaign list\./)
  })

  it('keeps the messages of an archived campaign and releases its leads', async () => {
    const own = await makeList(app, person, openHandles(2))
    const campaign = await launch(person, own)
    await person.client.campaigns.update({ id: campaign.id, status: 'archived' })
    expect((await dmsOf(person, campaign.id)).map((dm) => dm.status)).toEqual(['queued', 'queued'])
    const rows = await app.db.select().from(leads).where(eq(leads.id, own.leadIds[0]!))
    expect(rows[0]?.dmStatus).toBe('not_sent')
    expect(await launch(person, own)).toMatchObject({ dmsQueuedCount: 2, dmsFailedCount: 0 })
  })
})

describe('PATCH /campaigns/{id}: edits', () => {
  it('renders queued messages with a new template, but not claimed ones', async () => {
    const by = await makePerson(app)
    const own = await makeList(app, by, openHandles(2), { names: ['Ada', ''] })
    const campaign = await launch(by, own, { channel: 'extension' })
    await by.client.campaigns.claim({ id: campaign.id, holder: 'test' })
    const edited = await by.client.campaigns.update({
      id: campaign.id,
      name: 'New',
      messageTemplate: 'Dear {lead_name}',
    })
    expect(edited).toMatchObject({ name: 'New', messageTemplate: 'Dear {lead_name}', status: 'active' })
    expect((await dmsOf(by, campaign.id)).map((dm) => dm.message)).toEqual([
      `Hi Ada, I follow @${own.handles[0]}.`,
      'Dear there',
    ])
  })

  it('changes channel and account, and requires a connected one if active', async () => {
    const own = await makePerson(app)
    const account = await connectX(app, own)
    const campaign = await launch(own, await makeList(app, own, openHandles(1)), { channel: 'extension' })
    expect(await own.client.campaigns.update({ id: campaign.id, channel: 'api' })).toMatchObject({
      channel: 'api',
      xAccountId: account.id,
    })
    await disconnect(app, { id: account.id })
    const response = await own.call('PATCH', `/campaigns/${campaign.id}`, { xAccountId: account.id })
    expect([response.status, response.body.code]).toEqual([409, 'X_NOT_CONNECTED'])
    // Changing only the name does not need a connected account.
    expect(await own.client.campaigns.update({ id: campaign.id, name: 'Still' })).toMatchObject({ name: 'Still' })
  })

  it('returns 404 for an X account of another workspace', async () => {
    const id = await campaignIn('paused')
    const response = await person.call('PATCH', `/campaigns/${id}`, { xAccountId: (await connectX(app, stranger)).id })
    expect([response.status, response.body.code]).toEqual([404, 'X_ACCOUNT_NOT_FOUND'])
  })

  it('rejects an unknown variable and changes nothing', async () => {
    const id = await campaignIn('active')
    const response = await person.call('PATCH', `/campaigns/${id}`, { messageTemplate: '{{nick}}', name: 'X' })
    expect(response.body.details).toEqual([{ field: 'messageTemplate', problem: expect.stringContaining('{{nick}}') }])
    expect((await person.client.campaigns.find({ id })).name).toBe('Spring')
  })

  it.each(['completed', 'archived'] as const)('returns 409 for a %s campaign', async (status) => {
    const id = await campaignIn(status)
    const response = await person.call('PATCH', `/campaigns/${id}`, { name: 'New' })
    expect([response.status, response.body.code]).toEqual([409, 'CAMPAIGN_STATE'])
  })
})

describe('POST /campaigns/{id}/queue', () => {
  it('queues one rendered message for each lead in list order', async () => {
    const own = await makeList(app, person, openHandles(3), {
      names: ['Zoë 🦊', '', 'محمد'],
      metadata: [{ Company: "O'Neil & \\Söhne" }, {}, { company: '{lead_name} $1' }],
    })
    const campaign = await makeCampaign(person, own, {
      status: 'draft',
      messageTemplate: '{LEAD_NAME} {Twitter_Handle} at {company|your team}',
    })
    const { status, body } = await person.call('POST', `/campaigns/${campaign.id}/queue`)
    expect([status, body]).toEqual([200, { success: true, dmsQueued: 3, totalLeads: 3 }])
    expect(await dmsOf(person, campaign.id)).toEqual(
      [
        `Zoë 🦊 @${own.handles[0]} at O'Neil & \\Söhne`,
        `there @${own.handles[1]} at your team`,
        `محمد @${own.handles[2]} at (lead_name) $1`,
      ].map((message, i) =>
        expect.objectContaining({
          message,
          status: 'queued',
          sentAt: null,
          errorMessage: null,
          reason: null,
          lead: expect.objectContaining({ id: own.leadIds[i], twitterHandle: own.handles[i] }),
        }),
      ),
    )
    expect(await person.client.campaigns.find({ id: campaign.id })).toMatchObject({
      status: 'active',
      totalLeadsInList: 3,
      dmsQueuedCount: 3,
      xAccountId: expect.any(String),
    })
    const [lead] = await app.db.select().from(leads).where(eq(leads.id, own.leadIds[0]!))
    expect(lead?.dmStatus).toBe('queued')
  })

  it('queues once for concurrent requests', async () => {
    const own = await makeList(app, person, openHandles(20))
    const campaign = await makeCampaign(person, own)
    const responses = await Promise.all([
      ...Array.from({ length: 4 }, () => person.call('POST', `/campaigns/${campaign.id}/queue`)),
      ...Array.from({ length: 4 }, () => person.call('PATCH', `/campaigns/${campaign.id}`, { status: 'active' })),
    ])
    expect(responses.map(({ status }) => status)).toEqual(Array(8).fill(200))
    expect(responses.slice(0, 4).map(({ body }) => body)).toEqual(
      Array(4).fill({ success: true, dmsQueued: 20, totalLeads: 20 }),
    )
    expect(await app.db.$count(dms, eq(dms.campaignId, campaign.id))).toBe(20)
    await expectCountsRight(app)
  })

  it('fixes the total, even if the list changes', async () => {
    const own = await makeList(app, person, openHandles(2))
    const campaign = await launch(person, own)
    await person.client.campaigns.update({ id: campaign.id, status: 'paused' })
    const more = await makeList(app, person, openHandles(1))
    await person.client.lists.addLeads({ id: own.id, leadIds: more.leadIds })
    expect(await person.client.campaigns.queue({ id: campaign.id })).toEqual({
      success: true,
      dmsQueued: 2,
      totalLeads: 2,
    })
  })

  it('completes an empty list immediately, without an X account', async () => {
    const own = await makePerson(app)
    const campaign = await makeCampaign(own, await makeList(app, own, []))
    expect(await own.client.campaigns.queue({ id: campaign.id })).toEqual({
      success: true,
      dmsQueued: 0,
      totalLeads: 0,
    })
    expect((await own.client.campaigns.find({ id: campaign.id })).status).toBe('completed')
  })

  it('skips leads of other campaigns with a reason, unless repeats are allowed', async () => {
    const own = await makeList(app, person, openHandles(3))
    const first = await launch(person, own, { name: 'First' })
    await markSent(app, { leadId: own.leadIds[1]! })
    await markFailed(app, { leadId: own.leadIds[2]! })
    const params = { how: 'campaign', campaign: 'First', campaignId: first.id }
    const second = await launch(person, own)
    expect(second).toMatchObject({ status: 'active', totalLeadsInList: 3, dmsQueuedCount: 1 })
    expect(second).toMatchObject({ dmsFailedCount: 2, dmsSkippedCount: 2, peopleSkipped: 2 })
    const { enrollments } = await person.client.enrollments.list({ id: second.id, state: 'stopped' })
    expect(enrollments.map(({ reason }) => reason?.params).sort((a, b) => (a!.skip! > b!.skip! ? 1 : -1))).toEqual([
      { ...params, skip: 'contacted' },
      { ...params, skip: 'queued_elsewhere' },
    ])
    expect((await dmsOf(person, second.id)).map((dm) => [dm.errorMessage, dm.reason])).toEqual([
      ['Skipped: this person is in the campaign “First”.', { code: 'queued_elsewhere', params }],
      ['Skipped: this person already got the campaign “First”.', { code: 'contacted', params }],
      [null, null],
    ])
    expect(await launch(person, own, { allowRepeat: true })).toMatchObject({ dmsQueuedCount: 3, dmsFailedCount: 0 })
    const third = await launch(person, own)
    expect(third).toMatchObject({ status: 'completed', dmsFailedCount: 3 })
    expect(first.totalLeadsInList).toBe(3)
  })

  it('shares no lead between two campaigns launched concurrently on one list', async () => {
    const own = await makeList(app, person, openHandles(30))
    const both = await Promise.all([makeCampaign(person, own), makeCampaign(person, own)])
    await Promise.all(both.map(({ id }) => person.client.campaigns.queue({ id })))
    const counts = await Promise.all(both.map(({ id }) => person.client.campaigns.find({ id })))
    expect(counts.map((campaign) => campaign.dmsQueuedCount).sort((a, b) => a - b)).toEqual([0, 30])
  })

  it.each(['completed', 'archived'] as const)('returns 409 for a %s campaign', async (status) => {
    const response = await person.call('POST', `/campaigns/${await campaignIn(status)}/queue`)
    expect([response.status, response.body.code]).toEqual([409, 'CAMPAIGN_STATE'])
  })

  it('returns 404 for other workspaces and 403 for viewers', async () => {
    const id = await campaignIn('paused')
    expect((await stranger.call('POST', `/campaigns/${id}/queue`)).status).toBe(404)
    const viewer = await makePerson(app, { in: person, role: 'viewer' })
    expect((await viewer.call('POST', `/campaigns/${id}/queue`)).status).toBe(403)
  })
})

describe('GET /campaigns/{id}/dms', () => {
  it('returns the latest reply first, over all pages', async () => {
    const list = await makeList(app, person, openHandles(4))
    const { id } = await launch(person, list)
    const [first, second, third] = list.leadIds as [string, string, string]
    for (const [minute, leadId] of [second, first, third].entries()) {
      const repliedAt = new Date(Date.UTC(2026, 0, 1, 0, minute))
      await markReplied(app, { leadId }, repliedAt, { sentAt: repliedAt })
    }
    const seen: (string | undefined)[] = []
    for (let cursor: string | undefined | null; cursor !== null; ) {
      const page = await person.client.campaigns.dms({ id, status: 'replied', pageSize: 1, ...(cursor && { cursor }) })
      seen.push(...page.dms.map(({ lead }) => lead?.id))
      cursor = page.cursor
    }
    expect(seen).toEqual([third, first, second])
  })

  it('returns messages by status, page and cursor', async () => {
    const own = await makeList(app, person, openHandles(5))
    const { id } = await launch(person, own)
    const at = (i: number) => eq(dms.leadId, own.leadIds[i]!)
    await markFailed(app, at(1), { errorMessage: 'no' })
    await markDelivered(app, at(2))
    await markSent(app, at(3))
    const total = async (status?: 'queued' | 'sent' | 'failed' | 'delivered' | 'replied') => {
      const page = await person.client.campaigns.dms({ id, status })
      expect(page.dms).toHaveLength(page.total)
      return page.total
    }
    expect([await total(), await total('queued'), await total('sent'), await total('failed')]).toEqual([5, 2, 1, 1])
    expect([await total('delivered'), await total('replied')]).toEqual([1, 0])
    await markReplied(app, at(3))
    expect(await person.client.campaigns.find({ id })).toMatchObject({
      dmsSentCount: 2,
      dmsDeliveredCount: 2,
      dmsRepliedCount: 1,
    })
    await expectCountsRight(app)
    // Totals come from the maintained counts, without counting rows.
    const [row] = await app.db.select().from(campaigns).where(eq(campaigns.id, id))
    const campaign = { ...row!, dmsSentCount: 900_000, dmsDeliveredCount: 500_000, dmsRepliedCount: 20_000 }
    for (const [status, count] of [
      ['sent', 400_000],
      ['delivered', 480_000],
      ['replied', 20_000],
    ] as const)
      expect(
        (await listDms(app.db, app.services.env, person.actor, campaign, { status, page: 1, pageSize: 1 })).total,
      ).toBe(count)

    const handles: (string | undefined)[] = []
    let cursor: string | undefined
    do {
      const page = await person.client.campaigns.dms({ id, pageSize: 2, cursor })
      handles.push(...page.dms.map((dm) => dm.lead?.twitterHandle))
      cursor = page.cursor ?? undefined
    } while (cursor)
    expect(handles).toEqual(own.handles)
    const third = await person.client.campaigns.dms({ id, pageSize: 2, page: 3 })
    expect(third.dms.map((dm) => dm.lead?.twitterHandle)).toEqual(own.handles.slice(4))
  })

  it('returns a message whose lead was deleted', async () => {
    const own = await makeList(app, person, openHandles(1))
    const { id } = await launch(person, own)
    await deleteEntries(app, { leadListId: own.id })
    await person.client.leads.remove({ id: own.leadIds[0]! })
    expect((await dmsOf(person, id))[0]?.lead).toBeNull()
  })

  it('returns 400 for malformed cursors and 404 for other workspaces', async () => {
    const id = await campaignIn('active')
    expect((await person.call('GET', `/campaigns/${id}/dms?cursor=x`)).status).toBe(400)
    expect((await stranger.call('GET', `/campaigns/${id}/dms`)).status).toBe(404)
  })
})
