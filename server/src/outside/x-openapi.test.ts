import { startX } from '@x-automated/stand-ins/x'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { createXApi, type XApi } from './x.ts'
import { createXActivity, type XActivity } from './x-activity.ts'
import type { XNote } from './x-report.ts'

// The stand-in refuses every parameter, field and body that X's OpenAPI file does not list, and checks
// its own responses against it. The client then repeats a call without the parameter, and reports it.

let standIn: Awaited<ReturnType<typeof startX>>
let x: XApi
let activity: XActivity
let token: string
let ownId: string
const notes: XNote[] = []

beforeAll(async () => {
  standIn = await startX({ checksAnswers: true })
  const { url: apiUrl, clientId, clientSecret, consumerSecret, bearerToken } = standIn
  const report = (note: XNote) => notes.push(note)
  x = createXApi({ apiUrl, clientId, clientSecret: clientSecret ?? null, report })
  activity = createXActivity({ apiUrl, consumerSecret, bearerToken, report })
  token = (await x.signInWithPassword('sender', 'long enough')).accessToken
  ownId = (await x.findMe(token)).id
})
afterAll(() => standIn.close())

const page = { cursor: null, size: 10 }

it('asks X only for what its OpenAPI file lists, and reads every answer', async () => {
  const person = await x.findUser(token, 'f20_open')
  expect(person).toMatchObject({ handle: 'f20_open', isFollowed: false, takesMessages: true })
  const { id } = person!
  expect((await x.findMe(token)).verifiedType).not.toBeUndefined()
  expect(await x.findUsers(token, ['f20_open', 'missing_x'])).toMatchObject([{ id }])
  expect(await x.findPost(token, '123')).toMatchObject({ id: '123' })
  expect(await x.findList(token, '123')).toMatchObject({ id: '123' })
  for (const type of ['followers', 'following'] as const)
    expect((await x.listUsers(token, id, type, page)).users.length).toBeGreaterThan(0)
  expect((await x.listUsers(token, '123', 'likers', page)).users).toHaveLength(10)
  expect((await x.listUsers(token, '123', 'list_members', page)).users).toHaveLength(10)
  expect((await x.listRepliers(token, '123', page)).users.length).toBeGreaterThan(0)

  expect(await x.listMessages(token, id, page)).toEqual({ messages: [], next: null, isEmpty: true })
  const { eventId } = await x.sendMessage(token, id, 'Hello https://example.com/page')
  const { messages, isEmpty } = await x.listMessages(token, id, page)
  expect(messages).toMatchObject([{ id: eventId, senderId: ownId }])
  expect(messages[0]?.links).toMatchObject([{ expandedUrl: 'https://example.com/page' }])
  expect(isEmpty).toBe(false)
  expect(await x.listAllMessages(token, page)).toMatchObject({
    messages: [{ id: eventId, recipientId: id }],
    next: null,
  })
  expect(notes).toEqual([])
})

it('reads X Chat as X describes it', async () => {
  const id = (await x.findUser(token, 'f21_open'))!.id
  const response = await fetch(`${standIn.url}/_people/f21_open/chat`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ to: 'sender' }),
  })
  expect(response.status).toBe(201)
  const { conversations, next, hasMessageRequests } = await x.listChatConversations(token, page)
  expect(conversations).toMatchObject([
    { isGroup: false, participantIds: expect.arrayContaining([id]), updatedAt: expect.any(Date) },
  ])
  // The person wrote first, which X lists as a request.
  expect([next, hasMessageRequests]).toEqual([null, true])
  // Each form of the id names the conversation.
  const [byList, byColon] = [conversations[0]!.id, `${id}:${ownId}`]
  const { events } = await x.listChatEvents(token, byList, page)
  expect(events.filter(({ kind }) => kind === 'message')).toMatchObject([
    { senderId: id, messageId: expect.any(String) },
  ])
  expect((await x.listChatEvents(token, byColon, page)).events.map(({ identity }) => identity)).toEqual(
    events.map(({ identity }) => identity),
  )
  expect(await x.hasPublicKey(token, id)).toBe(true)
  expect(notes).toEqual([])
})

it('manages webhooks and subscriptions as X describes it', async () => {
  expect(await activity.listSubscriptions()).toEqual([])
  const webhookId = '1234567890'
  const event = { eventType: 'dm.received', userId: ownId, webhookId }
  await expect(activity.subscribe(token, event)).rejects.toMatchObject({ name: 'XError' })
  await activity.unsubscribe('999')
  await expect(
    activity.replay({ webhookId, from: new Date(Date.now() - 600_000), to: new Date() }),
  ).rejects.toMatchObject({ name: 'XError' })
  expect(notes).toEqual([])
})
