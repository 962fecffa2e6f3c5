import { isWaiting } from '@x-automated/contract/outreach/conversations'
import { REPLIES_WAITING_MAX } from '@x-automated/contract/reply-labels'
import { eq } from 'drizzle-orm'
import { beforeAll, expect, it } from 'vitest'
import { complete, pauseNow, planFollowUp } from '../../../../test/campaigns.ts'
import { clearOfMidnight } from '../../../../test/clear-of-midnight.ts'
import { answerLast, deleteConversations, insertConversation, messaged, say } from '../../../../test/conversations.ts'
import { insertLeads } from '../../../../test/leads.ts'
import { connectX, makePerson } from '../../../../test/makers.ts'
import { openApp, type TestApp } from '../../../../test/open-app.ts'
import { deleteOpenerCounts, pretendDrafts } from '../../../../test/openers.ts'
import { launch, makeList, openHandles, openSenders } from '../../../../test/outreach.ts'
import { leaveIdle, loseConnection } from '../../../../test/x-accounts.ts'
import { conversations as rows } from '../../../core/tables/conversations.ts'

let app: TestApp
beforeAll(async () => {
  await clearOfMidnight()
  app = await openApp({ x: true })
})
const { connected } = openSenders(() => app)

it('GET /today returns zeros and fourteen days before the first message', async () => {
  const person = await makePerson(app)
  const today = await person.client.today.find({})
  expect(today).toMatchObject({
    repliesWaiting: 0,
    sentToday: 0,
    countedInDay: 0,
    nextSendAt: null,
    campaigns: [],
    needs: [],
  })
  expect(today.days).toHaveLength(14)
  expect(today.days.at(-1)).toEqual({ day: new Date().toISOString().slice(0, 10), sent: 0, replied: 0, positive: 0 })
})

it('GET /today counts what was sent and who waits for an answer, in total and by account', async () => {
  const { person, account } = await connected()
  const { handles, campaign } = await messaged(app, person, 2)
  await say(app, handles[0]!, account.handle, 'Yes, I am interested. What does it cost?')
  const other = await connectX(app, person)
  const all = await person.client.today.find({})
  expect(all).toMatchObject({ repliesWaiting: 1, sentToday: 2 })
  expect(all.days.at(-1)).toMatchObject({ sent: 2, replied: 1, positive: 1 })
  const own = await person.client.today.find({ xAccountId: account.id })
  expect(own).toMatchObject({ repliesWaiting: 1, sentToday: 2 })
  expect(all.capNow).toBe(2 * own.capNow)
  expect(await person.client.today.find({ xAccountId: other.id })).toMatchObject({ repliesWaiting: 0, sentToday: 0 })
  await pauseNow(app, { id: campaign.id })
  const { campaigns: listed } = await person.client.today.find({})
  const sentByDay = [...Array<number>(13).fill(0), 2]
  expect(listed).toEqual([
    {
      id: campaign.id,
      name: 'Spring',
      status: 'paused',
      peopleMessaged: 2,
      totalLeadsInList: 2,
      peopleSkipped: 0,
      waitingFor: null,
      positiveRate: 50,
      sentByDay,
    },
  ])
  expect((await person.client.campaigns.list({})).campaigns).toMatchObject([{ id: campaign.id, sentByDay }])
})

it('GET /today counts who wrote last, whether read or not, and nobody who does not want an answer', async () => {
  const { person, account } = await connected()
  const texts = {
    interested: 'Yes, I am interested',
    meeting: 'Let us meet on Tuesday at 10',
    not_interested: 'No thanks',
    later: 'Not now, write me again in March',
    auto_reply: 'Automatic reply: I am out of office until March 1',
    opted_out: 'stop',
  }
  const { handles, leadIds } = await messaged(app, person, 7)
  const says = (index: number, text: string) => say(app, handles[index]!, account.handle, text, index + 1)
  for (const [index, text] of Object.values(texts).entries()) await says(index, text)
  await says(6, '')
  const { conversations } = await person.client.conversations.list({})
  const labels = Object.keys(texts)
  expect(conversations.map(({ label }) => label).reverse()).toEqual([...labels, null])
  const waiting = async (xAccountId?: string) =>
    (await person.client.today.find(xAccountId ? { xAccountId } : {})).repliesWaiting
  expect(await waiting()).toBe(3)
  expect(conversations.filter(isWaiting)).toHaveLength(3)
  expect(await waiting(account.id)).toBe(3)
  // One of these people also wrote to another account.
  const [first] = await app.db.select().from(rows).where(eq(rows.leadId, leadIds[0]!))
  const { id: _, ...again } = first!
  const added = await insertConversation(app, { ...again, accountXUserId: '1' })
  expect(await waiting()).toBe(3)
  await deleteConversations(app, { id: added.id })

  const of = (index: number) => conversations.find(({ lead }) => lead.id === leadIds[index])!.id
  await person.client.conversations.updateMany({ conversationIds: conversations.map(({ id }) => id), isRead: true })
  expect(await waiting()).toBe(3)
  await person.client.suppressions.create({ handles: [handles[0]!] })
  expect(await waiting()).toBe(2)
  await person.client.conversations.update({ id: of(1), status: 'done' })
  expect(await waiting()).toBe(1)
  await answerLast(app, { id: of(6) })
  expect(await waiting()).toBe(0)
  const { conversations: after } = await person.client.conversations.list({})
  expect(after.filter(isWaiting)).toEqual([])
})

it('GET /today counts at most a thousand people who wait', async () => {
  const person = await makePerson(app)
  const { workspaceId } = person
  const leadIds = await insertLeads(
    app,
    Array.from({ length: 1_001 }, (_, n) => ({ workspaceId, name: 'P', twitterHandle: `waits_${n}` })),
  )
  await Promise.all(leadIds.map((leadId) => insertConversation(app, { workspaceId, leadId })))
  expect((await person.client.today.find({})).repliesWaiting).toBe(REPLIES_WAITING_MAX)
  await deleteConversations(app, { workspaceId })
})

it('GET /today says when the next message is due, and lists active campaigns before paused ones', async () => {
  const { person } = await connected()
  const list = await makeList(app, person, openHandles(2))
  const active = await launch(person, list, { name: 'Active' })
  await person.client.campaigns.create({ name: 'Later', leadListId: list.id, messageTemplate: 'Hi', status: 'paused' })
  const { nextSendAt, campaigns: listed } = await person.client.today.find({})
  expect(nextSendAt).not.toBeNull()
  expect(listed.map(({ name, status }) => [name, status])).toEqual([
    ['Active', 'active'],
    ['Later', 'paused'],
  ])
  expect(listed[0]!.id).toBe(active.id)
  const other = await connectX(app, person)
  expect(await person.client.today.find({ xAccountId: other.id })).toMatchObject({ campaigns: [], nextSendAt: null })

  // Nothing is queued now, but a follow-up is due.
  const followUpDueAt = new Date(Date.now() + 3 * 86_400_000)
  await leaveIdle(app, { workspaceId: person.workspaceId })
  await planFollowUp(app, { id: active.id }, followUpDueAt)
  expect((await person.client.today.find({})).nextSendAt).toBe(followUpDueAt.toISOString())
  expect((await person.client.today.find({ xAccountId: other.id })).nextSendAt).toBeNull()
})

it('GET /today names what needs a person, the most urgent first', async () => {
  const { person, account } = await connected()
  const list = await makeList(app, person, [])
  const { id } = await person.client.campaigns.create({
    name: 'Stopped',
    leadListId: list.id,
    messageTemplate: 'Hi',
    status: 'paused',
  })
  const reason = { code: 'opt_outs' as const, params: { optOuts: 4, of: 100 } }
  await pauseNow(app, { id }, { reason })
  await pretendDrafts(app, { workspaceId: person.workspaceId, campaignId: id }, 3)
  await loseConnection(app, { id: account.id })
  expect((await person.client.today.find({})).needs).toEqual([
    { code: 'x_disconnected', params: { handle: account.handle }, path: '/twitter' },
    {
      code: 'campaign_paused',
      params: { optOuts: 4, of: 100, campaign: 'Stopped', reason: 'opt_outs', detail: null },
      path: `/campaigns/${id}`,
    },
    { code: 'openers_waiting', params: { campaign: 'Stopped', count: 3 }, path: `/campaigns/${id}/openers` },
  ])
  const other = await connectX(app, person)
  expect((await person.client.today.find({ xAccountId: other.id })).needs).toEqual([])
  await complete(app, { id })
  expect((await person.client.today.find({})).needs.map(({ code }) => code)).toEqual(['x_disconnected'])
  await deleteOpenerCounts(app, id)
})

it('GET /today returns 404 for an account of another workspace', async () => {
  const { account } = await connected()
  const stranger = await makePerson(app)
  expect(await stranger.call('GET', `/today?xAccountId=${account.id}`)).toMatchObject({
    status: 404,
    body: { code: 'X_ACCOUNT_NOT_FOUND' },
  })
})
