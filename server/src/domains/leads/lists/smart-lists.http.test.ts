import type { LeadFilter } from '@x-automated/contract/leads/leads'
import { eq, sql } from 'drizzle-orm'
import fc from 'fast-check'
import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { editProfiles, makeLeads, setStatus } from '../../../../test/leads.ts'
import { ageCount, setCount } from '../../../../test/lists.ts'
import { connectX, makePerson, type Person } from '../../../../test/makers.ts'
import { markReplied } from '../../../../test/messages.ts'
import { openApp, type TestApp } from '../../../../test/open-app.ts'
import { dmsOf, launch, makeList as makeOutreachList, openHandles } from '../../../../test/outreach.ts'
import { markContacted } from '../../../core/people/list-entries.ts'
import { leads } from '../../../core/tables/leads.ts'

let app: TestApp
let person: Person
beforeAll(async () => {
  app = await openApp({ x: true })
  // A busy machine could make any count look slow. Here only counts that a test sets are slow.
  await app.db.execute(sql`
    create function reset_short_counts() returns trigger language plpgsql as
    'begin new.count_ms = case when new.count_ms < 30000 then 0 else new.count_ms end; return new; end'`)
  await app.db.execute(sql`
    create trigger counted_in_no_time before update on lead_lists for each row execute function reset_short_counts()`)
})
beforeEach(async () => {
  person = await makePerson(app)
})

const SMART = 'LEAD_LIST_KIND'
const makeSmart = (filter: LeadFilter, name = 'Smart') => person.client.lists.create({ name, filter })
const membersOf = async (id: string) =>
  (await person.client.lists.leads({ id })).leads.map(({ twitterHandle }) => twitterHandle)

describe('a smart list', () => {
  it('always contains the current matches, with the same count everywhere', async () => {
    await makeLeads(app, person, [
      { twitterHandle: 'few', followerCount: 5 },
      { twitterHandle: 'many', followerCount: 500 },
    ])
    const list = await makeSmart({ minFollowers: 100 })
    expect(list).toMatchObject({ filter: { minFollowers: 100 }, leadCount: 1, contactedCount: 0 })
    const [more] = await makeLeads(app, person, [{ twitterHandle: 'more', followerCount: 900 }])
    expect(await membersOf(list.id)).toEqual(['more', 'many'])
    expect((await person.client.lists.list({})).lists).toMatchObject([{ leadCount: 2 }])
    expect(await person.client.leads.list({ listId: list.id })).toMatchObject({ total: 2 })
    expect(await person.client.leads.list({ listId: list.id, maxFollowers: 600 })).toMatchObject({ total: 1 })
    expect(await person.client.leads.list({ listId: list.id, keyword: 'more' })).toMatchObject({ total: 1 })
    expect(await person.client.lists.members({ id: list.id, leadIds: [more!.id, person.id] })).toEqual({
      leadIds: [more!.id],
    })
    await editProfiles(app, { id: more!.id }, { followerCount: 1 })
    expect(await person.client.lists.find({ id: list.id })).toMatchObject({ leadCount: 1 })
    const narrowed = await person.client.lists.update({ id: list.id, name: 'New', filter: { maxFollowers: 5 } })
    expect(narrowed).toMatchObject({ name: 'New', leadCount: 2 })
  })

  it('can be paged by cursor', async () => {
    const made = await makeLeads(app, person, 5)
    const { id } = await makeSmart({})
    const first = await person.client.lists.leads({ id, pageSize: 3 })
    const second = await person.client.lists.leads({ id, pageSize: 3, cursor: first.cursor ?? '' })
    expect([...first.leads, ...second.leads].map((lead) => lead.id)).toEqual(made.map((lead) => lead.id).reverse())
    expect(second.cursor).toBeNull()
  })

  it('returns 409 for adding or removing leads, and for setting a filter on a manual list', async () => {
    const [lead] = await makeLeads(app, person)
    const { id } = await makeSmart({})
    for (const method of ['POST', 'DELETE']) {
      const refused = await person.call(method, `/lists/${id}/leads`, { leadIds: [lead!.id] })
      expect([refused.status, refused.body]).toMatchObject([
        409,
        { code: SMART, error: 'A smart list contains all leads that match its filter. Change its filter instead.' },
      ])
    }
    const byHand = await person.client.lists.create({ name: 'By hand' })
    const refused = await person.call('PATCH', `/lists/${byHand.id}`, { filter: {} })
    expect([refused.status, refused.body.code]).toEqual([409, SMART])
  })

  it('returns 400 for nested smart lists, foreign lists and invalid filters', async () => {
    const { id } = await makeSmart({})
    const stranger = await makePerson(app)
    const theirs = await stranger.client.lists.create({ name: 'theirs' })
    for (const filter of [{ listId: id }, { listId: theirs.id }, { colour: 'red' }, { status: 'gone' }]) {
      const refused = await person.call('POST', '/lists', { name: 'x', filter })
      expect([refused.status, refused.body.code]).toEqual([400, 'INVALID_INPUT'])
    }
    expect((await person.call('PATCH', `/lists/${id}`, { filter: { listId: id } })).status).toBe(400)
    const byHand = await person.client.lists.create({ name: 'By hand' })
    expect(await makeSmart({ listId: byHand.id })).toMatchObject({ leadCount: 0 })
  })

  it('gives a campaign the leads that match when it is queued', async () => {
    await connectX(app, person)
    const { leadIds } = await makeOutreachList(app, person, openHandles(3))
    const list = await makeSmart({ status: 'not_sent' })
    const campaign = await launch(person, { id: list.id, leadIds, handles: [] }, { channel: 'extension' })
    expect(campaign).toMatchObject({ status: 'active', totalLeadsInList: 3, leadListName: 'Smart' })
    expect((await dmsOf(person, campaign.id)).map((dm) => dm.lead?.id)).toEqual(leadIds)
    // The leads are queued now, so none matches.
    expect(await person.client.lists.find({ id: list.id })).toMatchObject({ leadCount: 0, campaignCount: 1 })
    const empty = await launch(person, { id: list.id, leadIds: [], handles: [] }, { channel: 'extension' })
    expect(empty).toMatchObject({ status: 'completed', totalLeadsInList: 0 })
  })

  it('matches a naive filter after any changes to leads and lists', async () => {
    const handles = Array.from({ length: 6 }, (_, i) => `model_${i}`)
    await makeLeads(
      app,
      person,
      handles.map((twitterHandle, i) => ({ twitterHandle, followerCount: i * 10, bio: i % 2 ? 'Odd' : 'even ones' })),
    )
    const byHand = await person.client.lists.create({ name: 'By hand' })
    const filter = fc.record(
      {
        keyword: fc.constantFrom('odd', 'EVEN', 'model_3', 'nobody'),
        minFollowers: fc.integer({ min: 0, max: 60 }),
        maxFollowers: fc.integer({ min: 0, max: 60 }),
        status: fc.constantFrom('not_sent' as const, 'sent' as const),
        byHand: fc.constant(true),
      },
      { requiredKeys: [] },
    )
    const change = fc.oneof(
      fc.record({ kind: fc.constant('grow' as const), lead: fc.nat(5), followers: fc.integer({ min: 0, max: 60 }) }),
      fc.record({ kind: fc.constant('contact' as const), lead: fc.nat(5) }),
      fc.record({ kind: fc.constant('add' as const), lead: fc.nat(5) }),
      fc.record({ kind: fc.constant('remove' as const), lead: fc.nat(5) }),
    )
    await fc.assert(
      fc.asyncProperty(filter, filter, fc.array(change, { maxLength: 3 }), async (criteria, outer, changes) => {
        for (const { kind, lead, ...more } of changes) {
          const [row] = await app.db
            .select()
            .from(leads)
            .where(sql`workspace_id = ${person.workspaceId} and twitter_handle = ${handles[lead]}`)
          const leadIds = [row!.id]
          if (kind === 'add') await person.client.lists.addLeads({ id: byHand.id, leadIds })
          else if (kind === 'remove') await person.client.lists.removeLeads({ id: byHand.id, leadIds })
          else if (kind === 'contact') await setStatus(app, { id: row!.id }, 'contacted')
          else await editProfiles(app, { id: row!.id }, { followerCount: (more as { followers: number }).followers })
        }
        const toFilter = ({ byHand: named, ...rest }: typeof criteria): LeadFilter => ({
          ...rest,
          ...(named ? { listId: byHand.id } : {}),
        })
        const all = await app.db.select().from(leads).where(eq(leads.workspaceId, person.workspaceId))
        const inManualList = new Set((await person.client.lists.leads({ id: byHand.id })).leads.map(({ id }) => id))
        const matches = (lead: (typeof all)[number], f: typeof criteria) =>
          (!f.keyword ||
            [lead.name, lead.twitterHandle, lead.bio].some((text) =>
              text?.toLowerCase().includes(f.keyword!.toLowerCase()),
            )) &&
          (f.minFollowers === undefined || lead.followerCount! >= f.minFollowers) &&
          (f.maxFollowers === undefined || lead.followerCount! <= f.maxFollowers) &&
          (!f.status || (lead.dmStatus === 'contacted' ? 'sent' : lead.dmStatus) === f.status) &&
          (!f.byHand || inManualList.has(lead.id))
        const expected = all.filter((lead) => matches(lead, criteria)).map(({ twitterHandle }) => twitterHandle)
        const list = await makeSmart(toFilter(criteria))
        expect((await membersOf(list.id)).sort()).toEqual(expected.sort())
        expect(list.leadCount).toBe(expected.length)
        const { byHand: _, ...narrower } = outer
        const page = await person.client.leads.list({ ...narrower, listId: list.id, pageSize: 100 })
        expect(page.leads.map(({ twitterHandle }) => twitterHandle).sort()).toEqual(
          all
            .filter((lead) => matches(lead, criteria) && matches(lead, narrower))
            .map(({ twitterHandle }) => twitterHandle)
            .sort(),
        )
        expect(page.total).toBe(page.leads.length)
        await person.client.lists.remove({ id: list.id })
      }),
      { numRuns: 25 },
    )
  })
})

describe('a list', () => {
  it('can be duplicated with its leads as not contacted, or with its filter', async () => {
    const made = await makeLeads(app, person, 3)
    const { id } = await person.client.lists.create({ name: 'Founders', description: 'd', tags: ['a', 'A', ' ', 'b'] })
    await person.client.lists.addLeads({ id, filter: {} })
    await markContacted(app.db, id, [made[0]!.id])
    expect(await person.client.lists.find({ id })).toMatchObject({ leadCount: 3, contactedCount: 1, tags: ['A', 'b'] })
    const copy = await person.client.lists.duplicate({ id })
    expect(copy).toMatchObject({
      name: 'Founders (copy)',
      description: 'd',
      leadCount: 3,
      contactedCount: 0,
      tags: ['A', 'b'],
    })
    const smart = await makeSmart({ keyword: 'x' })
    expect(await person.client.lists.duplicate({ id: smart.id, name: 'Mine' })).toMatchObject({
      name: 'Mine',
      filter: { keyword: 'x' },
    })
    const missing = await (await makePerson(app)).call('POST', `/lists/${id}/duplicate`, {})
    expect([missing.status, missing.body.code]).toEqual([404, 'LEAD_LIST_NOT_FOUND'])
  })

  it('counts the leads its campaigns have contacted, and their replies', async () => {
    await connectX(app, person)
    const list = await makeOutreachList(app, person, openHandles(3))
    const campaign = await launch(person, list, { channel: 'extension' })
    const counts = async () => {
      const { contactedCount, sentCount, replyCount, leadCount } = await person.client.lists.find({ id: list.id })
      return { contactedCount, sentCount, replyCount, leadCount }
    }
    for (const wasSent of [true, true, false]) {
      const { body } = await person.call('POST', `/campaigns/${campaign.id}/claim`, { holder: 'test' })
      await person.client.campaigns.recordOutcome({ id: body.dmId, lease: body.lease, wasSent })
    }
    expect(await counts()).toEqual({ contactedCount: 2, sentCount: 2, replyCount: 0, leadCount: 3 })
    await markReplied(app, { leadId: list.leadIds[0]! })
    expect(await counts()).toMatchObject({ replyCount: 1, sentCount: 2 })
    const page = await person.client.lists.leads({ id: list.id })
    expect(page.leads.map(({ contactStatus, replied }) => [contactStatus, replied])).toEqual([
      ['pending', false],
      ['contacted', false],
      ['contacted', true],
    ])
    const smart = await makeSmart({ listId: list.id })
    expect(smart).toMatchObject({ leadCount: 3, contactedCount: 0 })
    await person.client.lists.removeLeads({ id: list.id, leadIds: list.leadIds.slice(0, 1) })
    expect(await counts()).toMatchObject({ contactedCount: 1, leadCount: 2 })
  })

  it('can be paged by cursor, and so can its leads', async () => {
    const made: string[] = []
    for (const name of ['a', 'b', 'c', 'd']) made.push((await person.client.lists.create({ name })).id)
    const first = await person.client.lists.list({ pageSize: 3 })
    const second = await person.client.lists.list({ pageSize: 3, cursor: first.cursor ?? '' })
    expect([...first.lists, ...second.lists].map(({ id }) => id)).toEqual(made.reverse())
    const some = await makeLeads(app, person, 5)
    await person.client.lists.addLeads({ id: made[0]!, filter: {} })
    const firstPage = await person.client.lists.leads({ id: made[0]!, pageSize: 2 })
    const two = await person.client.lists.leads({ id: made[0]!, pageSize: 3, cursor: firstPage.cursor ?? '' })
    expect(new Set([...firstPage.leads, ...two.leads].map(({ id }) => id)).size).toBe(some.length)
    expect(two.cursor).toBeNull()
    for (const path of ['/lists?cursor=x', `/lists/${made[0]}/leads?cursor=x`])
      expect((await person.call('GET', path)).body.code).toBe('INVALID_INPUT')
  })

  it('does not repeat a slow count on every read', async () => {
    await makeLeads(app, person, 2)
    const { id } = await makeSmart({})
    await setCount(app, id, 77, 60_000)
    expect(await person.client.lists.find({ id })).toMatchObject({ leadCount: 77 })
    // The list's leads are always current.
    expect(await person.client.lists.leads({ id })).toMatchObject({ total: 2 })
    await ageCount(app, id)
    expect(await person.client.lists.find({ id })).toMatchObject({ leadCount: 2 })
  })

  it('returns the previous count if counting fails or is slow, and counts in the background', async () => {
    const [fails, slow, sound] = [
      await makeSmart({}, 'fails'),
      await makeSmart({}, 'slow'),
      await makeSmart({}, 'sound'),
    ]
    await app.db.execute(sql`
      create function hinder_counts() returns trigger language plpgsql as $$ begin
        if new.name = 'fails' then raise exception 'no count'; end if;
        if new.name = 'slow' then perform pg_sleep(1.5); end if;
        return new;
      end $$`)
    await app.db.execute(sql`
      create trigger counts_hindered before update on lead_lists for each row
      when (new.workspace_id = '${sql.raw(person.workspaceId)}') execute function hinder_counts()`)
    await makeLeads(app, person, 2)
    const counts = async () => {
      const { lists } = await person.client.lists.list({})
      return [sound, slow, fails].map((list) => lists.find(({ id }) => id === list.id)?.leadCount)
    }
    expect(await counts()).toEqual([2, 0, 0])
    await expect.poll(counts, { timeout: 60_000 }).toEqual([2, 2, 0])
    expect(await person.client.lists.find({ id: fails.id })).toMatchObject({ leadCount: 0 })
  })

  it('returns 404 for foreign lists, 403 to viewers and 400 for invalid input', async () => {
    const { id } = await person.client.lists.create({ name: 'x' })
    const viewer = await makePerson(app, { in: person, role: 'viewer' })
    expect((await viewer.call('POST', `/lists/${id}/duplicate`, {})).body.code).toBe('FORBIDDEN')
    const stranger = await makePerson(app)
    for (const [method, path, body] of [
      ['GET', `/lists/${id}`, undefined],
      ['POST', `/lists/${id}/members`, { leadIds: [id] }],
    ] as const)
      expect((await stranger.call(method, path, body)).body.code).toBe('LEAD_LIST_NOT_FOUND')
    expect((await person.call('POST', `/lists/${id}/members`, { leadIds: [] })).body.code).toBe('INVALID_INPUT')
    expect((await person.call('POST', `/lists/${id}/duplicate`, { name: ' ' })).body.code).toBe('INVALID_INPUT')
  })
})
