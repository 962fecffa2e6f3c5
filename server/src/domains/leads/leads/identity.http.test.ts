import { eq } from 'drizzle-orm'
import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { makeLeads, recordReply } from '../../../../test/leads.ts'
import { makePerson, type Person } from '../../../../test/makers.ts'
import { openApp, type TestApp } from '../../../../test/open-app.ts'
import { insertSuppressions } from '../../../../test/suppressions.ts'
import { learnHandles } from '../../../core/people/handles.ts'
import { upsertLeads } from '../../../core/people/stage.ts'
import { leads } from '../../../core/tables/leads.ts'
import { leadListItems } from '../../../core/tables/list-entries.ts'
import { suppressions } from '../../../core/tables/suppressions.ts'

let app: TestApp
beforeAll(async () => {
  app = await openApp()
})
let person: Person
beforeEach(async () => {
  person = await makePerson(app)
})

const learn = (id: string, handle: string, seenAt?: Date) =>
  learnHandles(app.db, person.workspaceId, [{ id, handle, ...(seenAt && { seenAt }) }])
const all = () => app.db.select().from(leads).where(eq(leads.workspaceId, person.workspaceId)).orderBy(leads.id)
const people = async () => (await all()).map((lead) => [lead.twitterHandle, lead.xUserId, lead.handleLostAt !== null])
const entries = async () => {
  const rows = await app.db
    .select()
    .from(suppressions)
    .where(eq(suppressions.workspaceId, person.workspaceId))
    .orderBy(suppressions.twitterHandle, suppressions.xUserId)
  return rows.map((row) => [row.twitterHandle, row.xUserId, row.handleLostAt !== null])
}
const suppressedHandles = async () =>
  (await person.client.leads.list({ suppressed: true })).leads.map((lead) => lead.twitterHandle).sort()
const importFile = (text: string) => person.call('POST', '/leads/import', text, { 'content-type': 'text/csv' })

describe('a person with a new handle', () => {
  it('keeps their lead, whose history says until when they had the old one', async () => {
    const [lead] = await makeLeads(app, person, [{ twitterHandle: 'ann', xUserId: '1', dmStatus: 'contacted' }])
    const list = await person.client.lists.create({ name: 'l' })
    await person.client.lists.addLeads({ id: list.id, leadIds: [lead!.id] })
    await learn('1', 'ann_new')
    expect(await all()).toMatchObject([{ id: lead!.id, twitterHandle: 'ann_new', dmStatus: 'contacted' }])
    expect(await app.db.$count(leadListItems, eq(leadListItems.leadId, lead!.id))).toBe(1)
    const { events } = await person.client.leads.history({ id: lead!.id })
    expect(events).toContainEqual({ kind: 'renamed', at: expect.any(String), twitterHandle: 'ann' })
    await learn('1', 'ann_newer')
    const { events: later } = await person.client.leads.history({ id: lead!.id })
    expect(later.flatMap((event) => (event.kind === 'renamed' ? event.twitterHandle : []))).toEqual(['ann_new', 'ann'])
  })

  it('is not renamed back by an older event', async () => {
    await makeLeads(app, person, [{ twitterHandle: 'ann', xUserId: '1' }])
    await learn('1', 'ann_new')
    await learn('1', 'ann', new Date(Date.now() - 60_000))
    expect(await people()).toEqual([['ann_new', '1', false]])
  })

  it('keeps the former handles when the deletion of their lead is undone', async () => {
    const [lead] = await makeLeads(app, person, [{ twitterHandle: 'ann', xUserId: '1' }])
    await learn('1', 'ann_new')
    const { removalId } = await person.client.leads.removeMany({ leadIds: [lead!.id] })
    await person.client.leads.restore({ removalId: removalId! })
    expect(await all()).toMatchObject([{ formerHandles: [{ handle: 'ann', until: expect.any(String) }] }])
  })
})

describe('a handle that another person has now', () => {
  it('leaves its former owner without one until X shows theirs', async () => {
    const [lead] = await makeLeads(app, person, [{ twitterHandle: 'ann', xUserId: '1', dmStatus: 'contacted' }])
    const [other] = await makeLeads(app, person, [{ twitterHandle: 'ann', xUserId: '2' }])
    expect(other).toMatchObject({ dmStatus: 'not_sent', formerHandles: [] })
    expect(await people()).toEqual([
      ['ann', '1', true],
      ['ann', '2', false],
    ])
    expect((await person.client.leads.find({ id: lead!.id })).handleLostAt).not.toBeNull()
    await importFile('twitter_handle,bio\nann,From the file\n')
    expect((await all()).map(({ bio }) => bio)).toEqual([null, 'From the file'])
    await learn('1', 'ann_new')
    expect(await people()).toEqual([
      ['ann_new', '1', false],
      ['ann', '2', false],
    ])
  })

  it('inherits no suppression, and its former owner stays suppressed by their id', async () => {
    const [lead] = await makeLeads(app, person, [{ twitterHandle: 'ann', xUserId: '1' }])
    await person.client.suppressions.create({ leadIds: [lead!.id], reason: 'opted_out' })
    expect(await makeLeads(app, person, [{ twitterHandle: 'Ann', xUserId: '2' }])).toMatchObject([{ xUserId: '2' }])
    expect(await entries()).toEqual([['ann', '1', true]])
    expect(await people()).toEqual([
      ['ann', '1', true],
      ['Ann', '2', false],
    ])
    expect(await suppressedHandles()).toEqual(['ann'])
    await learn('1', 'ann_new')
    expect(await entries()).toEqual([['ann_new', '1', false]])
    expect(await suppressedHandles()).toEqual(['ann_new'])
  })

  it('inherits no suppression by handle that was made for its former owner', async () => {
    const [lead] = await makeLeads(app, person, [{ twitterHandle: 'ann', xUserId: '1' }])
    await insertSuppressions(app, person, { twitterHandle: 'ann' })
    await learn('2', 'ann')
    expect(await entries()).toEqual([['ann', '1', true]])
    expect((await person.client.leads.list({ suppressed: true })).leads.map(({ id }) => id)).toEqual([lead!.id])
  })

  it('can be suppressed beside its former owner', async () => {
    const [ann] = await makeLeads(app, person, [{ twitterHandle: 'ann', xUserId: '1' }])
    await person.client.suppressions.create({ leadIds: [ann!.id] })
    await makeLeads(app, person, [{ twitterHandle: 'Ann', xUserId: '2' }])
    expect(await person.client.suppressions.create({ handles: ['ann'] })).toMatchObject({ suppressed: 1 })
    expect(await entries()).toEqual([
      ['ann', '1', true],
      ['ann', '2', false],
    ])
    expect(await suppressedHandles()).toEqual(['Ann', 'ann'])
  })

  it('stays suppressed if only a file said whose it was', async () => {
    await importFile('twitter_handle\nbob\n')
    await person.client.suppressions.create({ handles: ['ann'], xUserId: '1' })
    await learn('2', 'ann')
    expect(await entries()).toEqual([['ann', '1', false]])
    const owner = { workspaceId: person.workspaceId, userId: person.id }
    const nothing = { name: null, bio: null, followerCount: null, followingCount: null, sourceProfile: null, url: null }
    const rest = { profileImageUrl: null, location: null, website: null, metadata: null }
    const ann = { ...nothing, ...rest, xUserId: '2', twitterHandle: 'ann' }
    expect(await app.db.transaction((tx) => upsertLeads(tx, owner, [ann], 'whole'))).toEqual([])
  })
})

describe('a suppression', () => {
  it('follows the person of a handle from the moment when X shows their id', async () => {
    await importFile('twitter_handle,x_user_id\nann,1\n')
    await person.client.suppressions.create({ handles: ['ann'] })
    expect(await entries()).toEqual([['ann', null, false]])
    await learn('1', 'ann')
    expect(await entries()).toEqual([['ann', '1', false]])
    await learn('1', 'ann_new')
    expect(await entries()).toEqual([['ann_new', '1', false]])
    expect((await importFile('twitter_handle\nann\n')).body).toMatchObject({ imported: 1, rejectedCount: 0 })
  })

  it('keeps its person suppressed if the new handle is on the list already', async () => {
    const [ann] = await makeLeads(app, person, [{ twitterHandle: 'ann', xUserId: '1' }])
    await person.client.suppressions.create({ leadIds: [ann!.id], reason: 'opted_out' })
    await person.client.suppressions.create({ handles: ['ann_new'] })
    for (const handle of ['ann_new', 'ann', 'ann_new', 'ann_newer', 'ann']) {
      await learn('1', handle)
      expect(await suppressedHandles()).toEqual([handle])
    }
  })
})

describe('an id that only a file claims', () => {
  it('is removed if X shows it with another handle, and the lead keeps its handle', async () => {
    await importFile('twitter_handle,x_user_id\nann,1\n')
    const [lead] = await all()
    await makeLeads(app, person, [{ twitterHandle: 'stranger', xUserId: '1' }])
    expect(await people()).toEqual([
      ['ann', null, false],
      ['stranger', '1', false],
    ])
    expect((await all())[0]!.id).toBe(lead!.id)
  })

  it('is confirmed if X shows it with the handle', async () => {
    await importFile('twitter_handle,x_user_id\nann,1\n')
    await learn('1', 'Ann')
    expect(await all()).toMatchObject([{ xUserId: '1', xUserCheckedAt: expect.any(Date) }])
  })

  it('passes what is remembered of a deleted lead on, without forgetting it', async () => {
    const [ann] = await makeLeads(app, person, [{ twitterHandle: 'ann', xUserId: '1' }])
    await recordReply(app, { id: ann!.id })
    await person.client.leads.removeMany({ leadIds: [ann!.id] })
    await importFile('twitter_handle,x_user_id\nwrong,1\n')
    expect(await all()).toMatchObject([{ twitterHandle: 'wrong', repliedAt: expect.any(Date) }])
    await makeLeads(app, person, [{ twitterHandle: 'ann_new', xUserId: '1' }])
    expect((await all()).find(({ xUserId }) => xUserId === '1')).toMatchObject({
      twitterHandle: 'ann_new',
      repliedAt: expect.any(Date),
    })
  })
})
