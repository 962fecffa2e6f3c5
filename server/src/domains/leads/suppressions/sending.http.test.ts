import { idOfHandle } from '@x-automated/stand-ins/x/ids'
import { eq, sql } from 'drizzle-orm'
import { beforeAll, describe, expect, it } from 'vitest'
import { makePerson, type Person } from '../../../../test/makers.ts'
import { openApp, type TestApp } from '../../../../test/open-app.ts'
import {
  completed,
  dmsOf,
  eventually,
  launch,
  makeCampaign,
  makeList,
  openHandles,
  openSenders,
  SENDS,
  type SomeList,
  setFaults,
  sleep,
  waitForBlockedStatement,
} from '../../../../test/outreach.ts'
import { insertSuppressions } from '../../../../test/suppressions.ts'
import { letSend } from '../../../../test/x-accounts.ts'
import { leads } from '../../../core/tables/leads.ts'
import { dms } from '../../../core/tables/messages.ts'

let app: TestApp
beforeAll(async () => {
  app = await openApp({ x: true })
})
const { start, withInterval, connected, arrivedFrom, countClaimed } = openSenders(() => app)

const LISTED = 'Skipped: this person is on your suppression list.'
const OPTED_OUT = 'Skipped: this person has opted out.'
const suppress = (person: Person, list: SomeList, ...places: number[]) =>
  person.client.suppressions.create({ leadIds: places.map((index) => list.leadIds[index]!), reason: 'opted_out' })
const statusesOf = async (list: SomeList) => {
  const rows = await app.db
    .select()
    .from(leads)
    .where(sql`id = any(${sql.param(list.leadIds)}::uuid[])`)
  return list.leadIds.map((id) => rows.find((row) => row.id === id)?.dmStatus)
}
const fates = async (person: Person, campaignId: string) =>
  (await dmsOf(person, campaignId)).map(({ status, errorMessage }) => errorMessage ?? status)

describe('queueing', () => {
  it('fails the messages of suppressed leads with the reason, even with repeats', async () => {
    const { person } = await connected()
    const list = await makeList(app, person, openHandles(3))
    await suppress(person, list, 0)
    await person.client.suppressions.create({ handles: [list.handles[1]!.toUpperCase()] })
    for (const allowRepeat of [false, true]) {
      const { id } = await launch(person, list, { allowRepeat, channel: 'extension' })
      expect(await fates(person, id)).toEqual([OPTED_OUT, LISTED, 'queued'])
      expect((await dmsOf(person, id)).map(({ reason }) => reason)).toEqual([
        { code: 'suppressed', params: { reason: 'opted_out' } },
        { code: 'suppressed', params: { reason: 'manual' } },
        null,
      ])
      await person.client.campaigns.update({ id, status: 'archived' })
    }
    expect(await statusesOf(list)).toEqual(['not_sent', 'not_sent', 'not_sent'])
  })

  it('completes a campaign of suppressed leads immediately', async () => {
    const { person } = await connected()
    const list = await makeList(app, person, openHandles(1))
    await suppress(person, list, 0)
    expect(await launch(person, list)).toMatchObject({ status: 'completed', dmsFailedCount: 1, totalLeadsInList: 1 })
  })

  it('skips suppressed leads outside campaigns, and rejects requeueing their messages', async () => {
    const { person } = await connected()
    const list = await makeList(app, person, openHandles(2))
    const { id } = await launch(person, list, { channel: 'extension' })
    expect(await suppress(person, list, 0)).toMatchObject({ suppressed: 1, stopped: 1 })
    expect(await person.client.leads.queue({ leadIds: list.leadIds })).toMatchObject({ queued: 0 })
    const [stopped] = await dmsOf(person, id)
    const refused = await person.call('POST', `/dms/${stopped!.id}/requeue`)
    expect([refused.status, refused.body]).toMatchObject([
      409,
      {
        code: 'DM_STATE',
        error: 'This person has opted out. To message them, remove them from your suppression list first.',
      },
    ])
    const { suppressions: rows } = await person.client.suppressions.list({})
    await person.client.suppressions.remove({ id: rows[0]!.id })
    expect(await person.client.campaigns.requeue({ id: stopped!.id })).toMatchObject({ status: 'queued' })
  })
})

describe('suppressing people with queued messages', () => {
  it('stops their messages everywhere, updates counts and completes empty campaigns', async () => {
    const { person } = await connected()
    const list = await makeList(app, person, openHandles(3))
    const empty = await makeList(app, person, [])
    const active = await launch(person, list)
    const second = await launch(person, list, { channel: 'extension', allowRepeat: true, name: 'Second' })
    await person.client.campaigns.update({ id: second.id, status: 'paused' })
    const other = await connected()
    const theirs = await launch(other.person, await makeList(app, other.person, list.handles))

    expect(await person.client.suppressions.create({ handles: list.handles.slice(0, 2) })).toEqual({
      success: true,
      suppressed: 2,
      suppressionId: null,
      stopped: 4,
      cursor: null,
    })
    expect(await fates(person, active.id)).toEqual([LISTED, LISTED, 'queued'])
    expect(await fates(person, second.id)).toEqual([LISTED, LISTED, 'queued'])
    expect(await statusesOf(list)).toEqual(['not_sent', 'not_sent', 'queued'])
    expect(await person.client.campaigns.find({ id: second.id })).toMatchObject({
      status: 'paused',
      dmsQueuedCount: 1,
      dmsFailedCount: 2,
    })
    expect(await person.client.suppressions.create({ filter: { listId: list.id } })).toMatchObject({
      suppressed: 1,
      stopped: 2,
    })
    expect(await person.client.campaigns.find({ id: active.id })).toMatchObject({ status: 'completed' })
    expect(await fates(other.person, theirs.id)).toEqual(['queued', 'queued', 'queued'])
    expect((await person.client.suppressions.create({ filter: { listId: empty.id } })).suppressed).toBe(0)
    await other.person.client.campaigns.update({ id: theirs.id, status: 'archived' })
  })

  it('stops messages of an imported file of handles', async () => {
    const { person } = await connected()
    const list = await makeList(app, person, openHandles(2))
    const { id } = await launch(person, list, { channel: 'extension' })
    const { body } = await person.call('POST', '/suppressions/import', `handle\n${list.handles[1]}\nnobody_here\n`, {
      'content-type': 'text/csv',
    })
    expect(body).toMatchObject({ imported: 2, stopped: 1 })
    expect(await fates(person, id)).toEqual(['queued', LISTED])
  })

  it('waits for a list that is being queued and stops its messages too', async () => {
    const { person } = await connected()
    const list = await makeList(app, person, openHandles(2))
    const { id } = await makeCampaign(person, list, { channel: 'extension' })
    const [suppressing, queueing] = await app.db.transaction(async (tx) => {
      // Queueing waits for this lock until the suppression has started.
      await tx.execute(sql`select from leads where id = ${list.leadIds[0]} for no key update`)
      const queueing = person.client.campaigns.queue({ id })
      await waitForBlockedStatement(app)
      return [suppress(person, list, 0), queueing]
    })
    await Promise.all([suppressing, queueing])
    expect(await fates(person, id)).toEqual([OPTED_OUT, 'queued'])
  })
})

describe('claiming', () => {
  /**
   * Suppresses without stopping queued messages, as if the message had been claimed at that moment.
   */
  const onTheListOnly = (person: Person, handle: string) =>
    insertSuppressions(app, person, { twitterHandle: handle.toLowerCase(), reason: 'replied_stop' })

  it('gives an extension the next message and does not count the skipped one', async () => {
    const { person } = await connected()
    const list = await makeList(app, person, openHandles(2))
    const { id } = await launch(person, list, { channel: 'extension' })
    await onTheListOnly(person, list.handles[0]!)
    const claim = await person.call('POST', `/campaigns/${id}/claim`, { holder: 'test' })
    expect(claim.body).toMatchObject({ twitterHandle: list.handles[1] })
    expect(await fates(person, id)).toEqual(['Skipped: this person has opted out.', 'queued'])
    expect(await statusesOf(list)).toEqual(['not_sent', 'queued'])
    await person.client.campaigns.recordOutcome({ id: claim.body.dmId, lease: claim.body.lease, wasSent: true })
    expect(await person.client.campaigns.find({ id })).toMatchObject({ status: 'completed' })
  })

  it('skips suppressed leads in our senders', async () => {
    const { person, account } = await connected()
    const list = await makeList(app, person, openHandles(4))
    const { id } = await launch(person, list)
    await onTheListOnly(person, list.handles[0]!)
    await onTheListOnly(person, list.handles[2]!)
    await Promise.all([start(), start()])
    expect(await completed(person, id)).toMatchObject({ dmsSentCount: 2, dmsFailedCount: 2 })
    expect((await arrivedFrom(account.handle)).map(({ to }) => to).sort()).toEqual(
      [list.handles[1], list.handles[3]].sort(),
    )
    expect(await statusesOf(list)).toEqual(['not_sent', 'contacted', 'not_sent', 'contacted'])
    const [skipped] = await app.db.select().from(dms).where(eq(dms.leadId, list.leadIds[0]!))
    expect(skipped).toMatchObject({ claimedAt: null, leaseExpiresAt: null, triedAt: null, sentAt: null })
  })

  it('checks suppression again right before sending', async () => {
    const { person, account } = await connected()
    const list = await makeList(app, person, openHandles(1), { unknownIds: true })
    // The lookup at X takes long enough to suppress the lead in the meantime.
    await setFaults(app, { method: 'GET', path: '/2/users/by/username/*', delayMs: 600, times: 1 })
    const { id } = await launch(person, list)
    await start()
    await eventually(() => countClaimed(id), 'it is claimed')
    expect(await suppress(person, list, 0)).toMatchObject({ suppressed: 1, stopped: 0 })
    expect(await completed(person, id)).toMatchObject({ dmsFailedCount: 1, dmsSentCount: 0 })
    expect(await fates(person, id)).toEqual([OPTED_OUT])
    expect(await arrivedFrom(account.handle)).toEqual([])
  })

  it('sends nothing to people of whom a file has only the X id, or an unknown reason', async () => {
    const { person, account } = await connected()
    const [byId, byHandle] = openHandles(2)
    const list = await makeList(app, person, [byId!, byHandle!], { unknownIds: true })
    const importFile = async (file: string) =>
      (await person.call('POST', '/suppressions/import', file, { 'content-type': 'text/csv' })).body
    expect(await importFile(`x_user_id\n${idOfHandle(byId!)}\n`)).toMatchObject({ imported: 1 })
    expect(await importFile(`handle,reason\n${byHandle},Unsubscribed\n`)).toMatchObject({ imported: 1 })
    const { id } = await launch(person, list)
    await start()
    expect(await completed(person, id)).toMatchObject({ dmsFailedCount: 2, dmsSentCount: 0 })
    expect(await fates(person, id)).toEqual([LISTED, LISTED])
    expect(await arrivedFrom(account.handle)).toEqual([])
  })

  it('does not retry a message that X rejected if its lead was suppressed', async () => {
    const { person, account } = await connected()
    const list = await makeList(app, person, openHandles(1))
    await setFaults(app, { ...SENDS, status: 503, delayMs: 400, times: 1 })
    const { id } = await launch(person, list)
    await start()
    await eventually(() => countClaimed(id), 'it is claimed')
    await sleep(150)
    await suppress(person, list, 0)
    await eventually(async () => (await countClaimed(id)) === 0, 'it was released')
    await letSend(app, { id: account.id }, new Date(Date.now() - 1_000))
    expect(await completed(person, id)).toMatchObject({ dmsFailedCount: 1 })
    expect(await arrivedFrom(account.handle)).toEqual([])
  })

  it('messages nobody after many were suppressed during sending, and keeps counts exact', async () => {
    const { person, account } = await connected()
    const list = await makeList(app, person, openHandles(60))
    const { id } = await launch(person, list)
    await Promise.all([start(withInterval(0.1)), start(withInterval(0.1))])
    await eventually(async () => (await arrivedFrom(account.handle)).length > 3, 'some were sent')
    const results = await Promise.all([
      suppress(person, list, ...list.leadIds.keys()),
      person.client.suppressions.create({ handles: [...list.handles].reverse() }),
    ])
    expect(results.reduce((sum, { suppressed }) => sum + suppressed, 0)).toBe(60)
    // Messages already on their way to X still arrive.
    await eventually(async () => (await countClaimed(id)) === 0, 'nothing is claimed')
    const after = (await arrivedFrom(account.handle)).length
    const done = await completed(person, id)
    expect(done).toMatchObject({ dmsSentCount: after, dmsFailedCount: 60 - after, dmsQueuedCount: 0 })
    expect(after).toBeLessThan(60)
    expect((await arrivedFrom(account.handle)).length).toBe(after)
  })
})

it('suppression does not affect other workspaces', async () => {
  const { person, account } = await connected()
  const stranger = await makePerson(app)
  const list = await makeList(app, person, openHandles(1))
  await stranger.client.suppressions.create({ handles: list.handles })
  await start()
  expect(await completed(person, (await launch(person, list)).id)).toMatchObject({ dmsSentCount: 1 })
  expect(await arrivedFrom(account.handle)).toHaveLength(1)
})
