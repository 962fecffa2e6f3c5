import { eq } from 'drizzle-orm'
import { beforeAll, describe, expect, it } from 'vitest'
import { clearOfMidnight } from '../../../../test/clear-of-midnight.ts'
import { connectX, makePerson, type Person, subscribe } from '../../../../test/makers.ts'
import { markFailed, rewrite } from '../../../../test/messages.ts'
import { openApp, type TestApp } from '../../../../test/open-app.ts'
import { dmsOf, launch, makeCampaign, makeList, openHandles } from '../../../../test/outreach.ts'
import { endSubscriptions, raiseUsage, setUsage } from '../../../../test/subscriptions.ts'
import { leads } from '../../../core/tables/leads.ts'
import { dms } from '../../../core/tables/messages.ts'
import { queueNotificationEmails } from '../notifications/notifications.ts'
import { notifications } from '../notifications/tables.ts'

/** Plan limits are enforced when messages are queued. */
let app: TestApp
beforeAll(async () => {
  await clearOfMidnight()
  app = await openApp()
})

const FREE = 'Your Free plan includes 50 DMs a month. Upgrade to Pro for 5,000 DMs a month.'

async function makeSender(used = 0): Promise<Person> {
  const person = await makePerson(app)
  await connectX(app, person)
  await setUsage(app, person, used)
  return person
}

const used = async (person: Person) =>
  (await person.client.billing.overview()).usage.find(({ what }) => what === 'dms')!.used

const refused = (error: string, count: number) => ({
  status: 403,
  body: { code: 'PLAN_LIMIT', error, details: { limit: 50, used: count, plan: 'free' } },
})

describe('403 PLAN_LIMIT', () => {
  it('rejects a campaign larger than the allowance, and accepts it on a higher plan', async () => {
    const person = await makeSender(48)
    const campaign = await makeCampaign(person, await makeList(app, person, openHandles(3)))
    const expected = refused(`2 DMs are left this month. ${FREE}`, 48)
    expect(await person.call('POST', `/campaigns/${campaign.id}/queue`)).toMatchObject(expected)
    expect(await person.call('PATCH', `/campaigns/${campaign.id}`, { status: 'active' })).toMatchObject(expected)
    expect([await dmsOf(person, campaign.id), await used(person)]).toEqual([[], 48])
    expect((await person.client.campaigns.find({ id: campaign.id })).status).toBe('paused')
    await subscribe(app, person, 'pro_monthly')
    expect(await person.client.campaigns.queue({ id: campaign.id })).toMatchObject({ dmsQueued: 3 })
    expect(await used(person)).toBe(51)
  })

  it('counts only messageable leads and allows using the allowance exactly', async () => {
    const person = await makeSender(48)
    const list = await makeList(app, person, openHandles(3))
    await person.client.suppressions.create({ handles: [list.handles[0]!] })
    const campaign = await makeCampaign(person, list)
    expect(await person.client.campaigns.queue({ id: campaign.id })).toMatchObject({ dmsQueued: 2, totalLeads: 3 })
    expect(await used(person)).toBe(50)

    // Requeueing a skipped message counts.
    const suppression = (await person.client.suppressions.list({})).suppressions[0]!
    await person.client.suppressions.remove({ id: suppression.id })
    const skipped = (await dmsOf(person, campaign.id)).find(({ status }) => status === 'failed')!
    expect(await person.call('POST', `/dms/${skipped.id}/requeue`)).toMatchObject(refused(FREE, 50))
    await setUsage(app, person, 49)
    expect(await person.call('POST', `/dms/${skipped.id}/requeue`)).toMatchObject({ status: 200 })
    expect(await used(person)).toBe(50)
    // Requeueing a message that was tried does not count again.
    await markFailed(app, { id: skipped.id }, { triedAt: new Date() })
    expect(await person.call('POST', `/dms/${skipped.id}/requeue`)).toMatchObject({ status: 200 })
  })

  it('refunds messages stopped before a try once, and counts them when requeued', async () => {
    const person = await makeSender(40)
    const list = await makeList(app, person, openHandles(3))
    const campaign = await launch(person, list, { channel: 'extension' })
    expect(await used(person)).toBe(43)
    await person.client.suppressions.create({ handles: [list.handles[0]!, list.handles[1]!] })
    expect(await used(person)).toBe(41)
    // This message is claimed when its lead is suppressed, so it is refunded once it is released unsent.
    const claimed = await person.call('POST', `/campaigns/${campaign.id}/claim`, { holder: 'laptop' })
    await person.client.suppressions.create({ handles: [list.handles[2]!] })
    expect(await used(person)).toBe(41)
    const { dmId, lease } = claimed.body
    expect((await person.call('POST', `/dms/${dmId}/confirm`, { lease })).body).toMatchObject({ maySend: false })
    expect(await used(person)).toBe(40)

    const again = await launch(person, await makeList(app, person, openHandles(1)), { name: 'Again' })
    const [dm] = await dmsOf(person, again.id)
    await person.client.suppressions.create({ handles: [dm!.lead!.twitterHandle] })
    expect(await used(person)).toBe(40)
    const { suppressions } = await person.client.suppressions.list({ q: dm!.lead!.twitterHandle })
    await person.client.suppressions.remove({ id: suppressions[0]!.id })
    expect(await person.call('POST', `/dms/${dm!.id}/requeue`)).toMatchObject({ status: 200 })
    expect(await used(person)).toBe(41)
  })

  it('applies to leads queued by ids or filter', async () => {
    const person = await makeSender(49)
    const { leadIds } = await makeList(app, person, openHandles(2))
    const expected = refused(`1 DM is left this month. ${FREE}`, 49)
    expect(await person.call('POST', '/leads/queue', { leadIds })).toMatchObject(expected)
    expect(await person.call('POST', '/leads/queue', { filter: {} })).toMatchObject(expected)
    const rows = await app.db.select().from(leads).where(eq(leads.workspaceId, person.workspaceId))
    expect(rows.map(({ dmStatus }) => dmStatus)).toEqual(['not_sent', 'not_sent'])
    expect(await person.call('POST', '/leads/queue', { leadIds: leadIds.slice(0, 1) })).toMatchObject({
      body: { queued: 1 },
    })
    expect(await person.call('POST', '/leads/queue', { leadIds })).toMatchObject(refused(FREE, 50))
    // Leads that are already queued count nothing.
    expect(await person.call('POST', '/leads/queue', { leadIds: leadIds.slice(0, 1) })).toMatchObject({
      body: { queued: 0 },
    })
  })

  it('holds for concurrent requests', async () => {
    const person = await makeSender(40)
    const campaigns = await Promise.all(
      Array.from({ length: 6 }, async () =>
        makeCampaign(person, await makeList(app, person, openHandles(3)), { name: 'At once' }),
      ),
    )
    const responses = await Promise.all(campaigns.map(({ id }) => person.call('POST', `/campaigns/${id}/queue`)))
    expect(responses.map(({ status }) => status).sort()).toEqual([200, 200, 200, 403, 403, 403])
    expect(await used(person)).toBe(49)
    expect(await app.db.$count(dms, eq(dms.workspaceId, person.workspaceId))).toBe(9)
  })
})

it('queued messages survive the end of a plan, and archiving refunds them', async () => {
  const person = await makeSender()
  await subscribe(app, person, 'pro_monthly')
  const campaign = await makeCampaign(person, await makeList(app, person, openHandles(60)))
  await person.client.campaigns.queue({ id: campaign.id })
  await endSubscriptions(app, { workspaceId: person.workspaceId })
  expect(await person.client.billing.overview()).toMatchObject({ level: 'free', ended: { planId: 'pro_monthly' } })
  await person.client.campaigns.update({ id: campaign.id, status: 'paused' })
  expect(await person.client.campaigns.update({ id: campaign.id, status: 'active' })).toMatchObject({
    status: 'active',
    dmsQueuedCount: 60,
  })
  const [message] = await dmsOf(person, campaign.id)
  await rewrite(app, { id: message!.id }, { triedAt: new Date() })
  await person.client.campaigns.update({ id: campaign.id, status: 'archived' })
  expect(await used(person)).toBe(1)
})

it('owners are notified once at 80%, in-app and by email, and again for another limit', async () => {
  const person = await makeSender(38)
  const member = await makePerson(app, { in: person, role: 'member' })
  const queue = async (count: number) => {
    const { leadIds } = await makeList(app, person, openHandles(count))
    await person.client.leads.queue({ leadIds })
  }
  await queue(1)
  expect((await person.client.billing.overview()).usage[1]).toMatchObject({
    what: 'dms',
    used: 39,
    limit: 50,
    warning: false,
  })
  await queue(1)
  await queue(1)
  expect((await person.client.billing.overview()).usage[1]).toEqual({
    what: 'dms',
    used: 41,
    limit: 50,
    warning: true,
    words: FREE,
    lifts: { level: 'pro', name: 'Pro', limit: 5_000 },
  })
  expect((await person.client.notifications.list({})).notifications).toMatchObject([
    {
      kind: 'usage_high',
      title: "You've used 80% of this month's DMs",
      text: `40 of 50 DMs used. ${FREE}`,
      path: '/billing',
    },
  ])
  expect((await member.client.notifications.list({})).notifications).toEqual([])
  await queueNotificationEmails({ ...app.services, db: app.db })
  const [{ emailedAt } = { emailedAt: null }] = await app.db
    .select()
    .from(notifications)
    .where(eq(notifications.userId, person.id))
  expect(emailedAt).not.toBeNull()
  await subscribe(app, person, 'pro_monthly')
  await raiseUsage(app, person, 3_999)
  await queue(1)
  expect((await person.client.notifications.list({})).total).toBe(2)
})
