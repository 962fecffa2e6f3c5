import { type SQL, sql } from 'drizzle-orm'
import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { pauseNow } from '../../../../test/campaigns.ts'
import { insertCounted } from '../../../../test/conversations.ts'
import { describeList } from '../../../../test/lists.ts'
import { connectX, makePerson, type Person } from '../../../../test/makers.ts'
import { markFailed } from '../../../../test/messages.ts'
import { openApp, type TestApp } from '../../../../test/open-app.ts'
import {
  claimNext,
  dmsOf,
  launch,
  letPass,
  makeCampaign,
  makeList,
  openHandles,
  waitForBlockedStatement,
} from '../../../../test/outreach.ts'
import { leaveIdle, letSend } from '../../../../test/x-accounts.ts'
import { campaignLock } from '../../../core/messages/account-lock.ts'
import { record, type Verdict } from '../../../core/messages/record.ts'
import { transact } from '../../../db/transact.ts'

let app: TestApp
let person: Person
beforeAll(async () => {
  app = await openApp()
})
beforeEach(async () => {
  // Only accounts of this test are due.
  await leaveIdle(app)
  person = await makePerson(app)
})

/**
 * Locks `first`, starts `act`, which waits for it, and then must get `second` immediately:
 * otherwise they could deadlock. Returns the result of `act`.
 */
async function expectOrder<T>(first: SQL, act: () => Promise<T>, second: SQL): Promise<T> {
  const { waiting } = await app.db.transaction(async (tx) => {
    await tx.execute(first)
    const waiting = act()
    // The caller handles a rejection.
    waiting.catch(() => {})
    await waitForBlockedStatement(app)
    await tx.execute(sql`${second} for no key update nowait`)
    return { waiting }
  })
  return waiting
}

describe('lock order', () => {
  it('is list, campaign: deleting a list while its campaign is queued', async () => {
    const list = await makeList(app, person, openHandles(1))
    const { id } = await makeCampaign(person, list, { channel: 'extension' })
    await expectOrder(
      sql`select from lead_lists where id = ${list.id} for update`,
      () => person.client.campaigns.queue({ id }),
      sql`select from campaigns where id = ${id}`,
    )
    const again = await makeCampaign(person, list, { channel: 'extension' })
    await expectOrder(
      sql`select from lead_lists where id = ${list.id} for update`,
      () => person.client.campaigns.update({ id: again.id, status: 'active' }),
      sql`select from campaigns where id = ${again.id}`,
    )
  })

  it('is list item, campaign: deleting a list while an outcome is recorded', async () => {
    const list = await makeList(app, person, openHandles(2))
    const { id } = await makeCampaign(person, list)
    await expectOrder(
      sql`select from lead_list_items where lead_list_id = ${list.id} order by lead_id desc limit 1 for update`,
      () => person.client.lists.remove({ id: list.id }),
      sql`select from campaigns where id = ${id}`,
    )
  })

  it('is message, list, lead: deleting a lead while an outcome is recorded', async () => {
    const list = await makeList(app, person, openHandles(1))
    const { id } = await launch(person, list, { channel: 'extension' })
    await expectOrder(
      sql`select from dms where campaign_id = ${id} for update`,
      () => person.client.leads.remove({ id: list.leadIds[0]! }),
      sql`select from leads where id = ${list.leadIds[0]}`,
    )
    expect((await dmsOf(person, id))[0]).toMatchObject({ lead: null })
  })

  it('is list, list item: deleting or removing a lead while its list changes', async () => {
    const list = await makeList(app, person, openHandles(2))
    const [first, two] = list.leadIds as [string, string]
    const listItem = (leadId: string) => sql`select from lead_list_items where lead_id = ${leadId}`
    const held = sql`select from lead_lists where id = ${list.id} for no key update`
    await expectOrder(held, () => person.client.leads.remove({ id: first }), listItem(first))
    await expectOrder(held, () => person.client.lists.removeLeads({ id: list.id, leadIds: [two] }), listItem(two))
    const { lists } = await person.client.lists.list({ pageSize: 100 })
    expect(lists.find(({ id }) => id === list.id)?.leadCount).toBe(0)
  })

  it('is lead, campaign: requeueing a message while another to its lead is recorded', async () => {
    const list = await makeList(app, person, openHandles(1))
    const { id } = await launch(person, list, { channel: 'extension' })
    const { body } = await person.call('POST', `/campaigns/${id}/claim`, { holder: 'laptop' })
    await person.call('POST', `/dms/${body.dmId}/outcome`, { lease: body.lease, wasSent: false })
    await expectOrder(
      sql`select from leads where id = ${list.leadIds[0]} for update`,
      () => person.client.campaigns.requeue({ id: body.dmId }),
      sql`select from campaigns where id = ${id}`,
    )
  })

  it('is campaign lock, messages: changing the template while messages are claimed', async () => {
    await connectX(app, person)
    const list = await makeList(app, person, openHandles(3))
    const { id } = await launch(person, list)
    await expectOrder(
      sql`select pg_advisory_xact_lock_shared(${campaignLock(sql`${id}::text`)})`,
      () => person.client.campaigns.update({ id, messageTemplate: 'Good day, {lead_name}' }),
      sql`select from dms where campaign_id = ${id}`,
    )
    expect((await dmsOf(person, id)).map(({ message }) => message)).toContain('Good day, Lead 1')
  })

  it('is enrollment, campaign: changing the template while a person who was stopped is resumed', async () => {
    const list = await makeList(app, person, openHandles(2))
    const { id } = await launch(person, list, { channel: 'extension' })
    const { enrollments } = await person.client.enrollments.list({ id })
    await person.client.enrollments.stop({ id: enrollments[0]!.id })
    await expectOrder(
      sql`select from enrollments where id = ${enrollments[0]!.id} for no key update`,
      () => person.client.campaigns.update({ id, messageTemplate: 'Good day, {lead_name}' }),
      sql`select from campaigns where id = ${id}`,
    )
  })

  it.each<[string, Verdict]>([
    ['X stopped the account', { kind: 'stop', reason: { code: 'x_disconnected', params: {} }, xMessage: null }],
    ['a message was skipped', { kind: 'skipped', reason: { code: 'person', params: {} } }],
  ])('is campaign, X account: recording that %s', async (_, verdict) => {
    const account = await connectX(app, person)
    const { id } = await launch(person, await makeList(app, person, openHandles(2)))
    const claimed = await claimNext(app)
    await expectOrder(
      sql`select from campaigns where id = ${id} for no key update`,
      () => record(app.db, [{ claimed, verdict, failures: 0 }]),
      sql`select from x_accounts where id = ${account.id}`,
    )
  })

  it('is campaign, X account: recording a sent message with one that waits', async () => {
    const account = await connectX(app, person)
    const { id } = await launch(person, await makeList(app, person, openHandles(2)))
    const first = await claimNext(app)
    await letSend(app, { id: account.id })
    await letPass(app, id, 1)
    const second = await claimNext(app)
    await expectOrder(
      sql`select from campaigns where id = ${id} for no key update`,
      () =>
        record(app.db, [
          { claimed: first, verdict: { kind: 'wait', reason: 'x', until: new Date() }, failures: 0 },
          { claimed: second, verdict: { kind: 'sent', eventId: 'order-1', mills: 0 }, failures: 0 },
        ]),
      sql`select from x_accounts where id = ${account.id}`,
    )
    expect((await dmsOf(person, id)).map(({ status }) => status).sort()).toEqual(['queued', 'sent'])
  })

  it('is lead, campaign: confirming a message of a paused campaign', async () => {
    const list = await makeList(app, person, openHandles(1))
    const { id } = await launch(person, list, { channel: 'extension' })
    const { body } = await person.call('POST', `/campaigns/${id}/claim`, { holder: 'laptop' })
    await pauseNow(app, { id })
    const { maySend } = await expectOrder(
      sql`select from leads where id = ${list.leadIds[0]} for no key update`,
      () => person.client.campaigns.confirm({ id: body.dmId, lease: body.lease }),
      sql`select from campaigns where id = ${id}`,
    )
    expect(maySend).toBe(false)
  })

  it('is X account, count of conversations: undoing a deletion while an answer is sent', async () => {
    const account = await connectX(app, person)
    const list = await makeList(app, person, openHandles(1))
    const { id } = await launch(person, list)
    await insertCounted(app, person.workspaceId, list.leadIds[0]!)
    const { removalId } = await person.client.leads.removeMany({ leadIds: list.leadIds })
    await markFailed(app, { campaignId: id }, { reason: { code: 'lead_missing', params: {} } })
    await expectOrder(
      sql`select from x_accounts where id = ${account.id} for update`,
      () => person.client.leads.restore({ removalId: removalId! }),
      sql`select from conversation_counts where workspace_id = ${person.workspaceId}`,
    )
  })
})

describe('transact', () => {
  it('retries after a deadlock', async () => {
    const [firstList, two] = [await makeList(app, person, []), await makeList(app, person, [])]
    let begun = 0
    let locked = 0
    let meet: () => void = () => {}
    const both = new Promise<void>((resolve) => {
      meet = resolve
    })
    const crossing = (first: string, second: string) =>
      transact(app.db, async (tx) => {
        begun += 1
        await describeList({ db: tx }, first, 'a')
        locked += 1
        if (locked === 2) meet()
        await both
        await describeList({ db: tx }, second, 'b')
        return 'through'
      })
    expect(await Promise.all([crossing(firstList.id, two.id), crossing(two.id, firstList.id)])).toEqual([
      'through',
      'through',
    ])
    // The transaction may deadlock twice if the retry starts before the other one has its lock.
    expect(begun).toBeGreaterThanOrEqual(3)
    const { lists } = await person.client.lists.list({ pageSize: 100 })
    const written = lists.filter(({ id }) => id === firstList.id || id === two.id).map(({ description }) => description)
    expect(written.map((text) => [...(text ?? '')].sort().join(''))).toEqual(['ab', 'ab'])
  })

  it('rethrows every other error immediately', async () => {
    let begun = 0
    const failing = transact(app.db, async () => {
      begun += 1
      throw new Error('no')
    })
    await expect(failing).rejects.toThrow('no')
    expect(begun).toBe(1)
  })
})
