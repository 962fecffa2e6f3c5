import { once } from 'node:events'
import { createServer } from 'node:http'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createXApi, type XApi } from './x.ts'

/** The body of X's next response, with status 200. */
let says = ''
const server = createServer((_, response) => {
  response.setHeader('content-type', 'application/json')
  response.end(says)
})
let x: XApi
beforeAll(async () => {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as { port: number }
  x = createXApi({ apiUrl: `http://127.0.0.1:${port}`, clientId: 'id', clientSecret: null })
})
afterAll(() => void server.close())

const ana = { id: '7', username: 'ana' }
const follows = (body: unknown, cursor: string | null = null) => {
  says = JSON.stringify(body)
  return x.listUsers('token', '1', 'followers', { cursor, size: 100 })
}

describe('a page of followers', () => {
  it('contains people, or states that it has none', async () => {
    expect(await follows({ data: [ana], meta: { result_count: 1, next_token: 'b' } }, 'a')).toMatchObject({
      users: [{ id: '7', handle: 'ana' }],
      next: 'b',
    })
    expect(await follows({ meta: { result_count: 0 } })).toEqual({ users: [], next: null })
  })
  it.each([
    [{}],
    [{ meta: {} }],
    [{ meta: { result_count: 5 } }],
    [{ data: [ana] }],
    [{ data: [{ id: 7 }], meta: { result_count: 1 } }],
    [{ data: { ana }, meta: { result_count: 1 } }],
    [{ data: [ana], meta: { result_count: 1, next_token: 'a' } }],
    [{ data: [ana], meta: { result_count: 1, next_token: 5 } }],
    [{ data: [ana], meta: { result_count: 1, next_token: '' } }],
  ])('is not taken for the end of the list if X answers %j', async (body) => {
    await expect(follows(body, 'a')).rejects.toMatchObject({ kind: 'unknown' })
  })
  it("is refused with X's explanation", async () => {
    const detail = 'Not authorized.'
    await expect(
      follows({ errors: [{ detail, type: 'https://api.x.com/2/problems/not-authorized-for-resource' }] }),
    ).rejects.toMatchObject({ kind: 'forbidden', message: detail })
  })
})

const type = (name: string) => `https://api.x.com/2/problems/${name}`
const after = <Answer>(body: unknown, call: () => Promise<Answer>) => {
  says = JSON.stringify(body)
  return call()
}

describe('findUser', () => {
  const find = (body: unknown) => after(body, () => x.findUser('token', 'ana'))

  it('returns null only if X says that the handle does not exist', async () => {
    expect(await find({ data: ana })).toMatchObject({ id: '7', isFollowed: null })
    expect(await find({ data: { ...ana, connection_status: ['none'] } })).toMatchObject({ isFollowed: false })
    expect(await find({ data: { ...ana, connection_status: ['following'] } })).toMatchObject({ isFollowed: true })
    expect(await find({ errors: [{ title: 'Not Found Error' }] })).toBeNull()
    expect(await find({ errors: [{ type: type('resource-not-found') }] })).toBeNull()
    for (const nothing of [{}, { errors: [] }, { data: null }, { errors: [{ title: 'Strange' }] }, { data: [] }])
      await expect(find(nothing)).rejects.toMatchObject({ kind: 'unknown' })
  })
  it('throws if the person is suspended', async () => {
    const error = { title: 'Forbidden', detail: 'User has been suspended: [ana].', type: type('resource-not-found') }
    await expect(find({ errors: [error] })).rejects.toMatchObject({ kind: 'not-found', isSuspended: true })
  })
  it("resolves X's short links in the website and the bio", async () => {
    const entities = {
      url: { urls: [{ url: 'https://t.co/1', expanded_url: 'https://ana.example' }] },
      description: { urls: [{ url: 'https://t.co/2', expanded_url: 'https://$&.example' }, { url: 'https://t.co/3' }] },
    }
    const user = {
      ...ana,
      url: 'https://t.co/1',
      description: 'I make https://t.co/2, https://t.co/2 and https://t.co/3',
    }
    expect(await find({ data: { ...user, entities } })).toMatchObject({
      website: 'https://ana.example',
      bio: 'I make https://$&.example, https://$&.example and https://t.co/3',
    })
    for (const odd of [undefined, null, 5, { url: null }, { url: { urls: 'no' }, description: { urls: [5] } }])
      expect(await find({ data: { ...user, entities: odd } })).toMatchObject({
        website: user.url,
        bio: user.description,
      })
  })
})

it('findMe reads whether the account is verified and has Premium', async () => {
  const me = (more: object) => after({ data: { ...ana, ...more } }, () => x.findMe('token'))
  expect(await me({ verified_type: 'blue', subscription_type: 'Premium' })).toMatchObject({
    verifiedType: 'blue',
    subscriptionType: 'Premium',
  })
  expect(await me({})).toMatchObject({ verifiedType: null, subscriptionType: null })
})

describe('sendMessage', () => {
  const send = (body: unknown) => after(body, () => x.sendMessage('token', '7', 'Hello'))
  it('returns the id of a message that X confirms', async () => {
    expect(await send({ data: { dm_conversation_id: '1-7', dm_event_id: '55' } })).toMatchObject({ eventId: '55' })
  })
  it.each([
    [{}],
    [{ data: {} }],
    [{ data: { dm_event_id: 5 } }],
    [{ data: { dm_event_id: '' } }],
    [{ errors: [{ title: 'Strange' }] }],
  ])('does not know what happened after %j', async (body) => {
    await expect(send(body)).rejects.toMatchObject({ kind: 'unknown', mayBeDelivered: false })
  })
  it('knows what an error in a success means', async () => {
    await expect(send({ errors: [{ code: 349 }] })).rejects.toMatchObject({ kind: 'recipient' })
    await expect(send({ errors: [{ code: 151 }] })).rejects.toMatchObject({ kind: 'unknown', mayBeDelivered: true })
  })
})

const AT = '2026-11-28T10:00:00.000Z'
const event = {
  id: '5',
  event_type: 'MessageCreate',
  text: 'Hi',
  created_at: AT,
  sender_id: '7',
  dm_conversation_id: '1-7',
}
const without = (...names: string[]) =>
  Object.fromEntries(Object.entries(event).filter(([name]) => !names.includes(name)))
const events = (...data: object[]) => ({ data, meta: { result_count: data.length } })

describe('a page of messages', () => {
  const listWith = (body: unknown, cursor: string | null = null) =>
    after(body, () => x.listMessages('token', '7', { cursor, size: 5 }))
  const all = (body: unknown) => after(body, () => x.listAllMessages('token', { cursor: null, size: 5 }))

  it('is read with the links that X names', async () => {
    const entities = { urls: [{ url: 'https://t.co/1', expanded_url: 'https://a.example', start: 0, end: 14 }] }
    expect(await listWith(events({ ...event, entities }, { ...without('text', 'event_type'), id: '4' }))).toEqual({
      messages: [
        {
          id: '5',
          senderId: '7',
          at: new Date(AT),
          text: 'Hi',
          links: [{ url: 'https://t.co/1', expandedUrl: 'https://a.example' }],
        },
        { id: '4', senderId: '7', at: new Date(AT), text: '', links: [] },
      ],
      next: null,
      isEmpty: false,
    })
  })
  it('is empty only if X says so', async () => {
    for (const body of [{ meta: { result_count: 0 } }, { data: [], meta: { result_count: 0 } }])
      expect(await listWith(body)).toEqual({ messages: [], next: null, isEmpty: true })
  })
  it.each([
    [{}],
    [{ meta: {} }],
    [{ data: [] }],
    [{ data: [], meta: { result_count: 3 } }],
    [{ meta: { result_count: 3 } }],
    [{ data: [event] }],
    [{ data: event, meta: { result_count: 1 } }],
    [events(without('id'))],
    [events(without('sender_id'))],
    [events(without('created_at'))],
    [events({ ...event, created_at: 'yesterday' })],
    [events({ ...event, sender_id: 7 })],
    [events(event, without('sender_id'))],
    [{ data: [event], meta: { result_count: 1, next_token: 'a' } }],
  ])('is not read if X answers %j', async (body) => {
    await expect(listWith(body, 'a')).rejects.toMatchObject({ kind: 'unknown', isUnreadable: true })
    if (!JSON.stringify(body).includes('next_token'))
      await expect(all(body)).rejects.toMatchObject({ kind: 'unknown', isUnreadable: true })
  })
  it('ignores people who join and leave, and messages of groups', async () => {
    const joined = { id: '9', event_type: 'ParticipantsJoin' }
    expect((await listWith(events(joined, event))).messages).toHaveLength(1)
    const group = { ...event, dm_conversation_id: '1234567' }
    const noted = { ...event, sender_id: '1', dm_conversation_id: '1-1' }
    expect((await all(events(joined, group, noted))).messages).toEqual([])
  })
  it('names the recipient by the conversation, or by the two people in it', async () => {
    const recipients = async (...data: object[]) =>
      (await all({ ...events(...data), includes: { users: [ana, { id: 5 }] } })).messages.map(
        ({ recipientId, handles }) => [recipientId, handles],
      )
    expect(
      await recipients(
        event,
        { ...event, dm_conversation_id: '7-1' },
        { ...event, dm_conversation_id: '7:1' },
        { ...without('dm_conversation_id'), participant_ids: ['7', '1'] },
        { ...event, dm_conversation_id: 'dm_7_1', participant_ids: ['7', '1'] },
      ),
    ).toEqual(Array.from({ length: 5 }, () => ['1', { '7': 'ana' }]))
    expect(await recipients({ ...without('dm_conversation_id'), participant_ids: ['7', '1', '2'] })).toEqual([])
    const odd = { ...event, dm_conversation_id: 'dm_7_1' }
    for (const lost of [without('dm_conversation_id'), odd, { ...event, sender_id: '3' }])
      await expect(recipients(lost)).rejects.toMatchObject({ kind: 'unknown', isUnreadable: true })
  })
})

describe('X Chat', () => {
  const list = (body: unknown) => after(body, () => x.listChatConversations('token', { cursor: null, size: 10 }))
  const read = (body: unknown) => after(body, () => x.listChatEvents('token', '7:1', { cursor: null, size: 10 }))

  it('lists conversations with what X says about them', async () => {
    const data = [
      { id: '1-7', type: 'one_to_one', updated_at: AT, participant_ids: ['1', '7'] },
      { id: '1:8' },
      { id: 'g99', type: 'group', participant_ids: ['1', '2', '3'], updated_at: 'odd' },
      { id: '55', type: 'GroupConversation' },
    ]
    expect(await list({ data, meta: { result_count: 4, next_token: 'n', has_message_requests: true } })).toEqual({
      conversations: [
        { id: '1-7', updatedAt: new Date(AT), participantIds: ['1', '7'], isGroup: false },
        { id: '1:8', updatedAt: null, participantIds: ['1', '8'], isGroup: false },
        { id: 'g99', updatedAt: null, participantIds: ['1', '2', '3'], isGroup: true },
        { id: '55', updatedAt: null, participantIds: null, isGroup: true },
      ],
      next: 'n',
      hasMessageRequests: true,
    })
    expect((await list({ meta: { result_count: 0 } })).hasMessageRequests).toBe(false)
    for (const broken of [{}, { data: [{}], meta: {} }, { data: [{ id: 5 }], meta: {} }])
      await expect(list(broken)).rejects.toMatchObject({ kind: 'unknown' })
  })
  it('reads no conversation with an event of nobody', async () => {
    expect((await read(events({ id: 'm1', sender_id: '7', created_at: AT }))).events).toMatchObject([
      { identity: 'chat 1-7 message m1', senderId: '7', at: new Date(AT), kind: 'unknown' },
    ])
    for (const broken of [events({ id: 'm1' }), events(5 as never), {}])
      await expect(read(broken)).rejects.toMatchObject({ kind: 'unknown', isUnreadable: true })
  })
  it('knows whether a person has set it up', async () => {
    const has = (body: unknown) => after(body, () => x.hasPublicKey('token', '7'))
    expect(await has({ data: [{ public_key_version: '1' }] })).toBe(true)
    expect(await has({ data: { public_key_version: '1' } })).toBe(true)
    expect(await has({ data: [] })).toBe(false)
    expect(await has({ errors: [{ type: type('resource-not-found') }] })).toBe(false)
    await expect(has({})).rejects.toMatchObject({ kind: 'unknown' })
  })
})
