import { randomUUID } from 'node:crypto'
import { idOfHandle } from '@x-automated/stand-ins/x/ids'
import { eq } from 'drizzle-orm'
import fc from 'fast-check'
import { beforeAll, describe, expect, it } from 'vitest'
import { say as deliver, endSnooze, messaged } from '../../../../test/conversations.ts'
import { identifyLeads, makeLeads } from '../../../../test/leads.ts'
import { makePerson, type Person } from '../../../../test/makers.ts'
import { openApp, type TestApp } from '../../../../test/open-app.ts'
import {
  clearLastClaims,
  expectCountsRight,
  launch,
  makeList,
  openHandles,
  openSenders,
} from '../../../../test/outreach.ts'
import { endSnoozes } from '../../../core/conversations/changes.ts'
import { labelCorrections } from '../../../core/tables/conversations.ts'
import { ANSWERS, dms } from '../../../core/tables/messages.ts'
import { updateMany } from './changes.ts'

let app: TestApp
beforeAll(async () => {
  app = await openApp({ x: true })
})
const { connected } = openSenders(() => app)

const say = (from: string, to: string, text: string, seconds?: number) => deliver(app, from, to, text, seconds)

/** Creates a workspace whose first campaign has messaged `count` people. */
async function scene(count = 1) {
  const { person, account } = await connected()
  return { person, account, ...(await messaged(app, person, count)) }
}
const listOf = (person: Person, filter: Parameters<Person['client']['conversations']['list']>[0] = {}) =>
  person.client.conversations.list(filter)
const firstOf = async (person: Person) => (await listOf(person)).conversations[0]!

describe('a conversation', () => {
  it('exists from the first message of the lead, with those of both sides', async () => {
    const { person, account, campaign, handles, leadIds } = await scene()
    await say(account.handle, handles[0]!, 'By hand')
    expect(await listOf(person)).toEqual({
      conversations: [],
      counts: { open: 0, unread: 0, snoozed: 0 },
      cursor: null,
    })
    await say(handles[0]!, account.handle, 'What does it cost?', 2)
    const { conversations, counts } = await listOf(person)
    expect(counts).toEqual({ open: 1, unread: 1, snoozed: 0 })
    expect(conversations).toMatchObject([
      {
        lead: { id: leadIds[0], twitterHandle: handles[0], tagIds: [] },
        xAccountId: account.id,
        campaignId: campaign.id,
        lastMessage: { text: 'What does it cost?', isOurs: false },
        isUnread: true,
        status: 'open',
        suppression: 'none',
        assigneeId: null,
      },
    ])
    const conversation = await person.client.conversations.find({ id: conversations[0]!.id })
    expect(conversation.messages.map(({ author, text, status }) => [author, text, status])).toEqual([
      ['lead', 'What does it cost?', null],
      ['owner', 'By hand', null],
      ['campaign', expect.stringMatching(/^Hi /), 'replied'],
    ])
    expect(conversation).toMatchObject({ notes: [], draft: null, otherDrafts: [], cursor: null })
  })

  it('is per X account, and has the latest message of either side first', async () => {
    const { person, account, handles } = await scene(2)
    await say(handles[0]!, account.handle, 'First', 1)
    await say(handles[1]!, account.handle, 'Second', 2)
    await say(account.handle, handles[0]!, 'Third', 3)
    const { conversations } = await listOf(person)
    expect(conversations.map(({ lastMessage: { text, isOurs } }) => [text, isOurs])).toEqual([
      ['Third', true],
      ['Second', false],
    ])
  })

  it('keeps the latest message and its label if an earlier one arrives later', async () => {
    const { person, account, handles } = await scene()
    await say(handles[0]!, account.handle, 'Not now, write me again on March 3', 20)
    await say(handles[0]!, account.handle, 'I am out of office until March 1', 10)
    expect(await firstOf(person)).toMatchObject({
      label: 'later',
      lastMessage: { text: expect.stringMatching(/^Not now/) },
    })
  })

  it('is marked as suppressed, and stays labelled as opted out', async () => {
    const { person, account, handles } = await scene()
    await say(handles[0]!, account.handle, 'stop', 1)
    await say(handles[0]!, account.handle, 'Automatic reply: I am out of office', 2)
    expect(await firstOf(person)).toMatchObject({ label: 'opted_out', suppression: 'suppressed' })
  })

  it('moves to the lead that is kept if two are merged', async () => {
    const { person, account } = await connected()
    const [handle, renamed] = openHandles(2) as [string, string]
    await makeLeads(app, person, [{ xUserId: idOfHandle(handle), twitterHandle: handle }])
    await makeLeads(app, person, [{ xUserId: null, twitterHandle: renamed }])
    await say(handle, account.handle, 'One', 1)
    await say(renamed, account.handle, 'Two', 2)
    expect((await listOf(person)).counts.open).toBe(2)
    await identifyLeads(app, { twitterHandle: renamed }, null)
    await makeLeads(app, person, [{ xUserId: idOfHandle(handle), twitterHandle: renamed }])
    const { conversations, counts } = await listOf(person)
    expect(counts).toEqual({ open: 1, unread: 1, snoozed: 0 })
    expect(conversations).toMatchObject([{ lastMessage: { text: 'Two' } }])
    const { messages } = await person.client.conversations.find({ id: conversations[0]!.id })
    expect(messages.map(({ text }) => text)).toEqual(['Two', 'One'])
  })

  it('is deleted with its lead and comes back if that is undone', async () => {
    const { person, account, handles, leadIds } = await scene(2)
    for (const handle of handles) await say(handle, account.handle, 'Hello')
    const before = await listOf(person)
    const { removalId } = await person.client.leads.removeMany({ leadIds })
    expect(await listOf(person)).toMatchObject({ conversations: [], counts: { open: 0, unread: 0 } })
    await person.client.leads.restore({ removalId: removalId! })
    expect(await listOf(person)).toEqual(before)
    await person.client.leads.remove({ id: leadIds[0]! })
    expect((await listOf(person)).counts).toEqual({ open: 1, unread: 1, snoozed: 0 })
  })
})

describe('a change', () => {
  /** Creates a workspace with one conversation. */
  async function replied(text = 'Hello') {
    const { handles, leadIds, ...rest } = await scene()
    await say(handles[0]!, rest.account.handle, text)
    const { id } = await firstOf(rest.person)
    return { ...rest, handle: handles[0]!, leadId: leadIds[0]!, id }
  }

  it('marks it as read, as done and as open again', async () => {
    const { person, id } = await replied()
    const { update } = person.client.conversations
    expect(await update({ id, isRead: true })).toMatchObject({ isUnread: false, status: 'open' })
    expect(await update({ id, isRead: false })).toMatchObject({ isUnread: true })
    expect(await update({ id, status: 'done' })).toMatchObject({ status: 'done', isUnread: false })
    expect((await listOf(person)).counts).toEqual({ open: 0, unread: 0, snoozed: 0 })
    expect(await update({ id, status: 'open' })).toMatchObject({ status: 'open', isUnread: false })
  })

  it('snoozes it until a time, or until the next message', async () => {
    const { person, account, handle, id } = await replied()
    const snoozedUntil = new Date(Date.now() + 3_600_000).toISOString()
    const snoozed = await person.client.conversations.update({ id, status: 'snoozed', snoozedUntil })
    expect(snoozed).toMatchObject({ status: 'snoozed', snoozedUntil })
    expect((await listOf(person)).counts).toEqual({ open: 0, unread: 0, snoozed: 1 })
    expect((await person.client.today.find({ xAccountId: account.id })).repliesWaiting).toBe(0)
    await endSnoozes(app.db)
    expect((await firstOf(person)).status).toBe('snoozed')
    await endSnooze(app, { id })
    await endSnoozes(app.db)
    expect(await firstOf(person)).toMatchObject({ status: 'open', snoozedUntil: null })
    await person.client.conversations.update({ id, status: 'snoozed', snoozedUntil })
    await say(handle, account.handle, 'Are you there?', 5)
    expect(await firstOf(person)).toMatchObject({ status: 'open', snoozedUntil: null, isUnread: true })
  })

  it.each([
    { status: 'snoozed' },
    { snoozedUntil: '2999-01-01T00:00:00Z' },
    { status: 'open', snoozedUntil: '2999-01-01T00:00:00Z' },
    { status: 'snoozed', snoozedUntil: '2020-01-01T00:00:00Z' },
    { reengage: true },
    { label: 'nice' },
  ])('rejects %o', async (body) => {
    const { person, id } = await replied()
    const before = await listOf(person)
    expect((await person.call('PATCH', `/conversations/${id}`, body)).status).toBe(400)
    expect(await listOf(person)).toEqual(before)
  })

  it('assigns it to a member, not to a viewer or stranger, until they leave', async () => {
    const { person, id } = await replied()
    const [member, viewer, stranger] = [
      await makePerson(app, { in: person, role: 'member' }),
      await makePerson(app, { in: person, role: 'viewer' }),
      await makePerson(app),
    ]
    const { update } = person.client.conversations
    expect(await update({ id, assigneeId: member.id })).toMatchObject({ assigneeId: member.id })
    for (const { id: assigneeId } of [viewer, stranger]) {
      const { status, body } = await person.call('PATCH', `/conversations/${id}`, { assigneeId })
      expect([status, body.code]).toEqual([404, 'PERSON_NOT_FOUND'])
      const all = await person.call('POST', '/conversations/update', { filter: {}, assigneeId })
      expect([all.status, all.body.code]).toEqual([404, 'PERSON_NOT_FOUND'])
    }
    expect((await listOf(person, { assigneeId: member.id })).conversations).toHaveLength(1)
    expect((await member.client.conversations.list({ assigneeId: 'me' })).conversations).toHaveLength(1)
    await person.client.people.remove({ id: member.id })
    expect((await firstOf(person)).assigneeId).toBeNull()
    expect(await update({ id, assigneeId: person.id })).toMatchObject({ assigneeId: person.id })
    expect(await update({ id, assigneeId: null })).toMatchObject({ assigneeId: null })
  })

  it('keeps neither draft nor assignment of a member who becomes a viewer or leaves', async () => {
    const { person, id } = await replied()
    const members = [
      await makePerson(app, { in: person, role: 'member' }),
      await makePerson(app, { in: person, role: 'member' }),
    ]
    const drafts = async () => (await person.client.conversations.find({ id })).otherDrafts.map(({ userId }) => userId)
    for (const member of members) await member.client.conversations.saveDraft({ id, text: 'Hi' })
    await person.client.conversations.update({ id, assigneeId: members[0]!.id })
    expect((await drafts()).sort()).toEqual(members.map((member) => member.id).sort())
    await person.client.people.update({ id: members[0]!.id, role: 'viewer' })
    expect(await drafts()).toEqual([members[1]!.id])
    expect((await firstOf(person)).assigneeId).toBeNull()
    await person.client.people.remove({ id: members[1]!.id })
    expect(await drafts()).toEqual([])
  })

  it('corrects the label of it and of its latest reply, which only a person or an opt-out changes', async () => {
    const { person, account, campaign, handle, leadId, id } = await replied()
    const corrected = await person.client.conversations.update({ id, label: 'interested' })
    expect(corrected).toMatchObject({ label: 'interested', confidence: null })
    const { events } = await person.client.leads.history({ id: leadId })
    expect(events.find(({ kind }) => kind === 'replied')).toMatchObject({ label: 'interested' })
    const [dm] = await app.db.select().from(dms).where(eq(dms.campaignId, campaign.id))
    expect(dm!.answers).toBe(ANSWERS.replied + ANSWERS.positive)
    expect(await app.db.select().from(labelCorrections).where(eq(labelCorrections.conversationId, id))).toMatchObject([
      { userId: person.id, newLabel: 'interested' },
    ])
    await say(handle, account.handle, 'Not now, write me again on March 3', 5)
    expect((await firstOf(person)).label).toBe('interested')
    await say(handle, account.handle, 'stop', 6)
    expect(await firstOf(person)).toMatchObject({ label: 'opted_out', suppression: 'suppressed' })
    await person.client.conversations.update({ id, label: 'question' })
    expect(await firstOf(person)).toMatchObject({ label: 'question', suppression: 'suppressed' })
  })

  it('to "booked" counts as a positive reply, which rules and models never say', async () => {
    const { person, campaign, id } = await replied()
    expect(await person.client.conversations.update({ id, label: 'booked' })).toMatchObject({ label: 'booked' })
    expect((await listOf(person, { label: 'booked' })).conversations).toHaveLength(1)
    const [dm] = await app.db.select().from(dms).where(eq(dms.campaignId, campaign.id))
    expect(dm!.answers).toBe(ANSWERS.replied + ANSWERS.positive)
    expect(await person.client.campaigns.find({ id: campaign.id })).toMatchObject({ peoplePositive: 1 })
    expect((await person.client.today.find({})).repliesWaiting).toBe(0)
  })

  it('to "opted out" by a person asks whether to suppress the lead, until the label is corrected', async () => {
    const { person, id } = await replied()
    const { update } = person.client.conversations
    expect(await update({ id, label: 'opted_out' })).toMatchObject({ label: 'opted_out', suppression: 'suggested' })
    expect((await person.client.suppressions.list({})).total).toBe(0)
    expect(await update({ id, label: 'question' })).toMatchObject({ suppression: 'none' })
  })

  it.each([
    ['interested', 'replied', 'reply'],
    ['opted_out', 'opted_out', 'opt_out'],
    ['later', 'paused', 'auto_reply'],
  ] as const)('corrected from an automatic reply to %s leaves its sequence %s', async (label, state, code) => {
    const { person, account } = await connected()
    const list = await makeList(app, person, openHandles(1))
    const steps = [
      { variants: [{ messageTemplate: 'Hi' }] },
      { variants: [{ messageTemplate: 'Still there?' }], delay: { amount: 3, unit: 'days' as const } },
    ]
    const campaign = await launch(person, list, { channel: 'extension', messageTemplate: undefined, steps })
    const { body } = await person.call('POST', `/campaigns/${campaign.id}/claim`, { holder: 'test' })
    await person.client.campaigns.recordOutcome({ id: body.dmId, lease: body.lease, wasSent: true })
    await say(list.handles[0]!, account.handle, 'Automatic reply: I am out of office', 1)
    const { id, lead } = await firstOf(person)
    const isReplied = async () =>
      (await person.client.leads.list({ status: 'replied' })).leads.some((row) => row.id === lead.id)
    expect(await isReplied()).toBe(false)
    await person.client.conversations.update({ id, label })
    expect(await person.client.enrollments.list({ id: campaign.id })).toMatchObject({
      enrollments: [{ state, reason: { code } }],
    })
    expect(await isReplied()).toBe(true)
  })

  const snoozedUntil = new Date(Date.now() + 3_600_000).toISOString()
  const snooze = { status: 'snoozed', snoozedUntil, reengage: true } as const

  /** Creates a lead who has replied to a campaign with a re-engagement message. */
  async function reengageable() {
    const { person, account } = await connected()
    const list = await makeList(app, person, openHandles(1))
    const reengagement = { afterDays: 30, messageTemplate: 'Still there?' }
    const campaign = await launch(person, list, { channel: 'extension', reengagement })
    const { body } = await person.call('POST', `/campaigns/${campaign.id}/claim`, { holder: 'test' })
    await person.client.campaigns.recordOutcome({ id: body.dmId, lease: body.lease, wasSent: true })
    const write = (seconds: number) => say(list.handles[0]!, account.handle, 'Hello', seconds)
    await write(1)
    const find = async () => {
      const { enrollments } = await person.client.enrollments.list({ id: campaign.id })
      const { status, openEnrollments } = await person.client.campaigns.find({ id: campaign.id })
      return { enrollments, status, openEnrollments }
    }
    return { person, write, find, ...(await firstOf(person)) }
  }

  it('continues with re-engagement when the snooze ends, if there is any', async () => {
    const { person, id, find } = await reengageable()
    await person.client.conversations.update({ id, ...snooze })
    expect(await find()).toMatchObject({
      enrollments: [{ state: 'paused', stepNumber: 2, pausedUntil: snoozedUntil, reason: { code: 'later' } }],
      status: 'active',
      openEnrollments: 1,
    })

    const other = await replied()
    const refused = await other.person.call('PATCH', `/conversations/${other.id}`, snooze)
    expect([refused.status, refused.body.code]).toEqual([409, 'ENROLLMENT_STATE'])
    expect((await firstOf(other.person)).status).toBe('open')
  })

  it('is undone with its re-engagement, unless they have written since', async () => {
    const { person, id, find, write } = await reengageable()
    const before = await find()
    const undoId = crypto.randomUUID()
    await person.client.conversations.update({ id, ...snooze, undoId })
    expect(await person.client.conversations.undoUpdate({ undoId })).toMatchObject({ undone: 1 })
    expect((await firstOf(person)).status).toBe('open')
    expect(await find()).toEqual(before)

    await person.client.conversations.update({ id, ...snooze, undoId })
    await write(2)
    const after = await find()
    expect(await person.client.conversations.undoUpdate({ undoId })).toMatchObject({ undone: 0 })
    expect(await find()).toEqual(after)
  })
})

describe('a message of a campaign', () => {
  it('is the latest one of the conversation once it is sent, and reopens it', async () => {
    const { person, account, handles, leadIds } = await scene()
    await say(handles[0]!, account.handle, 'Hello', -1)
    const { id } = await firstOf(person)
    await person.client.conversations.update({ id, status: 'done' })
    await clearLastClaims(app)
    const list = await person.client.lists.create({ name: 'Again' })
    await person.client.lists.addLeads({ id: list.id, leadIds })
    const second = await launch(
      person,
      { ...list, leadIds, handles },
      {
        channel: 'extension',
        messageTemplate: 'Second',
        allowRepeat: true,
        allowReplied: true,
      },
    )
    const { body } = await person.call('POST', `/campaigns/${second.id}/claim`, { holder: 'test' })
    await person.client.campaigns.recordOutcome({ id: body.dmId, lease: body.lease, wasSent: true })
    expect(await firstOf(person)).toMatchObject({ status: 'open', lastMessage: { text: 'Second', isOurs: true } })
  })
})

describe('the list', () => {
  it('has a cursor, which reads every conversation once', async () => {
    const { person, account, handles } = await scene(5)
    for (const handle of handles) await say(handle, account.handle, `I am ${handle}`)
    const seen: string[] = []
    let cursor: string | null | undefined
    do {
      const page = await listOf(person, { pageSize: 2, ...(cursor && { cursor }) })
      seen.push(...page.conversations.map(({ lead }) => lead.twitterHandle))
      cursor = page.cursor
    } while (cursor)
    expect(seen).toHaveLength(5)
    expect(seen.sort()).toEqual([...handles].sort())
    expect((await person.call('GET', '/conversations?cursor=nonsense')).status).toBe(400)
  })

  it('finds conversations by label, tag, assignee, account, campaign, name, handle and text', async () => {
    const { person, account, campaign, handles, leadIds } = await scene(2)
    await say(handles[0]!, account.handle, 'Tell me about 100%_sure pricing')
    await say(handles[1]!, account.handle, 'please stop', 2)
    const tag = await person.client.tags.create({ name: 'Warm' })
    await person.client.tags.apply({ leadIds: [leadIds[0]!], add: [tag.id] })
    const search = async (filter: Parameters<typeof listOf>[1]) =>
      (await listOf(person, filter)).conversations.map(({ lead }) => handles.indexOf(lead.twitterHandle))
    expect(await search({ label: 'opted_out' })).toEqual([1])
    expect(await search({ tag: 'warm' })).toEqual([0])
    expect(await search({ assigneeId: 'none' })).toEqual([1, 0])
    expect(await search({ assigneeId: 'me' })).toEqual([])
    expect(await search({ xAccountId: account.id, campaignId: campaign.id })).toEqual([1, 0])
    expect(await search({ leadId: leadIds[0]! })).toEqual([0])
    expect(await search({ xAccountId: campaign.id })).toEqual([])
    expect(await search({ status: 'done' })).toEqual([])
    expect(await search({ q: '100%_SURE' })).toEqual([0])
    expect(await search({ q: '100_' })).toEqual([])
    expect(await search({ q: handles[1]!.toUpperCase() })).toEqual([1])
    expect(await search({ q: 'lead 2' })).toEqual([1])
    expect(await search({ q: 'LE' })).toEqual([1, 0])
    expect(await search({ q: '1' })).toEqual([0])
    expect(await search({ q: 'te' })).toEqual([])
    expect(await search({ q: 'e', pageSize: 1 })).toEqual([])
    expect(await search({ q: 'lead', pageSize: 1 })).toEqual([1])
  })
})

describe('a change of many', () => {
  /** Creates a workspace with three conversations, oldest first. */
  async function three() {
    const { handles, ...rest } = await scene(3)
    for (const [index, handle] of handles.entries()) await say(handle, rest.account.handle, `Hello ${index}`, index + 1)
    const ids = (await listOf(rest.person)).conversations.map(({ id }) => id).toReversed()
    return { ...rest, handles, ids }
  }
  const undoId = () => crypto.randomUUID()

  it('marks, labels and assigns those of the ids or the filter, and is undone', async () => {
    const { person, campaign, ids } = await three()
    const { updateMany, undoUpdate } = person.client.conversations
    const readAnswers = () =>
      app.db
        .select({ id: dms.id, answers: dms.answers })
        .from(dms)
        .where(eq(dms.campaignId, campaign.id))
        .orderBy(dms.id)
    const [before, answersBefore] = [await listOf(person), await readAnswers()]
    const [first, second] = [undoId(), undoId()]
    const chosen = { conversationIds: [ids[0]!, ids[1]!, ids[0]!], undoId: first }
    expect(await updateMany({ ...chosen, status: 'done', assigneeId: person.id })).toMatchObject({ changed: 2 })
    expect((await listOf(person)).counts).toEqual({ open: 1, unread: 1, snoozed: 0 })
    expect(await updateMany({ filter: { status: 'done' }, label: 'interested', undoId: second })).toMatchObject({
      changed: 2,
      cursor: null,
    })
    expect((await listOf(person, { label: 'interested' })).conversations).toHaveLength(2)
    expect((await person.client.campaigns.find({ id: campaign.id })).dmsRepliedCount).toBe(3)
    expect(await undoUpdate({ undoId: second })).toMatchObject({ undone: 2 })
    expect(await app.db.$count(labelCorrections, eq(labelCorrections.workspaceId, person.workspaceId))).toBe(0)
    expect(await readAnswers()).toEqual(answersBefore)
    expect(await undoUpdate({ undoId: second })).toMatchObject({ undone: 0 })
    // The second change is undone, so nothing has changed these conversations since the first.
    expect(await undoUpdate({ undoId: first })).toMatchObject({ undone: 2 })
    expect(await listOf(person)).toEqual(before)
  })

  it('is not undone for conversations that changed since', async () => {
    const { person, account, handles, ids } = await three()
    const id = undoId()
    await person.client.conversations.updateMany({ filter: {}, status: 'done', undoId: id })
    await say(handles[0]!, account.handle, 'One more thing', 9)
    expect(await person.client.conversations.undoUpdate({ undoId: id })).toMatchObject({ undone: 2 })
    expect((await person.client.conversations.find({ id: ids[0]! })).lastMessage.text).toBe('One more thing')
    expect((await listOf(person)).counts).toEqual({ open: 3, unread: 3, snoozed: 0 })
  })

  it('returns a cursor after its part of a filter', async () => {
    const { person, ids } = await three()
    const first = await updateMany(app.db, person.actor, { filter: {}, status: 'done' }, 2)
    expect(first).toMatchObject({ changed: 2, cursor: expect.any(String) })
    const rest = await updateMany(app.db, person.actor, { filter: {}, status: 'done', cursor: first.cursor! }, 2)
    expect(rest).toMatchObject({ changed: 1, cursor: null })
    expect((await listOf(person, { status: 'done' })).conversations).toHaveLength(ids.length)
  })

  it('changes nothing of other workspaces', async () => {
    const { person, ids } = await three()
    const { person: stranger } = await connected()
    const id = undoId()
    expect(await stranger.client.conversations.updateMany({ conversationIds: ids, status: 'done' })).toMatchObject({
      changed: 0,
    })
    await person.client.conversations.updateMany({ conversationIds: ids, status: 'done', undoId: id })
    expect(await stranger.client.conversations.undoUpdate({ undoId: id })).toMatchObject({ undone: 0 })
    expect((await listOf(person, { status: 'done' })).conversations).toHaveLength(3)
  })

  it.each([
    {},
    { filter: {}, conversationIds: ['x'] },
    { conversationIds: [] },
    { filter: {}, cursor: 'nonsense' },
    { filter: {}, status: 'snoozed' },
    { filter: {}, undoId: 'nonsense' },
  ])('rejects %o', async (body) => {
    const { person } = await connected()
    expect((await person.call('POST', '/conversations/update', body)).status).toBe(400)
  })
})

it('counts conversations as a recount does, whatever happens to them', async () => {
  const { person, account, handles, leadIds } = await scene(4)
  const removals: string[] = []
  const undoIds: string[] = []
  let seconds = 0
  const index = fc.nat(3)
  const change = fc.constantFrom(
    { status: 'open' as const },
    { status: 'done' as const },
    { status: 'snoozed' as const, snoozedUntil: '2999-01-01T00:00:00Z' },
    { isRead: true },
    { isRead: false },
  )
  const steps = {
    write: (at: number) => say(handles[at]!, account.handle, 'Hello', ++seconds),
    answer: (at: number) => say(account.handle, handles[at]!, 'Hello', ++seconds),
    async change(at: number, update: object) {
      const ids = (await listOf(person)).conversations.slice(0, at + 1).map(({ id }) => id)
      undoIds.push(randomUUID())
      if (ids.length > 0)
        await person.client.conversations.updateMany({ conversationIds: ids, undoId: undoIds.at(-1), ...update })
    },
    async undo() {
      const undoId = undoIds.pop()
      if (undoId) await person.client.conversations.undoUpdate({ undoId })
    },
    async wake() {
      await endSnooze(app, { status: 'snoozed' })
      await endSnoozes(app.db)
    },
    async remove(at: number) {
      const { removalId } = await person.client.leads.removeMany({ leadIds: [leadIds[at]!] })
      if (removalId) removals.push(removalId)
    },
    async restore() {
      const removalId = removals.pop()
      if (removalId) await person.client.leads.restore({ removalId })
    },
  }
  const step = fc.tuple(fc.constantFrom(...(Object.keys(steps) as (keyof typeof steps)[])), index, change)
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 15 }), async (chosenSteps) => {
      for (const [name, at, update] of chosenSteps) await steps[name](at, update)
      await expectCountsRight(app)
    }),
    { numRuns: 6 },
  )
})
