import { eq, sql } from 'drizzle-orm'
import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { endUndo } from '../../../../test/campaigns.ts'
import { recordPastContact, setStatus } from '../../../../test/leads.ts'
import { connectX, makePerson, type Person, subscribe } from '../../../../test/makers.ts'
import { makeDue, markClaimed } from '../../../../test/messages.ts'
import { openApp, type TestApp } from '../../../../test/open-app.ts'
import {
  dmsOf,
  expectCountsRight,
  makeCampaign,
  makeList,
  openHandles,
  waitForBlockedStatement,
} from '../../../../test/outreach.ts'
import { unsubscribe } from '../../../../test/subscriptions.ts'
import { claimDue } from '../../../core/messages/claim.ts'
import { findTests } from '../../../core/sequences/tests.ts'
import { leads } from '../../../core/tables/leads.ts'
import { enrollments } from '../../../core/tables/sequences.ts'

let app: TestApp
let person: Person
beforeAll(async () => {
  app = await openApp({ x: true })
})
beforeEach(async () => {
  person = await makePerson(app)
})

const find = (id: string) => person.client.campaigns.find({ id })
const usedDms = async () =>
  (await person.client.billing.overview({})).usage.find(({ what }) => what === 'dms')?.used ?? null
const statuses = async () =>
  (await app.db.select().from(leads).where(eq(leads.workspaceId, person.workspaceId)).orderBy(leads.id)).map(
    ({ dmStatus }) => dmStatus,
  )

/** Launches a campaign that holds its messages for 30 seconds. No process sends them. */
async function held(count: number, input: Parameters<typeof makeCampaign>[2] = {}) {
  const list = await makeList(app, person, openHandles(count))
  const campaign = await makeCampaign(person, list, input)
  await person.client.campaigns.queue({ id: campaign.id, holdSeconds: 30 })
  return { ...campaign, list }
}

describe('POST /campaigns/{id}/queue with holdSeconds', () => {
  it('keeps workers and extensions from claiming before the hold ends', async () => {
    await connectX(app, person)
    const byWorker = await held(1)
    expect((await claimDue(app.db, 1, app.env)).claimed).toBeNull()
    await person.client.campaigns.update({ id: byWorker.id, status: 'archived' })
    const { id } = await held(1, { channel: 'extension' })
    const claims = [
      await person.call('POST', `/campaigns/${id}/claim`, { holder: 'a' }),
      await person.call('POST', '/claim', { holder: 'a' }),
    ]
    for (const claim of claims) {
      expect(claim.status).toBe(204)
      const seconds = Number(claim.headers.get('retry-after'))
      expect([seconds > 0, seconds <= 31]).toEqual([true, true])
    }
    expect(Date.parse(String((await find(id)).undoUntil)) - Date.now()).toBeGreaterThan(0)
  })

  it('makes the messages due when an active campaign is activated, and ends the undo', async () => {
    const { id } = await held(1, { channel: 'extension' })
    expect((await person.client.campaigns.update({ id, status: 'active' })).undoUntil).toBeNull()
    expect((await person.call('POST', `/campaigns/${id}/claim`, { holder: 'a' })).status).toBe(200)
    expect((await person.call('POST', `/campaigns/${id}/undo-launch`)).body.code).toBe('CAMPAIGN_STATE')
  })

  it('keeps the hold when the campaign is paused and resumed', async () => {
    const { id } = await held(1, { channel: 'extension' })
    await person.client.campaigns.update({ id, status: 'paused' })
    expect((await person.client.campaigns.update({ id, status: 'active' })).undoUntil).not.toBeNull()
    expect((await person.call('POST', `/campaigns/${id}/claim`, { holder: 'a' })).status).toBe(204)
    expect((await person.call('POST', `/campaigns/${id}/undo-launch`)).status).toBe(200)
  })

  it('keeps the hold for people who are stopped and resumed, or queued again', async () => {
    const { id } = await held(2, { channel: 'extension' })
    const { enrollments: people } = await person.client.enrollments.list({ id })
    for (const enrollment of people) await person.client.enrollments.stop({ id: enrollment.id })
    await person.client.enrollments.resume({ id: people[0]!.id })
    const failed = (await dmsOf(person, id)).find(({ status }) => status === 'failed')
    await person.client.campaigns.requeue({ id: failed!.id })
    expect((await dmsOf(person, id)).map(({ status }) => status)).toEqual(['queued', 'queued'])
    expect((await person.call('POST', `/campaigns/${id}/claim`, { holder: 'a' })).status).toBe(204)
    expect((await person.call('POST', `/campaigns/${id}/undo-launch`)).status).toBe(200)
  })

  it('does not hold back the simulated queue, which ends the undo', async () => {
    await connectX(app, person)
    const { id } = await held(1)
    const { status, body } = await person.call('POST', '/campaigns/process-queue', { batchSize: 1 })
    expect([status, body.processed]).toEqual([200, 1])
    expect((await find(id)).undoUntil).toBeNull()
  })
})

describe('POST /campaigns/{id}/undo-launch', () => {
  it("gives back the status, the totals, the enrollments, the leads' statuses and the plan", async () => {
    for (const status of ['draft', 'paused'] as const) {
      const used = await usedDms()
      const list = await makeList(app, person, openHandles(3))
      await person.client.suppressions.create({ handles: [list.handles[2]!] })
      await recordPastContact(app, { id: list.leadIds[1]! })
      await setStatus(app, { id: list.leadIds[1]! }, 'contacted')
      const before = await statuses()
      const campaign = await makeCampaign(person, list, { status, channel: 'extension', allowRepeat: true })
      await person.client.campaigns.queue({ id: campaign.id, holdSeconds: 30 })
      expect([(await find(campaign.id)).dmsQueuedCount, await usedDms()]).toEqual([2, Number(used) + 2])
      const { status: code, body } = await person.call('POST', `/campaigns/${campaign.id}/undo-launch`)
      expect([code, body]).toEqual([200, { ...campaign, updatedAt: expect.any(String) }])
      expect([await statuses(), await usedDms(), await dmsOf(person, campaign.id)]).toEqual([before, used, []])
      expect(await app.db.$count(enrollments, eq(enrollments.campaignId, campaign.id))).toBe(0)
      // It can be launched again. Without a hold, that launch cannot be undone.
      await person.client.campaigns.queue({ id: campaign.id })
      expect((await person.call('POST', `/campaigns/${campaign.id}/undo-launch`)).status).toBe(409)
      await person.client.campaigns.update({ id: campaign.id, status: 'archived' })
    }
    await expectCountsRight(app)
  })

  it('returns 409 once a message was claimed, or the time is over', async () => {
    const claimed = await held(2, { channel: 'extension' })
    const [first] = await dmsOf(person, claimed.id)
    await makeDue(app, { id: first!.id })
    expect((await person.call('POST', `/campaigns/${claimed.id}/claim`, { holder: 'a' })).status).toBe(200)
    const late = await held(1, { channel: 'extension' })
    await endUndo(app, { id: late.id })
    for (const { id } of [claimed, late]) {
      const { status, body } = await person.call('POST', `/campaigns/${id}/undo-launch`)
      expect([status, body.code]).toEqual([409, 'CAMPAIGN_STATE'])
      expect((await find(id)).dmsQueuedCount).toBeGreaterThan(0)
    }
  })

  it('waits for a claim that is under way, and is then refused', async () => {
    const { id } = await held(1, { channel: 'extension' })
    const undoing = await app.db.transaction(async (tx) => {
      await tx.execute(sql`select from campaigns where id = ${id} for no key update`)
      await markClaimed({ db: tx }, { campaignId: id })
      const response = person.call('POST', `/campaigns/${id}/undo-launch`)
      await waitForBlockedStatement(app)
      return { answer: response }
    })
    expect((await undoing.answer).body.code).toBe('CAMPAIGN_STATE')
    expect(await dmsOf(person, id)).toHaveLength(1)
  })

  it('restores the steps that the launch left out after a plan had ended, unless they were edited', async () => {
    await subscribe(app, person)
    const two = { variants: [{ messageTemplate: 'A' }, { messageTemplate: 'B' }] }
    const later = { delay: { amount: 2, unit: 'days' as const }, variants: [{ messageTemplate: 'Still there?' }] }
    const list = await makeList(app, person, openHandles(1))
    const campaign = await makeCampaign(person, list, {
      channel: 'extension',
      messageTemplate: undefined,
      steps: [two, later],
      reengagement: { afterDays: 20, messageTemplate: 'One last time' },
    })
    const { id } = campaign
    const before = await person.client.sequences.find({ id })
    await unsubscribe(app, person)
    await person.client.campaigns.queue({ id, holdSeconds: 30 })
    const cut = await person.client.sequences.find({ id })
    expect(cut).toMatchObject({ steps: [{ number: 1 }], reengagement: null })
    const undone = await person.client.campaigns.undoLaunch({ id })
    expect(undone).toEqual({ ...campaign, updatedAt: expect.any(String) })
    expect(await person.client.sequences.find({ id })).toEqual({ ...before, version: cut.version + 1 })
    expect((await findTests(app.db, { id, workspaceId: person.workspaceId })).size).toBe(1)

    await person.client.campaigns.queue({ id, holdSeconds: 30 })
    await person.client.campaigns.update({ id, messageTemplate: 'Edited' })
    expect(await person.client.campaigns.undoLaunch({ id })).toMatchObject({ messageTemplate: 'Edited', stepCount: 1 })
  })

  it('undoes a launch that was paused meanwhile', async () => {
    const { id } = await held(1, { channel: 'extension' })
    await person.client.campaigns.update({ id, status: 'paused' })
    expect(await person.client.campaigns.undoLaunch({ id })).toMatchObject({ status: 'paused', totalLeadsInList: 0 })
  })
})

describe('POST /leads/queue/undo', () => {
  it('deletes what was never claimed, in all parts, and gives back statuses and the plan', async () => {
    await connectX(app, person)
    const list = await makeList(app, person, openHandles(3))
    await setStatus(app, { id: list.leadIds[2]! }, 'failed_contact')
    const undoId = crypto.randomUUID()
    const queue = (leadIds: string[]) => person.client.leads.queue({ leadIds, undoId, holdSeconds: 30 })
    await queue(list.leadIds.slice(0, 1))
    await queue(list.leadIds.slice(1))
    expect([(await claimDue(app.db, 1, app.env)).claimed, await usedDms()]).toEqual([null, 3])
    const stranger = await makePerson(app)
    expect(await stranger.client.leads.undoQueue({ undoId })).toEqual({ success: true, undone: 0 })
    const [claimed] = list.leadIds
    await markClaimed(app, { leadId: claimed! })
    expect(await person.client.leads.undoQueue({ undoId })).toEqual({ success: true, undone: 2 })
    expect([await usedDms(), await statuses()]).toEqual([1, ['queued', 'not_sent', 'not_sent']])
    expect(await person.client.leads.undoQueue({ undoId })).toEqual({ success: true, undone: 0 })
    await expectCountsRight(app)
  })
})
