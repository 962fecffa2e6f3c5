import { createHmac } from 'node:crypto'
import { idOfHandle } from '@x-automated/stand-ins/x/ids'
import { eq } from 'drizzle-orm'
import { afterEach, beforeAll, describe, expect, it } from 'vitest'
import { deleteDeliveries } from '../../../../test/deliveries.ts'
import type { Person } from '../../../../test/makers.ts'
import { openApp, type TestApp } from '../../../../test/open-app.ts'
import {
  dmsOf,
  eventually,
  launch,
  makeList,
  openHandles,
  openSenders,
  setFaults,
  sleep,
} from '../../../../test/outreach.ts'
import { deleteWatches, makeCheckDue, planRead } from '../../../../test/reply-watches.ts'
import { disconnect } from '../../../../test/x-accounts.ts'
import { processDeliveries } from '../../../core/replies/deliveries.ts'
import { watchReplies } from '../../../core/replies/watches.ts'
import { replies, replyWatches, xDeliveries } from '../../../core/tables/replies.ts'
import { XError } from '../../../outside/x-errors.ts'
import type { Services } from '../../../services.ts'

let app: TestApp
beforeAll(async () => {
  app = await openApp({ x: { answerAfterMs: 30 }, unlimitedCalls: true })
})
const { start, connected } = openSenders(() => app)

const watches: { close(): Promise<unknown> }[] = []
afterEach(async () => {
  await Promise.all(watches.splice(0).map((watch) => watch.close()))
  // Removes the accounts, so that the next test does not watch them.
  await disconnect(app, {}, { sealedAccessToken: null, sealedRefreshToken: null, accessTokenExpiresAt: null })
  await deleteWatches(app)
})
/** Starts a process that detects replies. Its origin is the real address of the test's app. */
async function watch(services: Partial<Services> = {}) {
  const server = await app.startAnother()
  const detecting = await watchReplies({ ...server.services, origin: app.origin, ...services })
  const close = () => Promise.all([detecting.close(), server.close()])
  watches.push({ close })
  return { close }
}
const asX = (path: string, method = 'GET', body?: object) =>
  fetch(`${app.x.url}${path}`, {
    method,
    headers: { authorization: `Bearer ${app.x.bearerToken}`, 'content-type': 'application/json' },
    ...(body ? { body: JSON.stringify(body) } : {}),
  }).then((response) => response.json())
const detection = async (person: Person) => (await person.call('GET', '/replies/detection')).body
const watched = (person: Person, state: string) =>
  eventually(async () => (await detection(person)).state === state, `detection is ${state}`)
const statuses = async (person: Person, id: string) => (await dmsOf(person, id)).map(({ status }) => status)
/** Returns a handle with a trait, short enough that the stand-in of X can find it by its id. */
const handle = (trait: string) => `${trait}_${Math.random().toString(36).slice(2, 6)}`
const say = (from: string, to: string, text: string, more = {}) =>
  asX(`/_people/${from}/reply`, 'POST', { to, text, ...more })

describe('GET /x/webhook', () => {
  it('answers X’s challenge', async () => {
    const token = 'Zm9v_bar-123=='
    const response_token = `sha256=${createHmac('sha256', app.x.consumerSecret).update(token).digest('base64')}`
    const response = await fetch(`${app.url}/x/webhook?crc_token=${encodeURIComponent(token)}&nonce=1`)
    expect([response.status, await response.json()]).toEqual([200, { response_token }])
  })

  it.each(['', '{"data":{}}', ' {}', 'a'.repeat(257), 'a\n', '"text"'])(
    'returns 400 for the token %j, which could be a delivery body',
    async (token) => {
      const response = await fetch(`${app.url}/x/webhook?crc_token=${encodeURIComponent(token)}`)
      expect([response.status, ((await response.json()) as { code: string }).code]).toEqual([400, 'INVALID_INPUT'])
    },
  )
})

describe('POST /x/webhook', () => {
  const deliver = (body: string, signature?: string) =>
    fetch(`${app.url}/x/webhook`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        'x-twitter-webhooks-signature':
          signature ?? `sha256=${createHmac('sha256', app.x.consumerSecret).update(body).digest('base64')}`,
      },
      body,
    })
  const message = (from: string, to: string, id: string, text: string) =>
    JSON.stringify({
      data: {
        event_uuid: '-1',
        filter: { user_id: to },
        event_type: 'dm.received',
        payload: {
          direct_message_events: [
            {
              type: 'message_create',
              id,
              created_timestamp: String(Date.now()),
              message_create: { target: { recipient_id: to }, sender_id: from, message_data: { text } },
            },
          ],
          users: {},
        },
      },
    })

  it('returns 403 if the signature is missing or does not match', async () => {
    const body = message('1', '2', '3', 'Hi')
    for (const signature of ['', 'sha256=', `sha256=${'A'.repeat(43)}=`]) {
      const response = await deliver(body, signature)
      expect([response.status, ((await response.json()) as { code: string }).code]).toEqual([403, 'FORBIDDEN'])
    }
  })

  it.each(['{}', '{"data":{"event_type":"chat.received","payload":{}}}', '{"data":{"event_type":"dm.sent"}}'])(
    'ignores an unknown delivery: %s',
    async (body) => expect((await deliver(body)).status).toBe(200),
  )
  it('ignores unknown accounts, and refuses what is no object', async () => {
    await deleteDeliveries(app)
    expect((await deliver(message('5', '6', '7', 'Hi'))).status).toBe(200)
    expect(await app.db.$count(xDeliveries)).toBe(0)
    for (const body of ['{', 'null', '[]', '"text"']) expect((await deliver(body)).status).toBe(400)
    expect(await app.db.$count(xDeliveries)).toBe(0)
  })

  it('stores concurrent deliveries in several processes once', async () => {
    const { person, account } = await connected()
    const list = await makeList(app, person, openHandles(1))
    const campaign = await launch(person, list)
    await start()
    await eventually(async () => (await statuses(person, campaign.id))[0] === 'sent', 'it is sent')
    const other = await app.startAnother()
    const body = message(idOfHandle(list.handles[0]!), idOfHandle(account.handle), '9007199254740993', 'Hi')
    const signature = `sha256=${createHmac('sha256', app.x.consumerSecret).update(body).digest('base64')}`
    const headers = { 'x-twitter-webhooks-signature': signature }
    const responses = await Promise.all(
      [app.origin, other.url, app.origin, other.url].map((origin) =>
        fetch(`${origin}/api/x/webhook`, { method: 'POST', headers, body }),
      ),
    )
    expect(responses.map(({ status }) => status)).toEqual([200, 200, 200, 200])
    // Any process can process the deliveries, one after the other for each person.
    while ((await app.db.$count(xDeliveries)) > 0)
      for (const { services } of [app, other]) await processDeliveries(services)
    expect(await app.db.$count(replies)).toBe(1)
    expect(await statuses(person, campaign.id)).toEqual(['replied'])
  })

  it('returns 404 if webhooks are not configured', async () => {
    const other = await app.startAnother({ env: { X_BEARER_TOKEN: '' } })
    for (const method of ['GET', 'POST']) {
      const response = await fetch(`${other.url}/api/x/webhook?crc_token=a`, { method })
      expect([response.status, ((await response.json()) as { code: string }).code]).toEqual([404, 'NOT_FOUND'])
    }
  })
})

describe('subscriptions', () => {
  it('show reads, replies and manual messages of every connected account quickly', async () => {
    const { person, account } = await connected()
    expect(await detection(person)).toEqual({ state: 'starting', problem: null, checkedAt: null, requestsOf: [] })
    const [firstWatch, other] = [await watch(), await watch()]
    await watched(person, 'live')
    const { data } = (await asX('/2/activity/subscriptions')) as { data: { event_type: string; filter: object }[] }
    const ours = data.filter(({ filter }) => JSON.stringify(filter).includes(idOfHandle(account.handle)))
    expect(ours.map(({ event_type }) => event_type).sort()).toEqual([
      'chat.received',
      'chat.sent',
      'dm.read',
      'dm.received',
      'dm.sent',
    ])
    expect((await asX('/2/webhooks')) as object).toMatchObject({ data: [{ valid: true }] })

    const [replier, stops, reads, open] = [handle('replies'), handle('stops'), handle('reads'), openHandles(1)[0]!]
    const list = await makeList(app, person, [replier, stops, reads, open])
    const campaign = await launch(person, list)
    await start()
    await eventually(
      async () => (await statuses(person, campaign.id)).join() === 'replied,replied,delivered,sent',
      'they have answered and read',
    )
    expect((await person.client.suppressions.list({})).suppressions).toMatchObject([
      { twitterHandle: stops, reason: 'replied_stop' },
    ])
    const second = await launch(person, list, { channel: 'extension', allowRepeat: true, name: 'Second' })
    await say(account.handle, open, 'Let us talk on Monday')
    await eventually(
      async () => (await dmsOf(person, second.id))[3]!.reason?.code === 'written_by_hand',
      'what was queued is stopped',
    )
    // Our own messages are delivered too, and are not recorded as manual.
    expect(await app.db.$count(replies, eq(replies.kind, 'written'))).toBe(1)

    await person.client.xAccount.disconnect()
    await eventually(
      async () => ((await asX('/2/activity/subscriptions')) as { data: unknown[] }).data.length === data.length - 5,
      'the subscriptions are gone',
    )
    expect((await detection(person)).state).toBe('off')
    await Promise.all([firstWatch.close(), other.close()])
  })

  it('report an encrypted reply, which stops what is queued and can only be answered on X', async () => {
    const { person, account } = await connected()
    await watch()
    await watched(person, 'live')
    const [lead, other] = openHandles(2)
    const list = await makeList(app, person, [lead!, other!])
    const campaign = await launch(person, list)
    await start()
    await eventually(async () => (await statuses(person, campaign.id)).join() === 'sent,sent', 'they are sent')
    const second = await launch(person, list, { channel: 'extension', allowRepeat: true, name: 'Second' })
    await say(lead!, account.handle, '', { isEncrypted: true })
    await eventually(async () => (await statuses(person, campaign.id)).join() === 'replied,sent', 'the reply')
    expect((await dmsOf(person, second.id)).map(({ reason }) => reason?.code)).toEqual(['replied', 'day_apart'])
    const [conversation] = (await person.client.conversations.list({})).conversations
    expect(conversation).toMatchObject({ isEncrypted: true, label: null, lastMessage: { text: null, isOurs: false } })
    const [notification] = (await person.client.notifications.list({})).notifications
    expect(notification).toMatchObject({ kind: 'lead_replied', title: expect.stringMatching(/ replied$/), text: '' })
    const body = { text: 'Hello', afterMessageId: conversation!.lastMessage.id }
    const refused = await person.call('POST', `/conversations/${conversation!.id}/messages`, body)
    expect([refused.status, refused.body.code]).toEqual([409, 'LEAD_STATE'])

    await say(lead!, account.handle, 'Now in the open')
    const isOpen = async () => !(await person.client.conversations.find({ id: conversation!.id })).isEncrypted
    await eventually(isOpen, 'the latest message decides')
    // Messages that the account's user writes on X stop queued messages, too.
    await say(account.handle, other!, '', { isEncrypted: true })
    await eventually(
      async () => (await dmsOf(person, second.id))[1]!.reason?.code === 'written_by_hand',
      'what the owner wrote',
    )
  })

  it('say that replies in X Chat are only read if X does not report them', async () => {
    const { person } = await connected()
    const xActivity = app.services.xActivity!
    const subscribe: typeof xActivity.subscribe = async (token, subscription) => {
      if (subscription.eventType.startsWith('chat.')) throw new XError('forbidden', 'Not for this app')
      return xActivity.subscribe(token, subscription)
    }
    await watch({ xActivity: { ...xActivity, subscribe } })
    await watched(person, 'degraded')
    expect((await detection(person)).problem).toMatch(/^X doesn't tell us about X Chat/)
  })

  it('show a problem while X cannot reach us, and recover afterwards', async () => {
    const { person } = await connected()
    await setFaults(app, { path: '/2/webhooks', status: 403 })
    const first = await watch()
    await watched(person, 'degraded')
    expect((await detection(person)).problem).toMatch(/^X isn't sending us replies right now/)
    await first.close()
    await setFaults(app)
    await makeCheckDue(app)
    await watch()
    await watched(person, 'live')
  })
})

describe('polling', () => {
  it('finds missed messages once, from one process at a time, within X’s rate limits', async () => {
    const { person, account } = await connected()
    const list = await makeList(app, person, [handle('replies'), ...openHandles(1)])
    const campaign = await launch(person, list)
    await start()
    await eventually(async () => !(await statuses(person, campaign.id)).includes('queued'), 'both are sent')
    await eventually(async () => (await messagesFrom(list.handles[0]!)).length > 0, 'an answer was written')
    await watch({ xActivity: null })
    await watched(person, 'degraded')
    expect((await detection(person)).problem).toBe(
      "X isn't set up to notify this server, so we check for replies every 90 seconds.",
    )
    await eventually(async () => (await statuses(person, campaign.id)).join() === 'replied,sent', 'it is found')

    const notes = (count: number) =>
      Promise.all(openHandles(count).map((recipient) => say(account.handle, recipient, 'A note')))
    // More than one page since the last poll; the newest message is a reply.
    await notes(120)
    await say(list.handles[1]!, account.handle, 'Me too')
    await notes(110)
    await setFaults(app, { path: '/2/dm_events', status: 429, resetSeconds: 1, times: 1 })
    await due()
    await eventually(async () => (await nextPoll()) > Date.now(), 'it waits')
    expect(await statuses(person, campaign.id)).toEqual(['replied', 'sent'])
    await due()
    await watch({ xActivity: null })
    await eventually(async () => (await statuses(person, campaign.id)).join() === 'replied,replied', 'it is found')
    await eventually(async () => (await nextPoll()) > Date.now(), 'it rests')
    await sleep(50)
    expect(await app.db.$count(replies, eq(replies.workspaceId, person.workspaceId))).toBe(2)
    const [row] = await app.db.select().from(replyWatches)
    expect(row).toMatchObject({ reading: null, failsSince: null, readUntil: expect.any(Date) })
    expect((await detection(person)).checkedAt).not.toBeNull()
  })
  it('goes back to the first sent message on the first poll of an account', async () => {
    const { person, account } = await connected()
    const list = await makeList(app, person, openHandles(1))
    const notes = (count: number) =>
      Promise.all(openHandles(count).map((recipient) => say(account.handle, recipient, 'A note')))
    const campaign = await launch(person, list)
    await start()
    await eventually(async () => (await statuses(person, campaign.id)).join() === 'sent', 'it is sent')
    await say(list.handles[0]!, account.handle, 'Tell me more')
    await notes(210)
    await watch({ xActivity: null })
    await eventually(async () => (await statuses(person, campaign.id)).join() === 'replied', 'the answer is found')
  })

  const messagesFrom = async (from: string) => (await asX(`/_log/dms?from=${from}`)) as unknown[]
  const due = async () => {
    await planRead(app)
    await app.services.jobs.enqueue(app.db, 'find-watches', {})
  }
  const nextPoll = async () => (await app.db.select().from(replyWatches))[0]!.nextPollAt.getTime()
})
