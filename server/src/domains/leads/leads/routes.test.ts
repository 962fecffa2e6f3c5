import { fitsBioWords, parseBioWords } from '@x-automated/contract/leads/bio-words'
import { LEAD_FILTER_STATUSES, LEAD_STATUSES, LeadSort } from '@x-automated/contract/leads/leads'
import { eq, sql } from 'drizzle-orm'
import fc from 'fast-check'
import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { insertConversation } from '../../../../test/conversations.ts'
import { addToList, deleteLeads, editProfiles, makeLeads, recordReply, setStatus } from '../../../../test/leads.ts'
import { insertList } from '../../../../test/lists.ts'
import { makePerson, type Person, subscribe } from '../../../../test/makers.ts'
import { openApp, type TestApp } from '../../../../test/open-app.ts'
import { makeScrape } from '../../../../test/scrapes.ts'
import { unsubscribe } from '../../../../test/subscriptions.ts'
import { filterStatus, leadCounts, leads } from '../../../core/tables/leads.ts'
import type { Db } from '../../../db/open.ts'
import { transact } from '../../../db/transact.ts'
import type { LeadRow } from './leads.ts'

let app: TestApp
beforeAll(async () => {
  app = await openApp()
})
let person: Person
beforeEach(async () => {
  person = await makePerson(app)
})

const list = async (query: Record<string, unknown> = {}, by = person) => {
  const text = new URLSearchParams(Object.entries(query).map(([key, value]): [string, string] => [key, String(value)]))
  return by.call('GET', `/leads?${text}`)
}
const handles = (response: { body: { leads: { twitterHandle: string }[] } }) =>
  response.body.leads.map((lead) => lead.twitterHandle)

describe('a filter by label', () => {
  const byLabel = { label: 'interested' as const }
  const calls = () => [
    list(byLabel),
    person.call('GET', '/leads/export?label=interested'),
    person.call('POST', '/lists', { name: 'Smart', filter: byLabel }),
    person.call('POST', '/filters', { name: 'Saved', filter: byLabel }),
    person.call('POST', '/leads/basis', { filter: byLabel, basis: 'asked' }),
    person.call('POST', '/leads/delete', { filter: byLabel }),
    person.call('POST', '/suppressions', { filter: byLabel }),
  ]

  it('returns 403 on the Free plan, and names the plan that has it', async () => {
    const list = await person.client.lists.create({ name: 'By hand' })
    const smart = await person.client.lists.create({ name: 'Smart', filter: {} })
    const saved = await person.client.savedFilters.create({ name: 'Other', filter: {} })
    const tag = await person.client.tags.create({ name: 'VIP' })
    const more = [
      person.call('PATCH', `/lists/${smart.id}`, { filter: byLabel }),
      person.call('POST', `/lists/${list.id}/leads`, { filter: byLabel }),
      person.call('DELETE', `/lists/${list.id}/leads`, { filter: byLabel }),
      person.call('PATCH', `/filters/${saved.id}`, { filter: byLabel }),
      person.call('POST', '/leads/tags', { filter: byLabel, add: [tag.id] }),
    ]
    for (const response of await Promise.all([...calls(), ...more]))
      expect([response.status, response.body.code, response.body.error]).toEqual([
        403,
        'PLAN_LIMIT',
        expect.stringContaining('Pro'),
      ])
  })

  it('keeps smart lists and saved filters working after a downgrade', async () => {
    await subscribe(app, person, 'pro_monthly')
    const [lead] = await makeLeads(app, person, 2)
    await insertConversation(app, { workspaceId: person.workspaceId, label: 'interested', leadId: lead!.id })
    const smart = await person.client.lists.create({ name: 'Smart', filter: byLabel })
    const { filter } = await person.client.savedFilters.create({ name: 'Saved', filter: byLabel })
    await unsubscribe(app, person)
    expect(await person.client.lists.leads({ id: smart.id })).toMatchObject({ leads: [{ id: lead!.id }], total: 1 })
    expect(await person.client.lists.update({ id: smart.id, name: 'Renamed', filter: byLabel })).toMatchObject({
      leadCount: 1,
    })
    expect((await list(filter)).body).toMatchObject({ leads: [{ id: lead!.id }], total: 1 })
    expect((await list({ label: 'later' })).status).toBe(403)
  })
})

describe('GET /leads', () => {
  it('returns ten per page, newest first, with every field and the exact total', async () => {
    const [oldest] = await makeLeads(app, person, [
      {
        name: 'Ana',
        twitterHandle: 'ana',
        bio: 'Builds',
        followerCount: 7,
        followingCount: 3,
        sourceProfile: 'growthqueen',
        url: 'https://x.com/ana',
        profileImageUrl: 'https://pbs.twimg.com/a.png',
        location: 'Köln',
        website: 'https://ana.example',
        metadata: { company: 'Acme' },
      },
    ])
    await makeLeads(app, person, 10)
    const first = await list()
    expect(first.status).toBe(200)
    expect(first.body).toMatchObject({ total: 11, page: 1, pageSize: 10 })
    expect(first.body.leads).toHaveLength(10)
    const second = await list({ page: 2 })
    expect(second.body).toEqual({
      leads: [
        {
          id: oldest!.id,
          name: 'Ana',
          firstName: null,
          twitterHandle: 'ana',
          bio: 'Builds',
          followerCount: 7,
          followingCount: 3,
          sourceProfile: 'growthqueen',
          url: 'https://x.com/ana',
          profileImageUrl: 'https://pbs.twimg.com/a.png',
          pictureUrl: expect.stringMatching(/^\/api\/pictures\//),
          location: 'Köln',
          website: 'https://ana.example',
          metadata: { company: 'Acme' },
          dmStatus: 'not_sent',
          isSample: false,
          basis: 'none',
          tagIds: [],
          suppressed: false,
          replied: false,
          createdAt: oldest!.createdAt.toISOString(),
          updatedAt: oldest!.updatedAt.toISOString(),
        },
      ],
      total: 11,
      page: 2,
      pageSize: 10,
      cursor: null,
    })
  })

  it('is visible to viewers but not to other workspaces', async () => {
    await makeLeads(app, person, 2)
    expect((await list({}, await makePerson(app, { in: person, role: 'viewer' }))).body.total).toBe(2)
    expect((await list({}, await makePerson(app))).body).toMatchObject({ leads: [], total: 0, cursor: null })
  })

  it('finds keywords in bio, name or handle, ignoring case, with literal % and _', async () => {
    await makeLeads(app, person, [
      { twitterHandle: 'in_bio', name: 'A', bio: 'We grow 100% faster' },
      { twitterHandle: 'in_name', name: 'Growth Queen', bio: null },
      { twitterHandle: 'GROWER', name: 'B', bio: 'nothing' },
      { twitterHandle: 'not', name: 'C', bio: 'x' },
      { twitterHandle: 'rtl', name: 'נועה', bio: 'ÄÖÜ مؤسس' },
    ])
    expect(handles(await list({ keyword: 'grow' })).sort()).toEqual(['GROWER', 'in_bio', 'in_name'])
    expect(handles(await list({ keyword: '0%' }))).toEqual(['in_bio'])
    expect(handles(await list({ keyword: '%' }))).toEqual(['in_bio'])
    expect(handles(await list({ keyword: 'n_b' }))).toEqual(['in_bio'])
    expect(handles(await list({ keyword: 'i_b' }))).toEqual([])
    expect(handles(await list({ keyword: 'äöü' }))).toEqual(['rtl'])
    expect(handles(await list({ keyword: 'נוע' }))).toEqual(['rtl'])
    // A keyword does not match across two fields.
    expect(handles(await list({ keyword: 'B GROWER' }))).toEqual([])
    expect((await list({ keyword: '' })).body.total).toBe(5)
  })

  it('counts contacted as sent and failed_contact as failed', async () => {
    await makeLeads(
      app,
      person,
      LEAD_STATUSES.map((dmStatus) => ({ dmStatus, twitterHandle: dmStatus.slice(0, 15) })),
    )
    const handlesOf = async (status: string) => {
      const response = await list({ status })
      expect(response.body.total).toBe(response.body.leads.length)
      return handles(response).sort()
    }
    expect(await handlesOf('sent')).toEqual(['contacted', 'sent'])
    expect(await handlesOf('failed')).toEqual(['failed', 'failed_contact'])
    expect(await handlesOf('queued')).toEqual(['queued'])
    expect(await handlesOf('not_sent')).toEqual(['not_sent'])
  })

  it('counts the custom fields of the own workspace and says who replied', async () => {
    const made = await makeLeads(app, person, 3)
    const ids = made.map(({ id }) => id)
    await editProfiles(app, { id: ids }, { metadata: { company: 'Acme' } })
    await recordReply(app, { id: ids[0]! }, new Date(), { metadata: { company: 'Acme', stack: 'Go' } })
    const stranger = await makePerson(app)
    const fieldsOf = async (who: Person) => (await who.call('GET', '/leads/fields')).body
    expect(await fieldsOf(person)).toEqual({
      fields: [
        { name: 'company', leads: 3 },
        { name: 'stack', leads: 1 },
      ],
    })
    expect(await fieldsOf(stranger)).toEqual({ fields: [] })
    const replied = (await list({})).body.leads.filter((lead: { replied: boolean }) => lead.replied)
    expect(replied).toMatchObject([{ id: ids[0] }])
    expect((await person.call('GET', `/leads/${ids[0]}`)).body).toMatchObject({ replied: true })
  })

  it('filters by list or scrape of the own workspace', async () => {
    const [first, two] = await makeLeads(app, person, 3)
    const leadList = await insertList(app, person)
    await addToList(app, leadList, [first!.id])
    const scrape = await makeScrape(app, person, { finds: [two!] })
    expect((await list({ listId: leadList })).body).toMatchObject({ leads: [{ id: first!.id }], total: 1 })
    expect((await list({ scrapeId: scrape.id })).body).toMatchObject({ leads: [{ id: two!.id }], total: 1 })
    const stranger = await makePerson(app)
    await makeLeads(app, stranger, 1)
    for (const query of [{ listId: leadList }, { scrapeId: scrape!.id }, { listId: 'nonsense' }])
      expect((await list(query, stranger)).body).toMatchObject({ leads: [], total: 0 })
  })

  it('filters, sorts and pages like a naive implementation', async () => {
    await subscribe(app, person, 'pro_monthly')
    const made = await makeLeads(app, person, manyLeads())
    await giveBasesAndTags(made)
    await giveReplies(made.filter((_, index) => index % 9 === 0))
    await giveLabels(made)
    const lists = await makeLists(made)
    const query = fc.record(
      {
        keyword: fc.constantFrom('a', 'AN', 'grow', '%', '_', '\\', '🚀', 'zz', 'x y'),
        minFollowers: fc.integer({ min: 0, max: 40 }),
        maxFollowers: fc.integer({ min: 0, max: 40 }),
        status: fc.constantFrom(...LEAD_FILTER_STATUSES),
        basis: fc.constantFrom('none', 'asked', 'customer'),
        tag: fc.constantFrom('VIP', 'vip', 'rare', 'unknown'),
        label: fc.constantFrom('interested', 'later', 'meeting'),
        listId: fc.constantFrom(...lists.keys(), 'nonsense'),
        scrapeId: fc.constantFrom(...leadsByScrape.keys()),
        bioWords: fc.constantFrom('grow', '-we', 'ZZ y', 'score', 'under_score -100', '100 grow', '-'),
      },
      { requiredKeys: [] },
    )
    const sort = fc.constantFrom(...LeadSort.options)
    await fc.assert(
      fc.asyncProperty(
        query,
        sort,
        fc.integer({ min: 1, max: 40 }),
        fc.boolean(),
        async (filter, order, pageSize, byCursor) => {
          const expected = byHand(made, filter, order, lists)
          const seen: string[] = []
          let cursor: string | null = null
          for (let page = 1; page === 1 || (byCursor ? cursor !== null : seen.length < expected.length); page++) {
            const paging = byCursor ? (cursor === null ? {} : { cursor }) : { page }
            const response = await list({ ...filter, sort: order, pageSize, ...paging })
            expect(response.status).toBe(200)
            expect(response.body.total).toBe(expected.length)
            seen.push(...response.body.leads.map((lead: { id: string }) => lead.id))
            cursor = response.body.cursor
            expect(cursor === null).toBe(seen.length >= expected.length)
            if (page > 200) throw new Error('too many pages')
          }
          expect(seen).toEqual(expected.map((lead) => lead.id))
        },
      ),
      { numRuns: 80 },
    )
  })

  it.each([
    ['page=0', 'page'],
    ['pageSize=101', 'pageSize'],
    ['minFollowers=-1', 'minFollowers'],
    ['maxFollowers=many', 'maxFollowers'],
    ['status=gone', 'status'],
    ['sort=website', 'sort'],
    ['basis=maybe', 'basis'],
    ['label=maybe', 'label'],
    ['cursor=nonsense', 'cursor'],
    [`keyword=${'x'.repeat(201)}`, 'keyword'],
    ['keyword=%00', 'keyword'],
    [`bioWords=${Array.from({ length: 21 }, (_, i) => `w${i}`).join('+')}`, 'bioWords'],
  ])('returns 400 for %s', async (query, field) => {
    const response = await person.call('GET', `/leads?${query}`)
    expect([response.status, response.body.code]).toEqual([400, 'INVALID_INPUT'])
    expect(response.body.details).toMatchObject([{ field }])
  })

  it('returns 400 for a cursor of another order', async () => {
    await makeLeads(app, person, 3)
    const { body } = await list({ pageSize: 1, sort: 'name' })
    expect((await list({ pageSize: 1, sort: '-name', cursor: body.cursor })).status).toBe(400)
    expect((await list({ pageSize: 1, sort: 'name', cursor: body.cursor })).status).toBe(200)
  })
})

/** Gives leads bases and tags in a fixed pattern. */
async function giveBasesAndTags(made: LeadRow[]) {
  const every = (n: number) => made.filter((_, index) => index % n === 0)
  for (const [n, basis] of [
    [3, 'asked'],
    [7, 'customer'],
  ] as const) {
    await person.client.leads.setBasis({ leadIds: every(n).map(({ id }) => id), basis })
    for (const lead of every(n)) lead.basis = basis
  }
  for (const [n, name] of [
    [4, 'VIP'],
    [30, 'rare'],
  ] as const) {
    const tag = await person.client.tags.create({ name })
    await person.client.tags.apply({ leadIds: every(n).map(({ id }) => id), add: [tag.id] })
    for (const lead of every(n)) tagged.set(lead.id, [...(tagged.get(lead.id) ?? []), name.toLowerCase()])
  }
}
const tagged = new Map<string, string[]>()

const labelled = new Map<string, string[]>()
/** Gives leads conversations with two accounts. */
async function giveLabels(made: LeadRow[]) {
  for (const [n, label] of [
    [5, 'interested'],
    [8, 'later'],
  ] as const) {
    const some = made.filter((_, index) => index % n === 0)
    const row = { workspaceId: person.workspaceId, accountXUserId: `${n}`, label }
    for (const { id } of some) {
      await insertConversation(app, { ...row, leadId: id })
      labelled.set(id, [...(labelled.get(id) ?? []), label])
    }
  }
}

async function giveReplies(made: LeadRow[]) {
  const repliedAt = new Date()
  const ids = made.map(({ id }) => id)
  await recordReply(app, { id: ids }, repliedAt)
  for (const lead of made) lead.repliedAt = repliedAt
}

const leadsByScrape = new Map<string, Set<string>>()

/** Creates a manual list, smart lists and a scrape, and returns their leads. */
async function makeLists(made: LeadRow[]): Promise<Map<string, Set<string>>> {
  const { client } = person
  const fifth = made.filter((_, index) => index % 5 === 0)
  const list = await client.lists.create({ name: 'fifth' })
  await client.lists.addLeads({ id: list.id, leadIds: fifth.map(({ id }) => id) })
  const famous = await client.lists.create({ name: 'famous', filter: { minFollowers: 20 } })
  const askedList = await client.lists.create({
    name: 'asked',
    filter: { listId: list.id, basis: 'asked', keyword: 'a' },
  })
  const second = made.filter((_, index) => index % 2 === 0)
  const scrape = await makeScrape(app, person, { finds: second })
  leadsByScrape.set(scrape.id, new Set(second.map(({ id }) => id)))
  const idsOf = (of: LeadRow[]) => new Set(of.map(({ id }) => id))
  return new Map([
    [list.id, idsOf(fifth)],
    [famous.id, idsOf(byHand(made, { minFollowers: 20 }, 'name'))],
    [askedList.id, idsOf(byHand(fifth, { basis: 'asked', keyword: 'a' }, 'name'))],
  ])
}

/** Leads that differ in every field used by filters and orders. */
function manyLeads() {
  return Array.from({ length: 120 }, (_, i) => ({
    twitterHandle: `${i % 7 === 0 ? 'Ana' : 'bo'}_${i}`,
    name: ['ana', 'Ana', 'Zoë 🚀', 'נועה', 'x', ''][i % 6] as string,
    bio: [null, 'We GROW 100%', 'under_score', 'back\\slash', 'y zz'][i % 5] as string | null,
    followerCount: i % 11 === 0 ? null : (i * 13) % 41,
    dmStatus: LEAD_STATUSES[i % LEAD_STATUSES.length],
  }))
}

/** A naive implementation of filters and orders. */
function byHand(
  made: LeadRow[],
  filter: {
    keyword?: string
    minFollowers?: number
    maxFollowers?: number
    status?: string
    basis?: string
    tag?: string
    label?: string
    listId?: string
    scrapeId?: string
    bioWords?: string
  },
  sort: string,
  lists = new Map<string, Set<string>>(),
): LeadRow[] {
  const { keyword, minFollowers, maxFollowers, status, basis, tag, label, listId, scrapeId, bioWords = '' } = filter
  const holds = (text: string | null) => (text ?? '').toLowerCase().includes((keyword ?? '').toLowerCase())
  const displayStatuses: Record<string, string> = { contacted: 'sent', failed_contact: 'failed' }
  const chosen = made.filter(
    (lead) =>
      (keyword === undefined || holds(lead.name) || holds(lead.twitterHandle) || holds(lead.bio)) &&
      (minFollowers === undefined || (lead.followerCount !== null && lead.followerCount >= minFollowers)) &&
      (maxFollowers === undefined || (lead.followerCount !== null && lead.followerCount <= maxFollowers)) &&
      (status === undefined ||
        (status === 'replied'
          ? lead.repliedAt !== null
          : (displayStatuses[lead.dmStatus] ?? lead.dmStatus) === status)) &&
      (basis === undefined || lead.basis === basis) &&
      (label === undefined || (labelled.get(lead.id) ?? []).includes(label)) &&
      (tag === undefined || (tagged.get(lead.id) ?? []).includes(tag.toLowerCase())) &&
      (listId === undefined || (lists.get(listId)?.has(lead.id) ?? false)) &&
      (scrapeId === undefined || (leadsByScrape.get(scrapeId)?.has(lead.id) ?? false)) &&
      fitsBioWords(lead.bio, parseBioWords(bioWords)),
  )
  const orderedBy = (lead: LeadRow): Buffer | number => {
    const folded = (value: string) => Buffer.from(value.toLowerCase())
    if (sort.endsWith('followerCount')) return lead.followerCount ?? -1
    if (sort.endsWith('name')) return folded(lead.name)
    if (sort.endsWith('twitterHandle')) return folded(lead.twitterHandle)
    if (sort.endsWith('bio')) return folded((lead.bio ?? '').slice(0, 60))
    if (sort.endsWith('dmStatus'))
      return folded(`${displayStatuses[lead.dmStatus] ?? lead.dmStatus} ${lead.createdAt.toISOString()}`)
    return lead.createdAt.getTime()
  }
  const compare = (a: LeadRow, b: LeadRow) => {
    const [first, other] = [orderedBy(a), orderedBy(b)]
    const byValue = typeof first === 'number' ? first - (other as number) : first.compare(other as Buffer)
    return byValue || (a.id < b.id ? -1 : 1)
  }
  const sorted = chosen.sort(compare)
  return sort.startsWith('-') ? sorted.reverse() : sorted
}

describe('DELETE /leads/{id}', () => {
  it('deletes the lead from pages, lists and counts', async () => {
    const [deleted, stays] = await makeLeads(app, person, 2)
    const leadList = await insertList(app, person)
    await addToList(app, leadList, [deleted!.id, stays!.id])
    const response = await person.call('DELETE', `/leads/${deleted!.id}`)
    expect([response.status, response.body]).toEqual([204, ''])
    expect((await list()).body).toMatchObject({ total: 1, leads: [{ id: stays!.id }] })
    expect((await list({ listId: leadList })).body).toMatchObject({ total: 1 })
  })

  it('returns 404 for deleted leads and other workspaces', async () => {
    const [lead] = await makeLeads(app, person)
    const stranger = await makePerson(app)
    const text = { success: false, code: 'LEAD_NOT_FOUND', error: 'Lead not found or access denied' }
    expect((await stranger.call('DELETE', `/leads/${lead!.id}`)).body).toEqual(text)
    expect((await person.call('DELETE', `/leads/${lead!.id}`)).status).toBe(204)
    const again = await person.call('DELETE', `/leads/${lead!.id}`)
    expect([again.status, again.body]).toEqual([404, text])
  })

  it('returns 403 for viewers', async () => {
    const [lead] = await makeLeads(app, person)
    const viewer = await makePerson(app, { in: person, role: 'viewer' })
    expect((await viewer.call('DELETE', `/leads/${lead!.id}`)).status).toBe(403)
    expect((await list()).body.total).toBe(1)
  })
})

describe('lead counts', () => {
  it('equal the rows after concurrent changes of every kind', async () => {
    const made = await makeLeads(app, person, manyLeads())
    // Retries conflicting transactions, like the product.
    const change = (work: (tx: Db) => Promise<unknown>) => transact(app.db, work)
    await Promise.all([
      change((tx) => deleteLeads({ db: tx }, { id: made[0]!.id })),
      change((tx) =>
        setStatus({ db: tx }, sql`workspace_id = ${person.workspaceId} and follower_count < 10`, 'queued'),
      ),
      makeLeads(app, person, manyLeads()),
      change((tx) => setStatus({ db: tx }, { id: made[2]!.id }, 'contacted', { bio: 'changed' })),
    ])
    const counted = await app.db
      .select({ status: leads.dmStatus, n: sql<number>`count(*)::int` })
      .from(leads)
      .where(eq(leads.workspaceId, person.workspaceId))
      .groupBy(leads.dmStatus)
    const countRows = await app.db.select().from(leadCounts).where(eq(leadCounts.workspaceId, person.workspaceId))
    const held = sql`select workspace_id, standing, created_at, lead_id from lead_standings`
    const wanted = sql`select workspace_id, ${filterStatus}, created_at, id from leads`
    const { rows: differing } = await app.db.execute(
      sql`(${held} except ${wanted}) union all (${wanted} except ${held})`,
    )
    expect(differing).toEqual([])
    expect(
      Object.fromEntries(countRows.filter((row) => row.count > 0).map((row) => [row.dmStatus, row.count])),
    ).toEqual(Object.fromEntries(counted.map((row) => [row.status, row.n])))
  })
})
