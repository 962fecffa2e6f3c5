import { PART_MAX } from '@x-automated/contract/leads/lead-limits'
import { beforeAll, describe, expect, it } from 'vitest'
import { connectX, makePerson, type Person } from '../../../../test/makers.ts'
import { fillLeadsTogether } from '../../../../test/many-rows.ts'
import { openApp, type TestApp } from '../../../../test/open-app.ts'
import { choosePart } from '../../../core/people/selection.ts'

/** More leads than one call changes. */
const MANY = PART_MAX + 50

let app: TestApp
let person: Person
beforeAll(async () => {
  app = await openApp({ x: true })
  person = await makePerson(app)
  await connectX(app, person)
  await fillLeadsTogether(app, person, MANY)
})

const filter = { keyword: 'lead' }
type Call<A> = (selection: { filter: typeof filter; cursor?: string }) => Promise<A>

/** Repeats a call until there is no cursor. */
async function inParts<A extends { cursor: string | null }>(call: Call<A>): Promise<A[]> {
  const pages: A[] = []
  let cursor: string | null = null
  do {
    const page: A = await call({ filter, ...(cursor === null ? {} : { cursor }) })
    pages.push(page)
    cursor = page.cursor
  } while (cursor !== null && pages.length < 9)
  return pages
}

describe('bulk changes by filter', () => {
  it('change each lead once, until there is no cursor', async () => {
    const { client } = person
    const tag = await client.tags.create({ name: 'VIP' })
    const pages = await inParts((part) => client.tags.apply({ ...part, add: [tag.id] }))
    expect(pages.map(({ changed }) => changed)).toEqual([PART_MAX, MANY - PART_MAX])
    expect((await client.tags.list()).tags[0]!.leadCount).toBe(MANY)
  })

  it.each([{}, { keyword: '1' }, { tag: 'VIP', minFollowers: 100 }, { keyword: 'nobody' }])(
    'select every match once in parts: %j',
    async (criteria) => {
      const size = 997
      const seen: string[] = []
      let cursor: string | null = null
      do {
        const selection = { filter: criteria, ...(cursor === null ? {} : { cursor }) }
        const part = await app.db.transaction(async (tx) => {
          const chosen = await choosePart(tx, person.actor, selection, size)
          const { rows } = await tx.execute<{ id: string }>(chosen.leads)
          return { ids: rows.map(({ id }) => id), cursor: chosen.cursor }
        })
        expect(part.ids.length).toBeLessThanOrEqual(size)
        seen.push(...part.ids)
        cursor = part.cursor
      } while (cursor !== null && seen.length <= MANY)
      expect(new Set(seen).size).toBe(seen.length)
      expect(seen.length).toBe((await person.client.leads.list(criteria)).total)
    },
  )

  it.each(['/leads/basis', '/leads/delete', '/leads/queue', '/leads/tags', '/suppressions'])(
    'return 400 for %s with a bad cursor, or with ids and a cursor',
    async (path) => {
      const tag = path === '/leads/tags' ? { add: [(await person.client.tags.list()).tags[0]!.id] } : {}
      const rest = { ...(path === '/leads/basis' ? { basis: 'asked' } : {}), ...tag }
      const { cursor } = await person.client.leads.list({ sort: 'createdAt' })
      for (const selection of [
        { filter: {}, cursor: 'nonsense' },
        { leadIds: [crypto.randomUUID()], cursor },
      ]) {
        const response = await person.call('POST', path, { ...rest, ...selection })
        expect([response.status, response.body.details]).toEqual([400, [expect.objectContaining({ field: 'cursor' })]])
      }
    },
  )
})
