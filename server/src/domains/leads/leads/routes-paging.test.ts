import { LeadSort, type LeadSort as Sort } from '@x-automated/contract/leads/leads'
import { beforeAll, describe, expect, it } from 'vitest'
import { makeLeads } from '../../../../test/leads.ts'
import { makePerson, type Person } from '../../../../test/makers.ts'
import { fillLeads } from '../../../../test/many-rows.ts'
import { openApp, type TestApp } from '../../../../test/open-app.ts'

let app: TestApp
let person: Person
const LEADS = 2_150
beforeAll(async () => {
  app = await openApp()
  person = await makePerson(app)
  await fillLeads(app, person, LEADS)
})

describe('a deep page', () => {
  const all = async (query: { sort: Sort; keyword?: string; status?: 'not_sent' }) => {
    const ids: string[] = []
    for (let cursor: string | undefined, page = 1; ; page += 1) {
      const part = await person.client.leads.list({ ...query, page, pageSize: 100, ...(cursor && { cursor }) })
      ids.push(...part.leads.map(({ id }) => id))
      if (!part.cursor) return ids
      cursor = part.cursor
    }
  }

  it.each(['name', '-createdAt', 'dmStatus'] as const)(
    'has the same leads by its number as by cursor, by %s',
    async (sort) => {
      for (const filter of [{}, { keyword: 'founder' }, { status: 'not_sent' as const }]) {
        const ids = await all({ ...filter, sort })
        const last = Math.ceil(ids.length / 40)
        // From page 26 on, 1,000 leads are skipped.
        for (const page of [25, 26, Math.ceil(last / 2) + 1, last, last + 1]) {
          const { leads, total, cursor } = await person.client.leads.list({ ...filter, sort, page, pageSize: 40 })
          expect(leads.map(({ id }) => id)).toEqual(ids.slice((page - 1) * 40, page * 40))
          expect(total).toBe(ids.length)
          expect(cursor !== null).toBe(page < last)
        }
      }
    },
  )

  it('ends where the reverse order begins', async () => {
    for (const sort of LeadSort.options) {
      const page = LEADS / 10
      const { leads } = await person.client.leads.list({ sort, page, pageSize: 10 })
      const reverse = (sort.startsWith('-') ? sort.slice(1) : `-${sort}`) as Sort
      const first = await person.client.leads.list({ sort: reverse, pageSize: 10 })
      expect(leads.toReversed()).toEqual(first.leads)
    }
  })
})

describe('total=none', () => {
  it('leaves out the total, which GET /leads/count has', async () => {
    const viewer = await makePerson(app, { in: person, role: 'viewer' })
    for (const filter of [
      {},
      { keyword: 'founder 7' },
      { status: 'queued' as const },
      { minFollowers: '5' },
      { bioWords: '-founder' },
    ]) {
      const { total, leads } = await person.client.leads.list(filter)
      expect(total).toBeGreaterThan(0)
      expect(await viewer.client.leads.list({ ...filter, total: 'none' })).toMatchObject({ total: null, leads })
      expect(await viewer.client.leads.count(filter)).toEqual({ total })
    }
    expect((await person.call('GET', '/leads?total=some')).status).toBe(400)
  })

  it('counts only the own workspace, and refuses what GET /leads refuses', async () => {
    const other = await makePerson(app)
    await makeLeads(app, other, 2)
    expect(await other.client.leads.count({ keyword: 'lead' })).toEqual({ total: 2 })
    expect(await other.call('GET', '/leads/count?label=interested')).toMatchObject({
      status: 403,
      body: { code: 'PLAN_LIMIT' },
    })
    expect(await other.call('GET', `/leads/count?filterId=${crypto.randomUUID()}`)).toMatchObject({
      status: 404,
      body: { code: 'FILTER_NOT_FOUND' },
    })
    expect((await other.call('GET', '/leads/count?keyword=a&filterId=x')).status).toBe(400)
  })
})
