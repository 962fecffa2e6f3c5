import { describe, expect, test } from 'vitest'
import { openX } from '../../test/open-x.ts'
import { openReceiver } from '../../test/x-receiver.ts'
import { answerProblem, isDocumented } from './openapi.ts'

/** Opens a stand-in, and lists its GET calls that X documents, each with a valid query. */
async function openCalls() {
  const x = await openX()
  const me = await x.signIn('sender')
  const receiver = await openReceiver(x)
  await receiver.subscribe(me, 'dm.received')
  const id = await me.idOf('f9_open')
  await me.send(id, 'Hello https://acme.example')
  await x.json('POST', '/_people/f9_open/chat', { to: 'sender' })
  const user = 'user.fields=id,name,username,created_at,description,entities,location,public_metrics,url,verified_type'
  const gets = [
    ['/2/users/me', `${user},subscription_type,confirmed_email&expansions=pinned_post_id&post.fields=text`],
    ['/2/users', `ids=${id}&${user}`],
    ['/2/users/by', `usernames=f9_open,missing_x,suspended_x&${user}`],
    ['/2/users/by/username/:username', user, 'f9_open'],
    ['/2/users/:id', user, id],
    ['/2/users/:id/followers', `max_results=1000&${user},connection_status,receives_your_dm`, id],
    ['/2/users/:id/following', `max_results=1&${user}`, id],
    ['/2/tweets/:id', 'post.fields=public_metrics,text', '123'],
    ['/2/tweets/:id/liking_users', user, '123'],
    ['/2/lists/:id/members', user, '123'],
    [
      '/2/dm_events',
      `dm_event.fields=attachments,created_at,dm_conversation_id,entities,event_type,id,text&expansions=sender_id,participant_ids&${user}`,
    ],
    ['/2/dm_conversations/with/:id/dm_events', 'max_results=100&event_types=MessageCreate', id],
    [
      '/2/chat/conversations',
      `chat_conversation.fields=id,type,updated_at,created_at,is_muted&expansions=participant_ids,member_ids&${user}`,
    ],
    [
      '/2/chat/conversations/:id/events',
      'chat_message_event.fields=id,encoded_event,created_at,sender_id,previous_id',
      id,
    ],
    [
      '/2/users/:id/public_keys',
      'public_key.fields=public_key,public_key_version,signing_public_key,juicebox_config',
      id,
    ],
    ['/2/users/public_keys', `ids=${id}`],
  ] as const
  const calls = gets.map(([route, query, value]) => ({
    route,
    path: route.replace(/:\w+/, value ?? ''),
    query,
    by: me,
  }))
  const byApp = [
    {
      route: '/2/webhooks',
      path: '/2/webhooks',
      query: 'webhook_config.fields=id,url,valid,created_at',
      by: receiver.app,
    },
    {
      route: '/2/activity/subscriptions',
      path: '/2/activity/subscriptions',
      query: 'max_results=1000',
      by: receiver.app,
    },
  ]
  return { x, me, receiver, id, calls: [...calls, ...byApp] }
}

describe('each call that X documents', () => {
  test('takes every documented parameter and answers by X’s schema', async () => {
    const { calls } = await openCalls()
    for (const { route, path, query, by } of calls) {
      expect(isDocumented('GET', route), route).toBe(true)
      const { status, body } = await by.get(`${path}?${query}`)
      expect(status, `${route} ${JSON.stringify(body)}`).toBe(200)
      expect(answerProblem('GET', route, status, body)).toBeUndefined()
      expect(body, route).toHaveProperty('data')
    }
  })

  test('returns 400 in X’s form for a parameter, a field or a value that X’s file lacks', async () => {
    const { calls } = await openCalls()
    for (const { path, query, by } of calls) {
      const fields = /[a-z_]+\.fields/.exec(query)?.[0]
      const wrong = [
        'colour=red',
        'pagination_token=a&pagination_token=b',
        ...(fields ? [`${fields}=mood`, `${fields}=`] : []),
      ]
      for (const parameter of wrong) {
        const required = /^(ids|usernames)=[^&]*/.exec(query)?.[0]
        const response = await by.get(`${path}?${required ? `${required}&` : ''}${parameter}`)
        expect(response, `${path}?${parameter}`).toMatchObject({
          status: 400,
          body: {
            title: 'Invalid Request',
            type: 'https://api.x.com/2/problems/invalid-request',
            errors: [{ parameters: expect.any(Object), message: expect.any(String) }],
          },
        })
        expect(response.headers.get('content-type')).toContain('application/problem+json')
      }
    }
  })

  test('returns 400 that names a field of the body which X’s file lacks, or whose value is wrong', async () => {
    const { me, receiver, id } = await openCalls()
    const send = `/2/dm_conversations/with/${id}/messages`
    const subscribe = '/2/activity/subscriptions'
    const valid = { event_type: 'dm.sent', filter: { user_id: id } }
    for (const [by, path, body, name] of [
      [me, send, { text: 'Hi', colour: 'red' }, 'colour'],
      [me, send, { text: 7 }, 'text'],
      [me, send, {}, 'text'],
      [me, subscribe, { ...valid, event_type: 'dm.forgotten' }, 'event_type'],
      [me, subscribe, { ...valid, tag: '' }, 'tag'],
      [me, subscribe, { ...valid, webhookId: '1' }, 'webhookId'],
      [receiver.app, '/2/webhooks', { url: 'https://a.example', secret: 'x' }, 'secret'],
      [
        receiver.app,
        '/2/webhooks/replay',
        { webhook_id: '1', from_date: '2026', to_date: '202611280000' },
        'from_date',
      ],
    ] as const) {
      const { status, body: responseBody } = await by.post(path, body)
      expect(status, JSON.stringify(body)).toBe(400)
      expect(Object.keys(responseBody.errors[0].parameters), JSON.stringify(body)).toEqual([name])
    }
  })
})

test('takes the older name of post.fields', async () => {
  const { me } = await openCalls()
  expect((await me.get('/2/tweets/123?tweet.fields=public_metrics')).body.data.public_metrics.like_count).toBe(123)
})

test('takes a PUT and a DELETE that announce JSON and have no body', async () => {
  const { x, receiver } = await openCalls()
  const headers = { authorization: `Bearer ${x.x.bearerToken}`, 'content-type': 'application/json' }
  const path = `/2/webhooks/${receiver.webhookId}`
  expect((await x.call(path, { method: 'PUT', headers })).body).toEqual({ data: { valid: true } })
  expect((await x.call(path, { method: 'DELETE', headers })).body).toEqual({ data: { deleted: true } })
})

test('finds what is wrong with an answer, by the schema of its route', () => {
  const problem = (body: unknown, status = 200) => answerProblem('GET', '/2/users/:id', status, body)
  expect(problem({ data: { id: '1', username: 'ada' } })).toBeUndefined()
  expect(problem({ data: { id: 1 } })).toBe('GET /2/users/:id: data.id must be string')
  expect(problem({ data: { connection_status: ['none'] } })).toContain('connection_status.0')
  expect(problem({ data: { created_at: 'yesterday' } })).toContain('created_at')
  expect(problem({ data: { id: 1 } }, 403)).toBeUndefined()
  expect(answerProblem('GET', '/2/nowhere', 200, {})).toBeUndefined()
})
