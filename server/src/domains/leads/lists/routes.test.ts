import { eq } from 'drizzle-orm'
import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { insertCampaign, pauseNow } from '../../../../test/campaigns.ts'
import { editProfiles, makeLeads, recordReply } from '../../../../test/leads.ts'
import { insertEntries } from '../../../../test/lists.ts'
import { makePerson, type Person } from '../../../../test/makers.ts'
import { openApp, type TestApp } from '../../../../test/open-app.ts'
import { launch } from '../../../../test/outreach.ts'
import { campaigns } from '../../../core/tables/campaigns.ts'
import { leadLists } from './tables.ts'

let app: TestApp
beforeAll(async () => {
  app = await openApp()
})
let person: Person
let stranger: Person
beforeEach(async () => {
  person = await makePerson(app)
  stranger = await makePerson(app)
})

const NOT_FOUND = { success: false, code: 'LEAD_LIST_NOT_FOUND', error: 'List not found or access denied' }
const makeList = async (body: object = { name: 'Founders' }, by = person) =>
  (await by.call('POST', '/lists', body)).body as { id: string; leadCount: number }
const countOf = async (id: string) => (await app.db.select().from(leadLists).where(eq(leadLists.id, id)))[0]?.leadCount

describe('POST /lists', () => {
  it('returns the list with its name trimmed', async () => {
    const { status, body } = await person.call('POST', '/lists', { name: '  Founders 🚀 ', description: ' From X ' })
    expect(status).toBe(200)
    expect(body).toEqual({
      id: expect.any(String),
      name: 'Founders 🚀',
      description: 'From X',
      tags: [],
      filter: null,
      leadCount: 0,
      contactedCount: 0,
      countedAt: null,
      campaignCount: 0,
      isSample: false,
      sentCount: 0,
      replyCount: 0,
      createdAt: expect.stringMatching(/Z$/),
    })
    expect((await person.call('POST', '/lists', { name: 'x', description: '' })).body.description).toBeNull()
  })

  it('creates one list per Idempotency-Key', async () => {
    const key = { 'idempotency-key': crypto.randomUUID() }
    const first = await person.call('POST', '/lists', { name: 'once' }, key)
    expect((await person.call('POST', '/lists', { name: 'once' }, key)).body).toEqual(first.body)
    expect((await person.call('GET', '/lists')).body.total).toBe(1)
  })

  it("returns the list that has the given id, also to concurrent calls, and no other workspace's", async () => {
    const id = crypto.randomUUID()
    const made = await Promise.all(['One', 'Two', 'Three'].map((name) => makeList({ id, name })))
    expect(new Set(made.map((list) => JSON.stringify(list))).size).toBe(1)
    expect(made[0]).toMatchObject({ id, leadCount: 0 })
    expect((await person.client.lists.list({})).total).toBe(1)
    const stranger = await makePerson(app)
    expect((await stranger.call('POST', '/lists', { id, name: 'Theirs' })).body).toEqual(NOT_FOUND)
    const none = await person.call('POST', '/lists', { id: '00000000-0000-0000-0000-000000000000', name: 'None' })
    expect(none.body.details).toEqual([expect.objectContaining({ problem: 'ID must not be the nil UUID.' })])
    await person.client.lists.remove({ id })
    expect(await makeList({ id, name: 'Again' })).toMatchObject({ id, name: 'Again' })
  })

  it('never shows or writes to the leads of another workspace, even if a list has them', async () => {
    const [[own], [theirs]] = [await makeLeads(app, person, [{}]), await makeLeads(app, stranger, [{}])]
    const { id } = await makeList()
    await insertEntries(app, id, [own!.id, theirs!.id])
    const { leads } = await person.client.lists.leads({ id })
    expect(leads.map((lead) => lead.id)).toEqual([own!.id])
    const campaign = await launch(person, { id, leadIds: [], handles: [] }, { channel: 'extension' })
    const { dms } = await person.client.campaigns.dms({ id: campaign.id })
    expect(dms.map(({ lead }) => lead?.id)).toEqual([own!.id])
  })

  it.each([{}, { name: '' }, { name: '   ' }])('returns 400 without a name: %j', async (body) => {
    const response = await person.call('POST', '/lists', body)
    expect([response.status, response.body.code]).toEqual([400, 'INVALID_INPUT'])
    if ('name' in body) expect(response.body.error).toBe('List name cannot be empty.')
  })
})

describe('GET /lists', () => {
  it('returns the lists of this workspace, newest first, with counts', async () => {
    const first = await makeList({ name: 'one' })
    const two = await makeList({ name: 'two' })
    await makeList({ name: 'theirs' }, stranger)
    await makeLeads(app, person, 3)
    await person.call('POST', `/lists/${first.id}/leads`, { filter: {} })
    const viewer = await makePerson(app, { in: person, role: 'viewer' })
    const { body } = await viewer.call('GET', '/lists')
    expect(body).toMatchObject({ total: 2, page: 1, pageSize: 100 })
    expect(body.lists.map((list: { id: string; leadCount: number }) => [list.id, list.leadCount])).toEqual([
      [two.id, 0],
      [first.id, 3],
    ])
    expect((await person.call('GET', '/lists?page=2&pageSize=1')).body.lists).toMatchObject([{ id: first.id }])
  })
})

describe('PATCH /lists/{id}', () => {
  it('changes only the given fields', async () => {
    const { id } = await makeList({ name: 'a', description: 'b' })
    const change = async (body: object) => (await person.call('PATCH', `/lists/${id}`, body)).body
    expect(await change({ name: 'c' })).toMatchObject({ name: 'c', description: 'b' })
    expect(await change({ description: null })).toMatchObject({ name: 'c', description: null })
    expect(await change({ description: 'd' })).toMatchObject({ name: 'c', description: 'd' })
    expect(await change({})).toMatchObject({ name: 'c', description: 'd' })
  })
  it('returns 400 for an empty name', async () => {
    const { id } = await makeList()
    expect((await person.call('PATCH', `/lists/${id}`, { name: ' ' })).body.error).toBe('List name cannot be empty.')
  })
  it('returns 404 for a list of another workspace', async () => {
    const { id } = await makeList()
    for (const body of [{ name: 'mine now' }, {}])
      expect((await stranger.call('PATCH', `/lists/${id}`, body)).body).toEqual(NOT_FOUND)
  })
})

describe('DELETE /lists/{id}', () => {
  it('deletes the list and keeps its leads', async () => {
    const { id } = await makeList()
    await makeLeads(app, person, 2)
    await person.call('POST', `/lists/${id}/leads`, { filter: {} })
    expect((await person.call('DELETE', `/lists/${id}`)).status).toBe(204)
    expect((await person.call('DELETE', `/lists/${id}`)).body).toEqual(NOT_FOUND)
    expect((await person.call('GET', '/leads')).body.total).toBe(2)
  })

  it('returns 409 while an active campaign uses it, and detaches paused campaigns', async () => {
    const { id } = await makeList()
    const campaign = await insertCampaign(app, { workspaceId: person.workspaceId, leadListId: id, status: 'active' })
    const refused = await person.call('DELETE', `/lists/${id}`)
    expect([refused.status, refused.body.code]).toEqual([409, 'LEAD_LIST_IN_USE'])
    await pauseNow(app, { id: campaign.id })
    expect((await person.call('DELETE', `/lists/${id}`)).status).toBe(204)
    const [after] = await app.db.select().from(campaigns).where(eq(campaigns.id, campaign.id))
    expect(after).toMatchObject({ leadListId: null })
  })

  it('lets paused campaigns, which can be listed before, continue with their queued messages', async () => {
    const { id } = await makeList()
    await makeLeads(app, person, 2)
    await person.client.lists.addLeads({ id, filter: {} })
    const make = (name: string) =>
      person.client.campaigns.create({
        name,
        leadListId: id,
        messageTemplate: 'Hi',
        status: 'draft',
        channel: 'extension',
      })
    const begun = await make('begun')
    await person.client.campaigns.queue({ id: begun.id })
    await person.client.campaigns.update({ id: begun.id, status: 'paused' })
    const other = await make('never launched')
    await person.client.campaigns.create({
      name: 'of another list',
      leadListId: (await makeList()).id,
      messageTemplate: 'Hi',
      status: 'draft',
    })
    const users = await person.client.campaigns.list({ leadListId: id })
    expect([users.total, users.campaigns.map(({ name }) => name)]).toEqual([2, ['never launched', 'begun']])
    expect((await stranger.client.campaigns.list({ leadListId: id })).total).toBe(0)

    await person.client.lists.remove({ id })
    expect(await person.client.campaigns.update({ id: begun.id, status: 'active' })).toMatchObject({
      status: 'active',
      leadListId: null,
      leadListName: null,
      dmsQueuedCount: 2,
      totalLeadsInList: 2,
    })
    expect((await person.call('POST', `/campaigns/${begun.id}/claim`, { holder: 'laptop' })).body.message).toBe('Hi')
    const refused = await person.call('POST', `/campaigns/${other.id}/queue`)
    expect([refused.status, refused.body.error]).toEqual([
      409,
      'Could not fetch leads for the campaign list. It was deleted: create a campaign with another list.',
    ])
  })

  it('returns 404 for a list of another workspace', async () => {
    const { id } = await makeList()
    expect((await stranger.call('DELETE', `/lists/${id}`)).body).toEqual(NOT_FOUND)
    expect(await countOf(id)).toBe(0)
  })
})

describe('GET /lists/{id}/leads', () => {
  it('returns those who replied, of a manual or smart list', async () => {
    const [first, two, other] = await makeLeads(app, person, 3)
    await recordReply(app, { id: [first!.id, other!.id] })
    const manual = await person.client.lists.create({ name: 'By hand' })
    await person.client.lists.addLeads({ id: manual.id, leadIds: [first!.id, two!.id] })
    const smart = await person.client.lists.create({ name: 'Smart', filter: { listId: manual.id } })
    for (const { id } of [manual, smart])
      expect(await person.client.lists.leads({ id, status: 'replied' })).toMatchObject({
        leads: [{ id: first!.id }],
        total: 1,
      })
    expect((await person.call('GET', `/lists/${manual.id}/leads?status=gone`)).status).toBe(400)
  })

  it('searches manual and smart lists', async () => {
    const [first, two, outside] = await makeLeads(app, person, 3)
    await editProfiles(app, { id: [first!.id, outside!.id] }, { bio: 'Bakes bread' })
    const manual = await person.client.lists.create({ name: 'By hand' })
    await person.client.lists.addLeads({ id: manual.id, leadIds: [first!.id, two!.id] })
    const smart = await person.client.lists.create({ name: 'Smart', filter: { listId: manual.id } })
    for (const { id } of [manual, smart])
      expect(await person.client.lists.leads({ id, keyword: 'bread' })).toMatchObject({
        leads: [{ id: first!.id, contactStatus: 'pending' }],
        total: 1,
      })
  })

  it('returns pages, last added first, with the exact total', async () => {
    const { id } = await makeList()
    const made = await makeLeads(app, person, 5)
    for (const lead of made) await person.call('POST', `/lists/${id}/leads`, { leadIds: [lead.id] })
    const page = async (n: number) => (await person.call('GET', `/lists/${id}/leads?page=${n}&pageSize=2`)).body
    const pages = [await page(1), await page(2), await page(3)]
    expect(pages.map((body) => body.total)).toEqual([5, 5, 5])
    expect(pages.flatMap((body) => body.leads.map((lead: { id: string }) => lead.id))).toEqual(
      made.map((lead) => lead.id).reverse(),
    )
  })
  it('returns 404 for a list of another workspace', async () => {
    const { id } = await makeList()
    expect((await stranger.call('GET', `/lists/${id}/leads`)).body).toEqual(NOT_FOUND)
  })
})

describe('POST and DELETE /lists/{id}/leads', () => {
  it('ignores duplicate, unknown and foreign ids, and leads already in the list', async () => {
    const { id } = await makeList()
    const [first, two, three] = await makeLeads(app, person, 3)
    const [theirs] = await makeLeads(app, stranger)
    const add = async (...leadIds: string[]) => (await person.call('POST', `/lists/${id}/leads`, { leadIds })).body
    expect(await add(first!.id, two!.id, two!.id, theirs!.id, 'nonsense')).toEqual({
      success: true,
      changed: 2,
      cursor: null,
    })
    expect(await add(two!.id, three!.id)).toEqual({ success: true, changed: 1, cursor: null })
    expect(await countOf(id)).toBe(3)
    const removed = await person.call('DELETE', `/lists/${id}/leads`, { leadIds: [first!.id, first!.id, theirs!.id] })
    expect(removed.body).toEqual({ success: true, changed: 1, cursor: null })
    expect(await countOf(id)).toBe(2)
    expect((await person.call('GET', '/leads')).body.total).toBe(3)
  })

  it('adds and removes all leads that match a filter', async () => {
    const { id } = await makeList()
    await makeLeads(
      app,
      person,
      Array.from({ length: 30 }, (_, i) => ({ followerCount: i })),
    )
    const filter = { minFollowers: 10, maxFollowers: 19 }
    expect((await person.call('POST', `/lists/${id}/leads`, { filter })).body.changed).toBe(10)
    expect((await person.call('DELETE', `/lists/${id}/leads`, { filter: { minFollowers: 15 } })).body.changed).toBe(5)
    expect(await countOf(id)).toBe(5)
  })

  it('handles parallel calls without lost counts or deadlocks', async () => {
    const { id } = await makeList()
    const made = await makeLeads(app, person, 40)
    const ids = made.map((lead) => lead.id)
    const shuffled = (shift: number) => [...ids.slice(shift), ...ids.slice(0, shift)].reverse()
    const responses = await Promise.all(
      Array.from({ length: 12 }, (_, i) =>
        person.call(i % 3 === 2 ? 'DELETE' : 'POST', `/lists/${id}/leads`, { leadIds: shuffled(i * 3) }),
      ),
    )
    expect(responses.map((response) => response.status)).toEqual(Array(12).fill(200))
    const { body } = await person.call('GET', `/lists/${id}/leads`)
    expect(body.leads).toHaveLength(body.total)
  })

  it('removes a deleted lead from its lists', async () => {
    const { id } = await makeList()
    const [lead] = await makeLeads(app, person, 2)
    await person.call('POST', `/lists/${id}/leads`, { filter: {} })
    await person.client.leads.remove({ id: lead!.id })
    expect(await countOf(id)).toBe(1)
  })

  it.each([
    [{}, 'Give either leadIds or filter.'],
    [{ leadIds: [], filter: {} }, /leadIds/],
    [{ leadIds: ['a'], filter: {} }, 'Give either leadIds or filter.'],
    [{ filter: { colour: 'red' } }, /colour/],
    [{ leadIds: Array(5_001).fill('a') }, /5,000/],
  ])('returns 400 for invalid selection %#', async (body, text) => {
    const { id } = await makeList()
    for (const method of ['POST', 'DELETE']) {
      const response = await person.call(method, `/lists/${id}/leads`, body)
      expect([response.status, response.body.code]).toEqual([400, 'INVALID_INPUT'])
      expect(JSON.stringify(response.body)).toMatch(text)
    }
  })

  it('returns 404 for a list of another workspace', async () => {
    const { id } = await makeList()
    const [lead] = await makeLeads(app, stranger)
    for (const method of ['POST', 'DELETE'])
      expect((await stranger.call(method, `/lists/${id}/leads`, { leadIds: [lead!.id] })).body).toEqual(NOT_FOUND)
    expect(await countOf(id)).toBe(0)
  })
})

describe('viewers', () => {
  it('get 403 for every change', async () => {
    const { id } = await makeList()
    const [lead] = await makeLeads(app, person)
    const viewer = await makePerson(app, { in: person, role: 'viewer' })
    const calls = [
      viewer.call('POST', '/lists', { name: 'x' }),
      viewer.call('PATCH', `/lists/${id}`, { name: 'x' }),
      viewer.call('POST', `/lists/${id}/leads`, { leadIds: [lead!.id] }),
      viewer.call('DELETE', `/lists/${id}/leads`, { leadIds: [lead!.id] }),
      viewer.call('DELETE', `/lists/${id}`),
    ]
    for (const response of await Promise.all(calls))
      expect([response.status, response.body.code]).toEqual([403, 'FORBIDDEN'])
    expect((await person.call('GET', '/lists')).body).toMatchObject({ lists: [{ name: 'Founders', leadCount: 0 }] })
  })
})
