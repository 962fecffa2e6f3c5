import { sql } from 'drizzle-orm'
import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { clearOfMidnight } from '../../../test/clear-of-midnight.ts'
import { makePerson, type Person } from '../../../test/makers.ts'
import { rewrite } from '../../../test/messages.ts'
import { openApp, type TestApp } from '../../../test/open-app.ts'
import { eventually, launch, makeList, openHandles, stopNow } from '../../../test/outreach.ts'
import { whileWaiting } from '../../../test/while-waiting.ts'
import type { Claimed } from './claim.ts'
import { record, type Verdict } from './record.ts'
import { expireLeases } from './settle.ts'

let app: TestApp
let person: Person
beforeAll(async () => {
  await clearOfMidnight()
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

/**
 * Starts `work`, which waits for a locked row, then `other`. Continues when `other` is done or
 * waits too.
 */
async function atOnce(lock: string, work: () => Promise<unknown>, other: () => Promise<unknown>): Promise<void> {
  let isDone = false
  let doing: Promise<unknown> = Promise.resolve()
  await whileWaiting(app, {
    lock,
    work,
    others: async () => {
      doing = other().finally(() => {
        isDone = true
      })
      // The caller handles a rejection.
      doing.catch(() => {})
      await eventually(async () => isDone || (await countWaiting()) > 1, 'the other is done, or waits')
    },
  })
  await doing
}

/**
 * Archives a campaign and runs something else after its leads are updated but before the commit.
 */
const whileArchiving = (id: string, other: () => Promise<unknown>) =>
  // `releaseLeads` locks the monthly quota after the leads.
  atOnce(
    `select from monthly_usage where workspace_id = '${person.workspaceId}' for update`,
    () => person.client.campaigns.update({ id, status: 'archived' }),
    other,
  )

async function countWaiting(): Promise<number> {
  const { rows } = await app.db.execute(
    sql`select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
  )
  return rows.length
}

const statusOf = async (id: string) => (await person.client.leads.find({ id })).dmStatus

it('releases a lead whose message is released while its campaign is being archived', async () => {
  const { id } = await launched()
  const { leadId, held } = await claimed(id)
  await whileArchiving(id, () => person.client.campaigns.release(held))
  expect(await statusOf(leadId)).toBe('not_sent')
})

it('releases a lead whose message is released while their other campaign is being archived', async () => {
  const { id, list } = await launched()
  const { leadId, held } = await claimed(id)
  await stopNow(person, id, 'archived')
  const other = await launch(person, list, { channel: 'extension', allowRepeat: true })
  expect(await statusOf(leadId)).toBe('queued')
  await whileArchiving(other.id, () => person.client.campaigns.release(held))
  expect(await statusOf(leadId)).toBe('not_sent')
})

it('does not restore a lead as queued if the campaign was archived meanwhile', async () => {
  const { id, list } = await launched()
  const { removalId } = await person.client.leads.removeMany({ leadIds: list.leadIds })
  await person.client.campaigns.update({ id, status: 'archived' })
  await person.client.leads.restore({ removalId: removalId! })
  expect(await Promise.all(list.leadIds.map(statusOf))).toEqual(['not_sent', 'not_sent'])
})

it('does not restore a lead as queued if the campaign is archived concurrently', async () => {
  const tag = await person.client.tags.create({ name: 'Friends' })
  for (const isArchivedFirst of [true, false]) {
    const { id, list } = await launched()
    await person.client.tags.apply({ leadIds: list.leadIds, add: [tag.id] })
    const { removalId } = await person.client.leads.removeMany({ leadIds: list.leadIds })
    const restore = () => person.client.leads.restore({ removalId: removalId! })
    if (isArchivedFirst) await whileArchiving(id, restore)
    // Restoring updates the tag's count after inserting the leads.
    else
      await atOnce(`select from tags where id = '${tag.id}' for update`, restore, () =>
        person.client.campaigns.update({ id, status: 'archived' }),
      )
    expect(await Promise.all(list.leadIds.map(statusOf))).toEqual(['not_sent', 'not_sent'])
  }
})

describe('the refund of messages claimed when their campaign was archived', () => {
  const used = async () => (await person.client.billing.overview()).usage.find(({ what }) => what === 'dms')!.used

  /**
   * Archives a campaign with one claimed message and two unclaimed ones, which are refunded
   * immediately. Five messages of another campaign are unaffected.
   */
  async function archivedInHand() {
    const list = await makeList(app, person, openHandles(3))
    const { id } = await launch(person, list, { channel: 'extension' })
    const { held } = await claimed(id)
    await launch(person, await makeList(app, person, openHandles(5)), { channel: 'extension' })
    await stopNow(person, id, 'archived')
    expect(await used()).toBe(6)
    return { list, held }
  }

  it('happens once for an extension', async () => {
    const { held } = await archivedInHand()
    await person.client.campaigns.release(held)
    expect(await used()).toBe(5)
  })

  it.each<Verdict>([{ kind: 'later' }, { kind: 'skipped', reason: { code: 'replied', params: {} } }])(
    'happens once for a worker that reports $kind and then reports again',
    async (verdict) => {
      const { held } = await archivedInHand()
      const inHand = { ...held, accountId: crypto.randomUUID(), triedSince: null } as Claimed
      await record(app.db, [{ claimed: inHand, verdict, failures: 1 }])
      await record(app.db, [{ claimed: inHand, verdict: { kind: 'later' }, failures: 1 }])
      expect(await used()).toBe(5)
    },
  )

  it('happens once for a dead simulation', async () => {
    const { held } = await archivedInHand()
    const runOut = { holder: 'simulated', triedAt: null, leaseExpiresAt: sql`now() - interval '1 second'` }
    await rewrite(app, { id: held.id }, runOut)
    await expireLeases(app.db)
    expect(await used()).toBe(5)
  })

  it('is not repeated if the leads are suppressed later', async () => {
    const { list, held } = await archivedInHand()
    expect(await person.client.suppressions.create({ handles: list.handles })).toMatchObject({ stopped: 2 })
    expect(await used()).toBe(6)
    const { body } = await person.call('POST', `/dms/${held.id}/confirm`, { lease: held.lease })
    expect([body.maySend, await used()]).toEqual([false, 5])
  })
})
