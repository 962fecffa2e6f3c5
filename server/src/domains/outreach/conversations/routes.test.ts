import { idOfHandle } from '@x-automated/stand-ins/x/ids'
import { eq } from 'drizzle-orm'
import { beforeAll, describe, expect, it } from 'vitest'
import { makeLeads } from '../../../../test/leads.ts'
import type { Person } from '../../../../test/makers.ts'
import { openApp, type TestApp } from '../../../../test/open-app.ts'
import { launch, makeList, openHandles, openSenders } from '../../../../test/outreach.ts'
import type { XHappening } from '../../../outside/x-activity.ts'
import { leads } from '../../leads/leads/tables.ts'
import { receive } from '../replies/service.ts'

let app: TestApp
beforeAll(async () => {
  app = await openApp({ x: true })
})
const { connected } = openSenders(() => app)

let lastEvent = 10n ** 18n
/** Delivers a message as X does. @param seconds when it was written, from now */
async function say(from: string, to: string, text: string, seconds = 1): Promise<void> {
  const [senderId, recipientId] = [idOfHandle(from), idOfHandle(to)]
  lastEvent += 1n
  const at = new Date(Date.now() + seconds * 1_000)
  const handles = { [senderId]: from, [recipientId]: to }
  const event: XHappening = { kind: 'message', eventId: String(lastEvent), at, senderId, recipientId, text, handles }
  await receive(app.db, [event])
}

/** A workspace whose first campaign has messaged `count` people. */
async function scene(count = 1) {
  const { person, account } = await connected()
  const list = await makeList(app, person, openHandles(count))
  const campaign = await launch(person, list, { channel: 'extension' })
  for (let sent = 0; sent < count; sent += 1) {
    const { body } = await person.call('POST', `/campaigns/${campaign.id}/claim`, { holder: 'test' })
    await person.client.campaigns.recordOutcome({ id: body.dmId, lease: body.lease, wasSent: true })
  }
  return { person, account, campaign, handles: list.handles, leadIds: list.leadIds }
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
    const found = await person.client.conversations.find({ id: conversations[0]!.id })
    expect(found.messages.map(({ author, text, status }) => [author, text, status])).toEqual([
      ['lead', 'What does it cost?', null],
      ['owner', 'By hand', null],
      ['campaign', expect.stringMatching(/^Hi /), 'replied'],
    ])
    expect(found).toMatchObject({ notes: [], draft: null, otherDrafts: [], cursor: null })
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
    await app.db.update(leads).set({ xUserId: null }).where(eq(leads.twitterHandle, renamed))
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
    const found = async (filter: Parameters<typeof listOf>[1]) =>
      (await listOf(person, filter)).conversations.map(({ lead }) => handles.indexOf(lead.twitterHandle))
    expect(await found({ label: 'opted_out' })).toEqual([1])
    expect(await found({ tag: 'warm' })).toEqual([0])
    expect(await found({ assigneeId: 'none' })).toEqual([1, 0])
    expect(await found({ assigneeId: 'me' })).toEqual([])
    expect(await found({ xAccountId: account.id, campaignId: campaign.id })).toEqual([1, 0])
    expect(await found({ xAccountId: campaign.id })).toEqual([])
    expect(await found({ status: 'done' })).toEqual([])
    expect(await found({ q: '100%_SURE' })).toEqual([0])
    expect(await found({ q: '100_' })).toEqual([])
    expect(await found({ q: handles[1]!.toUpperCase() })).toEqual([1])
    expect(await found({ q: 'lead 2' })).toEqual([1])
  })
})
