import type { LeadEvent } from '@x-automated/contract/leads/leads'
import type { Scope } from '@x-automated/contract/route'
import { eq, sql } from 'drizzle-orm'
import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { skipStep } from '../../../../test/campaigns.ts'
import { ageRemovals } from '../../../../test/jobs.ts'
import { identifyLeads, makeLeads, readLead, setTaggedAt } from '../../../../test/leads.ts'
import { type Answer, call, connectX, makePerson, type Person, prove, subscribe } from '../../../../test/makers.ts'
import { markSent } from '../../../../test/messages.ts'
import { openApp, type TestApp } from '../../../../test/open-app.ts'
import { insertReply } from '../../../../test/replies.ts'
import { makeScrape, setFoundAt } from '../../../../test/scrapes.ts'
import { insertSuppressions } from '../../../../test/suppressions.ts'
import { whileWaiting } from '../../../../test/while-waiting.ts'
import { purgeRemovals, removeMany } from '../../../core/people/removal.ts'
import { upsertLeads } from '../../../core/people/stage.ts'
import { leadCounts, leads } from '../../../core/tables/leads.ts'
import { dms } from '../../../core/tables/messages.ts'
import { removedLeads } from '../../../core/tables/removals.ts'
import { leadReads, replies } from '../../../core/tables/replies.ts'

let app: TestApp
beforeAll(async () => {
  app = await openApp({ x: true })
})
let person: Person
beforeEach(async () => {
  person = await makePerson(app)
})

/** Creates a scraped, listed, tagged and queued lead. */
async function makeHistory() {
  const { client } = person
  await connectX(app, person)
  const [lead, other] = await makeLeads(app, person, 2)
  const scrape = await makeScrape(app, person, { twitterHandle: 'growthqueen', finds: [lead!] })
  const list = await client.lists.create({ name: 'Founders' })
  await client.lists.addLeads({ id: list.id, leadIds: [lead!.id, other!.id] })
  const tag = await client.tags.create({ name: 'VIP' })
  await client.tags.apply({ leadIds: [lead!.id], add: [tag.id] })
  const campaign = await client.campaigns.create({
    name: 'Spring',
    leadListId: list.id,
    messageTemplate: 'Hi {lead_name}',
    status: 'draft',
    channel: 'extension',
  })
  await client.campaigns.queue({ id: campaign.id })
  return { lead: lead!, other: other!, scrape, list, tag, campaign }
}

describe('GET /leads/{id}, GET /leads/{id}/history', () => {
  it('mark leads suppressed in this workspace', async () => {
    const { lead, other } = await makeHistory()
    const stranger = await makePerson(app)
    await stranger.client.suppressions.create({ handles: [other.twitterHandle] })
    await person.client.suppressions.create({ handles: [lead.twitterHandle.toUpperCase()] })
    expect((await person.client.leads.find({ id: lead.id })).suppressed).toBe(true)
    expect((await person.client.leads.find({ id: other.id })).suppressed).toBe(false)
  })

  it('return the lead and its history, newest first, in pages', async () => {
    const { lead, list, tag, campaign, scrape } = await makeHistory()
    const at = '2026-01-31T10:00:00Z'
    await person.client.leads.setBasis({ leadIds: [lead.id], basis: 'asked', at, source: 'Asked at the fair' })
    const viewer = await makePerson(app, { in: person, role: 'viewer' })
    expect(await viewer.client.leads.find({ id: lead.id })).toMatchObject({
      id: lead.id,
      dmStatus: 'queued',
      tagIds: [tag.id],
      xUserId: null,
      basis: 'asked',
      basisAt: '2026-01-31T10:00:00.000Z',
      basisSource: 'Asked at the fair',
    })
    const { events, total } = await viewer.client.leads.history({ id: lead.id })
    expect(total).toBe(5)
    expect(events.map(({ at }) => at)).toEqual(
      events
        .map(({ at }) => at)
        .toSorted()
        .toReversed(),
    )
    expect(events).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ kind: 'created' }),
        expect.objectContaining({
          kind: 'scraped',
          scrapeId: scrape.id,
          twitterHandle: 'growthqueen',
          type: 'followers',
        }),
        expect.objectContaining({ kind: 'listed', listId: list.id, listName: 'Founders' }),
        expect.objectContaining({ kind: 'tagged', tagId: tag.id, tagName: 'VIP' }),
        expect.objectContaining({
          kind: 'messaged',
          campaignId: campaign.id,
          campaignName: 'Spring',
          stepNumber: 1,
          variant: { id: expect.any(String), name: 'A' },
          why: null,
          status: 'queued',
          message: `Hi ${lead.name}`,
          errorMessage: null,
          reason: null,
          outcomeUnknown: false,
        }),
      ]),
    )
    const second = await viewer.client.leads.history({ id: lead.id, page: 2, pageSize: 3 })
    expect(second).toEqual({ events: events.slice(3), total: 5, page: 2, pageSize: 3, cursor: null })
    expect(await viewer.client.leads.history({ id: lead.id, page: 9 })).toMatchObject({ events: [], total: 5 })
  })

  it('return each event once by cursor, and reject other cursors', async () => {
    const { lead } = await makeHistory()
    const full = await person.client.leads.history({ id: lead.id })
    const seen = []
    let cursor: string | null | undefined
    do {
      const page = await person.client.leads.history({ id: lead.id, pageSize: 2, ...(cursor && { cursor }) })
      seen.push(...page.events)
      cursor = page.cursor
    } while (cursor)
    expect(seen).toEqual(full.events)
    expect(await person.call('GET', `/leads/${lead.id}/history?cursor=x`)).toMatchObject({
      status: 400,
      body: { code: 'INVALID_INPUT' },
    })
  })

  it('return pauses, skipped steps and what replies mean', async () => {
    const { lead, campaign } = await makeHistory()
    const events = async () => (await person.client.leads.history({ id: lead.id })).events
    const [enrolled] = (await person.client.enrollments.list({ id: campaign.id })).enrollments.filter(
      (enrollment) => enrollment.lead?.id === lead.id,
    )
    const until = '2999-01-31T10:00:00.000Z'
    await person.client.enrollments.pause({ id: enrolled!.id, until })
    const why = { code: 'person', params: {} }
    const step = { campaignId: campaign.id, campaignName: 'Spring', stepNumber: 1 }
    expect(await events()).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ kind: 'paused', ...step, until, why }),
        expect.objectContaining({ kind: 'messaged', status: 'queued', reason: null, why }),
      ]),
    )
    await person.client.enrollments.stop({ id: enrolled!.id })
    await skipStep(app, { id: enrolled!.id }, 2, new Date('2026-01-31T10:00:00Z'))
    const at = new Date('2026-02-01T10:00:00Z')
    await insertReply(app, {
      workspaceId: person.workspaceId,
      leadId: lead.id,
      accountXUserId: '4',
      label: 'meeting',
      at,
    })
    const now = await events()
    expect(now).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ kind: 'messaged', status: 'failed', reason: why, why }),
        {
          kind: 'skipped',
          at: '2026-01-31T10:00:00.000Z',
          ...step,
          stepNumber: 2,
          why: { code: 'condition', params: {} },
        },
        expect.objectContaining({ kind: 'replied', label: 'meeting' }),
      ]),
    )
    expect(now.filter(({ kind }) => kind === 'paused')).toEqual([])
  })

  it('return texts of a conversation to members and keys that read conversations, not to viewers', async () => {
    const { lead } = await makeHistory()
    const row = { workspaceId: person.workspaceId, leadId: lead.id, accountXUserId: '5', at: new Date() }
    await insertReply(app, { ...row, text: 'Call me' })
    await insertReply(app, { ...row, kind: 'written', text: 'I will' })
    const textsFor = async (caller: Pick<Person, 'call'>) => {
      const { events } = (await caller.call('GET', `/leads/${lead.id}/history`)).body
      return events.flatMap((event: LeadEvent) => ('replyId' in event ? [event.text] : [])).sort()
    }
    expect(await textsFor(person)).toEqual(['Call me', 'I will'])
    expect(await textsFor(await makePerson(app, { in: person, role: 'viewer' }))).toEqual([null, null])
    await subscribe(app, person)
    await prove(app, person)
    const keyFor = async (scopes: Scope[]) => {
      const { key } = await person.client.apiKeys.create({ name: 'CRM', scopes })
      const authorization = `Bearer ${key}`
      return { call: (method: string, path: string) => call(app, method, path, undefined, { authorization }) }
    }
    expect(await textsFor(await keyFor(['leads:read', 'conversations:read']))).toEqual(['Call me', 'I will'])
    expect(await textsFor(await keyFor(['leads:read']))).toEqual([null, null])
  })

  it('return 404 for an unknown lead', async () => {
    for (const path of ['/leads/x', '/leads/x/history'])
      expect((await person.call('GET', path)).body).toMatchObject({ code: 'LEAD_NOT_FOUND' })
  })
})

describe('POST /leads/basis', () => {
  it('sets the basis of leads by filter, dated now by default, and removes it', async () => {
    const made = await makeLeads(app, person, [{ bio: 'saas' }, { bio: 'saas' }, { bio: 'art' }])
    const { client } = person
    expect(await client.leads.setBasis({ filter: { keyword: 'saas' }, basis: 'customer' })).toMatchObject({
      changed: 2,
    })
    expect((await client.leads.list({ basis: 'customer' })).total).toBe(2)
    expect((await client.leads.list({ basis: 'none' })).total).toBe(1)
    const lead = await client.leads.find({ id: made[0]!.id })
    expect(Date.now() - Date.parse(lead.basisAt!)).toBeLessThan(60_000)
    await client.leads.setBasis({ filter: { basis: 'customer' }, basis: 'none', source: 'nothing' })
    expect(await client.leads.find({ id: made[0]!.id })).toMatchObject({
      basis: 'none',
      basisAt: null,
      basisSource: null,
    })
    expect((await client.leads.list({ basis: 'none', status: 'not_sent' })).total).toBe(3)
  })

  it.each([
    [{ filter: {}, basis: 'maybe' }, 'basis'],
    [{ filter: {}, basis: 'asked', at: 'today' }, 'at'],
    [{ filter: {}, leadIds: ['x'], basis: 'asked' }, 'leadIds'],
    [{ basis: 'asked' }, 'leadIds'],
  ])('returns 400 for %j', async (body, field) => {
    const response = await person.call('POST', '/leads/basis', body)
    expect([response.status, response.body.details[0].field]).toEqual([400, field])
  })
})

it('GET /leads and GET /messages/leads mark suppressed leads by handle or X id, in every order', async () => {
  const [byHandle, byId, free] = await makeLeads(app, person, [
    { twitterHandle: 'By_Handle', xUserId: null },
    { twitterHandle: 'renamed', xUserId: '77', dmStatus: 'sent' },
    { twitterHandle: 'free', xUserId: '78' },
  ])
  const stranger = await makePerson(app)
  await stranger.client.suppressions.create({ handles: ['free'], reason: 'manual' })
  await insertSuppressions(app, person, { twitterHandle: 'by_handle' }, { twitterHandle: 'before', xUserId: '77' })
  const { client } = person
  const marked = (page: { leads: { id: string; suppressed: boolean }[] }) =>
    page.leads.flatMap(({ id, suppressed }) => (suppressed ? id : [])).sort()
  const both = [byHandle!.id, byId!.id].sort()
  for (const ask of [{}, { sort: 'dmStatus' as const }, { sort: 'name' as const }, { keyword: 'e' }])
    expect(marked(await client.leads.list(ask))).toEqual(both)
  expect(marked(await client.leads.list({ status: 'sent' }))).toEqual([byId!.id])
  expect(marked(await client.messages.leads({}))).toEqual(both)
  expect(marked(await client.messages.leads({ status: 'pending' }))).toEqual([byHandle!.id])
  const seen = await Promise.all([byHandle, byId, free].map((lead) => client.leads.find({ id: lead!.id })))
  expect(seen.map(({ suppressed }) => suppressed)).toEqual([true, true, false])
})

describe('POST /leads/delete, POST /leads/restore', () => {
  it("update the number of a scrape's leads", async () => {
    const own = await makePerson(app)
    const scraped = await makeLeads(app, own, 3)
    const scrape = await makeScrape(app, own, { finds: scraped })
    const total = async (person = own) => (await person.client.leads.list({ scrapeId: scrape.id })).total
    expect([await total(), await total(await makePerson(app))]).toEqual([3, 0])
    const { removalId } = await own.client.leads.removeMany({ leadIds: scraped.slice(1).map(({ id }) => id) })
    await own.client.leads.remove({ id: scraped[0]!.id })
    expect(await total()).toBe(0)
    await own.client.leads.restore({ removalId: removalId! })
    expect(await total()).toBe(2)
  })

  it('delete leads everywhere and restore them with lists, tags, scrapes and messages', async () => {
    const { lead, list, tag, scrape } = await makeHistory()
    const { client } = person
    const before61 = sql`now() - interval '61 days'`
    await setTaggedAt(app, { leadId: lead.id }, before61)
    await setFoundAt(app, { leadId: lead.id }, before61)
    await readLead(app, lead.id, '4')
    const view = async () => ({
      leads: (await client.leads.list({ sort: 'name' })).leads,
      detail: await client.leads.find({ id: lead.id }),
      history: (await client.leads.history({ id: lead.id })).events,
      reads: await app.db.select().from(leadReads).where(eq(leadReads.leadId, lead.id)),
      lists: await client.lists.list({}),
      tags: await client.tags.list(),
      counts: await app.db
        .select()
        .from(leadCounts)
        .where(eq(leadCounts.workspaceId, person.workspaceId))
        .orderBy(leadCounts.dmStatus),
    })
    const before = await view()
    const { removed, removalId } = await client.leads.removeMany({ filter: { listId: list.id } })
    expect(removed).toBe(2)
    expect((await client.leads.list({})).total).toBe(0)
    expect((await client.lists.list({})).lists[0]!.leadCount).toBe(0)
    expect((await client.tags.list()).tags[0]!.leadCount).toBe(0)
    expect(await app.db.$count(dms, sql`workspace_id = ${person.workspaceId} and lead_id is null`)).toBe(2)

    expect(await client.leads.restore({ removalId: removalId! })).toEqual({ success: true, restored: 2 })
    const after = await view()
    expect(after.counts.filter(({ count }) => count > 0)).toEqual(before.counts.filter(({ count }) => count > 0))
    expect({ ...after, counts: 0 }).toEqual({ ...before, counts: 0 })
    expect((await client.leads.list({ scrapeId: scrape.id })).total).toBe(1)
    expect((await client.leads.list({ tag: tag.id })).total).toBe(1)
    const again = await person.call('POST', '/leads/restore', { removalId })
    expect([again.status, again.body.code]).toEqual([404, 'REMOVAL_NOT_FOUND'])
  })

  it('restore around leads, lists, tags and messages that changed meanwhile', async () => {
    const { lead, other, list, tag } = await makeHistory()
    const { client } = person
    const { removalId } = await client.leads.removeMany({ leadIds: [lead.id, other.id] })
    await makeLeads(app, person, [{ twitterHandle: other.twitterHandle, name: 'Added again' }])
    await client.tags.remove({ id: tag.id })
    await markSent(app, { workspaceId: person.workspaceId })
    expect(await client.leads.restore({ removalId: removalId! })).toMatchObject({ restored: 1 })
    const { leads: now } = await client.leads.list({ sort: 'name' })
    expect(now.map(({ name, dmStatus, tagIds }) => [name, dmStatus, tagIds])).toEqual([
      ['Added again', 'not_sent', []],
      [lead.name, 'contacted', []],
    ])
    expect((await client.lists.leads({ id: list.id })).total).toBe(1)
  })

  it("find a deletion by the caller's id, also while it runs; 404 for other workspaces", async () => {
    const [lead, other] = await makeLeads(app, person, 2)
    const removalId = crypto.randomUUID()
    const remove = (leadId: string) => person.call('POST', '/leads/delete', { leadIds: [leadId], removalId })
    const find = (by = person, id: string = removalId) => by.call('GET', `/leads/removals/${id}`)
    expect((await find()).body.code).toBe('REMOVAL_NOT_FOUND')
    let finding: Promise<Answer> | null = null
    const waiting = sql`
      select wait_event as for from pg_stat_activity
      where datname = current_database() and wait_event_type = 'Lock' order by 1`
    const removed = await whileWaiting(app, {
      lock: `select from leads where id = '${lead!.id}' for update`,
      work: () => remove(lead!.id),
      others: async () => {
        finding = find()
        // The deletion waits for the lead, the lookup for the deletion.
        await expect
          .poll(async () => (await app.db.execute(waiting)).rows)
          .toEqual([{ for: 'advisory' }, { for: 'transactionid' }])
      },
    })
    expect(removed.body).toMatchObject({ removed: 1, removalId })
    expect((await finding!).body).toEqual({ id: removalId, removed: 1, createdAt: expect.any(String) })
    expect((await find(person, removalId.toUpperCase())).status).toBe(200)

    expect((await remove(lead!.id)).body).toEqual(removed.body)
    const again = await remove(other!.id)
    expect([again.status, again.body.details]).toEqual([400, [expect.objectContaining({ field: 'removalId' })]])
    const odd = await person.call('POST', '/leads/delete', { leadIds: [other!.id], removalId: 'x' })
    expect([odd.status, odd.body.details]).toEqual([400, [expect.objectContaining({ field: 'removalId' })]])
    const stranger = await makePerson(app)
    expect((await find(stranger)).body).toEqual((await find(stranger, crypto.randomUUID())).body)
    expect(await person.client.leads.restore({ removalId })).toMatchObject({ restored: 1 })
    expect((await find()).status).toBe(404)
  })

  it('delete each part once for repeated calls, with the same answer', async () => {
    await makeLeads(app, person, 3)
    const removalId = crypto.randomUUID()
    const remove = (filter = {}) => removeMany(app.db, person.actor, { filter, removalId }, 1)
    const [result, same] = await Promise.all([remove(), remove()])
    expect(result).toEqual({ success: true, removed: 1, removalId, cursor: expect.any(String) })
    expect([same, await remove()]).toEqual([result, result])
    await expect(remove({ keyword: 'lead' })).rejects.toMatchObject({ code: 'INVALID_INPUT' })
    expect((await person.client.leads.list({})).total).toBe(2)
  })

  it('delete nothing without matches, and purge deletions after an hour', async () => {
    expect(await person.client.leads.removeMany({ filter: { keyword: 'nobody' } })).toEqual({
      success: true,
      removed: 0,
      removalId: null,
      cursor: null,
    })
    await makeLeads(app, person, 1)
    const { removalId } = await person.client.leads.removeMany({ filter: {} })
    await ageRemovals(app, { id: removalId! }, 61)
    expect((await person.call('POST', '/leads/restore', { removalId })).status).toBe(404)
    await purgeRemovals(app.db)
    expect(await app.db.$count(removedLeads, eq(removedLeads.removalId, removalId!))).toBe(0)
    expect(await app.db.$count(leads, eq(leads.workspaceId, person.workspaceId))).toBe(0)
  })
})

it('merging duplicate leads keeps replies', async () => {
  const [survivor, duplicate] = await makeLeads(app, person, 2)
  await identifyLeads(app, { id: survivor!.id }, '900001')
  await identifyLeads(app, { id: duplicate!.id }, null)
  const of = { leadId: duplicate!.id, accountXUserId: '4' }
  await insertReply(app, { ...of, workspaceId: person.workspaceId, text: 'Yes' })
  await readLead(app, of.leadId, of.accountXUserId)
  const nothing = { name: null, bio: null, followerCount: null, followingCount: null, sourceProfile: null, url: null }
  const seen = { ...nothing, profileImageUrl: null, location: null, website: null, metadata: null }
  const owner = { workspaceId: person.workspaceId, userId: null }
  const people = [{ ...seen, xUserId: '900001', twitterHandle: duplicate!.twitterHandle }]
  const ids = await app.db.transaction((tx) => upsertLeads(tx, owner, people, 'parts'))
  expect(ids).toEqual([survivor!.id])
  expect(await app.db.$count(leads, eq(leads.workspaceId, person.workspaceId))).toBe(1)
  expect(await app.db.$count(replies, eq(replies.leadId, survivor!.id))).toBe(1)
  expect(await app.db.$count(leadReads, eq(leadReads.leadId, survivor!.id))).toBe(1)
})
