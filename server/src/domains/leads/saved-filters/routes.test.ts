import { SAVED_FILTERS_MAX } from '@x-automated/contract/leads/saved-filters'
import { beforeAll, expect, it } from 'vitest'
import { makePerson, type Person } from '../../../../test/makers.ts'
import { openApp, type TestApp } from '../../../../test/open-app.ts'
import { makeScrape } from '../../../../test/scrapes.ts'

let app: TestApp
beforeAll(async () => {
  app = await openApp()
})

it('creates, lists for all members, renames, replaces and deletes filters', async () => {
  const person = await makePerson(app)
  const { client } = person
  const viewer = await makePerson(app, { in: person, role: 'viewer' })
  const filter = { keyword: 'saas', minFollowers: 100, status: 'not_sent' as const }
  const saved = await client.savedFilters.create({ name: 'Founders', filter, sort: '-followerCount' })
  expect(saved).toMatchObject({ name: 'Founders', filter, sort: '-followerCount' })
  expect(await viewer.client.savedFilters.list()).toEqual({ filters: [saved] })
  await client.savedFilters.create({ name: 'agencies', filter: {} })
  expect((await client.savedFilters.list()).filters.map(({ name }) => name)).toEqual(['agencies', 'Founders'])
  expect(await client.savedFilters.update({ id: saved.id, name: 'Makers' })).toMatchObject({ name: 'Makers', filter })
  const replaced = await client.savedFilters.update({ id: saved.id, filter: { basis: 'asked' }, sort: 'name' })
  expect(replaced).toMatchObject({ name: 'Makers', filter: { basis: 'asked' }, sort: 'name' })

  for (const [method, path, body, status, code] of [
    ['POST', '/filters', { name: 'makers', filter: {} }, 409, 'FILTER_EXISTS'],
    ['PATCH', `/filters/${saved.id}`, { name: 'Agencies' }, 409, 'FILTER_EXISTS'],
    ['POST', '/filters', { name: ' ', filter: {} }, 400, 'INVALID_INPUT'],
    ['POST', '/filters', { name: 'x', filter: { status: 'gone' } }, 400, 'INVALID_INPUT'],
    ['POST', '/filters', { name: 'x', filter: { surprise: 1 } }, 400, 'INVALID_INPUT'],
  ] as const) {
    const response = await person.call(method, path, body)
    expect([path, body, response.status, response.body.code]).toEqual([path, body, status, code])
  }

  await client.savedFilters.remove({ id: saved.id })
  expect((await client.savedFilters.list()).filters.map(({ name }) => name)).toEqual(['agencies'])
  for (let n = 1; n < SAVED_FILTERS_MAX; n += 1) await client.savedFilters.create({ name: `filter ${n}`, filter: {} })
  expect((await person.call('POST', '/filters', { name: 'x', filter: {} })).body).toEqual({
    success: false,
    code: 'TOO_MANY',
    error: 'A workspace has at most 100 saved filters.',
  })
})

it('drops unknown ids from filters when they are created and updated', async () => {
  const [person, stranger] = [await makePerson(app), await makePerson(app)]
  const idsOf = async ({ client, workspaceId }: Person) => {
    const list = await client.lists.create({ name: 'Founders' })
    const tag = await client.tags.create({ name: `tag of ${workspaceId}` })
    const scrape = await makeScrape(app, { workspaceId })
    return { listId: list.id, scrapeId: scrape?.id ?? '', tag: tag.id }
  }
  const [own, theirs] = [await idsOf(person), await idsOf(stranger)]
  const { savedFilters: filters, lists } = person.client
  const saved = await filters.create({ name: 'Own', filter: { keyword: 'saas', ...own } })
  expect(saved.filter).toEqual({ keyword: 'saas', ...own })
  const dropped = await filters.create({ name: 'Theirs', filter: { keyword: 'saas', ...theirs } })
  expect(dropped.filter).toEqual({ keyword: 'saas' })
  const named = await filters.update({ id: saved.id, filter: { ...theirs, tag: 'a tag to come' } })
  expect(named.filter).toEqual({ tag: 'a tag to come' })
  // Smart lists reject unknown ids: dropping one would match more leads.
  for (const field of ['listId', 'scrapeId', 'tag'] as const) {
    const body = { name: 'Smart', filter: { [field]: theirs[field] } }
    const response = await person.call('POST', '/lists', body)
    expect([response.status, response.body.details[0].field]).toEqual([400, `filter.${field}`])
  }
  expect((await lists.create({ name: 'Smart', filter: own })).filter).toEqual(own)
})
