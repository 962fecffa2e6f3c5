import { eq, sql } from 'drizzle-orm'
import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { archiveNow, deleteSteps, makePartsDue } from '../../../../test/campaigns.ts'
import { recordPastContact } from '../../../../test/leads.ts'
import { makePerson, type Person, subscribe } from '../../../../test/makers.ts'
import { markSent } from '../../../../test/messages.ts'
import { openApp, type TestApp } from '../../../../test/open-app.ts'
import { dmsOf, expectCountsRight, makeCampaign, makeList, openHandles } from '../../../../test/outreach.ts'
import { resetUsage } from '../../../../test/subscriptions.ts'
import { queueNextParts } from '../../../core/campaigns/parts.ts'
import { campaigns } from '../../../core/tables/campaigns.ts'

let app: TestApp
let person: Person
beforeAll(async () => {
  app = await openApp()
})
beforeEach(async () => {
  person = await makePerson(app)
})

const run = () => queueNextParts(app.db, app.env)
const find = (id: string) => person.client.campaigns.find({ id })

/** Launches an extension campaign on a new list of `count` people, for only `limit` of them. */
async function launched(count: number, limit: number) {
  const list = await makeList(app, person, openHandles(count))
  const campaign = await makeCampaign(person, list, { channel: 'extension' })
  const result = await person.client.campaigns.queue({ id: campaign.id, limit })
  return { id: campaign.id, list, answer: result }
}

/** Resets the plan's limits and makes waiting parts due, as if a month had passed. */
async function resetLimits(): Promise<void> {
  await resetUsage(app, person)
  await makePartsDue(app)
}

describe('POST /campaigns/{id}/queue with a limit', () => {
  it('queues the first people of the list who may be messaged, and enrolls the others', async () => {
    const list = await makeList(app, person, openHandles(100))
    await person.client.suppressions.create({ handles: [list.handles[0]!] })
    const { id } = await makeCampaign(person, list, { channel: 'extension' })
    const { limitNow, waitUntil, plan } = await person.client.campaigns.findPreflight({ id })
    expect([limitNow, waitUntil]).toEqual([50, plan.resetsAt])
    const refused = await person.call('POST', `/campaigns/${id}/queue`)
    expect([refused.status, refused.body.code]).toEqual([403, 'PLAN_LIMIT'])
    const result = await person.client.campaigns.queue({ id, limit: 50 })
    expect(result).toEqual({ success: true, dmsQueued: 50, totalLeads: 100 })
    const queued = await dmsOf(person, id)
    expect(queued.map(({ lead }) => lead?.id)).toEqual(list.leadIds.slice(0, 51))
    expect(queued.map(({ status }) => status)).toEqual(['failed', ...Array(50).fill('queued')])
    expect(await find(id)).toMatchObject({ status: 'active', openEnrollments: 99 })
    const { enrollments } = await person.client.enrollments.list({ id, pageSize: 100 })
    const last = enrollments.find(({ lead }) => lead?.id === list.leadIds[99])
    expect(last).toMatchObject({ state: 'active', stepNumber: 1, nextAt: expect.stringMatching(/-01T00:00:00/) })
    await expectCountsRight(app)
  })

  it('completes if everyone is skipped', async () => {
    const list = await makeList(app, person, openHandles(1))
    await person.client.suppressions.create({ handles: list.handles })
    const { id } = await makeCampaign(person, list, { channel: 'extension' })
    await person.client.campaigns.queue({ id, limit: 0, holdSeconds: 30 })
    expect(await find(id)).toMatchObject({ status: 'completed', undoUntil: null })
  })

  it('rejects a limit beyond the plan', async () => {
    const list = await makeList(app, person, openHandles(60))
    const { id } = await makeCampaign(person, list, { channel: 'extension' })
    const response = await person.call('POST', `/campaigns/${id}/queue`, { limit: 51 })
    expect([response.status, response.body.code]).toEqual([403, 'PLAN_LIMIT'])
    expect((await person.call('POST', `/campaigns/${id}/queue`, { limit: -1 })).status).toBe(400)
  })

  it('enrolls everyone without a message if nobody may get one now', async () => {
    await launched(50, 50)
    const { id, answer: result } = await launched(2, 0)
    expect(result).toEqual({ success: true, dmsQueued: 0, totalLeads: 2 })
    const until = expect.stringMatching(/-01T00:00:00/)
    expect(await find(id)).toMatchObject({
      status: 'active',
      openEnrollments: 2,
      waitingFor: { reason: 'plan', until },
    })
    await run()
    expect(await dmsOf(person, id)).toEqual([])
    await resetLimits()
    await run()
    expect(await dmsOf(person, id)).toHaveLength(2)
    await expectCountsRight(app)
  })

  it.each([0, 1])('can be undone after a limit of %i', async (limit) => {
    const list = await makeList(app, person, openHandles(3))
    const campaign = await makeCampaign(person, list, { channel: 'extension' })
    await person.client.campaigns.queue({ id: campaign.id, limit, holdSeconds: 30 })
    const undone = await person.client.campaigns.undoLaunch({ id: campaign.id })
    expect(undone).toEqual({ ...campaign, updatedAt: expect.any(String) })
    await resetLimits()
    await run()
    expect(await dmsOf(person, campaign.id)).toEqual([])
  })
})

describe('the next part of a launch', () => {
  it('waits for the reset of the limit, and checks the reasons to skip again', async () => {
    const { id, list } = await launched(4, 2)
    await run()
    expect(await dmsOf(person, id)).toHaveLength(2)
    await recordPastContact(app, { id: list.leadIds[3]! })
    await resetLimits()
    await run()
    await run()
    const queued = await dmsOf(person, id)
    expect(queued.map(({ status }) => status)).toEqual(['queued', 'queued', 'queued', 'failed'])
    expect(queued[3]?.reason).toEqual({ code: 'contacted', params: { how: 'earlier_lead' } })
    expect(await find(id)).toMatchObject({ openEnrollments: 3, totalLeadsInList: 4 })
    const [row] = await app.db.select().from(campaigns).where(eq(campaigns.id, id))
    expect(row?.nextPartAt).toBeNull()
    await expectCountsRight(app)
  })

  it('comes also if that of another campaign fails', async () => {
    const broken = await launched(2, 1)
    const { id } = await launched(2, 1)
    await deleteSteps(app, { campaignId: broken.id })
    await resetLimits()
    await expect(run()).rejects.toThrow('expected one row')
    expect(await dmsOf(person, id)).toHaveLength(2)
    await archiveNow(app, { id: broken.id })
  })

  it('is what the campaign waits for once the others were sent', async () => {
    const { id } = await launched(2, 1)
    expect((await find(id)).waitingFor).toBeNull()
    await markSent(app, { campaignId: id })
    const until = expect.stringMatching(/-01T00:00:00/)
    expect(await find(id)).toMatchObject({ status: 'active', waitingFor: { reason: 'plan', until } })
  })

  it('comes when the plan has changed, but not while the campaign is paused', async () => {
    const { id } = await launched(3, 1)
    await subscribe(app, person)
    await person.client.campaigns.update({ id, status: 'paused' })
    await run()
    expect(await dmsOf(person, id)).toHaveLength(1)
    await person.client.campaigns.update({ id, status: 'active' })
    await run()
    expect(await dmsOf(person, id)).toHaveLength(3)
  })

  it('takes what the plan allows, older launches first', async () => {
    const first = await launched(40, 1)
    const second = await launched(40, 1)
    await resetLimits()
    await run()
    expect([(await dmsOf(person, first.id)).length, (await dmsOf(person, second.id)).length]).toEqual([40, 12])
    await run()
    expect(await dmsOf(person, second.id)).toHaveLength(12)
    await resetLimits()
    await run()
    expect(await dmsOf(person, second.id)).toHaveLength(40)
    await expectCountsRight(app)
  })

  it('comes for people who were paused and resumed meanwhile', async () => {
    const { id } = await launched(2, 1)
    const { enrollments } = await person.client.enrollments.list({ id })
    const waiting = enrollments.at(-1)!
    await person.client.enrollments.pause({ id: waiting.id })
    await resetLimits()
    await run()
    expect(await dmsOf(person, id)).toHaveLength(1)
    await person.client.enrollments.resume({ id: waiting.id })
    await resetLimits()
    await run()
    expect((await dmsOf(person, id)).map(({ lead }) => lead?.id)).toContain(waiting.lead?.id)
    await expectCountsRight(app)
  })

  it('includes people whose deletion is undone after the part was due', async () => {
    const { id, list } = await launched(3, 1)
    const { removalId } = await person.client.leads.removeMany({ leadIds: list.leadIds.slice(1, 2) })
    await resetLimits()
    await run()
    expect((await dmsOf(person, id)).map(({ lead }) => lead?.id)).toEqual([list.leadIds[0], list.leadIds[2]])
    const isEnqueued = async () => {
      const { rowCount } = await app.db.execute(sql`
        select from pgboss.job where name = 'launch-parts' and singleton_key = ${person.workspaceId} and state = 'created'`)
      return rowCount === 1
    }
    expect(await isEnqueued()).toBe(false)
    await person.client.leads.restore({ removalId: removalId! })
    expect(await isEnqueued()).toBe(true)
    await run()
    expect((await dmsOf(person, id)).map(({ lead }) => lead?.id)).toContain(list.leadIds[1])
    expect(await find(id)).toMatchObject({ openEnrollments: 3 })
    await expectCountsRight(app)
  })

  it('is part of what the pre-flight of the campaign says is left', async () => {
    const { id, list } = await launched(60, 2)
    const rest = await person.client.campaigns.findPreflight({ id })
    expect(rest).toMatchObject({ willSend: 60, limitNow: 2, waitUntil: rest.plan.resetsAt })
    expect(rest.perDay.reduce((sum, { count }) => sum + count, 0)).toBe(60)
    const { resetsAt } = rest.plan
    // The plan allows 50 messages a month.
    const month = (date: string) => Math.round((Date.parse(date) - Date.parse(resetsAt)) / (30 * 86_400_000))
    expect(rest.perDay.filter(({ date }) => month(date) >= 1).reduce((sum, { count }) => sum + count, 0)).toBe(8)
    expect(Date.parse(String(rest.lastSendAt))).toBeGreaterThan(Date.parse(resetsAt))
    await markSent(app, { campaignId: id })
    const waiting = await person.client.campaigns.findPreflight({ id })
    expect(waiting.messages.map(({ leadId }) => list.leadIds.includes(leadId))).toEqual([true, true, true])
  })

  it('does not come for people who were deleted or stopped', async () => {
    const { id, list } = await launched(3, 1)
    await person.client.leads.remove({ id: list.leadIds[1]! })
    const { enrollments } = await person.client.enrollments.list({ id })
    await person.client.enrollments.stop({ id: enrollments.find(({ lead }) => lead?.id === list.leadIds[2])!.id })
    await resetLimits()
    await run()
    expect(await dmsOf(person, id)).toHaveLength(1)
    expect(await find(id)).toMatchObject({ openEnrollments: 1 })
  })
})
