import { createHmac } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { expect, onTestFinished, test } from 'vitest'
import { openX, visit } from '../../test/open-x.ts'

const OTHER = { id: 'other', secret: 'other-secret', consumerSecret: 'other-consumer', bearerToken: 'other-bearer' }

async function openApps(more: Partial<typeof OTHER> & { messagesPerDay?: number } = {}) {
  const x = await openX()
  expect((await x.json('PUT', '/_apps', [{ ...OTHER, ...more }])).status).toBe(200)
  return { x, other: visit({ url: x.url, clientId: OTHER.id, clientSecret: OTHER.secret }) }
}

test('refuses the refresh token of one app to another, whose own it accepts', async () => {
  const { x, other } = await openApps()
  const refresh = { grant_type: 'refresh_token', refresh_token: (await x.signIn()).tokens.refresh_token }
  expect((await other.form('/2/oauth2/token', refresh)).body).toMatchObject({ error: 'invalid_request' })
  expect((await x.form('/2/oauth2/token', refresh)).status).toBe(200)
})

test('answers 401 to an app with a wrong secret, and to every app that is no longer registered', async () => {
  const { x, other } = await openApps()
  const wrong = visit({ url: x.url, clientId: OTHER.id, clientSecret: 'wrong' })
  const form = { grant_type: 'password', username: 'ada', password: 'long enough' }
  expect((await wrong.form('/2/oauth2/token', form)).status).toBe(401)
  expect((await other.form('/2/oauth2/token', form)).status).toBe(200)
  await x.json('PUT', '/_apps', [])
  expect((await other.form('/2/oauth2/token', form)).status).toBe(401)
})

test('shows an app only its own webhooks and subscriptions, and signs with its own secret', async () => {
  const { x, other } = await openApps()
  const received: { body: string; signature: unknown }[] = []
  const sign = (text: string) => `sha256=${createHmac('sha256', OTHER.consumerSecret).update(text).digest('base64')}`
  const receiver = createServer(async (request, response) => {
    const token = new URL(request.url ?? '', 'http://receiver').searchParams.get('crc_token')
    const body = await text(request)
    if (body !== '') received.push({ body, signature: request.headers['x-twitter-webhooks-signature'] })
    response.end(JSON.stringify({ response_token: sign(token ?? '') }))
  }).listen(0, '127.0.0.1')
  await once(receiver, 'listening')
  onTestFinished(() => void receiver.close())
  const url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/hook`
  const first = x.as(x.x.bearerToken)
  const own = other.as(OTHER.bearerToken)
  expect((await first.post('/2/webhooks', { url })).body.title).toBe('CrcValidationFailed')
  const { body } = await own.post('/2/webhooks', { url })
  const [user, stranger] = [await other.signIn('ann'), await x.signIn('ann')]
  const subscription = {
    event_type: 'dm.sent',
    filter: { user_id: await user.idOf('ann') },
    webhook_id: body.data.id,
  }
  expect((await stranger.post('/2/activity/subscriptions', subscription)).body.title).toBe('WebhookIdInvalid')
  expect((await user.post('/2/activity/subscriptions', subscription)).status).toBe(200)
  await user.send(await user.idOf('open_a'), 'Hello')
  await expect.poll(() => received).toHaveLength(1)
  expect(received[0]?.signature).toBe(sign(received[0]?.body ?? ''))
  for (const path of ['/2/webhooks', '/2/activity/subscriptions']) {
    expect((await own.get(path)).body.data).toHaveLength(1)
    expect((await first.get(path)).body.data).toEqual([])
  }
})

test('limits the messages of an app in 24 hours over all its users, and names the rest in its headers', async () => {
  const { x, other } = await openApps({ messagesPerDay: 2 })
  const users = await Promise.all(['ann', 'bob', 'cem'].map((name) => other.signIn(name)))
  const id = await users[0]!.idOf('open_a')
  const responses = []
  for (const user of users) responses.push(await user.send(id, 'Hello'))
  expect(responses.map(({ status }) => status)).toEqual([201, 201, 429])
  expect(responses.map(({ headers }) => headers.get('x-app-limit-24hour-remaining'))).toEqual(['1', '0', '0'])
  expect(responses[2]?.headers.get('x-app-limit-24hour-limit')).toBe('2')
  expect((await (await x.signIn()).send(id, 'Hello')).status).toBe(201)
  x.wait(86_400_000)
  expect((await (await other.signIn('cem')).send(id, 'Hello')).status).toBe(201)
})
