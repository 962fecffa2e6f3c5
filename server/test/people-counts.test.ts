import { setTimeout as sleep } from 'node:timers/promises'
import { type SQL, sql } from 'drizzle-orm'
import fc from 'fast-check'
import { beforeAll, it } from 'vitest'
import { learnHandles } from '../src/core/people/handles.ts'
import { addListEntries, removeListEntries } from '../src/core/people/list-entries.ts'
import { linkScraped } from '../src/core/people/scraped.ts'
import { upsertLeads } from '../src/core/people/stage.ts'
import { addTags, removeTags, undoAddTags, undoRemoveTags } from '../src/core/people/tagging.ts'
import type { Db } from '../src/db/open.ts'
import { transact } from '../src/db/transact.ts'
import { expectPeopleCountsRight, NOBODY } from './leads.ts'
import { makePerson, type Person, subscribe } from './makers.ts'
import { openApp, type TestApp } from './open-app.ts'
import { makeScrape } from './scrapes.ts'

let app: TestApp
beforeAll(async () => {
  app = await openApp()
})

const HANDLES = ['ann', 'bob', 'cat', 'dan', 'eve', 'fay']
const IDS = ['11', '22', '33', '44']
/** Refusals of steps because another client has deleted the lead, list, tag or suppression, or created the same tag. */
const LOST = /_NOT_FOUND$|^TAG_EXISTS$/

/** Creates a workspace with two lists, two tags and two scrapes. */
async function makeScene() {
  const person = await makePerson(app)
  await subscribe(app, person)
  const { client } = person
  const make = async (n: number) => ({
    list: (await client.lists.create({ name: `List ${n}` })).id,
    tag: (await client.tags.create({ name: `Tag ${n}` })).id,
    scrape: (await makeScrape(app, person)).id,
  })
  return { person, parts: [await make(0), await make(1)] as const, removals: [] as string[] }
}
type Scene = Awaited<ReturnType<typeof makeScene>>

interface Choice {
  /** The people, as indexes into HANDLES or IDS, which wrap around. */
  who: number[]
  /** Index of the list, tag and scrape. */
  part: 0 | 1
}

const handlesOf = (who: readonly number[]) => [...new Set(who.map((n) => HANDLES[n % HANDLES.length]!))]
const idsOf = (who: readonly number[]) => [...new Set(who.map((n) => IDS[n % IDS.length]!))]
const byHandle = ({ workspaceId }: Person, who: readonly number[]): SQL => sql`
  select id from leads
  where workspace_id = ${workspaceId} and lower(twitter_handle) = any(${sql.param(handlesOf(who))}::text[])`

/** The steps that a client of the workspace can take. */
const STEPS = {
  /** Stores scraped people. Some are known by handle alone, so duplicates are merged. */
  async scrape({ person, parts }, { who, part }) {
    const people = idsOf(who).map((xUserId, n) => ({
      xUserId,
      twitterHandle: HANDLES[(who[0]! + n) % HANDLES.length]!,
    }))
    await transact(app.db, async (tx) => {
      const ids = await upsertLeads(
        tx,
        person.actor,
        people.map((lead) => ({ ...NOBODY, ...lead })),
        'whole',
      )
      await linkScraped(tx, parts[part].scrape, ids)
    })
  },
  async importFile({ person }, { who, part }) {
    const rows = handlesOf(who).map((handle) => `${handle},Tag ${part}`)
    await person.call('POST', '/leads/import', `twitter_handle,tags\n${rows.join('\n')}\n`, {
      'content-type': 'text/csv',
    })
  },
  async rename({ person }, { who }) {
    await learnHandles(app.db, person.workspaceId, [
      { id: IDS[who[0]! % IDS.length]!, handle: HANDLES[who[0]! % HANDLES.length]! },
    ])
  },
  async suppress({ person }, { who, part }) {
    const handles = handlesOf(who)
    const byBoth = { handles: handles.slice(0, 1), xUserId: idsOf(who)[0]! }
    await person.client.suppressions.create(part ? byBoth : { handles })
  },
  async unsuppress({ person }, { who }) {
    const { suppressions } = await person.client.suppressions.list({})
    const chosen = suppressions[who[0]! % Math.max(1, suppressions.length)]
    if (chosen) await person.client.suppressions.remove({ id: chosen.id })
  },
  async list({ person, parts }, { who, part }) {
    await transact(app.db, (tx) => addListEntries(tx, person, parts[part].list, byHandle(person, who)))
  },
  async unlist({ person, parts }, { who, part }) {
    await transact(app.db, (tx) => removeListEntries(tx, person, parts[part].list, byHandle(person, who)))
  },
  async tag({ person, parts }, { who, part }) {
    const tagIds = parts.map(({ tag }) => tag).slice(part)
    const added = await transact(app.db, (tx) => addTags(tx, person, byHandle(person, who), tagIds))
    if (who.length === 1) await transact(app.db, (tx) => undoAddTags(tx, person, added))
  },
  async untag({ person, parts }, { who, part }) {
    const tagIds = parts.map(({ tag }) => tag).slice(part)
    const removed = await transact(app.db, (tx) => removeTags(tx, person, byHandle(person, who), tagIds))
    if (who.length === 1) await transact(app.db, (tx) => undoRemoveTags(tx, person, removed))
  },
  async mergeTags({ person, parts }, { who, part }) {
    const { id } = await person.client.tags.create({ name: `Merged ${crypto.randomUUID()}` })
    await transact(app.db, (tx) => addTags(tx, person, byHandle(person, who), [id]))
    await person.client.tags.merge({ id, into: parts[part].tag })
  },
  async remove({ person, removals }, { who }) {
    const { leads } = await person.client.leads.list({ keyword: handlesOf(who)[0]! })
    if (who.length === 1 && leads[0]) await person.client.leads.remove({ id: leads[0].id })
    else if (leads.length > 0) {
      const { removalId } = await person.client.leads.removeMany({ leadIds: leads.map(({ id }) => id) })
      if (removalId) removals.push(removalId)
    }
  },
  async restore({ person, removals }) {
    const removalId = removals.pop()
    if (removalId) await person.client.leads.restore({ removalId })
  },
} satisfies Record<string, (scene: Scene, choice: Choice) => Promise<void>>

/** Locks of rows that are counted or that have counts, so that clients wait for each other. */
const LOCKS: readonly ((tx: Db, scene: Scene) => Promise<unknown>)[] = [
  async () => {},
  (tx, { person }) => tx.execute(sql`select from leads where workspace_id = ${person.workspaceId} for key share`),
  (tx, { person }) => tx.execute(sql`select from suppressions where workspace_id = ${person.workspaceId} for update`),
  (tx, { person }) =>
    tx.execute(sql`select from tags where workspace_id = ${person.workspaceId} order by id for update`),
]

it('equal a recount after any steps of concurrent clients', async () => {
  const name = fc.constantFrom(...(Object.keys(STEPS) as (keyof typeof STEPS)[]))
  const choice = fc.record({
    who: fc.array(fc.nat(11), { minLength: 1, maxLength: 4 }),
    part: fc.constantFrom<0 | 1>(0, 1),
  })
  const round = fc.record({
    steps: fc.array(fc.tuple(name, choice), { minLength: 8, maxLength: 8 }),
    lock: fc.nat(LOCKS.length - 1),
  })
  await fc.assert(
    fc.asyncProperty(fc.array(round, { minLength: 2, maxLength: 3 }), async (rounds) => {
      const scene = await makeScene()
      for (const { steps, lock } of rounds) {
        await Promise.all([
          app.db.transaction(async (tx) => {
            await LOCKS[lock]!(tx, scene)
            await sleep(20)
          }),
          ...steps.map(async ([step, chosen]) => {
            try {
              await STEPS[step](scene, chosen)
            } catch (error) {
              if (!LOST.test((error as { code?: string }).code ?? '')) throw error
            }
          }),
        ])
        await expectPeopleCountsRight(app, scene.person)
      }
    }),
    { numRuns: 3, endOnFailure: true },
  )
})
