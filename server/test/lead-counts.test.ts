import { sql } from 'drizzle-orm'
import fc from 'fast-check'
import { beforeAll, expect, it } from 'vitest'
import { countedLead, countLeads, deleteLeads, recountLeads, setLeadStatus } from '../src/core/people/lead-counts.ts'
import { transact } from '../src/db/transact.ts'
import { expectLeadCountsRight, makeLeads } from './leads.ts'
import { makePerson } from './makers.ts'
import { openApp, type TestApp } from './open-app.ts'
import { sleep } from './outreach.ts'

let app: TestApp
beforeAll(async () => {
  app = await openApp()
})

const CLIENTS = 8
const STATUSES = ['not_sent', 'queued', 'sent', 'failed', 'contacted', 'failed_contact'] as const

const change = fc.record({
  kind: fc.constantFrom('insert' as const, 'delete' as const, ...STATUSES),
  /** Selects the leads whose hashed id is divisible by this number. */
  of: fc.integer({ min: 2, max: 9 }),
  waitMs: fc.integer({ min: 0, max: 5 }),
})
/** A client's changes: each is a transaction that keeps its locks for `waitMs`. */
const changes = fc.array(change, { maxLength: 6 })

it('equals a recount after eight clients have changed the same leads concurrently', async () => {
  const person = await makePerson(app)
  await makeLeads(app, person, 20)
  const apply = async (tx: TestApp['db'], { kind, of }: { kind: string; of: number }) => {
    const which = sql`workspace_id = ${person.workspaceId} and abs(hashtext(id::text)) % ${of} = 0`
    const status = STATUSES.find((name) => name === kind)
    if (status) return setLeadStatus(tx, which, status)
    if (kind === 'delete') return deleteLeads(tx, sql`${which} and name = 'Copy'`)
    await tx.execute(sql`
      with added as (
        insert into leads (workspace_id, name, twitter_handle, dm_status)
        select workspace_id, 'Copy', 'copy_' || gen_random_uuid(), dm_status
        from leads
        where ${which}
        limit 5
        returning ${countedLead()}
      ), ${countLeads({ after: 'added' })}
      select from added`)
  }
  await fc.assert(
    fc.asyncProperty(fc.array(changes, { minLength: CLIENTS, maxLength: CLIENTS }), async (clients) => {
      const run = async (steps: (typeof clients)[number]) => {
        for (const step of steps)
          await transact(app.db, async (tx) => {
            await apply(tx, step)
            await sleep(step.waitMs)
          })
      }
      await Promise.all(clients.map(run))
      await expectLeadCountsRight(app)
    }),
    { numRuns: 12 },
  )
})

it('is repaired by a recount', async () => {
  const person = await makePerson(app)
  await makeLeads(app, person, 3)
  await app.db.execute(sql`update leads set dm_status = 'sent' where workspace_id = ${person.workspaceId}`)
  await expect(expectLeadCountsRight(app)).rejects.toThrow()
  await recountLeads(app.db, sql`id = ${person.workspaceId}`)
  await expectLeadCountsRight(app)
})
