import { eq, sql } from 'drizzle-orm'
import { beforeAll, describe, expect, it } from 'vitest'
import { connectX, makePerson, type Person, subscribe } from '../../../test/makers.ts'
import { markClaimed } from '../../../test/messages.ts'
import { openApp, type TestApp } from '../../../test/open-app.ts'
import { dmsOf, eventually, expectCountsRight, launch, makeList, openHandles } from '../../../test/outreach.ts'
import { insertReply } from '../../../test/replies.ts'
import { EVENTS_CHANNEL } from '../../domains/platform/events/recording.ts'
import { checkForbidden, checkOptOuts, recordRefusal, type XRefusal } from '../campaigns/pause.ts'
import { dms } from '../tables/messages.ts'

let app: TestApp
beforeAll(async () => {
  app = await openApp()
})

/** Launches a campaign that no process sends. @returns `ids` of its messages in order */
async function running(count: number) {
  const person = await makePerson(app)
  await subscribe(app, person)
  const { id: accountId } = await connectX(app, person)
  const { id } = await launch(person, await makeList(app, person, openHandles(count)))
  const ids = (await dmsOf(person, id)).map((dm) => dm.id)
  return { person, id, ids, accountId }
}
type Running = Awaited<ReturnType<typeof running>>

/** Marks these messages as claimed by the account, after all its earlier claims. */
async function claim({ ids, accountId }: Pick<Running, 'ids' | 'accountId'>, set: object): Promise<void> {
  await markClaimed(app, { id: ids }, sql`clock_timestamp()`, { xAccountId: accountId, ...set })
}

const send = (of: Running, ids: string[]) => claim({ ...of, ids }, { status: 'sent', sentAt: new Date() })
async function refuse(of: Running, ids: string[], refusal: XRefusal = 'refused', errorMessage = 'No'): Promise<void> {
  await claim({ ...of, ids }, { status: 'failed', errorMessage })
  for (const id of ids) await app.db.transaction((tx) => recordRefusal(tx, id, refusal))
}
async function optOut({ person }: Running, ids: string[]): Promise<void> {
  for (const id of ids) {
    const [dm] = await app.db.select().from(dms).where(eq(dms.id, id))
    await insertReply(app, { workspaceId: person.workspaceId, leadId: dm!.leadId!, dmId: id, optedOut: true })
    await app.db.transaction((tx) => checkOptOuts(tx, id))
  }
}
/** Records that X forbids these messages, one after the other. */
async function forbid(of: Running, ids: string[], xMessage = 'Not permitted'): Promise<void> {
  const { id: campaignId, accountId } = of
  for (const id of ids) {
    await refuse(of, [id], 'forbidden', xMessage)
    await app.db.transaction((tx) => checkForbidden(tx, { id, accountId, campaignId }, xMessage))
  }
}
const find = ({ person, id }: { person: Person; id: string }) => person.client.campaigns.find({ id })

describe('a campaign', () => {
  it('pauses when X rejects three of its messages for the same reason', async () => {
    const campaign = await running(60)
    await send(campaign, campaign.ids.slice(0, 30))
    await refuse(campaign, campaign.ids.slice(30, 32), 'invalid', 'X rejected the message: Too long')
    await refuse(campaign, campaign.ids.slice(32, 34), 'invalid', 'X rejected the message: Odd link')
    await refuse(campaign, campaign.ids.slice(34, 37), 'forbidden', 'X does not allow it: Forbidden')
    expect((await find(campaign)).status).toBe('active')
    await refuse(campaign, campaign.ids.slice(37, 38), 'invalid', 'X rejected the message: Too long')
    expect(await find(campaign)).toMatchObject({
      status: 'paused',
      reason: { code: 'refusals', params: { refused: 8, of: 38 } },
    })
    // A user resumes the campaign, as after changing the message.
    await campaign.person.client.campaigns.update({ id: campaign.id, status: 'active' })
    await refuse(campaign, campaign.ids.slice(38, 40), 'invalid', 'X rejected the message: Too long')
    expect((await find(campaign)).status).toBe('active')
  })

  it("pauses with the account's others when X forbids 5 of the account's last 20 messages", async () => {
    const campaign = await running(60)
    const { person, ids } = campaign
    const { id: another } = await launch(person, await makeList(app, person, openHandles(3)))
    await forbid(campaign, ids.slice(0, 4))
    await send(campaign, ids.slice(4, 24))
    await forbid(campaign, ids.slice(24, 28))
    expect((await find(campaign)).status).toBe('active')
    await forbid(campaign, ids.slice(28, 29))
    for (const id of [campaign.id, another])
      expect(await find({ person, id })).toMatchObject({
        status: 'paused',
        pauseReason: 'Not permitted',
        reason: { code: 'refusals', params: { refused: 5, of: 20 } },
      })
    // Only rejections after the resume count.
    await person.client.campaigns.update({ id: campaign.id, status: 'active' })
    await forbid(campaign, ids.slice(29, 33))
    expect((await find(campaign)).status).toBe('active')
    await forbid(campaign, ids.slice(33, 34))
    expect((await find(campaign)).status).toBe('paused')
  })

  it('pauses when X refuses a fifth of its last 50 messages', async () => {
    const campaign = await running(60)
    await send(campaign, campaign.ids.slice(0, 30))
    await refuse(campaign, campaign.ids.slice(30, 39))
    expect((await find(campaign)).status).toBe('active')
    const published: string[] = []
    const stop = app.services.channels.subscribe(EVENTS_CHANNEL, (payload) => published.push(payload))
    await refuse(campaign, campaign.ids.slice(39, 40))
    await eventually(() => published.includes(`${campaign.person.workspaceId} campaign ${campaign.id}`), 'an event')
    stop()
    expect(await find(campaign)).toMatchObject({
      status: 'paused',
      reason: { code: 'refusals', params: { refused: 10, of: 40 } },
      pauseReason: 'X rejected 10 of the last 40 messages. Check the message and the list, then resume.',
    })
    // Only rejections after the resume count.
    await campaign.person.client.campaigns.update({ id: campaign.id, status: 'active' })
    await refuse(campaign, campaign.ids.slice(40, 49))
    expect((await find(campaign)).status).toBe('active')
    await expectCountsRight(app)
  })

  it('does not count a refusal once its message is queued again and sent', async () => {
    const campaign = await running(30)
    await refuse(campaign, campaign.ids.slice(0, 9))
    const [first] = campaign.ids as [string]
    await campaign.person.client.campaigns.requeue({ id: first })
    await send(campaign, [first])
    await refuse(campaign, campaign.ids.slice(9, 10))
    expect((await find(campaign)).status).toBe('active')
    await refuse(campaign, campaign.ids.slice(10, 11))
    expect((await find(campaign)).status).toBe('paused')
  })

  it('continues when inboxes are closed, and pre-flight warns', async () => {
    const campaign = await running(40)
    await refuse(campaign, campaign.ids.slice(0, 29), 'closed')
    const warnings = async () =>
      (await campaign.person.call('GET', `/campaigns/${campaign.id}/preflight`)).body.warnings as string[]
    expect(await warnings()).toEqual([])
    await refuse(campaign, campaign.ids.slice(29, 30), 'closed')
    expect([(await find(campaign)).status, await warnings()]).toEqual(['active', ['closed_inboxes']])
  })

  it('pauses when 4 of its messages led to opt-outs, from the 50th message on', async () => {
    const campaign = await running(52)
    await send(campaign, campaign.ids.slice(0, 49))
    await optOut(campaign, campaign.ids.slice(0, 4))
    expect((await find(campaign)).status).toBe('active')
    await send(campaign, campaign.ids.slice(49, 51))
    await optOut(campaign, campaign.ids.slice(4, 5))
    expect(await find(campaign)).toMatchObject({
      status: 'paused',
      reason: { code: 'opt_outs', params: { optOuts: 5, of: 51 } },
    })
  })

  it('follows the limits of its workspace', async () => {
    const campaign = await running(60)
    const { client } = campaign.person
    const protection = { refusalPercent: 40, closedInboxPercent: 60, optOutsPerHundred: 10 }
    expect(
      (await client.sendingSettings.saveProtection({ refusalPercent: 40, optOutsPerHundred: 10 })).protection,
    ).toEqual(protection)
    await send(campaign, campaign.ids.slice(0, 40))
    await refuse(campaign, campaign.ids.slice(40, 59))
    await optOut(campaign, campaign.ids.slice(0, 9))
    expect((await find(campaign)).status).toBe('active')
    await refuse(campaign, campaign.ids.slice(59))
    expect((await find(campaign)).status).toBe('paused')
  })
})

describe('PUT /sending/protection', () => {
  it('is for admins, keeps within bounds, and leaves the contact basis alone', async () => {
    const owner = await makePerson(app)
    const member = await makePerson(app, { in: owner, role: 'member' })
    expect((await member.call('PUT', '/sending/protection', {})).status).toBe(403)
    for (const body of [{ refusalPercent: 4 }, { closedInboxPercent: 101 }, { optOutsPerHundred: 0 }, { other: 1 }])
      expect((await owner.call('PUT', '/sending/protection', body)).status).toBe(400)
    const before = await owner.client.sendingSettings.find({})
    expect(before.protection).toEqual({ refusalPercent: 20, closedInboxPercent: 60, optOutsPerHundred: 4 })
    const after = await owner.client.sendingSettings.saveProtection({ closedInboxPercent: 80 })
    expect(after).toEqual({ ...before, protection: { ...before.protection, closedInboxPercent: 80 } })
  })
})
