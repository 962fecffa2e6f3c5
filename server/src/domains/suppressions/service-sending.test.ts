import { eq, sql } from 'drizzle-orm'
import { beforeAll, describe, expect, it } from 'vitest'
import { makePerson, type Person } from '../../../test/makers.ts'
import { openApp, type TestApp } from '../../../test/open-app.ts'
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
  someoneWaits,
} from '../../../test/outreach.ts'
import { leads } from '../leads/tables.ts'
import { dms } from '../sending/tables.ts'
import { suppressions } from './tables.ts'

let app: TestApp
beforeAll(async () => {
  app = await openApp({ x: true })
})
const { start, paced, connected, arrivedFrom, inHand } = openSenders(() => app)

const LISTED = 'Skipped: this person is on your suppression list.'
const OPTED_OUT = 'Skipped: this person has opted out.'
const suppress = (person: Person, list: SomeList, ...places: number[]) =>
  person.client.suppressions.create({ leadIds: places.map((place) => list.leadIds[place]!), reason: 'opted_out' })
const statusesOf = async (list: SomeList) => {
  const rows = await app.db
    .select()
    .from(leads)
    .where(sql`id = any(${sql.param(list.leadIds)}::uuid[])`)
  return list.leadIds.map((id) => rows.find((row) => row.id === id)?.dmStatus)
}
const fates = async (person: Person, campaignId: string) =>
  (await dmsOf(person, campaignId)).map(({ status, errorMessage }) => errorMessage ?? status)

describe('when queueing', () => {
  it('a suppressed lead gets a message that has failed, with why; even where repeats are allowed', async () => {
    const { person } = await connected()
    const list = await makeList(app, person, openHandles(3))
    await suppress(person, list, 0)
    await person.client.suppressions.create({ handles: [list.handles[1]!.toUpperCase()] })
    for (const allowRepeat of [false, true]) {
      const { id } = await launch(person, list, { allowRepeat, channel: 'extension' })
      expect(await fates(person, id)).toEqual([OPTED_OUT, LISTED, 'queued'])
      await person.client.campaigns.update({ id, status: 'archived' })
    }
    expect(await statusesOf(list)).toEqual(['not_sent', 'not_sent', 'not_sent'])
  })

  it('a campaign to nobody else is complete at once', async () => {
    const { person } = await connected()
    const list = await makeList(app, person, openHandles(1))
    await suppress(person, list, 0)
    expect(await launch(person, list)).toMatchObject({ status: 'completed', dmsFailedCount: 1, totalLeadsInList: 1 })
  })

  it('outside campaigns they are left out, and nothing of theirs can be queued again', async () => {
    const { person } = await connected()
    const list = await makeList(app, person, openHandles(2))
    const { id } = await launch(person, list, { channel: 'extension' })
    expect(await suppress(person, list, 0)).toMatchObject({ suppressed: 1, stopped: 1 })
    expect(await person.client.leads.queue({ leadIds: list.leadIds })).toMatchObject({ queued: 0 })
    const [stopped] = await dmsOf(person, id)
    const refused = await person.call('POST', `/dms/${stopped!.id}/requeue`)
    expect([refused.status, refused.body]).toMatchObject([409, { code: 'DM_STATE', error: OPTED_OUT }])
    const { suppressions: rows } = await person.client.suppressions.list({})
    await person.client.suppressions.remove({ id: rows[0]!.id })
    expect(await person.client.campaigns.requeue({ id: stopped!.id })).toMatchObject({ status: 'queued' })
  })
})

describe('what is queued', () => {
  it('stops in every campaign at once, those outside of any too; counts stay equal, and what has nothing left is complete', async () => {
    const { person } = await connected()
    const list = await makeList(app, person, openHandles(3))
    const one = await makeList(app, person, [])
    const active = await launch(person, list)
    const second = await launch(person, list, { channel: 'extension', allowRepeat: true, name: 'Second' })
    await person.client.campaigns.update({ id: second.id, status: 'paused' })
    const other = await connected()
    const theirs = await launch(other.person, await makeList(app, other.person, list.handles))

    expect(await person.client.suppressions.create({ handles: list.handles.slice(0, 2) })).toEqual({
      success: true,
      suppressed: 2,
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
    expect((await person.client.suppressions.create({ filter: { listId: one.id } })).suppressed).toBe(0)
    await other.person.client.campaigns.update({ id: theirs.id, status: 'archived' })
  })

  it('by a file of handles', async () => {
    const { person } = await connected()
    const list = await makeList(app, person, openHandles(2))
    const { id } = await launch(person, list, { channel: 'extension' })
    const { body } = await person.call('POST', '/suppressions/import', `handle\n${list.handles[1]}\nnobody_here\n`, {
      'content-type': 'text/csv',
    })
    expect(body).toMatchObject({ imported: 2, stopped: 1 })
    expect(await fates(person, id)).toEqual(['queued', LISTED])
  })

  it('a list that is being queued meanwhile is waited for, and stopped too', async () => {
    const { person } = await connected()
    const list = await makeList(app, person, openHandles(2))
    const { id } = await makeCampaign(person, list, { channel: 'extension' })
    const [suppressing, queueing] = await app.db.transaction(async (tx) => {
      // What a queueing has locked, and not yet let go of.
      await tx.execute(sql`select from leads where id = ${list.leadIds[0]} for no key update`)
      const queueing = person.client.campaigns.queue({ id })
      await someoneWaits(app)
      return [suppress(person, list, 0), queueing]
    })
    await Promise.all([suppressing, queueing])
    expect(await fates(person, id)).toEqual([OPTED_OUT, 'queued'])
  })
})

describe('at the claim', () => {
  /** Suppressed without anybody having stopped the queue: as where it was in somebody's hands at that moment. */
  const onTheListOnly = (person: Person, handle: string) =>
    app.db
      .insert(suppressions)
      .values({ workspaceId: person.workspaceId, twitterHandle: handle.toLowerCase(), reason: 'replied_stop' })

  it('an extension is handed the next one, and the skipped one counts for no cap', async () => {
    const { person } = await connected()
    const list = await makeList(app, person, openHandles(2))
    const { id } = await launch(person, list, { channel: 'extension' })
    await onTheListOnly(person, list.handles[0]!)
    const claim = await person.call('POST', `/campaigns/${id}/claim`, { holder: 'test' })
    expect(claim.body).toMatchObject({ twitterHandle: list.handles[1] })
    expect(await fates(person, id)).toEqual(['Skipped: this person asked you to stop.', 'queued'])
    expect(await statusesOf(list)).toEqual(['not_sent', 'queued'])
    await person.client.campaigns.recordOutcome({ id: claim.body.dmId, lease: claim.body.lease, wasSent: true })
    expect(await person.client.campaigns.find({ id })).toMatchObject({ status: 'completed' })
  })

  it('our senders skip too, and go on', async () => {
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

  it('right before it is handed to X: who was suppressed while it was in hand is not written to', async () => {
    const { person, account } = await connected()
    const list = await makeList(app, person, openHandles(1), { unknownIds: true })
    // Looking the lead up at X takes long enough for somebody to suppress it.
    await setFaults(app, { method: 'GET', path: '/2/users/by/username/*', delayMs: 600, times: 1 })
    const { id } = await launch(person, list)
    await start()
    await eventually(() => inHand(id), 'it is in hand')
    expect(await suppress(person, list, 0)).toMatchObject({ suppressed: 1, stopped: 0 })
    expect(await completed(person, id)).toMatchObject({ dmsFailedCount: 1, dmsSentCount: 0 })
    expect(await fates(person, id)).toEqual([OPTED_OUT])
    expect(await arrivedFrom(account.handle)).toEqual([])
  })

  it('what X did not take for now is not sent later', async () => {
    const { person, account } = await connected()
    const list = await makeList(app, person, openHandles(1))
    await setFaults(app, { ...SENDS, status: 503, delayMs: 400, times: 1 })
    const { id } = await launch(person, list)
    await start()
    await eventually(() => inHand(id), 'it is in hand')
    await sleep(150)
    await suppress(person, list, 0)
    await eventually(async () => (await inHand(id)) === 0, 'it was given back')
    await app.db.execute(sql`update x_accounts set next_send_at = now() where id = ${account.id}`)
    expect(await completed(person, id)).toMatchObject({ dmsFailedCount: 1 })
    expect(await arrivedFrom(account.handle)).toEqual([])
  })

  it('suppressing many while they are being sent: nobody is written to after the answer, and every count is right', async () => {
    const { person, account } = await connected()
    const list = await makeList(app, person, openHandles(60))
    const { id } = await launch(person, list)
    await Promise.all([start(paced(0.1)), start(paced(0.1))])
    await eventually(async () => (await arrivedFrom(account.handle)).length > 3, 'some were sent')
    const answers = await Promise.all([
      suppress(person, list, ...list.leadIds.keys()),
      person.client.suppressions.create({ handles: [...list.handles].reverse() }),
    ])
    expect(answers.reduce((sum, { suppressed }) => sum + suppressed, 0)).toBe(60)
    // What was on its way to X at that moment arrives still.
    await eventually(async () => (await inHand(id)) === 0, 'nothing is in hand')
    const after = (await arrivedFrom(account.handle)).length
    const done = await completed(person, id)
    expect(done).toMatchObject({ dmsSentCount: after, dmsFailedCount: 60 - after, dmsQueuedCount: 0 })
    expect(after).toBeLessThan(60)
    expect((await arrivedFrom(account.handle)).length).toBe(after)
  })
})

it('another workspace goes on writing to whom this one has suppressed', async () => {
  const { person, account } = await connected()
  const stranger = await makePerson(app)
  const list = await makeList(app, person, openHandles(1))
  await stranger.client.suppressions.create({ handles: list.handles })
  await start()
  expect(await completed(person, (await launch(person, list)).id)).toMatchObject({ dmsSentCount: 1 })
  expect(await arrivedFrom(account.handle)).toHaveLength(1)
})
