import { sql } from 'drizzle-orm'
import fc from 'fast-check'
import { beforeAll, expect, it } from 'vitest'
import { makePerson } from '../../../test/makers.ts'
import { copyMessages, markSentUncounted } from '../../../test/messages.ts'
import { openApp, type TestApp } from '../../../test/open-app.ts'
import { expectCountsRight, launch, makeList, openHandles, sleep } from '../../../test/outreach.ts'
import { transact } from '../../db/transact.ts'
import { deleteMessages, recountMessages, updateMessages } from './counts.ts'

let app: TestApp
beforeAll(async () => {
  app = await openApp()
})

const CLIENTS = 8
const STATES = {
  queued: sql`status = 'queued', sent_at = null, answers = 0, person_answers = 0`,
  held: sql`is_held = not is_held`,
  sent: sql`status = 'sent', sent_at = coalesce(sent_at, now())`,
  moved: sql`status = 'sent', sent_at = now() - interval '1 day'`,
  replied: sql`status = 'replied', sent_at = coalesce(sent_at, now()), answers = 3, person_answers = 7`,
  failed: sql`status = 'failed', sent_at = null, reason = '{"code": "person"}'`,
  anonymous: sql`user_id = null`,
}

const change = fc.record({
  kind: fc.constantFrom('insert' as const, 'delete' as const, ...(Object.keys(STATES) as (keyof typeof STATES)[])),
  /** Changes about one message in this many. */
  of: fc.integer({ min: 2, max: 9 }),
  waitMs: fc.integer({ min: 0, max: 5 }),
})
/** The changes of one client. Each is a transaction, which keeps its locks for a while. */
const changes = fc.array(change, { maxLength: 6 })

it('equals a recount after eight clients have changed the same messages concurrently', async () => {
  const person = await makePerson(app)
  for (let n = 0; n < 2; n += 1)
    await launch(person, await makeList(app, person, openHandles(10)), { channel: 'extension' })
  const own = sql`workspace_id = ${person.workspaceId}`
  const apply = async (tx: TestApp['db'], { kind, of }: { kind: string; of: number }) => {
    const which = sql`${own} and abs(hashtext(id::text)) % ${of} = 0`
    if (kind === 'delete') return deleteMessages(tx, sql`${which} and step > 0`)
    if (kind !== 'insert') return void (await updateMessages(tx, which, STATES[kind as keyof typeof STATES]))
    await copyMessages({ db: tx }, which, { limit: 5, isFollowUp: true })
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
      await expectCountsRight(app)
    }),
    { numRuns: 12 },
  )
})

it('is repaired by a recount', async () => {
  const person = await makePerson(app)
  const { id } = await launch(person, await makeList(app, person, openHandles(3)), { channel: 'extension' })
  await markSentUncounted(app, { campaignId: id })
  await expect(expectCountsRight(app)).rejects.toThrow()
  await recountMessages(app.db, sql`id = ${id}`)
  await expectCountsRight(app)
})
