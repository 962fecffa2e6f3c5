import { describe, expect, it } from 'vitest'
import { encodeChatEvent } from '../../test/chat-event.ts'
import { chatEventOf } from './x-chat-event.ts'
import { notesOf, readDelivery } from './x-delivery.ts'

const US = '1800000000000000001'
const ANA = '99'
const AT = new Date('2026-11-28T10:00:00.123Z')
const MESSAGE_ID = '6a1c0f3e-2b52-4d0c-9f0e-0d6a4f0c7f11'
const SEQUENCE_ID = '2080400825227100999'

/** A delivery in the documented envelope. */
const delivery = (event_type: string, payload: object, more: object = {}) => ({
  data: { event_uuid: '5934540941047412905', event_type, filter: { user_id: US }, tag: 'ours', payload, ...more },
})
const onlyMessage = (body: unknown) => {
  const { happenings, unreadable } = readDelivery(body)
  expect([happenings.length, unreadable]).toEqual([1, null])
  return happenings[0]
}

describe('a delivery of dm.received and dm.sent', () => {
  const create = (sender: string, recipient: string, more: object = {}) => ({
    type: 'message_create',
    id: '2080763914820927863',
    created_timestamp: String(AT.getTime()),
    message_create: {
      target: { recipient_id: recipient },
      sender_id: sender,
      message_data: { text: 'Hello', entities: { urls: [] } },
    },
    ...more,
  })
  const users = { [ANA]: { data: { id: ANA, username: 'ana' } }, [US]: { data: { id: US, username: 'us' } } }
  const received = { direct_message_events: [create(ANA, US)], users }
  const message = {
    kind: 'message',
    eventId: '2080763914820927863',
    senderId: ANA,
    recipientId: US,
    text: 'Hello',
    at: AT,
    isEncrypted: false,
    handles: { [ANA]: 'ana', [US]: 'us' },
  }

  it('is read in the documented form', () => {
    expect(readDelivery(delivery('dm.received', received))).toEqual({
      eventType: 'dm.received',
      eventUuid: '5934540941047412905',
      accountXUserId: US,
      happenings: [message],
      unreadable: null,
      isGroup: false,
    })
    const sent = { direct_message_events: [create(US, ANA)], users }
    expect(onlyMessage(delivery('dm.sent', sent))).toMatchObject({ senderId: US, recipientId: ANA })
  })
  it.each<[string, object, object]>([
    [
      'a time that is a number',
      { ...received, direct_message_events: [create(ANA, US, { created_timestamp: AT.getTime() })] },
      {},
    ],
    ['a negative event_uuid', received, { event_uuid: '-3577827201104920132' }],
    ['an event_uuid that is a UUID', received, { event_uuid: '0f52b591-4b7e-4f13-92cd-30e6b2a3f18a' }],
    ['no tag', received, { tag: undefined }],
    ['unknown fields', { ...received, more: 1 }, { more: 1 }],
  ])('is read with %s', (_, payload, more) => {
    expect(onlyMessage(delivery('dm.received', payload, more))).toEqual(message)
  })
  it.each([{ filter: undefined }, { filter: {} }, { filter: null }, { filter: { keyword: 'x' } }])(
    'names the account with the filter %j',
    (more) => {
      expect(readDelivery(delivery('dm.received', received, more)).accountXUserId).toBe(US)
      const sent = { direct_message_events: [create(US, ANA)] }
      expect(readDelivery(delivery('dm.sent', sent, more)).accountXUserId).toBe(US)
    },
  )
  it.each([
    ['-3577827201104920132', '-3577827201104920132'],
    ['0f52b591-4b7e-4f13-92cd-30e6b2a3f18a', '0f52b591-4b7e-4f13-92cd-30e6b2a3f18a'],
    [undefined, null],
  ])('names itself by the event_uuid %s', (event_uuid, eventUuid) => {
    expect(readDelivery(delivery('dm.received', received, { event_uuid })).eventUuid).toBe(eventUuid)
  })
  it('reads handles of people with and without data around them, and of includes', () => {
    const handles = (payload: object, more: object = {}) =>
      readDelivery(delivery('dm.received', { ...received, ...payload }, more)).happenings[0]?.handles
    expect(handles({ users: { [ANA]: { username: 'ana' } } })).toEqual({ [ANA]: 'ana' })
    expect(handles({ users: undefined }, { includes: { users: [{ id: ANA, username: 'ana' }] } })).toEqual({
      [ANA]: 'ana',
    })
    expect(handles({ users: undefined }, { includes: { users: [{ data: { id: ANA, username: 'ana' } }] } })).toEqual({
      [ANA]: 'ana',
    })
    for (const users of [null, 'x', [null], { [ANA]: null }, { [ANA]: { data: 5 } }])
      expect(handles({ users })).toEqual({})
  })
  it('ignores events that are no messages', () => {
    const payload = { direct_message_events: [{ type: 'participants_join', id: '1' }] }
    expect(readDelivery(delivery('dm.received', payload))).toMatchObject({ happenings: [], unreadable: null })
  })
  it.each<[string, object]>([
    ['without events', {}],
    ['with no events', { direct_message_events: [] }],
    ['with an id that is a number', { direct_message_events: [create(ANA, US, { id: 5 })] }],
    ['with an odd time', { direct_message_events: [create(ANA, US, { created_timestamp: 'now' })] }],
    ['without a type and content', { direct_message_events: [{}] }],
    ['that is no list', { direct_message_events: { create } }],
  ])('is unreadable %s', (_, payload) => {
    const { happenings, unreadable } = readDelivery(delivery('dm.received', payload))
    expect(happenings).toEqual([])
    expect(unreadable).toMatchObject({ eventType: 'dm.received', accountXUserId: US, mayBeMessage: true })
    expect(unreadable?.keys.some((key) => key.startsWith('data.payload'))).toBe(true)
    expect(JSON.stringify(unreadable?.keys)).not.toContain('Hello')
  })
  it('names the person of an unreadable message, if there is only one', () => {
    const person = (...events: object[]) =>
      readDelivery(delivery('dm.received', { direct_message_events: events })).unreadable?.personXUserId
    expect(person(create(ANA, US, { id: 5 }))).toBe(ANA)
    expect(person(create(ANA, US, { id: 5 }), create('77', US, { id: 5 }))).toBeNull()
    expect(person(create('Ana', US))).toBeNull()
    const sent = delivery('dm.sent', { direct_message_events: [create(US, ANA, { id: 5 })] })
    expect(readDelivery(sent).unreadable?.personXUserId).toBe(ANA)
  })
  it('reads the other messages of a delivery with an unreadable one', () => {
    const { happenings, unreadable } = readDelivery(
      delivery('dm.received', { direct_message_events: [create(ANA, US), create('77', US, { id: 5 })] }),
    )
    expect(happenings).toHaveLength(1)
    expect(unreadable).toMatchObject({ personXUserId: '77', mayBeMessage: true })
  })
})

describe('a delivery of chat.received and chat.sent', () => {
  const head = { sequenceId: SEQUENCE_ID, messageId: MESSAGE_ID, senderId: ANA, conversationId: `${ANA}:${US}` }
  const encoded_event = encodeChatEvent({ ...head, createdAtMsec: String(AT.getTime()) })
  /** X documents both forms. */
  const long = {
    conversation_token: 'token',
    id: MESSAGE_ID,
    created_at_msec: String(AT.getTime()),
    sender_id: ANA,
    conversation_id: `${US}:${ANA}`,
    conversation_key_version: '1768236281331',
    encoded_event,
    conversation_key_change_event: 'x',
    message_event_signature: { signature: 'x' },
  }
  const short = { conversation_id: `${ANA}-${US}`, sender_id: ANA, encoded_event, conversation_key_version: '1' }
  const message = {
    kind: 'message',
    eventId: `chat ${ANA}-${US} message ${MESSAGE_ID}`,
    messageId: MESSAGE_ID,
    senderId: ANA,
    recipientId: US,
    text: '',
    at: AT,
    isEncrypted: true,
    handles: {},
  }

  it.each<[string, object, object]>([
    ['the long form', long, {}],
    ['the short form', short, {}],
    ['a hyphen', { ...long, conversation_id: `${US}-${ANA}` }, {}],
    ['the other order', { ...long, conversation_id: `${ANA}:${US}` }, {}],
    ['a time that is a number', { ...long, created_at_msec: AT.getTime() }, {}],
    ['no time', { ...long, created_at_msec: undefined }, {}],
    ['no filter', short, { filter: undefined }],
    ['an empty filter', long, { filter: {} }],
    ['a negative event_uuid', long, { event_uuid: '-1' }],
    ['no sender', { ...long, sender_id: undefined }, {}],
    [
      'no sender and a sender only by its conversation',
      {
        ...long,
        sender_id: null,
        encoded_event: encodeChatEvent({ messageId: MESSAGE_ID, createdAtMsec: String(AT.getTime()) }),
      },
      {},
    ],
    ['no conversation', { ...long, conversation_id: undefined }, {}],
    ['an odd id', { ...long, id: { odd: true } }, {}],
  ])('is one message in every form: %s', (_, payload, more) => {
    const body = delivery('chat.received', payload, more)
    expect(onlyMessage(body)).toEqual(message)
    expect(readDelivery(body).accountXUserId).toBe(US)
  })

  it('has the identity that the history of its conversation gives it', () => {
    const history = chatEventOf(
      { id: SEQUENCE_ID, sender_id: ANA, created_at: AT.toISOString(), encoded_event },
      `${US}:${ANA}`,
    )
    expect(history).toEqual({
      identity: message.eventId,
      messageId: MESSAGE_ID,
      sequenceId: SEQUENCE_ID,
      senderId: ANA,
      conversationId: `${US}:${ANA}`,
      at: AT,
      kind: 'message',
      encodedEvent: encoded_event,
    })
  })

  it('is identified by its sequence id without a message id, and by its content without either', () => {
    const eventId = (payload: object, more: object = {}) => {
      const [happening] = readDelivery(delivery('chat.received', { ...short, ...payload }, more)).happenings
      return happening?.kind === 'message' ? happening.eventId : null
    }
    const sequence = { encoded_event: encodeChatEvent({ ...head, messageId: undefined }) }
    expect(eventId(sequence)).toBe(`chat ${ANA}-${US} sequence ${SEQUENCE_ID}`)
    expect(eventId({ encoded_event: 'AAAA', id: SEQUENCE_ID })).toBe(`chat ${ANA}-${US} sequence ${SEQUENCE_ID}`)
    expect(eventId({ encoded_event: 'AAAA', id: MESSAGE_ID })).toBe(message.eventId)
    expect(eventId({ encoded_event: 'AAAA' })).toMatch(/^chat 99-1800000000000000001 hash [0-9a-f]{64}$/)
    expect(eventId({ encoded_event: 'AAAA' })).toBe(eventId({ encoded_event: 'AAAA' }, { event_uuid: '7' }))
    expect(eventId({ encoded_event: 'AAAA' })).not.toBe(eventId({ encoded_event: 'AAAB' }))
    // Without content, two deliveries are two messages.
    expect(eventId({ encoded_event: undefined })).not.toBe(eventId({ encoded_event: undefined }, { event_uuid: '7' }))
  })

  it('is ours if we are its sender', () => {
    const sent = { ...long, sender_id: US, encoded_event: encodeChatEvent({ ...head, senderId: US }) }
    for (const more of [{}, { filter: undefined }]) {
      const body = delivery('chat.sent', sent, more)
      expect(onlyMessage(body)).toMatchObject({ senderId: US, recipientId: ANA, eventId: message.eventId })
      expect(readDelivery(body).accountXUserId).toBe(US)
    }
  })

  it.each([3, 4, 5, 6, 7, 8, 9, 12, 13])('is no message if its detail is %i', (detail) => {
    const body = delivery('chat.received', { ...long, encoded_event: encodeChatEvent({ ...head, detail }) })
    expect(readDelivery(body)).toMatchObject({ happenings: [], unreadable: null, accountXUserId: US })
  })

  it.each([
    undefined,
    null,
    '',
    5,
    'not base64!',
    encodeChatEvent({ ...head, detail: 42 }),
    encodeChatEvent({ detail: null }),
  ])('counts as a message, and as unreadable, with encoded_event %j', (encoded) => {
    const { happenings, unreadable } = readDelivery(delivery('chat.received', { ...long, encoded_event: encoded }))
    expect(happenings).toEqual([message])
    expect(unreadable).toMatchObject({ eventType: 'chat.received', mayBeMessage: false })
  })

  it.each(['g1234567890', 'G1', 'g12-34'])('is counted and ignored in the group %s', (conversation_id) => {
    const body = delivery('chat.received', { ...long, conversation_id })
    expect(readDelivery(body)).toMatchObject({ isGroup: true, happenings: [], unreadable: null })
  })

  it.each<[string, object, object, object]>([
    ['nobody', {}, { filter: undefined }, { accountXUserId: null, personXUserId: null }],
    ['the account', {}, {}, { accountXUserId: US, personXUserId: null }],
    ['the person', { sender_id: ANA }, { filter: undefined }, { accountXUserId: null, personXUserId: ANA }],
    [
      'a sender who is not in the conversation',
      { conversation_id: `${US}:${ANA}`, sender_id: '5' },
      {},
      { accountXUserId: US, personXUserId: null },
    ],
    [
      'a conversation without the account',
      { conversation_id: `77:${ANA}`, sender_id: ANA },
      {},
      { accountXUserId: US, personXUserId: null },
    ],
  ])('that names %s is unreadable', (_, payload, more, people) => {
    const { happenings, unreadable } = readDelivery(delivery('chat.received', payload, more))
    expect(happenings).toEqual([])
    expect(unreadable).toMatchObject({ ...people, mayBeMessage: true })
  })
})

describe('other deliveries', () => {
  it('reads a changed handle', () => {
    const body = delivery('profile.update.handle', { before: 'old', after: 'new_one' })
    expect(readDelivery(body).happenings).toEqual([{ kind: 'handle', userId: US, handle: 'new_one', handles: {} }])
    for (const broken of [delivery('profile.update.handle', {}), delivery('profile.update.handle', { after: 'a b' })])
      expect(readDelivery(broken)).toMatchObject({ happenings: [], unreadable: { mayBeMessage: false } })
  })
  it('reads a revoked connection, whose filter may be empty', () => {
    const payload = { date_time: '2026-07-23T21:44:05+00:00', user_id: ANA, app_id: '29' }
    expect(readDelivery(delivery('oauth.revoke', payload, { filter: {} }))).toMatchObject({
      accountXUserId: ANA,
      happenings: [{ kind: 'revoked', userId: ANA }],
    })
  })
  it('reads receipts, and counts those in another form', () => {
    const receipt = { created_timestamp: String(AT.getTime()), sender_id: ANA, target: { recipient_id: US } }
    expect(readDelivery(delivery('dm.read', { direct_message_mark_read_events: [receipt] })).happenings).toEqual([
      { kind: 'read', readerId: ANA, authorId: US, at: AT, handles: {} },
    ])
    expect(readDelivery(delivery('dm.read', {})).unreadable).toMatchObject({ mayBeMessage: false })
  })
  it.each(['post.create', 'follow.follow', 'dm.indicate_typing', 'chat.conversation_join'])('ignores %j', (type) => {
    expect(readDelivery(delivery(type, { x: 1 }))).toMatchObject({ happenings: [], unreadable: null })
  })
  it.each<[unknown, string]>([
    ['chat.message.create', 'chat.message.create'],
    ['dm.new', 'dm.new'],
    ['constructor', 'constructor'],
    ['__proto__', '__proto__'],
    ['Not a type', 'other'],
    ['', 'other'],
    [5, 'none'],
    [undefined, 'none'],
  ])('counts the undocumented type %j, which may be a message', (event_type, name) => {
    const read = readDelivery(delivery('dm.received', { x: 1 }, { event_type }))
    expect(read).toMatchObject({ happenings: [], unreadable: { accountXUserId: US, mayBeMessage: true } })
    expect(notesOf(read)).toMatchObject([{ source: 'event', name, keys: expect.arrayContaining(['data.payload.x']) }])
  })
  it.each([null, 5, 'text', [], {}, { data: null }, { data: [] }, { errors: [{}] }])('counts %j', (body) => {
    expect(readDelivery(body)).toMatchObject({
      happenings: [],
      unreadable: { eventType: null, accountXUserId: null, personXUserId: null, mayBeMessage: true },
    })
  })
})
