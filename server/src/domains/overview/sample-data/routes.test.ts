import { eq, sql } from 'drizzle-orm'
import { beforeAll, describe, expect, it } from 'vitest'
import { leaveUnqueued } from '../../../../test/campaigns.ts'
import { startProcess } from '../../../../test/jobs.ts'
import { connectX, makePerson, type Person } from '../../../../test/makers.ts'
import { deleteMessages } from '../../../../test/messages.ts'
import { openApp, type TestApp } from '../../../../test/open-app.ts'
import {
  arrived,
  expectCountsRight,
  launch,
  makeList,
  openHandles,
  openSenders,
  sendDue,
} from '../../../../test/outreach.ts'
import { openPlanned } from '../../../../test/plans.ts'
import { letOnlySend } from '../../../../test/x-accounts.ts'
import { queue } from '../../../core/campaigns/campaign.ts'
import { claimDue } from '../../../core/messages/claim.ts'
import { claimAny, claimSimulated } from '../../../core/messages/claim-campaign.ts'
import { sendNow } from '../../../core/messages/send-now.ts'
import { removeMany, restore } from '../../../core/people/removal.ts'
import { campaigns } from '../../../core/tables/campaigns.ts'
import { dms } from '../../../core/tables/messages.ts'
import { preflightOf } from '../../outreach/campaigns/preflight.ts'
import { answer as answerConversation } from '../../outreach/conversations/answers.ts'
import { usedOf } from '../../platform/billing/plan.ts'
import { remove } from './sample-data.ts'

let app: TestApp
beforeAll(async () => {
  app = await openApp({ x: true })
})
const { connected } = openSenders(() => app)

const ALL = { success: true, leads: 40, lists: 2, campaigns: 2 }

/** Reads everything of a workspace that loading changes. */
async function contents({ client }: Person) {
  return {
    leads: (await client.leads.list({ pageSize: 100 })).leads.map(({ id }) => id).sort(),
    lists: (await client.lists.list({})).lists.map(({ id, leadCount }) => [id, leadCount]),
    campaigns: (await client.campaigns.list({})).campaigns.map(({ id, name }) => [id, name]),
    tags: (await client.tags.list()).tags.map(({ name, leadCount }) => [name, leadCount]),
    conversations: (await client.conversations.list({})).counts,
    sent: (await client.analytics.find({})).messagesSent,
  }
}

describe('POST /sample-data', () => {
  it('loads marked leads, lists and campaigns with messages, replies and conversations, once', async () => {
    const { person } = await connected()
    const both = await Promise.all([person.client.sampleData.load(), person.client.sampleData.load()])
    expect([...both, await person.client.sampleData.load()]).toEqual([ALL, ALL, ALL])
    const { leads } = await person.client.leads.list({ pageSize: 100 })
    expect(leads.filter(({ isSample, tagIds }) => isSample && tagIds.length === 1)).toHaveLength(40)
    expect((await person.client.leads.find({ id: leads[0]!.id })).isSample).toBe(true)
    expect((await person.client.messages.leads({})).leads[0]).toMatchObject({ isSample: true })
    const { lists } = await person.client.lists.list({})
    expect(lists.map(({ leadCount, isSample }) => [leadCount, isSample])).toEqual([
      [16, true],
      [24, true],
    ])
    expect((await person.client.lists.leads({ id: lists[1]!.id })).leads[0]).toMatchObject({ isSample: true })
    const { campaigns: listed } = await person.client.campaigns.list({})
    expect(listed).toMatchObject([
      { status: 'draft', stepCount: 2, isSample: true },
      {
        status: 'completed',
        dmsSentCount: 22,
        dmsFailedCount: 2,
        dmsRepliedCount: 8,
        peoplePositive: 5,
        isSample: true,
      },
    ])
    const { conversations, counts } = await person.client.conversations.list({})
    expect([conversations.length, counts]).toEqual([8, { open: 6, unread: 4, snoozed: 0 }])
    const { messages } = await person.client.conversations.find({ id: conversations[0]!.id })
    expect(messages.map(({ author }) => author)).toContain('campaign')
    await expectCountsRight(app)
  })

  it('adds the conversations when an X account has been connected since', async () => {
    const person = await makePerson(app)
    expect(await person.client.sampleData.load()).toEqual(ALL)
    await connectX(app, person)
    expect((await person.client.conversations.list({})).conversations).toEqual([])
    await person.client.sampleData.load()
    expect((await person.client.conversations.list({})).conversations).toHaveLength(8)
  })

  it('counts toward no limit, notifies nobody and takes no first step', async () => {
    const { person } = await connected()
    const before = [await usedOf(app.db, person.workspaceId, 'dms'), (await person.client.firstSteps.find()).steps]
    await person.client.sampleData.load()
    expect([await usedOf(app.db, person.workspaceId, 'dms'), (await person.client.firstSteps.find()).steps]).toEqual(
      before,
    )
    expect(await person.client.firstSteps.find()).toMatchObject({ isMessageSent: false, hasSampleData: true })
    expect((await person.client.notifications.list({})).notifications).toEqual([])
    expect((await person.client.today.find({})).sentToday).toBe(0)
  })

  it('is for owners, in their own workspace', async () => {
    const owner = await makePerson(app)
    const admin = await makePerson(app, { in: owner, role: 'admin' })
    expect((await admin.call('POST', '/sample-data')).status).toBe(403)
    expect((await admin.call('DELETE', '/sample-data')).status).toBe(403)
    await owner.client.sampleData.load()
    const stranger = await makePerson(app)
    await stranger.client.sampleData.remove()
    expect((await contents(stranger)).leads).toEqual([])
    expect((await contents(owner)).leads).toHaveLength(40)
  })
})

describe('DELETE /sample-data', () => {
  it('leaves the workspace as it was, and does nothing without sample data', async () => {
    const { person } = await connected()
    await launch(person, await makeList(app, person, openHandles(2)))
    await person.client.tags.create({ name: 'Founder' })
    const before = await contents(person)
    expect((await person.call('DELETE', '/sample-data')).status).toBe(204)
    await person.client.sampleData.load()
    await Promise.all([person.client.sampleData.remove(), person.client.sampleData.remove()])
    expect(await contents(person)).toEqual(before)
    for (const table of [
      'enrollments',
      'sequence_versions',
      'replies',
      'past_contacts',
      'lead_removals',
      'step_tests',
    ]) {
      const { rows } = await app.db.execute(
        sql`select count(*)::int as n from ${sql.identifier(table)} where workspace_id = ${person.workspaceId}`,
      )
      const own = { enrollments: 2, sequence_versions: 1 }[table] ?? 0
      expect([table, rows]).toEqual([table, [{ n: own }]])
    }
    await expectCountsRight(app)
    expect(await person.client.sampleData.load()).toEqual(ALL)
  })

  it('keeps what a person has made since', async () => {
    const { person } = await connected()
    await person.client.sampleData.load()
    const { lists } = await person.client.lists.list({})
    const own = await makeList(app, person, openHandles(1))
    await person.client.lists.addLeads({ id: lists[0]!.id, leadIds: own.leadIds })
    const sample = (await person.client.lists.leads({ id: lists[1]!.id })).leads[0]!
    await person.client.lists.addLeads({ id: own.id, leadIds: [sample.id] })
    const tag = (await person.client.tags.list()).tags[0]!
    await person.client.tags.apply({ leadIds: own.leadIds, add: [tag.id], remove: [] })
    // The draft is launched to a lead of the workspace's own.
    const draft = (await person.client.campaigns.list({})).campaigns[0]!
    await person.client.campaigns.queue({ id: draft.id })
    await person.client.sampleData.remove()
    const left = await contents(person)
    expect(left).toMatchObject({ leads: own.leadIds, lists: [[own.id, 1]], campaigns: [[draft.id, draft.name]] })
    expect(left.tags).toEqual([[tag.name, 1]])
    expect(await person.client.campaigns.find({ id: draft.id })).toMatchObject({ isSample: false })
    await expectCountsRight(app)
  })

  it('keeps a campaign that is yet to message people of the workspace', async () => {
    const { person } = await connected()
    await person.client.sampleData.load()
    const [draft] = (await person.client.campaigns.list({})).campaigns
    const own = await makeList(app, person, openHandles(1))
    await person.client.lists.addLeads({ id: draft!.leadListId!, leadIds: own.leadIds })
    await person.client.campaigns.queue({ id: draft!.id })
    await deleteMessages(app, { leadId: own.leadIds[0]! })
    await leaveUnqueued(app, { leadId: own.leadIds[0]! })
    await person.client.sampleData.remove()
    expect(await person.client.campaigns.find({ id: draft!.id })).toMatchObject({ isSample: false })
  })

  it('finds messages by their indexes', async () => {
    const { person } = await connected()
    await person.client.sampleData.load()
    const { db, reads } = await openPlanned(app.databaseUrl)
    await remove(db, person.actor)
    const ofMessages = reads.filter(({ table }) => table === 'dms')
    expect(ofMessages.length).toBeGreaterThan(0)
    expect(ofMessages.filter(({ by }) => by !== 'index')).toEqual([])
  })

  it('removes sample leads whose deletion was undone', async () => {
    const { person } = await connected()
    await person.client.sampleData.load()
    const { leads } = await person.client.leads.list({})
    const { removalId } = await removeMany(app.db, person.actor, { leadIds: [leads[0]!.id] })
    await restore({ ...app.services, db: app.db }, person.actor, removalId!)
    expect((await person.client.leads.find({ id: leads[0]!.id })).isSample).toBe(true)
    await person.client.sampleData.remove()
    expect((await contents(person)).leads).toEqual([])
  })
})

describe('on the real X, a message to a sample lead', () => {
  const REASON = 'This lead is sample data. Sample leads are never messaged on X.'
  const real = () => ({ ...app.services.env, isRealX: true })
  const realContext = () => ({ ...app.services, db: app.db, env: real() }) as never

  /** Queues messages to sample leads while X is the stand-in. */
  async function queued(channel: 'api' | 'extension') {
    const { person, account } = await connected()
    await person.client.sampleData.load()
    const draft = (await person.client.campaigns.list({})).campaigns[0]!
    await person.client.campaigns.update({ id: draft.id, channel })
    await person.client.campaigns.queue({ id: draft.id })
    await letOnlySend(app, account.id)
    return { person, account, id: draft.id }
  }
  async function expectSkipped({ person, id }: { person: Person; id: string }, count: number) {
    const { dms: failed } = await person.client.campaigns.dms({ id, status: 'failed' })
    expect(failed.map(({ errorMessage }) => errorMessage)).toEqual(Array(count).fill(`Skipped: t${REASON.slice(1)}`))
    expect(await app.db.$count(dms, sql`campaign_id = ${id} and lease is not null`)).toBe(0)
  }

  it('is never claimed by a worker, and is skipped with the reason', async () => {
    const planted = await queued('api')
    const worker = await startProcess(app)
    expect((await claimDue(app.db, worker, real())).claimed).toBeNull()
    await expectSkipped(planted, 16)
    expect(await planted.person.client.campaigns.find({ id: planted.id })).toMatchObject({ status: 'completed' })
    expect(await arrived(app)).not.toContainEqual(expect.objectContaining({ from: planted.account.handle }))
  })

  it('is never claimed by an extension or the simulated queue', async () => {
    const planted = await queued('extension')
    const context = { ...app.services, db: app.db, env: real(), remember: async () => {} }
    expect((await claimAny(context, planted.person.actor, { holder: 'a browser' })).status).toBe(204)
    await expectSkipped(planted, 16)
    const other = await queued('extension')
    expect(await claimSimulated(app.db, real(), other.person.actor)).toBeNull()
    await expectSkipped(other, 16)
  })

  it('is never claimed as a direct message that waits in the queue', async () => {
    const { person, account } = await connected()
    await person.client.sampleData.load()
    const { leads } = await person.client.leads.list({ status: 'not_sent' })
    await person.client.leads.queue({ leadIds: [leads[0]!.id] })
    await letOnlySend(app, account.id)
    const worker = await startProcess(app)
    expect((await claimDue(app.db, worker, real())).claimed).toBeNull()
    expect((await person.client.leads.find({ id: leads[0]!.id })).dmStatus).toBe('not_sent')
  })

  it('is refused when a person sends it, as a message or as an answer', async () => {
    const { person } = await connected()
    await person.client.sampleData.load()
    const { leads } = await person.client.leads.list({ status: 'not_sent' })
    const order = {
      leadId: leads[0]!.id,
      message: 'Hi',
      templateVariables: { name: 'a', handle: 'b' },
      allowRepeat: true,
    }
    await expect(sendNow(realContext(), person.actor, order)).rejects.toMatchObject({
      code: 'LEAD_STATE',
      message: REASON,
    })
    const { conversations } = await person.client.conversations.list({})
    const to = { id: conversations[0]!.id, text: 'Hi', afterMessageId: conversations[0]!.lastMessage.id }
    await expect(answerConversation(realContext(), person.actor, to)).rejects.toMatchObject({
      code: 'LEAD_STATE',
      message: REASON,
    })
  })

  it('is skipped by a launch, which the pre-flight says', async () => {
    const { person } = await connected()
    await person.client.sampleData.load()
    const { id } = (await person.client.campaigns.list({})).campaigns[0]!
    const { willSend, skipped } = await preflightOf(realContext(), person.actor, id)
    expect([willSend, skipped[0]]).toMatchObject([0, { reason: { code: 'sample' }, count: 16 }])
    await queue(app.db, real(), person.actor, { id })
    expect(await app.db.select({ status: campaigns.status }).from(campaigns).where(eq(campaigns.id, id))).toEqual([
      { status: 'completed' },
    ])
  })
})

it('sends messages to sample leads if X is the stand-in', async () => {
  const { person } = await connected()
  await person.client.sampleData.load()
  const { leads } = await person.client.leads.list({ status: 'not_sent' })
  await person.client.leads.queue({ leadIds: [leads[0]!.id], message: 'Hi there' })
  expect(await sendDue(app)).toContain('Hi there')
})
