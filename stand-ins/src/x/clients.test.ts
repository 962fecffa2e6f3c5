import { Agent } from 'node:https'
import { connect } from 'node:tls'
import { ApiError, Client, OAuth2 } from '@xdevplatform/xdk'
import { TwitterApi } from 'twitter-api-v2'
import { expect, onTestFinished, test } from 'vitest'
import { ALL_SCOPES, openX, pkce } from '../../test/open-x.ts'
import { openReceiver } from '../../test/x-receiver.ts'
import { makeSigningKey } from '../sso/saml.ts'
import type { XOptions } from '../x.ts'

// Clients by X and others, written for the real X, make every call that the product makes.

const REDIRECT = 'http://localhost:3000/callback'
const TEXTS = ['one', 'two', 'three']

/** Opens a stand-in in which `sender` has sent messages and has a conversation in X Chat. */
async function openWorld(options: XOptions = {}) {
  const x = await openX(options)
  const me = await x.signIn('sender')
  const [id, other] = [await me.idOf('sender'), await me.idOf('f9_open')]
  for (const text of TEXTS) await me.send(other, text)
  await x.json('POST', '/_people/f9_open/chat', { to: 'sender' })
  return { x, id, other, accessToken: me.tokens.access_token as string }
}

/** Signs in and accepts on X's page, as a person would. @returns the code */
async function authorize(x: Awaited<ReturnType<typeof openX>>, url: string): Promise<string> {
  const query = Object.fromEntries(new URL(url).searchParams)
  const form = { ...query, username: 'sender', password: 'long enough', decision: 'allow' }
  const response = await x.form('/i/oauth2/authorize', form, {})
  expect(response.status).toBe(303)
  return new URL(response.headers.get('location') ?? '').searchParams.get('code') ?? ''
}

/** Returns the first and the last minute of the last hour, in X's format. */
const lastHour = () =>
  [Date.now() - 3_600_000, Date.now()].map((at) => new Date(at).toISOString().replace(/\D/g, '').slice(0, 12))

/** Redirects requests of X's own client from api.x.com to the stand-in. */
function redirectFetch(url: string) {
  const { fetch } = globalThis
  globalThis.fetch = (input, init) => fetch(String(input).replace('https://api.x.com', url), init)
  onTestFinished(() => {
    globalThis.fetch = fetch
  })
}

test('X’s own client signs in with PKCE and refreshes its token', async () => {
  const x = await openX()
  redirectFetch(x.url)
  const { clientId, clientSecret } = x.x
  const oauth = new OAuth2({
    clientId,
    clientSecret: clientSecret ?? '',
    redirectUri: REDIRECT,
    scope: ALL_SCOPES.split(' '),
  })
  const { verifier, challenge } = pkce()
  await oauth.setPkceParameters(verifier, challenge)
  const token = await oauth.exchangeCode(await authorize(x, await oauth.getAuthorizationUrl('state')), verifier)
  const next = await oauth.refreshToken(token.refresh_token)
  const client = new Client({ accessToken: next.access_token, baseUrl: x.url })
  expect((await client.users.getMe()).data?.username).toBe('sender')
  await expect(oauth.refreshToken(token.refresh_token)).rejects.toThrow('400')
})

test('X’s own client reads people, follows and posts', async () => {
  const { x, id, other, accessToken } = await openWorld()
  const { users, posts, lists } = new Client({ accessToken, baseUrl: x.url })
  const userFields = ['public_metrics', 'entities', 'url', 'connection_status', 'receives_your_dm'] as const
  expect((await users.getMe({ userFields: [...userFields] })).data?.id).toBe(id)
  expect((await users.getByUsername('f9_open', { userFields: [...userFields] })).data?.id).toBe(other)
  expect((await users.getByUsernames(['f9_open', 'missing_x'])).errors).toHaveLength(1)
  expect((await users.getByIds([id, other], { userFields: [...userFields] })).data).toHaveLength(2)
  const first = await users.getFollowers(other, { maxResults: 5, userFields: [...userFields] })
  expect(first.data).toHaveLength(5)
  const paginationToken = first.meta?.nextToken as string
  expect((await users.getFollowers(other, { maxResults: 5, paginationToken })).data).toHaveLength(4)
  expect((await users.getFollowing(other, { maxResults: 1 })).data).toHaveLength(1)
  expect((await posts.getById('123', { postFields: ['public_metrics'] })).data?.id).toBe('123')
  expect((await posts.getLikingUsers('123')).data).toHaveLength(100)
  expect((await lists.getMembers('005')).data).toHaveLength(5)
})

test('X’s own client sends messages, and reads them and X Chat', async () => {
  const { x, id, other, accessToken } = await openWorld()
  const { directMessages, chat, users } = new Client({ accessToken, baseUrl: x.url })
  const sent = await directMessages.createByParticipantId(other, { text: 'four' })
  expect(sent.data?.dmEventId).toMatch(/^\d+$/)
  const fields = { dmEventFields: ['created_at', 'text', 'dm_conversation_id'], expansions: ['sender_id'] } as const
  const options = { maxResults: 2, dmEventFields: [...fields.dmEventFields], expansions: [...fields.expansions] }
  const newest = await directMessages.getEventsByParticipantId(other, options)
  expect(newest.data?.map(({ text, senderId }: { text?: string; senderId?: string }) => [text, senderId])).toEqual([
    ['four', id],
    ['three', id],
  ])
  const rest = await directMessages
    .getEvents({ ...options, paginationToken: newest.meta?.nextToken as string })
    .catch((error) => error)
  expect(rest).toBeInstanceOf(ApiError)
  expect((await directMessages.getEvents(options)).data).toHaveLength(2)
  const refused = await directMessages.createByParticipantId(id, { text: 'To myself' }).catch((error) => error)
  expect(refused).toMatchObject({ status: 403, data: { code: 349 } })

  const conversations = await chat.getConversations({
    maxResults: 10,
    chatConversationFields: ['id', 'type', 'updated_at'],
    expansions: ['participant_ids'],
  })
  expect(conversations.data?.[0]?.participantIds).toContain(other)
  expect(conversations.meta).toMatchObject({ hasMessageRequests: false, resultCount: 1 })
  const events = await chat.getConversationEvents(conversations.data?.[0]?.id ?? '', {
    chatMessageEventFields: ['encoded_event', 'sender_id'],
  })
  expect(events.data?.[0]).toMatchObject({ senderId: other, encodedEvent: expect.any(String) })
  expect((await users.getPublicKey(other, { publicKeyFields: ['public_key_version'] })).data).toHaveLength(1)
  expect((await users.getPublicKeys([id, other])).data).toHaveLength(2)
})

test('X’s own client manages webhooks, replays and subscriptions', async () => {
  const { x, id, accessToken } = await openWorld()
  const receiver = await openReceiver(x)
  const app = new Client({ bearerToken: x.x.bearerToken, baseUrl: x.url })
  const user = new Client({ accessToken, baseUrl: x.url })
  expect((await app.webhooks.get({ webhookConfigFields: ['id', 'url', 'valid'] })).data).toHaveLength(1)
  expect((await app.webhooks.validate(receiver.webhookId)).data?.valid).toBe(true)
  const create = () =>
    user.activity.createSubscription({
      event_type: 'dm.received',
      filter: { user_id: id },
      webhook_id: receiver.webhookId,
    } as never)
  const { data } = await create()
  const subscriptionId = (data as { subscription?: { subscriptionId?: string } }).subscription?.subscriptionId ?? ''
  expect((await create().catch((error) => error)).data.title).toBe('DuplicateSubscription')
  expect((await app.activity.getSubscriptions({ maxResults: 1000 })).data).toHaveLength(1)
  await x.faults([{ webhook: 'lose' }])
  await x.json('POST', '/_people/f9_open/reply', { to: 'sender', text: 'Hi' })
  await x.faults([])
  const [from_date = '', to_date = ''] = lastHour()
  const job = await app.webhooks.createWebhookReplayJob({ webhook_id: receiver.webhookId, from_date, to_date } as never)
  expect((job.data as { jobId?: string }).jobId).toMatch(/^\d+$/)
  await expect.poll(() => receiver.received).toHaveLength(1)
  expect((await app.activity.deleteSubscription(subscriptionId)).data?.deleted).toBe(true)
  expect((await app.webhooks.delete(receiver.webhookId)).data?.deleted).toBe(true)
  const refused = await app.webhooks.validate(receiver.webhookId).catch((error) => error)
  expect(refused.status).toBe(400)
  const created = await app.webhooks.create({ url: 'https://nowhere.example/hook' }).catch((error) => error)
  expect(created.data.title).toBe('CrcValidationFailed')
})

/** Opens a stand-in with TLS, to which api.x.com resolves: twitter-api-v2 only connects to that name. */
async function openSecureWorld() {
  const { privateKey: key, certificate: cert } = await makeSigningKey()
  const world = await openWorld({ tls: { key, cert } })
  const port = world.x.x.tlsPort ?? 0
  const httpAgent = new Agent()
  const createConnection = () =>
    connect({ host: '127.0.0.1', port, servername: 'api.x.com', rejectUnauthorized: false })
  Object.assign(httpAgent, { createConnection })
  onTestFinished(() => httpAgent.destroy())
  return { ...world, settings: { httpAgent } }
}

test('twitter-api-v2 signs in with PKCE, refreshes and revokes its tokens', async () => {
  const { x, settings } = await openSecureWorld()
  const app = new TwitterApi({ clientId: x.x.clientId, clientSecret: x.x.clientSecret ?? '' }, settings)
  const { url, codeVerifier } = app.generateOAuth2AuthLink(REDIRECT, { scope: ALL_SCOPES.split(' ') })
  const code = await authorize(x, url)
  const login = await app.loginWithOAuth2({ code, codeVerifier, redirectUri: REDIRECT })
  expect((await login.client.v2.me()).data.username).toBe('sender')
  const next = await app.refreshOAuth2Token(login.refreshToken ?? '')
  await app.revokeOAuth2Token(next.refreshToken ?? '', 'refresh_token')
  const refused = await next.client.v2.me().catch((error) => error)
  expect(refused.code).toBe(401)
})

test('twitter-api-v2 reads people and follows, and sends and reads messages', async () => {
  const { id, other, accessToken, settings } = await openSecureWorld()
  const { v2 } = new TwitterApi(accessToken, settings)
  expect((await v2.me({ 'user.fields': ['public_metrics', 'url', 'entities'] })).data.id).toBe(id)
  expect((await v2.userByUsername('f9_open')).data.id).toBe(other)
  expect((await v2.usersByUsernames(['f9_open', 'missing_x'])).errors).toHaveLength(1)
  expect((await v2.users([id, other])).data).toHaveLength(2)
  const followers = await v2.followers(other, { asPaginator: true, max_results: 4 })
  expect((await followers.fetchLast(9)).users).toHaveLength(9)
  expect((await v2.following(other, { max_results: 1 })).data).toHaveLength(1)
  expect((await v2.singleTweet('123', { 'tweet.fields': ['public_metrics'] })).data.public_metrics?.like_count).toBe(
    123,
  )
  expect((await v2.tweetLikedBy('005')).data).toHaveLength(5)

  // The types of twitter-api-v2 lack the `data` that X documents.
  expect(await v2.sendDmToParticipant(other, { text: 'four' })).toMatchObject({
    data: { dm_event_id: expect.any(String) },
  })
  const conversation = await v2.listDmEventsWithParticipant(other, { max_results: 2, expansions: ['sender_id'] })
  expect((await conversation.fetchLast(4)).events.map(({ sender_id }) => sender_id)).toEqual([id, id, id, id])
  expect((await v2.listDmEvents({ 'dm_event.fields': ['created_at'] })).events).toHaveLength(4)
})
