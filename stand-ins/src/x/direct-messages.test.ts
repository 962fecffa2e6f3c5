import { describe, expect, test, vi } from 'vitest'
import { openX } from '../../test/open-x.ts'

const EVENT = 'dm_event.fields=created_at,dm_conversation_id,text&expansions=sender_id'

describe('POST /2/dm_conversations/with/:participant_id/messages', () => {
  test('returns 201 and logs each message once, in order', async () => {
    const x = await openX()
    const me = await x.signIn('sender')
    const ids = [await me.idOf('open_a'), await me.idOf('open_b')]
    const first = await me.send(ids[0]!, 'Hello 🦊\nthere')
    expect(first.status).toBe(201)
    const mine = await me.idOf('sender')
    const smallerFirst = [mine, ids[0]!].sort((a, b) => (BigInt(a) < BigInt(b) ? -1 : 1)).join('-')
    expect(first.body).toEqual({
      data: { dm_conversation_id: smallerFirst, dm_event_id: expect.stringMatching(/^\d{19}$/) },
    })
    await me.send(ids[1]!, 'second')
    await me.send(ids[0]!, 'third')

    expect((await x.log()).map(({ to, text }) => [to, text])).toEqual([
      ['open_a', 'Hello 🦊\nthere'],
      ['open_b', 'second'],
      ['open_a', 'third'],
    ])
    const [entry] = await x.log('?to=@Open_A')
    expect(entry).toEqual({
      id: first.body.data.dm_event_id,
      from: 'sender',
      to: 'open_a',
      text: 'Hello 🦊\nthere',
      at: expect.stringMatching(/^\d{4}-.*Z$/),
    })
    expect(await x.log('?to=somebody_else')).toEqual([])
  })

  test('returns 403 with code 349 for a closed inbox, an unknown person and oneself', async () => {
    const x = await openX()
    const me = await x.signIn()
    const closed = await me.idOf('closed_x')
    for (const id of [closed, '9223372036854775807', await me.idOf('sender')]) {
      const response = await me.send(id, 'Hello')
      expect(response).toMatchObject({
        status: 403,
        body: { code: 349, message: 'You cannot send messages to this user.' },
      })
    }
    expect(await x.log()).toEqual([])
  })

  test('returns 400 for missing or long text, unknown keys, invalid JSON and invalid ids', async () => {
    const x = await openX()
    const me = await x.signIn()
    const path = `/2/dm_conversations/with/${await me.idOf('open_a')}/messages`
    for (const body of [
      {},
      { text: ' ' },
      { text: 7 },
      { text: 'x'.repeat(10_001) },
      { text: 'x', colour: 'red' },
      [],
      null,
    ]) {
      expect(await me.post(path, body)).toMatchObject({ status: 400, body: { title: 'Invalid Request' } })
    }
    const headers = { authorization: `Bearer ${me.tokens.access_token}`, 'content-type': 'application/json' }
    expect((await x.call(path, { method: 'POST', headers, body: '{"text":' })).status).toBe(400)
    expect((await me.send('somebody', 'Hello')).status).toBe(400)
    expect(await x.log()).toEqual([])
  })

  test('refuses messages to people who take only some, and lets Premium accounts write to theirs', async () => {
    const x = await openX()
    const me = await x.signIn()
    const detailOf = async (handle: string) => {
      const { status, body } = await me.send(await me.idOf(handle), 'Hello')
      expect(status).toBe(403)
      return body.detail
    }
    expect(await detailOf('premiumonly_x')).toContain('not verified to send message requests')
    expect(await detailOf('encrypted_x')).toBe('onlyEncryptedMessagesAllowed')
    expect(await detailOf('refused_x')).toBe('This operation is not permitted.')
    const premium = await x.signIn('premium_x')
    expect((await premium.send(await me.idOf('premiumonly_x'), 'Hello')).status).toBe(201)
    const own = (await premium.get('/2/users/me?user.fields=verified_type,subscription_type')).body.data
    expect(own).toMatchObject({ verified_type: 'blue', subscription_type: 'Premium' })
  })

  test('returns 401 without a token and 403 without dm.write', async () => {
    const x = await openX()
    expect((await x.as('nonsense').send('1', 'Hello')).status).toBe(401)
    const reader = await x.signIn('sender', 'tweet.read users.read dm.read')
    expect(await reader.send(await reader.idOf('open_a'), 'Hello')).toMatchObject({
      status: 403,
      body: { title: 'Forbidden' },
    })
    expect(await x.log()).toEqual([])
  })
})

describe('GET /2/dm_events and /2/dm_conversations/with/:id/dm_events', () => {
  test('pages through messages newest first while new ones arrive', async () => {
    const x = await openX()
    const me = await x.signIn()
    const id = await me.idOf('open_a')
    for (let n = 1; n <= 7; n++) await me.send(id, `message ${n}`)
    const seen: string[] = []
    let token = ''
    for (;;) {
      const { body } = await me.get(`/2/dm_conversations/with/${id}/dm_events?max_results=3${token}`)
      seen.push(...body.data.map((event: { text: string }) => event.text))
      await me.send(id, 'late')
      if (!body.meta.next_token) break
      token = `&pagination_token=${body.meta.next_token}`
    }
    expect(seen).toEqual([7, 6, 5, 4, 3, 2, 1].map((n) => `message ${n}`))
  })

  test('returns only own conversations with the requested fields', async () => {
    const x = await openX()
    const me = await x.signIn('sender')
    const other = await x.signIn('other')
    const a = await me.idOf('open_a')
    await me.send(a, 'mine to a')
    await other.send(a, 'other to a')
    await me.send(await me.idOf('open_b'), 'mine to b')

    const events = (await me.get('/2/dm_events')).body
    expect(events.data.map((event: { text: string }) => event.text)).toEqual(['mine to b', 'mine to a'])
    expect(Object.keys(events.data[0])).toEqual(['id', 'event_type', 'text'])

    const withA = (await me.get(`/2/dm_conversations/with/${a}/dm_events?${EVENT}&user.fields=verified`)).body
    expect(withA.data).toHaveLength(1)
    expect(withA.data[0]).toMatchObject({
      sender_id: await me.idOf('sender'),
      dm_conversation_id: expect.stringContaining(a),
    })
    expect(withA.includes.users).toEqual([
      expect.objectContaining({ username: 'sender', verified: expect.any(Boolean) }),
    ])
    expect((await me.get(`/2/dm_conversations/with/${await me.idOf('open_c')}/dm_events`)).body).toEqual({
      meta: { result_count: 0 },
    })
  })

  test('returns the last 30 days, without join or leave events', async () => {
    const x = await openX()
    const me = await x.signIn()
    await me.send(await me.idOf('open_a'), 'old')
    x.wait(31 * 86_400_000)
    const later = await x.signIn()
    await later.send(await later.idOf('open_a'), 'new')
    expect((await later.get('/2/dm_events')).body.data).toHaveLength(1)
    expect((await later.get('/2/dm_events?event_types=ParticipantsJoin')).body.meta.result_count).toBe(0)
  })

  test('returns links as t.co links with their address, and no entities without links', async () => {
    const x = await openX()
    const me = await x.signIn()
    const id = await me.idOf('open_a')
    await me.send(id, 'See https://acme.example/a?b=1, or acme.io/x.')
    await me.send(id, 'e.g. 3.5 is no link')
    const path = `/2/dm_conversations/with/${id}/dm_events?dm_event.fields=text,entities`
    const [plain, linked] = (await me.get(path)).body.data
    expect(plain).toEqual({ id: expect.any(String), event_type: 'MessageCreate', text: 'e.g. 3.5 is no link' })
    expect(linked.text).toMatch(/^See https:\/\/t\.co\/\w{10}, or https:\/\/t\.co\/\w{10}\.$/)
    for (const url of linked.entities.urls) expect(linked.text.slice(url.start, url.end)).toBe(url.url)
    expect(linked.entities.urls.map(({ expanded_url }: { expanded_url: string }) => expanded_url)).toEqual([
      'https://acme.example/a?b=1',
      'http://acme.io/x',
    ])
    expect((await x.log())[0]?.text).toBe('See https://acme.example/a?b=1, or acme.io/x.')
    await x.json('PUT', '/_reading', { shortensLinks: false })
    expect((await me.get(path)).body.data[1].text).toContain('acme.example')
  })

  test('shows a conversation in the ways in which a reading can fail, by switches', async () => {
    const x = await openX()
    const me = await x.signIn()
    const id = await me.idOf('open_a')
    for (const text of ['one', 'two', 'Cafe\u0301  ☺\uFE0F\nthree ']) await me.send(id, text)
    const page = async (values: object, more = '') => {
      expect((await x.json('PUT', '/_reading', values)).status).toBe(200)
      return (await me.get(`/2/dm_conversations/with/${id}/dm_events?expansions=sender_id${more}`)).body
    }
    const texts = ({ data }: { data: { text: string }[] }) => data.map(({ text }) => text)
    const oldest = await page({ order: 'oldest' }, '&max_results=2')
    expect(texts(oldest)).toEqual(['one', 'two'])
    const rest = await page({ order: 'oldest' }, `&max_results=2&pagination_token=${oldest.meta.next_token}`)
    expect(texts(rest)).toHaveLength(1)
    expect(texts(await page({ order: 'shuffled' })).toSorted()).toEqual(texts(await page({})).toSorted())
    expect(await page({ endsAfter: 1 })).toMatchObject({ data: [{}], meta: { result_count: 1 } })
    expect((await page({ endsAfter: 1 })).meta).not.toHaveProperty('next_token')
    expect((await page({ hasSender: false })).data[0]).not.toHaveProperty('sender_id')
    expect(texts(await page({ text: 'normalized' }))[0]).toBe('Caf\u00E9 ☺\nthree')
    expect(await page({ empty: 'counted' })).toEqual({ meta: { result_count: 0 } })
    expect(await page({ empty: 'data' })).toEqual({ data: [] })
    expect(await page({ empty: 'bare' })).toEqual({})
    expect((await x.json('PUT', '/_reading', { order: 'best' })).status).toBe(400)
  })

  test('returns 400 for invalid sizes, types, fields and cursors, and 403 without dm.read', async () => {
    const x = await openX()
    const me = await x.signIn()
    for (const query of [
      'max_results=101',
      'event_types=Poke',
      'dm_event.fields=mood',
      'dm_event.fields=sender_id',
      'expansions=mood',
      'pagination_token=x',
    ]) {
      expect((await me.get(`/2/dm_events?${query}`)).status, query).toBe(400)
    }
    const writer = await x.signIn('sender', 'tweet.read users.read dm.write')
    expect((await writer.get('/2/dm_events')).status).toBe(403)
  })
})

describe('people who answer', () => {
  test('answer only the first message, and some opt out', async () => {
    const x = await openX({ answerAfterMs: 20 })
    const me = await x.signIn('sender')
    for (const handle of ['replies_a', 'stops_a', 'open_a']) {
      await me.send(await me.idOf(handle), 'Hello')
      await me.send(await me.idOf(handle), 'Hello again')
    }
    await vi.waitFor(async () => expect(await x.log('?to=sender')).toHaveLength(2), 60_000)
    const replies = await x.log('?to=sender')
    expect(replies.map(({ from }) => from)).toEqual(['replies_a', 'stops_a'])
    expect(replies[1]?.text).toMatch(/stop|unsubscribe|remove/i)
    expect((await me.get('/2/dm_events')).body.meta.result_count).toBe(8)
  })

  test('never answer for an account that someone signed in to', async () => {
    const x = await openX({ answerAfterMs: 0 })
    const me = await x.signIn('sender')
    await x.signIn('replies_a')
    await me.send(await me.idOf('replies_a'), 'Hello')
    await me.send(await me.idOf('replies_b'), 'Hello')
    await vi.waitFor(async () => expect(await x.log('?from=replies_b')).toHaveLength(1), 60_000)
    expect(await x.log('?from=replies_a')).toEqual([])
  })

  test('reply on POST /_people/:handle/reply, with 400 without text and 404 for unknown people', async () => {
    const x = await openX()
    const me = await x.signIn('sender')
    const reply = (handle: string, body: unknown) => x.json('POST', `/_people/${handle}/reply`, body)
    expect(await reply('closed_x', { to: '@sender', text: 'Who are you?' })).toMatchObject({
      status: 201,
      body: { from: 'closed_x', to: 'sender' },
    })
    expect((await me.get(`/2/dm_events?${EVENT}`)).body.data[0]).toMatchObject({
      text: 'Who are you?',
      sender_id: await me.idOf('closed_x'),
    })
    expect((await reply('closed_x', { to: 'sender' })).status).toBe(400)
    expect((await reply('missing_x', { to: 'sender', text: 'Hi' })).status).toBe(404)
    expect((await reply('ada', { to: 'no handle', text: 'Hi' })).status).toBe(404)
  })
})
