import { eq } from 'drizzle-orm'
import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { insertCampaign } from '../../../../test/campaigns.ts'
import { addToList, makeLeads, setStatus } from '../../../../test/leads.ts'
import { insertList } from '../../../../test/lists.ts'
import { makePerson, type Person } from '../../../../test/makers.ts'
import { insertMessages } from '../../../../test/messages.ts'
import { openApp, type TestApp } from '../../../../test/open-app.ts'
import type { IncomingLead } from '../../../core/people/columns.ts'
import { upsertLeads } from '../../../core/people/stage.ts'
import { leads } from '../../../core/tables/leads.ts'
import { dms } from '../../../core/tables/messages.ts'
import { leadLists } from '../lists/tables.ts'

let app: TestApp
beforeAll(async () => {
  app = await openApp()
})
let person: Person
beforeEach(async () => {
  person = await makePerson(app)
})

const someone = (lead: Partial<IncomingLead>): IncomingLead => ({
  xUserId: null,
  twitterHandle: 'ana',
  name: null,
  bio: null,
  followerCount: null,
  followingCount: null,
  sourceProfile: null,
  url: null,
  profileImageUrl: null,
  location: null,
  website: null,
  metadata: null,
  ...lead,
})
const upsert = (people: Partial<IncomingLead>[], read: 'whole' | 'parts' = 'whole', by = person) =>
  app.db.transaction((tx) => upsertLeads(tx, { workspaceId: by.workspaceId, userId: by.id }, people.map(someone), read))
const all = () => app.db.select().from(leads).where(eq(leads.workspaceId, person.workspaceId)).orderBy(leads.id)

describe('upsertLeads identity', () => {
  it('matches the same id under a new handle', async () => {
    const [id] = await upsert([{ xUserId: '1', twitterHandle: 'old', name: 'Old' }])
    expect(await upsert([{ xUserId: '1', twitterHandle: 'new', name: 'New' }])).toEqual([id])
    expect(await all()).toMatchObject([{ id, xUserId: '1', twitterHandle: 'new', name: 'New' }])
  })

  it('adds the id to a lead imported by handle', async () => {
    const [imported] = await makeLeads(app, person, [
      { twitterHandle: 'Ana', dmStatus: 'contacted', metadata: { company: 'Acme' } },
    ])
    expect(await upsert([{ xUserId: '5', twitterHandle: 'ana', bio: 'From X' }])).toEqual([imported!.id])
    expect(await all()).toMatchObject([
      { id: imported!.id, xUserId: '5', bio: 'From X', dmStatus: 'contacted', metadata: { company: 'Acme' } },
    ])
  })

  it('matches an imported handle to a lead with an id', async () => {
    const [id] = await upsert([{ xUserId: '5', twitterHandle: 'Ana', bio: 'From X', followerCount: 9 }])
    expect(await upsert([{ twitterHandle: 'aNA', location: 'Köln' }], 'parts')).toEqual([id])
    // Values that the file lacks are kept, and so is X's spelling of the handle.
    expect(await all()).toMatchObject([
      { id, xUserId: '5', twitterHandle: 'Ana', bio: 'From X', followerCount: 9, location: 'Köln' },
    ])
  })

  it('keeps two ids apart that used one handle', async () => {
    await upsert([{ xUserId: '1', twitterHandle: 'ana' }])
    await upsert([{ xUserId: '2', twitterHandle: 'ana' }])
    expect(await all()).toHaveLength(2)
  })

  it('keeps workspaces apart', async () => {
    const other = await makePerson(app)
    await upsert([{ xUserId: '1' }])
    await upsert([{ xUserId: '1' }], 'whole', other)
    expect(await all()).toHaveLength(1)
  })

  it('merges an imported lead into a known one, with lists, messages and status', async () => {
    const [existingId] = await upsert([{ xUserId: '1', twitterHandle: 'old' }])
    const [imported] = await makeLeads(app, person, [{ twitterHandle: 'new', dmStatus: 'contacted' }])
    const [firstList, two] = [await insertList(app, person, 'l1'), await insertList(app, person, 'l2')]
    await addToList(app, firstList, [existingId!, imported!.id])
    await addToList(app, two, [imported!.id])
    const campaign = await insertCampaign(app, { workspaceId: person.workspaceId, status: 'active' })
    const of = { workspaceId: person.workspaceId, campaignId: campaign.id, leadId: imported!.id }
    await insertMessages(app, [{ ...of, message: 'm', status: 'sent', sentAt: new Date() }])
    expect(await upsert([{ xUserId: '1', twitterHandle: 'new' }])).toEqual([existingId])
    expect(await all()).toMatchObject([{ id: existingId, twitterHandle: 'new', dmStatus: 'contacted' }])
    expect(await app.db.select().from(dms).where(eq(dms.campaignId, campaign.id))).toMatchObject([
      { leadId: existingId },
    ])
    const lists = await app.db.select().from(leadLists).where(eq(leadLists.workspaceId, person.workspaceId))
    expect(lists.map((list) => list.leadCount)).toEqual([1, 1])
    expect((await person.call('GET', '/leads')).body.total).toBe(1)
  })
})

describe('upsertLeads updates', () => {
  it('replace everything but the status with read: whole', async () => {
    await upsert([{ xUserId: '1', bio: 'a', location: 'b', followerCount: 1 }])
    await setStatus(app, { workspaceId: person.workspaceId }, 'queued')
    await upsert([{ xUserId: '1', bio: '', location: null, followerCount: 2 }])
    expect(await all()).toMatchObject([{ bio: '', location: null, followerCount: 2, dmStatus: 'queued' }])
  })

  it('create each lead once for concurrent writers, without deadlocks', async () => {
    const people = Array.from({ length: 50 }, (_, i) => ({ xUserId: String(i), twitterHandle: `p${i}` }))
    const byHandle = people.map(({ twitterHandle }) => ({ twitterHandle }))
    await Promise.all([
      upsert(people),
      upsert([...people].reverse()),
      upsert(byHandle, 'parts'),
      upsert([...byHandle].reverse(), 'parts'),
      app.db.transaction(async (tx) => {
        for (const row of await tx
          .select()
          .from(leads)
          .where(eq(leads.workspaceId, person.workspaceId))
          .orderBy(leads.id))
          await setStatus({ db: tx }, { id: row.id }, 'queued')
      }),
    ])
    expect(await all()).toHaveLength(50)
  })
})
