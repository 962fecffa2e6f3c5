import { createHmac } from 'node:crypto'
import { expect, test } from 'vitest'
import { openX } from '../../test/open-x.ts'
import { openReceiver } from '../../test/x-receiver.ts'

async function openWatched(options: Parameters<typeof openReceiver>[1] = {}) {
  const x = await openX()
  const me = await x.signIn('sender')
  const receiver = await openReceiver(x, options)
  await receiver.subscribe(me, 'dm.received', 'dm.sent', 'chat.received', 'chat.sent', 'profile.update.handle')
  const reply = (from: string, text: string) => x.json('POST', `/_people/${from}/reply`, { to: 'sender', text })
  const chat = (from: string, body: object = {}) => x.json('POST', `/_people/${from}/chat`, { to: 'sender', ...body })
  return { x, me, receiver, reply, chat }
}

test('signs each delivery, and delivers 20 at the same time', async () => {
  const { promise: until, resolve: release } = Promise.withResolvers<void>()
  const { x, receiver, reply } = await openWatched({ until })
  await Promise.all(Array.from({ length: 30 }, (_, n) => reply(`ada${n}`, 'Hi')))
  await expect.poll(receiver.mostRunning).toBe(20)
  release()
  await expect.poll(() => receiver.received).toHaveLength(30)
  expect(receiver.mostRunning()).toBe(20)
  const { raw, signature } = receiver.received[0]!
  expect(signature).toBe(`sha256=${createHmac('sha256', x.x.consumerSecret).update(raw).digest('base64')}`)
})

test('retries a delivery that fails, without holding up others', async () => {
  const statuses = [500]
  const { receiver, reply } = await openWatched({ answer: () => statuses.pop() ?? 200 })
  await reply('ada', 'one')
  await reply('ada', 'two')
  await expect.poll(() => receiver.received).toHaveLength(3)
  const texts = receiver
    .payloads('dm.received')
    .map(({ direct_message_events: [event] }) => event.message_create.message_data.text)
  expect(texts).toEqual(['one', 'two', 'one'])
})

test('loses, delays, repeats and reorders deliveries by faults', async () => {
  const { x, receiver, reply } = await openWatched()
  await x.faults([
    { webhook: 'lose', type: 'dm.received', times: 1 },
    { webhook: 'delay', type: 'dm.received', delayMs: 300, times: 1 },
    { webhook: 'repeat', type: 'dm.', times: 1 },
    { webhook: 'reorder', type: 'dm.', count: 2, times: 2 },
  ])
  for (const text of ['lost', 'late', 'twice', 'second', 'first']) await reply('ada', text)
  await expect.poll(() => receiver.received).toHaveLength(5)
  const texts = receiver
    .payloads('dm.received')
    .map(({ direct_message_events: [event] }) => event.message_create.message_data.text)
  expect(texts.toSorted()).toEqual(['first', 'late', 'second', 'twice', 'twice'])
  expect(texts.at(-1)).toBe('late')
})

test('replays what a webhook’s subscriptions saw in a span of up to 24 hours', async () => {
  const { x, receiver, reply, chat } = await openWatched()
  await x.faults([{ webhook: 'lose' }])
  await reply('ada', 'lost')
  await chat('ben')
  await x.json('POST', '/_people/sender/rename', { to: 'renamed' })
  await x.faults([])
  expect(receiver.received).toHaveLength(0)

  const minute = (ms: number) => new Date(ms).toISOString().replace(/\D/g, '').slice(0, 12)
  const replay = (from: number, to: number) =>
    receiver.app.post('/2/webhooks/replay', {
      webhook_id: receiver.webhookId,
      from_date: minute(from),
      to_date: minute(to),
    })
  const now = Date.now()
  expect(await replay(now - 60_000, now)).toMatchObject({
    status: 200,
    body: { data: { job_id: expect.stringMatching(/^\d+$/) } },
  })
  await expect.poll(() => receiver.received).toHaveLength(3)
  expect(receiver.received.map(({ body }) => body.data.event_type).toSorted()).toEqual([
    'chat.received',
    'dm.received',
    'profile.update.handle',
  ])
  await replay(now - 600_000, now - 300_000)
  expect((await replay(now - 26 * 3_600_000, now)).body).toMatchObject({ title: 'Invalid Request' })
  expect((await replay(now, now - 120_000)).status).toBe(400)
  expect((await receiver.app.post('/2/webhooks/replay', { webhook_id: receiver.webhookId })).status).toBe(400)
  expect(receiver.received).toHaveLength(3)
})

test('writes events in each of X’s documented forms', async () => {
  const { x, receiver, chat } = await openWatched()
  const forms = async (values: object) => {
    expect((await x.json('PUT', '/_events', values)).status).toBe(200)
    receiver.received.length = 0
    await chat('ada')
    await expect.poll(() => receiver.received).toHaveLength(1)
    return receiver.received[0]!.body
  }
  const { data } = await forms({ conversationId: 'colon' })
  expect(data).toMatchObject({
    event_type: 'chat.received',
    filter: { user_id: expect.any(String) },
    event_uuid: expect.stringMatching(/^\d+$/),
  })
  expect(data.payload).toEqual({
    id: expect.stringMatching(/^\d+$/),
    conversation_id: expect.stringMatching(/^\d+:\d+$/),
    sender_id: expect.any(String),
    created_at_msec: expect.stringMatching(/^\d{13}$/),
    encoded_event: expect.any(String),
  })
  const [small, large] = data.payload.conversation_id.split(':').map(BigInt)
  expect(small < large).toBe(true)
  const other = (
    await forms({ conversationId: 'dash-swapped', hasIds: false, hasKeys: true, hasFilter: false, uuids: 'negative' })
  ).data
  expect(other.payload).toEqual({
    conversation_id: `${large}-${small}`,
    sender_id: expect.any(String),
    encoded_event: expect.any(String),
    conversation_key_version: expect.stringMatching(/^\d+$/),
    conversation_key_change_event: expect.any(String),
  })
  expect(other.event_uuid).toMatch(/^-\d+$/)
  expect(other).not.toHaveProperty('filter')
  expect((await forms({ times: 'number' })).data.payload.created_at_msec).toBeTypeOf('number')
  expect((await forms({ unreadable: 'payload' })).data.payload).toEqual({ v2: expect.any(String) })
  expect(await forms({ unreadable: 'envelope' })).not.toHaveProperty('data')
  expect((await forms({ unreadable: 'envelope', unreadableTypes: 'dm.' })).data.payload).toHaveProperty('encoded_event')
  expect((await x.json('PUT', '/_events', { conversationId: 'space' })).status).toBe(400)
})

test('writes messages as X documents them, with the people and the links', async () => {
  const { x, me, receiver, reply } = await openWatched()
  await reply('ada', 'See https://acme.example.')
  await expect.poll(() => receiver.received).toHaveLength(1)
  const [payload] = receiver.payloads('dm.received')
  const [ada, sender] = [await me.idOf('ada'), await me.idOf('sender')]
  const [event] = payload.direct_message_events
  expect(event).toMatchObject({
    type: 'message_create',
    id: expect.stringMatching(/^\d{19}$/),
    created_timestamp: expect.stringMatching(/^\d{13}$/),
    message_create: { target: { recipient_id: sender }, sender_id: ada },
  })
  const { text, entities } = event.message_create.message_data
  expect(text).toMatch(/^See https:\/\/t\.co\/\w{10}\.$/)
  expect(entities.urls).toMatchObject([{ expanded_url: 'https://acme.example', indices: [4, text.length - 1] }])
  expect(payload.users[ada].data).toMatchObject({ username: 'ada', public_metrics: expect.any(Object) })
  await x.json('PUT', '/_events', { times: 'number' })
  await reply('ada', 'Hi')
  await expect.poll(() => receiver.received).toHaveLength(2)
  expect(receiver.payloads('dm.received')[1].direct_message_events[0].created_timestamp).toBeTypeOf('number')
})

test('tells only the sender that a message failed, and both about groups and key changes', async () => {
  const { receiver, chat, x } = await openWatched()
  await x.json('POST', '/_people/sender/chat', {
    to: 'ada',
    kind: 'failure',
    failure: 'flaggedAsSpam',
    messageId: 'abc',
  })
  await chat('ada', { kind: 'failure' })
  await chat('ada', { kind: 'keyChange' })
  await chat('ada', { group: 'g123' })
  await expect.poll(() => receiver.received).toHaveLength(3)
  expect(receiver.payloads('chat.sent')).toHaveLength(1)
  expect(receiver.payloads('chat.received').map(({ conversation_id }) => conversation_id)).toContain('g123')
})

test('lists subscriptions in pages, and treats a duplicate and the limit as it is told to', async () => {
  const { x, me, receiver } = await openWatched()
  const path = '/2/activity/subscriptions?max_results=3'
  const first = (await receiver.app.get(path)).body
  expect(first.data).toHaveLength(3)
  const second = (await receiver.app.get(`${path}&pagination_token=${first.meta.next_token}`)).body
  expect(second.data).toHaveLength(2)
  expect(second.meta).not.toHaveProperty('next_token')

  expect((await receiver.subscribe(me, 'dm.sent'))[0]).toMatchObject({
    status: 400,
    body: { title: 'DuplicateSubscription' },
  })
  await x.json('PUT', '/_subscriptions', { duplicate: 'success', answer: 'nested', most: 5 })
  const [again] = await receiver.subscribe(me, 'dm.sent')
  expect(again?.body.data.subscription).toEqual(
    [...first.data, ...second.data].find(({ event_type }) => event_type === 'dm.sent'),
  )
  expect((await receiver.subscribe(me, 'dm.read'))[0]?.body.title).toBe('SubscriptionLimitExceeded')
  await x.json('PUT', '/_subscriptions', { answer: 'list' })
  expect((await receiver.subscribe(me, 'dm.read'))[0]?.body.data).toEqual([
    expect.objectContaining({ event_type: 'dm.read' }),
  ])
})

test('lets the app subscribe to public events of anybody, and only an account to its own messages', async () => {
  const { x, me, receiver } = await openWatched()
  const ada = await me.idOf('ada')
  const subscribe = (event_type: string) =>
    receiver.app.post('/2/activity/subscriptions', {
      event_type,
      filter: { user_id: ada },
      webhook_id: receiver.webhookId,
    })
  expect((await subscribe('profile.update.handle')).status).toBe(200)
  expect((await subscribe('dm.received')).status).toBe(403)
  await x.json('POST', '/_people/ada/rename', { to: 'ada_new' })
  await expect.poll(() => receiver.payloads('profile.update.handle')).toEqual([{ before: 'ada', after: 'ada_new' }])
})
