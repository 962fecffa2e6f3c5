import { TAGS_MAX } from '@x-automated/contract/leads/tags'
import { eq, sql } from 'drizzle-orm'
import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { makeLeads } from '../../../../test/leads.ts'
import { insertTags } from '../../../../test/lists.ts'
import { makePerson, type Person } from '../../../../test/makers.ts'
import { openApp, type TestApp } from '../../../../test/open-app.ts'
import { makeScrape } from '../../../../test/scrapes.ts'
import { deletionOf, whileWaiting } from '../../../../test/while-waiting.ts'
import { leadTags } from '../../../core/tables/leads.ts'

let app: TestApp
beforeAll(async () => {
  app = await openApp()
})
let person: Person
beforeEach(async () => {
  person = await makePerson(app)
})

const counts = async () =>
  Object.fromEntries((await person.client.tags.list()).tags.map(({ name, leadCount }) => [name, leadCount]))

it('creates, renames, recolors, applies, removes, merges and deletes tags, and keeps their counts', async () => {
  const leads = await makeLeads(app, person, 4)
  const ids = leads.map(({ id }) => id)
  const { client } = person
  const vip = await client.tags.create({ name: '  VIP ' })
  expect(vip).toMatchObject({ name: 'VIP', color: 'gray', leadCount: 0 })
  const fair = await client.tags.create({ name: 'fair', color: 'violet' })
  expect(await client.tags.apply({ leadIds: ids, add: [vip.id] })).toEqual({ success: true, changed: 4, cursor: null })
  expect(await client.tags.apply({ filter: { tag: 'vip' }, add: [vip.id, fair.id] })).toMatchObject({ changed: 4 })
  // Adding and removing tags does not change which leads a call selects.
  expect(await client.tags.apply({ leadIds: ids.slice(0, 1), add: [], remove: [vip.id] })).toMatchObject({ changed: 1 })
  expect(await counts()).toEqual({ VIP: 3, fair: 4 })
  expect((await client.leads.list({ tag: vip.id })).total).toBe(3)
  expect((await client.leads.find({ id: ids[1]! })).tagIds.sort()).toEqual([vip.id, fair.id].sort())

  expect(await client.tags.update({ id: vip.id, name: 'Vip' })).toMatchObject({ name: 'Vip', leadCount: 3 })
  expect(await client.tags.update({ id: vip.id, color: 'pink' })).toMatchObject({ name: 'Vip', color: 'pink' })
  expect(await client.tags.update({ id: vip.id })).toMatchObject({ name: 'Vip', color: 'pink' })
  expect(await client.tags.merge({ id: vip.id, into: fair.id })).toMatchObject({ name: 'fair', leadCount: 4 })
  expect(await counts()).toEqual({ fair: 4 })
  await client.leads.remove({ id: ids[0]! })
  expect(await counts()).toEqual({ fair: 3 })
  await client.tags.remove({ id: fair.id })
  expect(await counts()).toEqual({})
  expect((await client.leads.list({})).total).toBe(3)
  expect(await app.db.$count(leadTags, eq(leadTags.tagId, fair.id))).toBe(0)
})

it('updates smart lists and saved filters that use a renamed or merged tag, by id or name', async () => {
  const leads = await makeLeads(app, person, 3)
  const stranger = await makePerson(app)
  const { client } = person
  const vip = await client.tags.create({ name: 'VIP' })
  const fair = await client.tags.create({ name: 'fair' })
  await client.tags.apply({ leadIds: leads.map(({ id }) => id), add: [vip.id] })
  const byId = await client.lists.create({ name: 'by id', filter: { tag: vip.id } })
  const byName = await client.lists.create({ name: 'by name', filter: { tag: 'vip', keyword: 'lead' } })
  const saved = await client.savedFilters.create({ name: 'saved', filter: { tag: 'Vip' }, sort: 'name' })
  const other = await client.savedFilters.create({ name: 'other', filter: { tag: fair.id }, sort: 'name' })
  const theirs = await stranger.client.lists.create({ name: 'theirs', filter: { tag: 'VIP' } })
  const tagsAsked = async () => [
    ...(await Promise.all([byId, byName].map(async ({ id }) => (await client.lists.find({ id })).filter?.tag))),
    (await client.savedFilters.list()).filters.find(({ id }) => id === saved.id)?.filter.tag,
  ]
  await client.tags.update({ id: vip.id, name: 'Guests' })
  expect(await tagsAsked()).toEqual([vip.id, vip.id, vip.id])
  await client.tags.merge({ id: vip.id, into: fair.id })
  expect(await tagsAsked()).toEqual([fair.id, fair.id, fair.id])
  expect((await client.lists.leads({ id: byId.id })).total).toBe(3)
  expect((await client.lists.find({ id: byName.id })).filter).toEqual({ tag: fair.id, keyword: 'lead' })
  expect((await client.savedFilters.list()).filters.find(({ id }) => id === other.id)?.filter).toEqual({ tag: fair.id })
  expect((await stranger.client.lists.find({ id: theirs.id })).filter).toEqual({ tag: 'VIP' })
})

it('waits for a concurrent merge before it locks the lists that use a renamed tag', async () => {
  const vip = await person.client.tags.create({ name: 'VIP' })
  const list = await person.client.lists.create({ name: 'smart', filter: { tag: 'vip' } })
  const renamed = await whileWaiting(app, {
    lock: `select 1 from tags where id = '${vip.id}' for no key update`,
    work: () => person.client.tags.update({ id: vip.id, name: 'Guests' }),
    others: () => person.client.lists.update({ id: list.id, name: 'smarter' }),
  })
  expect(renamed).toMatchObject({ name: 'Guests' })
})

it('tags the remaining leads if others are deleted meanwhile', async () => {
  const [deleted, remaining] = await makeLeads(app, person, 2)
  const vip = await person.client.tags.create({ name: 'VIP' })
  const result = await whileWaiting(app, {
    lock: deletionOf('leads', deleted!.id),
    work: () => person.client.tags.apply({ leadIds: [deleted!.id, remaining!.id], add: [vip.id] }),
    end: 'commit',
  })
  expect(result).toMatchObject({ changed: 1 })
  expect(await counts()).toEqual({ VIP: 1 })
})

it('rejects duplicate and empty names, too many tags, merging into itself, and unknown tags', async () => {
  const vip = await person.client.tags.create({ name: 'VIP' })
  const other = await person.client.tags.create({ name: 'other' })
  const calls: [string, string, unknown, number, string][] = [
    ['POST', '/tags', { name: 'vip' }, 409, 'TAG_EXISTS'],
    ['PATCH', `/tags/${other.id}`, { name: 'Vip' }, 409, 'TAG_EXISTS'],
    ['POST', '/tags', { name: '   ' }, 400, 'INVALID_INPUT'],
    ['POST', '/tags', { name: 'x'.repeat(51) }, 400, 'INVALID_INPUT'],
    ['POST', '/tags', { name: 'x', color: 'mauve' }, 400, 'INVALID_INPUT'],
    ['POST', `/tags/${vip.id}/merge`, { into: vip.id }, 400, 'INVALID_INPUT'],
    ['POST', `/tags/${vip.id}/merge`, { into: 'x' }, 404, 'TAG_NOT_FOUND'],
    ['POST', '/leads/tags', { filter: {} }, 400, 'INVALID_INPUT'],
    ['POST', '/leads/tags', { add: [vip.id] }, 400, 'INVALID_INPUT'],
    ['POST', '/leads/tags', { filter: {}, add: ['x'] }, 404, 'TAG_NOT_FOUND'],
  ]
  for (const [method, path, body, status, code] of calls) {
    const response = await person.call(method, path, body)
    expect([path, body, response.status, response.body.code]).toEqual([path, body, status, code])
  }
  const more = Array.from({ length: TAGS_MAX - 2 }, (_, n) => ({ name: `tag ${n}` }))
  await insertTags(app, person, more)
  const full = await person.call('POST', '/tags', { name: 'one more' })
  expect([full.status, full.body]).toEqual([
    409,
    { success: false, code: 'TOO_MANY', error: 'A workspace has at most 100 tags.' },
  ])
})

it('locks leads before tags, so that a concurrent deletion of the lead can lock its tags', async () => {
  const [lead] = await makeLeads(app, person, 1)
  const vip = await person.client.tags.create({ name: 'VIP' })
  const tagged = await whileWaiting(app, {
    lock: `select from leads where id = '${lead!.id}' for update`,
    work: () => person.client.tags.apply({ leadIds: [lead!.id], add: [vip.id] }),
    others: () => app.db.execute(sql`select from tags where id = ${vip.id} for no key update nowait`),
  })
  expect(tagged).toMatchObject({ changed: 1 })
})

describe('counts that one statement changes', () => {
  const COUNT = 20
  const inOrder = Array.from({ length: COUNT }, () => crypto.randomUUID()).sort()
  const lists = (all: readonly string[]) => sql`${sql.param([...all])}::uuid[]`

  /** Asserts that `work` waits for the first row before it locks any other. */
  async function locksTheFirstFirst(table: 'tags' | 'scrape_counts', key: string, work: () => Promise<unknown>) {
    const [first, ...others] = inOrder
    await whileWaiting(app, {
      lock: `select from ${table} where ${key} = '${first}' for no key update`,
      work,
      others: () =>
        app.db.execute(
          sql`select from ${sql.identifier(table)} where ${sql.identifier(key)} = any(${lists(others)}) for no key update nowait`,
        ),
    })
  }

  it('are locked by tag id, by imports and by deleting one lead or many', async () => {
    // Inserted in reverse, so that the physical order differs.
    await insertTags(
      app,
      person,
      inOrder.toReversed().map((id, index) => ({ id, name: `tag ${index}` })),
    )
    const names = Array.from({ length: COUNT }, (_, index) => `tag ${index}`)
    const file = (handle: string) => `twitter_handle,tags\n${handle},"${names.join(';')}"\n`
    const take = (handle: string) => person.call('POST', '/leads/import', file(handle), { 'content-type': 'text/csv' })
    await locksTheFirstFirst('tags', 'id', () => take('ana'))
    await take('bob')
    const { leads } = await person.client.leads.list({ sort: 'twitterHandle' })
    const [ana, bob] = leads.map(({ id }) => id)
    await locksTheFirstFirst('tags', 'id', () => person.client.leads.remove({ id: ana! }))
    await locksTheFirstFirst('tags', 'id', () => person.client.leads.removeMany({ leadIds: [bob!] }))
    const remaining = await makeLeads(app, person, 1)
    const leadIds = remaining.map(({ id }) => id)
    await Promise.all([
      person.client.tags.apply({ leadIds, add: inOrder }),
      person.client.tags.apply({ leadIds, add: inOrder.toReversed() }),
    ])
    expect(Object.values(await counts())).toEqual(inOrder.map(() => 1))
  })

  it('are locked by scrape id, by deleting leads that the scrapes found', async () => {
    const [lead] = await makeLeads(app, person, 1)
    for (const id of inOrder.toReversed()) {
      await makeScrape(app, person, { id, finds: [lead!] })
    }
    await locksTheFirstFirst('scrape_counts', 'scrape_id', () =>
      person.client.leads.removeMany({ leadIds: [lead!.id] }),
    )
    const { rows } = await app.db.execute(
      sql`select sum(count)::int as n from scrape_counts where scrape_id = any(${lists(inOrder)})`,
    )
    expect(rows).toEqual([{ n: 0 }])
  })
})
