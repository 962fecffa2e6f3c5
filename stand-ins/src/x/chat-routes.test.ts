import { expect, test } from 'vitest'
import { openX } from '../../test/open-x.ts'
import { openReceiver } from '../../test/x-receiver.ts'
import { personOf } from './people.ts'

const LIST = '/2/chat/conversations?chat_conversation.fields=id,type,updated_at&expansions=participant_ids'

async function openChat(options: Parameters<typeof openX>[0] = {}) {
  const x = await openX(options)
  const me = await x.signIn('sender')
  const chat = (handle: string, body: object = {}) =>
    x.json('POST', `/_people/${handle}/chat`, { to: 'sender', ...body })
  return { x, me, chat }
}
const ids = (list: { id: string }[]) => list.map(({ id }) => id)

test('lists conversations with the newest first, in pages, with their members', async () => {
  const { x, me, chat } = await openChat()
  for (const handle of ['ada', 'ben', 'cem']) {
    await chat(handle)
    x.wait(1000)
  }
  await x.json('POST', '/_people/sender/chat', { to: 'ada' })
  const first = (await me.get(`${LIST}&max_results=2`)).body
  expect(first.meta).toMatchObject({
    result_count: 2,
    has_more: true,
    next_token: expect.stringMatching(/^[0-9a-v]{45}$/),
  })
  expect(first.data[0]).toEqual({
    id: expect.stringMatching(/^\d+-\d+$/),
    type: 'direct',
    updated_at: expect.stringMatching(/Z$/),
    participant_ids: expect.arrayContaining([await me.idOf('ada'), await me.idOf('sender')]),
  })
  const second = (await me.get(`${LIST}&max_results=2&pagination_token=${first.meta.next_token}`)).body
  expect(second.meta).toMatchObject({ result_count: 1, has_more: false })
  const times = [...first.data, ...second.data].map(({ updated_at }) => Date.parse(updated_at))
  expect(times).toEqual(times.toSorted((a, b) => b - a))
  expect(first.includes.users.map(({ username }: { username: string }) => username)).toContain('ada')

  await x.json('PUT', '/_chat', { order: 'ascending' })
  expect(ids((await me.get(LIST)).body.data)).toEqual(ids([...first.data, ...second.data]).reverse())
})

test('says whether strangers ask to be let in, and hides them on request', async () => {
  const { x, me, chat } = await openChat()
  const receiver = await openReceiver(x)
  await receiver.subscribe(me, 'chat.received')
  await me.send(await me.idOf('ada'), 'Hello')
  await chat('ada')
  expect((await me.get(LIST)).body.meta).toMatchObject({ result_count: 1, has_message_requests: false })
  await chat('ben')
  expect((await me.get(LIST)).body.meta).toMatchObject({ result_count: 2, has_message_requests: true })
  await x.json('PUT', '/_chat', { requests: 'hidden' })
  await chat('cem')
  expect((await me.get(LIST)).body.meta).toMatchObject({ result_count: 1, has_message_requests: true })
  await chat('ada')
  await expect.poll(() => receiver.received).toHaveLength(3)
})

test('pages through the events of a conversation by its id in any form, but not of others', async () => {
  const { x, me, chat } = await openChat()
  await chat('ada', { kind: 'keyChange' })
  for (const text of ['one', 'two', 'three']) await chat('ada', { text })
  await chat('ada', { kind: 'typing' })
  const [mine, ada] = [await me.idOf('sender'), await me.idOf('ada')]
  const fields = 'chat_message_event.fields=id,sender_id,created_at,encoded_event,conversation_id'
  const newest = (await me.get(`/2/chat/conversations/${ada}/events?max_results=3&${fields}`)).body
  expect(newest.data).toHaveLength(3)
  expect(newest.data[0]).toMatchObject({ sender_id: ada, encoded_event: expect.any(String) })
  expect(newest.meta).toMatchObject({ has_more: true, conversation_key_events: [expect.any(String)] })
  for (const id of [`${mine}-${ada}`, `${ada}-${mine}`]) {
    const path = `/2/chat/conversations/${id}/events?max_results=3&${fields}&pagination_token=${newest.meta.next_token}`
    expect((await me.get(path)).body).toMatchObject({ data: [{}], meta: { result_count: 1, has_more: false } })
  }
  const encoded = (await x.call('/_log/chats?from=ada')).body.map(
    ({ encodedEvent }: { encodedEvent: string }) => encodedEvent,
  )
  expect(encoded).toContain(newest.data[0].encoded_event)
  const other = await me.idOf('ben')
  expect((await me.get(`/2/chat/conversations/${ada}-${other}/events`)).status).toBe(403)
  expect((await me.get('/2/chat/conversations/abc/events')).status).toBe(400)
  expect((await me.get('/2/dm_events')).body.meta.result_count).toBe(0)
})

test('returns 404 or 403 to an account without X Chat, which has no public key', async () => {
  const { x, me } = await openChat()
  const none = await x.signIn('nochat_x')
  expect((await none.get('/2/chat/conversations')).status).toBe(404)
  await x.json('PUT', '/_chat', { withoutChat: 403 })
  expect((await none.get('/2/chat/conversations')).status).toBe(403)
  const [nobody, ada] = [await me.idOf('nochat_x'), await me.idOf('ada')]
  expect((await me.get(`/2/users/${nobody}/public_keys`)).body).toEqual({ data: [] })
  const fields = 'public_key.fields=public_key_version,public_key,signing_public_key,juicebox_config'
  const key = (await me.get(`/2/users/${ada}/public_keys?${fields}`)).body.data[0]
  expect(key).toMatchObject({ public_key_version: expect.stringMatching(/^\d+$/), public_key: expect.any(String) })
  expect(key).not.toHaveProperty('juicebox_config')
  expect(key.signing_public_key).not.toBe(key.public_key)
  expect((await me.get(`/2/users/public_keys?ids=${nobody},${ada}`)).body.data).toHaveLength(1)
  const own = (await me.get(`/2/users/${await me.idOf('sender')}/public_keys?${fields}`)).body.data[0]
  expect(own).toHaveProperty('juicebox_config')
})

test('delivers answers in X Chat as events, never in dm_events, also after a restart', async () => {
  const { x, me } = await openChat({ answerAfterMs: 20 })
  const receiver = await openReceiver(x)
  await receiver.subscribe(me, 'chat.received', 'dm.received')
  for (const handle of ['chats_a', 'chatstops_a', 'replies_a']) await me.send(await me.idOf(handle), 'Hello')
  await expect.poll(() => receiver.received, { timeout: 60_000 }).toHaveLength(3)
  const chats = (await x.call('/_log/chats?to=sender')).body as { from: string; text: string }[]
  expect(chats.map(({ from }) => from)).toEqual(['chats_a', 'chatstops_a'])
  expect(chats[1]?.text).toBe(personOf('chatstops_a').answer)
  expect((await me.get('/2/dm_events')).body.meta.result_count).toBe(4)
  await me.send(await me.idOf('chats_a'), 'Hello again')
  await x.json('POST', '/_people/replies_b/reply', { to: 'sender', text: 'Hi' })
  await expect.poll(() => receiver.received, { timeout: 60_000 }).toHaveLength(4)
})

test('lets a share of the people who answer do it in X Chat', async () => {
  const { x, me } = await openChat({ answerAfterMs: 0, chatShare: 1 })
  await me.send(await me.idOf('replies_a'), 'Hello')
  await expect.poll(async () => (await x.call('/_log/chats?from=replies_a')).body, { timeout: 60_000 }).toHaveLength(1)
  await x.json('PUT', '/_chat', { share: 0 })
  await me.send(await me.idOf('replies_b'), 'Hello')
  await expect.poll(async () => await x.log('?from=replies_b'), { timeout: 60_000 }).toHaveLength(1)
})
