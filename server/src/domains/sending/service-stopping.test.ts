import { sql } from 'drizzle-orm'
import { beforeAll, beforeEach, expect, it } from 'vitest'
import { makePerson, type Person } from '../../../test/makers.ts'
import { openApp, type TestApp } from '../../../test/open-app.ts'
import { eventually, launch, makeList, openHandles } from '../../../test/outreach.ts'
import { whileWaiting } from '../../../test/while-waiting.ts'

let app: TestApp
let person: Person
beforeAll(async () => {
  app = await openApp()
})
beforeEach(async () => {
  person = await makePerson(app)
})

const launched = async () => {
  const list = await makeList(app, person, openHandles(2))
  const { id } = await launch(person, list, { channel: 'extension', allowRepeat: true })
  return { id, list }
}
const claimed = async (id: string) => {
  const { body } = await person.call('POST', `/campaigns/${id}/claim`, { holder: 'laptop' })
  return { leadId: body.leadId as string, held: { id: body.dmId as string, lease: body.lease as string } }
}

/** Archives a campaign, and has a message given back once its leads were looked at, before it is archived for others. */
async function giveBackWhileArchiving(id: string, held: { id: string; lease: string }): Promise<void> {
  let isBack = false
  let giving: Promise<unknown> = Promise.resolve()
  await whileWaiting(app, {
    // It comes to the month's count last of all (db/transact.ts).
    lock: `select from monthly_usage where workspace_id = '${person.workspaceId}' for update`,
    work: () => person.client.campaigns.update({ id, status: 'archived' }),
    others: async () => {
      giving = person.client.campaigns.release(held).finally(() => {
        isBack = true
      })
      // Its failure is for whoever awaits it.
      giving.catch(() => {})
      await eventually(async () => isBack || (await countWaiting()) > 1, 'it is given back, or waits')
    },
  })
  await giving
}

async function countWaiting(): Promise<number> {
  const { rows } = await app.db.execute(
    sql`select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
  )
  return rows.length
}

const statusOf = async (id: string) => (await person.client.leads.find({ id })).dmStatus

it('lets go of a lead whose message is given back while its campaign is being archived', async () => {
  const { id } = await launched()
  const { leadId, held } = await claimed(id)
  await giveBackWhileArchiving(id, held)
  expect(await statusOf(leadId)).toBe('not_sent')
})

it('lets go of a lead whose message of an archived campaign is given back while another campaign of theirs is being archived', async () => {
  const { id, list } = await launched()
  const { leadId, held } = await claimed(id)
  await person.client.campaigns.update({ id, status: 'archived' })
  const other = await launch(person, list, { channel: 'extension', allowRepeat: true })
  expect(await statusOf(leadId)).toBe('queued')
  await giveBackWhileArchiving(other.id, held)
  expect(await statusOf(leadId)).toBe('not_sent')
})

it('does not bring a lead back as queued whose campaign was archived while they were deleted', async () => {
  const { id, list } = await launched()
  const { removalId } = await person.client.leads.removeMany({ leadIds: list.leadIds })
  await person.client.campaigns.update({ id, status: 'archived' })
  await person.client.leads.restore({ removalId: removalId! })
  expect(await Promise.all(list.leadIds.map(statusOf))).toEqual(['not_sent', 'not_sent'])
})
