import { and, eq, sql } from 'drizzle-orm'
import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { identifyLeads, makeLeads } from '../../../../test/leads.ts'
import { makePerson, type Person } from '../../../../test/makers.ts'
import { openApp, type TestApp } from '../../../../test/open-app.ts'
import { ageSuppressions, insertSuppressions, suppressMany } from '../../../../test/suppressions.ts'
import { learnHandles } from '../../../core/people/identity.ts'
import { suppressOptOuts } from '../../../core/people/suppression.ts'
import { leads } from '../../../core/tables/leads.ts'
import { suppressionCounts, suppressions } from '../../../core/tables/suppressions.ts'

let app: TestApp
let person: Person
beforeAll(async () => {
  app = await openApp()
})
beforeEach(async () => {
  person = await makePerson(app)
})

/** Stores a person's new handle, as X shows it. */
const rename = (id: string, handle: string) => learnHandles(app.db, person.workspaceId, [{ id, handle }])
const suppress = async (body: object, by = person) => (await by.call('POST', '/suppressions', body)).body
const listed = async (query = '', by = person) => (await by.call('GET', `/suppressions${query}`)).body
const optOut = (leadId: string) =>
  app.db.transaction((tx) => suppressOptOuts({ ...app.services, db: tx }, person.workspaceId, [leadId]))
const handles = (body: { suppressions: { twitterHandle: string }[] }) =>
  body.suppressions.map((entry) => entry.twitterHandle)
const findOfLead = async (db: TestApp['db'], actor: Person['actor'], leadId: string) => {
  const isTheirs = sql`${suppressions.workspaceId} = ${leads.workspaceId}
    and (${suppressions.twitterHandle} = lower(${leads.twitterHandle}) or ${suppressions.xUserId} = ${leads.xUserId})`
  const isLead = and(eq(leads.id, leadId), eq(leads.workspaceId, actor.workspaceId))
  const [row] = await db
    .select({ reason: suppressions.reason })
    .from(suppressions)
    .innerJoin(leads, isTheirs)
    .where(isLead)
  return row
}
const importFile = async (text: string, by = person) =>
  (await by.call('POST', '/suppressions/import', text, { 'content-type': 'text/csv' })).body

describe('POST /suppressions', () => {
  it('suppresses handles in any spelling once, and keeps existing entries', async () => {
    expect(await suppress({ handles: ['@Ana', 'ana', 'bob'], reason: 'opted_out', note: ' by mail ' })).toEqual({
      success: true,
      suppressed: 2,
      suppressionId: null,
      stopped: 0,
      cursor: null,
    })
    expect(await suppress({ handles: ['BOB', 'eve'] })).toMatchObject({ suppressed: 1 })
    const { suppressions: rows, total } = await listed()
    expect(total).toBe(3)
    expect(rows.map(({ id: _, createdAt: __, ...row }: { id: string; createdAt: string }) => row)).toEqual([
      { twitterHandle: 'eve', xUserId: null, handleLostAt: null, reason: 'manual', note: null, by: who() },
      { twitterHandle: 'bob', xUserId: null, handleLostAt: null, reason: 'opted_out', note: 'by mail', by: who() },
      { twitterHandle: 'ana', xUserId: null, handleLostAt: null, reason: 'opted_out', note: 'by mail', by: who() },
    ])
  })
  const who = () => ({ id: person.id, name: expect.any(String) })

  it('takes the X id of one handle, so that an undone removal also holds for a new handle', async () => {
    const [ana] = await makeLeads(app, person, [{ twitterHandle: 'ana_new', xUserId: '13' }])
    expect(await suppress({ handles: ['ana_old'], xUserId: '13' })).toMatchObject({ suppressed: 1 })
    expect(await findOfLead(app.db, person.actor, ana!.id)).toEqual({ reason: 'manual' })
    expect((await suppress({ handles: ['a', 'b'], xUserId: '13' })).code).toBe('INVALID_INPUT')
    expect((await suppress({ leadIds: [ana!.id], xUserId: '13' })).code).toBe('INVALID_INPUT')
  })

  it('names its only entry, so that it can be undone after the lead has a new handle', async () => {
    const [ana] = await makeLeads(app, person, [{ twitterHandle: 'ana', xUserId: '12' }])
    const { suppressionId } = await suppress({ leadIds: [ana!.id] })
    await rename('12', 'ana_new')
    await person.client.suppressions.remove({ id: suppressionId })
    expect(await findOfLead(app.db, person.actor, ana!.id)).toBeUndefined()
  })

  it('suppresses own leads by ids or filter, with their X ids', async () => {
    const stranger = await makePerson(app)
    const [theirs] = await makeLeads(app, stranger)
    const made = await makeLeads(app, person, [
      { twitterHandle: 'Few', followerCount: 1, xUserId: '11' },
      { twitterHandle: 'many', followerCount: 9 },
      { twitterHandle: 'most', followerCount: 99 },
    ])
    expect(await suppress({ leadIds: [made[0]!.id, theirs!.id, 'nonsense'] })).toMatchObject({ suppressed: 1 })
    expect(await suppress({ filter: { minFollowers: 5 } })).toMatchObject({ suppressed: 2 })
    expect((await listed()).suppressions).toMatchObject([
      { twitterHandle: 'most', xUserId: null },
      { twitterHandle: 'many' },
      { twitterHandle: 'few', xUserId: '11' },
    ])
    expect((await listed('', stranger)).total).toBe(0)
  })

  it('lists those of one reason, and those added lately', async () => {
    await suppress({ handles: ['ana'], reason: 'opted_out' })
    await suppress({ handles: ['bob', 'bea'] })
    await ageSuppressions(app, { workspaceId: person.workspaceId, twitterHandle: 'bob' }, 8)
    const search = async (query: string) => {
      const body = await listed(query)
      return [body.total, ...handles(body)]
    }
    expect(await search('?reason=opted_out')).toEqual([1, 'ana'])
    expect(await search('?reason=manual')).toEqual([2, 'bea', 'bob'])
    expect(await search('?reason=manual&withinDays=7&q=b')).toEqual([1, 'bea'])
    expect(await search('?withinDays=9')).toEqual([3, 'bea', 'ana', 'bob'])
    for (const query of ['?reason=other', '?withinDays=0', '?withinDays=x'])
      expect((await person.call('GET', `/suppressions${query}`)).status).toBe(400)
  })

  it('lists the entries that suppress a lead, by its handle and by its X id', async () => {
    const [lead, other] = await makeLeads(app, person, [
      { twitterHandle: 'Ada', xUserId: '4711' },
      { twitterHandle: 'bob' },
    ])
    await suppress({ handles: ['ada', 'bob'] })
    await suppress({ handles: ['old_ada'], xUserId: '4711' })
    expect(handles(await listed(`?leadId=${lead!.id}`)).sort()).toEqual(['ada', 'old_ada'])
    expect(handles(await listed(`?leadId=${other!.id}`))).toEqual(['bob'])
    const stranger = await makePerson(app)
    expect((await listed(`?leadId=${lead!.id}`, stranger)).total).toBe(0)
  })

  it('can be filtered for in pages, totals and bulk changes', async () => {
    const [ana] = await makeLeads(app, person, [
      { twitterHandle: 'Ana', bio: 'saas' },
      { twitterHandle: 'bob', bio: 'saas', dmStatus: 'queued' },
      { twitterHandle: 'cleo', bio: 'saas', xUserId: '31' },
      { twitterHandle: 'dan', bio: 'saas' },
      { twitterHandle: 'eve', bio: 'saas' },
    ])
    await suppress({ handles: ['ana', 'cleo', 'eve', 'nobody'] })
    await rename('31', 'cleo_new')
    const search = async (query: string) => {
      const { body } = await person.call('GET', `/leads?sort=twitterHandle&${query}`)
      return [body.total, ...body.leads.map((lead: { twitterHandle: string }) => lead.twitterHandle)]
    }
    expect(await search('suppressed=true')).toEqual([3, 'Ana', 'cleo_new', 'eve'])
    expect(await search('suppressed=false')).toEqual([2, 'bob', 'dan'])
    expect(await search('suppressed=false&status=not_sent')).toEqual([1, 'dan'])
    expect(await search('suppressed=false&keyword=saas&status=queued')).toEqual([1, 'bob'])

    const smart = (await person.call('POST', '/lists', { name: 'SaaS', filter: { keyword: 'saas' } })).body
    const filter = { listId: smart.id, status: 'not_sent', suppressed: false }
    expect((await person.call('POST', '/leads/delete', { filter })).body).toMatchObject({ removed: 1 })
    expect(await search('')).toEqual([4, 'Ana', 'bob', 'cleo_new', 'eve'])
    expect((await person.call('GET', `/leads/${ana!.id}`)).status).toBe(200)
    expect((await person.call('GET', '/leads?suppressed=maybe')).status).toBe(400)
  })

  it("keeps people suppressed after a handle change, by the lead's X id", async () => {
    const [identified, unknown] = await makeLeads(app, person, [
      { twitterHandle: 'ana', xUserId: '21' },
      { twitterHandle: 'bob' },
    ])
    await suppress({ handles: ['ana', 'bob'] })
    await identifyLeads(app, { id: unknown!.id }, '22')
    for (const [lead, xUserId, handle] of [
      [identified, '21', 'ana_new'],
      [unknown, '22', 'bob_new'],
    ] as const) {
      await rename(xUserId, handle)
      expect(await findOfLead(app.db, person.actor, lead!.id)).toMatchObject({ reason: 'manual' })
    }
    // Their new handles are already suppressed.
    expect(await suppress({ leadIds: [identified!.id, unknown!.id] })).toMatchObject({ suppressed: 0 })
    expect((await listed()).suppressions).toMatchObject([{ xUserId: '22' }, { xUserId: '21' }])
  })

  it('records an opt-out reply without a user', async () => {
    const [lead] = await makeLeads(app, person, [{ twitterHandle: 'ana' }])
    for (const added of [1, 0]) expect(await optOut(lead!.id)).toEqual({ added, known: 1 - added, stopped: 0 })
    expect((await listed()).suppressions).toMatchObject([{ reason: 'replied_stop', by: null }])
  })

  it('records an opt-out reply of someone who is suppressed already, under any handle', async () => {
    const [ana, bob] = await makeLeads(app, person, [{ twitterHandle: 'ana' }, { twitterHandle: 'bob', xUserId: '21' }])
    await suppress({ leadIds: [ana!.id, bob!.id], note: 'a competitor' })
    await rename('21', 'bob_new')
    for (const { id } of [ana!, bob!]) expect(await optOut(id)).toMatchObject({ added: 0 })
    const unchanged = { reason: 'replied_stop', note: 'a competitor' }
    expect((await listed()).suppressions).toMatchObject([unchanged, unchanged])
  })

  it('accepts concurrent calls for the same people', async () => {
    const many = Array.from({ length: 300 }, (_, i) => `person_${i}`)
    const results = await Promise.all([suppress({ handles: many }), suppress({ handles: [...many].reverse() })])
    expect(results.map((result) => result.success)).toEqual([true, true])
    expect((await listed()).total).toBe(300)
    expect(await app.db.$count(suppressions, eq(suppressions.workspaceId, person.workspaceId))).toBe(300)
  })

  it.each([
    [{}, 'Give one of handles, xUserId, leadIds and filter.'],
    [{ handles: ['ana'], leadIds: ['x'] }, 'Give one of handles, xUserId, leadIds and filter.'],
    [{ handles: [] }, /handles/],
    [{ handles: ['a b'] }, 'must be 1 to 15 letters, digits or underscores'],
    [{ handles: Array(5_001).fill('a') }, /5,000/],
    [{ handles: ['ana'], reason: 'because' }, /reason/],
    [{ handles: ['ana'], note: 'n'.repeat(501) }, /note/],
    [{ handles: ['ana'], colour: 'red' }, /colour/],
  ])('returns 400 for %j', async (body, text) => {
    const response = await person.call('POST', '/suppressions', body)
    expect([response.status, response.body.code]).toEqual([400, 'INVALID_INPUT'])
    expect(JSON.stringify(response.body)).toMatch(text)
    expect((await listed()).total).toBe(0)
  })
})

describe('GET /suppressions', () => {
  it('lists newest first, by page and cursor, with exact totals, and searches handles', async () => {
    const wanted = Array.from({ length: 7 }, (_, i) => `fan_of_${i}`)
    for (const handle of wanted) await suppress({ handles: [handle] })
    await suppress({ handles: ['other', 'x_fan_x'] })
    const pages = [await listed('?pageSize=4'), await listed('?pageSize=4&page=2'), await listed('?pageSize=4&page=3')]
    expect(pages.map(({ total }) => total)).toEqual([9, 9, 9])
    const all = pages.flatMap(handles)
    expect(all.slice(2)).toEqual([...wanted].reverse())
    const second = await listed(`?pageSize=4&cursor=${pages[0].cursor}`)
    expect(handles(second)).toEqual(all.slice(4, 8))
    expect((await listed(`?pageSize=4&cursor=${second.cursor}`)).cursor).toBeNull()

    expect(await listed('?q=@FAN')).toMatchObject({ total: 8 })
    expect(handles(await listed('?q=of_3'))).toEqual(['fan_of_3'])
    expect(handles(await listed('?q=ot'))).toEqual(['other'])
    expect(await listed('?q=of%25')).toMatchObject({ total: 0, suppressions: [] })
    expect(await listed('?q=@')).toMatchObject({ total: 9 })
  })

  it.each(['cursor=x', 'page=0', 'q=%00', `q=${'a'.repeat(51)}`])('returns 400 for ?%s', async (query) => {
    const { status, body } = await person.call('GET', `/suppressions?${query}`)
    expect([status, body.code]).toEqual([400, 'INVALID_INPUT'])
  })
})

describe('DELETE /suppressions/{id}', () => {
  it('returns 204, and 404 for missing entries and other workspaces', async () => {
    await suppress({ handles: ['ana'] })
    const [{ id }] = (await listed()).suppressions
    const stranger = await makePerson(app)
    const refused = await stranger.call('DELETE', `/suppressions/${id}`)
    expect([refused.status, refused.body.code]).toEqual([404, 'SUPPRESSION_NOT_FOUND'])
    expect((await person.call('DELETE', `/suppressions/${id}`)).status).toBe(204)
    expect((await person.call('DELETE', `/suppressions/${id}`)).body).toEqual(refused.body)
    expect((await listed()).total).toBe(0)
  })
})

describe('POST /suppressions/import', () => {
  it('imports all good rows, reports bad ones, and changes nothing the second time', async () => {
    const file =
      'Handle,Reason,Colour,Note\n@Ana,,red,\nbob,opted_out,,phone\nb-b,,,\nANA,manual,,\neve,,,,\nhttps://x.com/home,,,\nhttps://x.com/cem\n@Home,,,\n'
    const first = await importFile(file)
    expect(first).toEqual({
      imported: 4,
      known: 0,
      stopped: 0,
      rejected: [
        { line: 4, problem: 'twitter_handle must be 1 to 15 letters, digits or underscores' },
        { line: 7, problem: 'twitter_handle must be 1 to 15 letters, digits or underscores' },
        { line: 9, problem: 'twitter_handle is a page on X, not a handle' },
      ],
      rejectedCount: 3,
      warnings: [
        {
          line: 6,
          problem: 'has 5 columns where the first line has 4, so only its handle and X user ID were read',
        },
      ],
      warningCount: 1,
    })
    expect(await importFile(file)).toEqual({ ...first, imported: 0, known: 4 })
    expect(
      (await listed()).suppressions.map((entry: { reason: string; note: string }) => [entry.reason, entry.note]),
    ).toEqual([
      ['import', null],
      ['import', null],
      ['opted_out', 'phone'],
      ['import', null],
    ])
  })

  it('imports a single column of handles, in several statements', async () => {
    const file = Array.from({ length: 2_500 }, (_, i) => `@bare_${i}`).join('\n')
    expect(await importFile(file)).toMatchObject({ imported: 2_500, rejected: [] })
    expect(await listed('?q=bare_2499')).toMatchObject({ total: 1 })
  })

  it.each([
    ['', 'The file is empty.'],
    ['name,bio\nAna,x\n', 'The first line must name a column twitter_handle or x_user_id.'],
    ['"handle', 'The first line has a quote that is not closed or not doubled.'],
  ])('returns 400 for %j', async (file, error) => {
    expect(await importFile(file)).toMatchObject({ code: 'INVALID_INPUT', error })
  })

  it('returns 403 for viewers', async () => {
    const viewer = await makePerson(app, { in: person, role: 'viewer' })
    expect((await importFile('ana', viewer)).code).toBe('FORBIDDEN')
    expect((await viewer.call('POST', '/suppressions', { handles: ['ana'] })).body.code).toBe('FORBIDDEN')
    await suppress({ handles: ['ana'] })
    const [{ id }] = (await listed('', viewer)).suppressions
    expect((await viewer.call('DELETE', `/suppressions/${id}`)).body.code).toBe('FORBIDDEN')
  })
})

describe('leads', () => {
  it('are not imported if suppressed by handle or id', async () => {
    await suppress({ handles: ['ana'] })
    await insertSuppressions(app, person, { twitterHandle: 'old_name', xUserId: '77', reason: 'opted_out' })
    const { body } = await person.call(
      'POST',
      '/leads/import',
      'twitter_handle,x_user_id\n@ANA,\nbob,\nnew_name,77\n',
      {
        'content-type': 'text/csv',
      },
    )
    expect(body).toEqual({
      imported: 1,
      updated: 0,
      rejected: [
        { line: 2, problem: 'is on your suppression list' },
        { line: 4, problem: 'is on your suppression list' },
      ],
      rejectedCount: 2,
      warnings: [],
      warningCount: 0,
    })
    expect((await person.call('GET', '/leads')).body).toMatchObject({ total: 1, leads: [{ twitterHandle: 'bob' }] })
  })

  it('are suppressed per workspace', async () => {
    const other = await makePerson(app)
    await suppress({ handles: ['ana'] }, other)
    const { body } = await person.call('POST', '/leads/import', 'twitter_handle\nana\n', { 'content-type': 'text/csv' })
    expect(body).toMatchObject({ imported: 1, rejectedCount: 0 })
  })
})

it('pages through a long list with its counted total', async () => {
  await suppressMany(app, person, 30_000)
  expect(
    await app.db.select().from(suppressionCounts).where(eq(suppressionCounts.workspaceId, person.workspaceId)),
  ).toEqual([{ workspaceId: person.workspaceId, count: 30_000 }])
  const { cursor } = await listed('?page=200')
  expect(handles(await listed(`?cursor=${cursor}`))[0]).toBe('person_10001')
  expect(await listed('?q=son_2999')).toMatchObject({ total: 11 })
})
