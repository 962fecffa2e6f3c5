import { idOfHandle } from '@x-automated/stand-ins/x/ids'
import { and, eq, isNotNull } from 'drizzle-orm'
import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { claimIdentity, identifyLeads } from '../../../../test/leads.ts'
import { connectX, makePerson, type Person, subscribe } from '../../../../test/makers.ts'
import { makeDue } from '../../../../test/messages.ts'
import { openApp, type TestApp } from '../../../../test/open-app.ts'
import {
  claimNext,
  dmsOf,
  launch,
  letPass,
  makeList,
  openHandles,
  sendDue,
  setFaults,
} from '../../../../test/outreach.ts'
import {
  changeChat,
  endRest,
  failReads,
  forgetChats,
  lookForChats,
  planRead,
  recordRead,
  watchAccount,
} from '../../../../test/reply-watches.ts'
import { deleteRestores, endUnread, letSend } from '../../../../test/x-accounts.ts'
import { refillFunds } from '../../../../test/x-apps.ts'
import { send, TIMING } from '../../../core/messages/deliver.ts'
import { pauseRestored } from '../../../core/messages/restore.ts'
import { receive } from '../../../core/replies/receive.ts'
import { checkAccount, createWebhookCache, notifyOfFailures } from '../../../core/replies/watches.ts'
import { queueFollowUps } from '../../../core/sequences/advance.ts'
import { chatReads, replies, replyWatches } from '../../../core/tables/replies.ts'
import { XError } from '../../../outside/x-errors.ts'
import { notifications } from '../../platform/notifications/tables.ts'
import { xAccounts } from '../../platform/x-account/tables.ts'
import { xCharges } from '../../platform/x-costs/tables.ts'

let app: TestApp
let person: Person
let account: { id: string; handle: string }
let xUserId: string
beforeAll(async () => {
  app = await openApp({ x: { answerAfterMs: 10 }, unlimitedCalls: true })
})
beforeEach(async () => {
  person = await makePerson(app)
  account = await connectX(app, person)
  xUserId = idOfHandle(account.handle)
  await subscribe(app, person)
  await watchAccount(app, xUserId, { webhookId: 'test', nextCheckAt: new Date(Date.now() + 86_400_000) })
})

type X = NonNullable<TestApp['services']['x']>
type Calls = { what: 'messages' | 'chats' | 'events'; size: number; cursor: string | null }[]

/** Reads the account as its job does. @returns the pages that were read */
async function read(changes: Partial<X> = {}): Promise<Calls> {
  await planRead(app, { xUserId })
  const x = { ...(app.services.x as X), ...changes }
  const calls: Calls = []
  const noted =
    <Page extends { cursor: string | null; size: number }, Args extends unknown[], Result>(
      what: Calls[number]['what'],
      call: (...args: [...Args, Page]) => Result,
    ) =>
    (...args: [...Args, Page]) => {
      calls.push({ what, ...(args.at(-1) as Page) })
      return call(...args)
    }
  const services = {
    ...app.services,
    x: {
      ...x,
      listAllMessages: noted('messages', x.listAllMessages),
      listChatConversations: noted('chats', x.listChatConversations),
      listChatEvents: noted('events', x.listChatEvents),
    },
  }
  await checkAccount(services, createWebhookCache(services), xUserId)
  return calls
}
const watchNow = async () => (await app.db.select().from(replyWatches).where(eq(replyWatches.xUserId, xUserId)))[0]!

const isFresh = async () => (await watchNow()).readUntil! > new Date(Date.now() - 30_000)

const asX = (method: string, path: string, body: object) =>
  fetch(`${app.x.url}${path}`, {
    method,
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  }).then((response) => response.json() as Promise<{ id: string; at: string }>)
const write = (from: string, to: string, text: string) => asX('POST', `/_people/${from}/reply`, { to, text })
const chat = (from: string, to: string, more: object = {}) => asX('POST', `/_people/${from}/chat`, { to, ...more })

const TWO = [
  { variants: [{ messageTemplate: 'Hi {twitter_handle}' }] },
  { variants: [{ messageTemplate: 'Still there, {twitter_handle}?' }], delay: { amount: 2, unit: 'hours' as const } },
]
/** Sends a first message to `count` people, and makes the second one due. */
async function begin(count: number) {
  const list = await makeList(app, person, openHandles(count))
  const { id } = await launch(person, list, { messageTemplate: undefined, steps: TWO })
  await sendDue(app)
  await letPass(app, id, 2)
  await queueFollowUps(app.db, app.services.env)
  return { ...list, id }
}
const wake = () => letSend(app, { id: account.id }, new Date(0))
const sendNow = async () => {
  await wake()
  return sendDue(app)
}
const followUp = (handle: string) => `Still there, @${handle}?`
const fates = async (id: string) =>
  (await dmsOf(person, id))
    .filter(({ stepNumber }) => stepNumber === 2)
    .map(({ status, reason }) => reason?.code ?? status)

describe('a read', () => {
  it('finds a reply that no webhook delivered, and lets the others have their follow-up', async () => {
    const { id, handles } = await begin(2)
    expect(await sendNow()).toEqual([])
    await write(handles[0]!, account.handle, 'Please stop')
    await read()
    expect(await sendNow()).toEqual([followUp(handles[1]!)])
    expect(await fates(id)).toEqual(['suppressed', 'sent'])
  })

  it('reads a first page of what was sent since, but at least 5, then twice as many', async () => {
    await begin(1)
    await recordRead(app, { xUserId }, 3_600)
    expect(await read()).toEqual([
      { what: 'messages', size: 5, cursor: null },
      { what: 'chats', size: 10, cursor: null },
    ])
    for (let n = 0; n < 20; n += 1) await write('open_other', account.handle, `Note ${n}`)
    const sizes = (await read()).filter(({ what }) => what === 'messages').map(({ size }) => size)
    expect(sizes).toEqual([5, 10, 20])
    // The 13 messages that we sent since are on top.
    await launch(person, await makeList(app, person, openHandles(12)))
    await sendDue(app)
    const after = (await read()).filter(({ what }) => what === 'messages').map(({ size }) => size)
    expect(after).toEqual([14, 28])
  })

  it('stops at what is older than the last complete read and 10 minutes, whatever webhooks delivered', async () => {
    const { handles } = await begin(1)
    const missed = await write(handles[0]!, account.handle, 'Missed')
    for (let n = 0; n < 6; n += 1) {
      const { id, at } = await write('open_other', account.handle, `Note ${n}`)
      const ids = { eventId: id, senderId: idOfHandle('open_other'), recipientId: xUserId }
      await receive(app.db, [{ kind: 'message', ...ids, text: '', at: new Date(at), isEncrypted: false, handles: {} }])
    }
    await recordRead(app, { xUserId }, 60)
    await read()
    expect(await app.db.$count(replies, eq(replies.xEventId, missed.id))).toBe(1)
    // Now all messages are more than 10 minutes older than the last complete read.
    await recordRead(app, { xUserId }, -660)
    expect((await read()).filter(({ what }) => what === 'messages')).toHaveLength(1)
  })

  it('is no read until it is complete, and is continued where it stopped', async () => {
    const { handles } = await begin(1)
    await write(handles[0]!, account.handle, 'Please stop')
    for (let n = 0; n < 9; n += 1) await write('open_other', account.handle, `Note ${n}`)
    const { listAllMessages } = app.services.x as X
    let pages = 0
    await read({
      listAllMessages: (token, page) => {
        pages += 1
        if (pages > 1) throw new XError('unavailable', 'X cannot be reached.')
        return listAllMessages(token, page)
      },
    })
    const stopped = await watchNow()
    expect(stopped).toMatchObject({ readUntil: null, failure: expect.stringContaining('GET /2/dm_events') })
    expect(await sendNow()).toEqual([])
    const began = new Date(stopped.reading!.since)
    const [first] = await read()
    expect(first).toMatchObject({ what: 'messages', cursor: stopped.reading!.messages.next })
    expect(await watchNow()).toMatchObject({ readUntil: began, reading: null, failure: null, failsSince: null })
    expect(await sendNow()).toEqual([])
  })

  it('goes to the end of a list in another order', async () => {
    const { handles } = await begin(1)
    await write(handles[0]!, account.handle, 'Please stop')
    for (let n = 0; n < 4; n += 1) await write('open_other', account.handle, `Note ${n}`)
    await recordRead(app, { xUserId }, -86_400)
    const { listAllMessages } = app.services.x as X
    const calls = await read({
      async listAllMessages(token, page) {
        const { messages, next } = await listAllMessages(token, page)
        return { messages: messages.toReversed(), next }
      },
    })
    expect(calls.filter(({ what }) => what === 'messages')).toHaveLength(2)
    expect(await app.db.$count(replies, eq(replies.accountXUserId, xUserId))).toBe(1)
  })

  it('after a restore goes back to the last read of the backup, which may have missed replies', async () => {
    const { id, handles } = await begin(3)
    await recordRead(app, { xUserId }, 60)
    await write(handles[0]!, account.handle, 'Please stop')
    await chat(handles[1]!, account.handle)
    await app.db.transaction((tx) => pauseRestored(tx, new Date(Date.now() + 3_600_000)))
    // Otherwise the restore would apply to the accounts of other tests.
    await deleteRestores(app)
    await endUnread(app, { id: account.id })
    await read()
    await person.client.campaigns.update({ id, status: 'active' })
    expect(await sendNow()).toEqual([followUp(handles[2]!)])
    expect((await fates(id)).toSorted()).toEqual(['replied', 'sent', 'suppressed'])
  })

  it('after a restore reads what people said in X Chat before any first message, also of unknown X ids', async () => {
    const list = await makeList(app, person, openHandles(4))
    const [identified, unknown, refused, quiet] = list.handles as [string, string, string, string]
    const { id } = await launch(person, list)
    await claimIdentity(app, { twitterHandle: identified }, idOfHandle(identified))
    await claimIdentity(app, { twitterHandle: refused }, idOfHandle(refused))
    for (const handle of [identified, unknown, refused]) await chat(handle, account.handle)
    await recordRead(app, { xUserId }, 60)
    await app.db.transaction((tx) => pauseRestored(tx, new Date()))
    await deleteRestores(app)
    await endUnread(app, { id: account.id })
    const { listChatEvents } = app.services.x as X
    let isLimited = true
    const refuse: X['listChatEvents'] = async (token, conversationId, page) => {
      if (conversationId.includes(idOfHandle(refused))) throw new XError('forbidden', 'Not allowed.')
      if (isLimited) throw new XError('rate-limit', 'Too many requests', new Date(Date.now() + 60_000))
      return listChatEvents(token, conversationId, page)
    }
    const isUnread = async () =>
      (await app.db.$count(xAccounts, and(eq(xAccounts.id, account.id), isNotNull(xAccounts.unreadSince)))) > 0
    await read({ listChatEvents: refuse })
    expect(await isUnread()).toBe(true)
    isLimited = false
    await read({ listChatEvents: refuse })
    expect(await isUnread()).toBe(false)
    await person.client.campaigns.update({ id, status: 'active' })
    while ((await sendNow()).length > 0);
    const sent = (await dmsOf(person, id)).map(({ lead, status, reason }) => [
      lead?.twitterHandle,
      reason?.code ?? status,
    ])
    expect(Object.fromEntries(sent)).toEqual({
      [identified]: 'replied',
      [unknown]: 'replied',
      [refused]: 'replied',
      [quiet]: 'sent',
    })
  })

  it('waits for X’s rate limit without a failure', async () => {
    await begin(1)
    const reset = new Date(Date.now() + 600_000)
    await read({
      listAllMessages: () => {
        throw new XError('rate-limit', 'Too many requests', reset)
      },
    })
    const { restsUntil, nextPollAt, failure } = await watchNow()
    expect([restsUntil!.getTime(), nextPollAt.getTime()]).toEqual([
      nextPollAt.getTime(),
      expect.closeTo(reset.getTime(), -4),
    ])
    expect(failure).toBeNull()
  })

  it('that X refuses keeps follow-ups waiting, shows why, and notifies the owners after 24 hours, once', async () => {
    const { id } = await begin(1)
    await setFaults(app, { path: '/2/dm_events', status: 403 })
    await read()
    expect(await sendNow()).toEqual([])
    expect(await fates(id)).toEqual(['detection'])
    const { body } = await person.call('GET', '/replies/detection')
    expect(body.state).toBe('degraded')
    expect(body.problem).toMatch(
      new RegExp(
        `^We can't read the messages of @${account.handle}: X answers GET /2/dm_events with “.*”\\. Follow-ups wait.$`,
      ),
    )
    const sent = () => app.db.select().from(notifications).where(eq(notifications.userId, person.id))
    await notifyOfFailures(app.db)
    expect(await sent()).toEqual([])
    await failReads(app, { xUserId }, 86_401)
    for (let n = 0; n < 2; n += 1) await notifyOfFailures(app.db)
    expect(await sent()).toMatchObject([{ kind: 'detection_failing', facts: { handle: account.handle } }])
    await setFaults(app)
    await read()
    expect((await person.call('GET', '/replies/detection')).body).toMatchObject({ state: 'live', problem: null })
    expect(await sendNow()).toHaveLength(1)
  })
})

it('that finds a reply late says so in the history: it crossed the follow-up', async () => {
  const { leadIds, handles } = await begin(1)
  await read()
  const { at, id } = await write(handles[0]!, account.handle, 'Who are you?')
  expect(await sendNow()).toHaveLength(1)
  const ids = { eventId: id, senderId: idOfHandle(handles[0]!), recipientId: xUserId }
  const event = { kind: 'message' as const, ...ids, text: '', at: new Date(at), isEncrypted: false, handles: {} }
  await receive(app.db, [event])
  const { events } = await person.client.leads.history({ id: leadIds[0]! })
  expect(events.find(({ kind }) => kind === 'replied')).toMatchObject({ crossedFollowUp: true })
})

describe('X Chat', () => {
  it('holds up a person whose conversation changed, until its events say who wrote last', async () => {
    const { id, handles } = await begin(3)
    const [replier, reads, quiet] = handles as [string, string, string]
    await chat(replier, account.handle)
    await chat(reads, account.handle, { kind: 'read' })
    const refuse: X['listChatEvents'] = () => {
      throw new XError('rate-limit', 'Too many requests', new Date(Date.now() + 60_000))
    }
    await read({ listChatEvents: refuse })
    expect(await isFresh()).toBe(true)
    expect(await sendNow()).toEqual([followUp(quiet)])
    expect(await fates(id)).toEqual(['detection', 'detection', 'sent'])
    await endRest(app, { xUserId })
    expect((await read()).filter(({ what }) => what === 'events')).toHaveLength(2)
    await makeDue(app, { campaignId: id })
    expect(await sendNow()).toEqual([followUp(reads)])
    expect(await fates(id)).toEqual(['replied', 'sent', 'sent'])
    // Nothing has changed since.
    expect((await read()).filter(({ what }) => what === 'events')).toHaveLength(0)
  })

  it('that X refuses of one person holds up that person only, and shows why until it can be read', async () => {
    const { id, handles } = await begin(2)
    const [refused, reads] = handles as [string, string]
    await chat(refused, account.handle)
    await chat(reads, account.handle, { kind: 'read' })
    const { listChatEvents } = app.services.x as X
    const refuse: X['listChatEvents'] = async (token, conversationId, page) => {
      if (conversationId.includes(idOfHandle(refused))) throw new XError('forbidden', 'Not allowed.')
      return listChatEvents(token, conversationId, page)
    }
    await read({ listChatEvents: refuse })
    expect(await sendNow()).toEqual([followUp(reads)])
    expect(await fates(id)).toEqual(['detection', 'sent'])
    const first = await watchNow()
    expect(first.failure).toBe('X answers GET /2/chat/conversations/:id/events with “Not allowed”.')
    // Reads resume within 91 seconds, so that others do not wait long.
    expect(first.restsUntil!.getTime()).toBeLessThan(Date.now() + 91_000)
    await endRest(app, { xUserId })
    await read({ listChatEvents: refuse })
    expect((await watchNow()).failsSince).toEqual(first.failsSince)
    await endRest(app, { xUserId })
    await read()
    expect(await watchNow()).toMatchObject({ failsSince: null, failure: null })
    expect(await fates(id)).toEqual(['replied', 'sent'])
  })

  it('is read back to our first message, however long the conversation is', async () => {
    const { handles } = await begin(1)
    await chat(handles[0]!, account.handle)
    const person = idOfHandle(handles[0]!)
    const newest = Date.now()
    const listChatEvents: X['listChatEvents'] = async (_, conversationId, { cursor, size }) => {
      const page = Number(cursor ?? 0)
      const events = Array.from({ length: size }, (_, index) => ({
        kind: 'message' as const,
        identity: `chat ${page} ${index}`,
        messageId: null,
        sequenceId: null,
        senderId: person,
        conversationId,
        encodedEvent: '',
        at: new Date(newest - page * 86_400_000 - index),
      }))
      return { events, next: String(page + 1) }
    }
    expect((await read({ listChatEvents })).filter(({ what }) => what === 'events')).toHaveLength(2)
    const [chatRead] = await app.db.select().from(chatReads).where(eq(chatReads.accountXUserId, xUserId))
    expect(chatRead!.readUntil).toEqual(chatRead!.changedAt)
  })

  it('is read again within 15 minutes if credits or a spending limit ended', async () => {
    await begin(1)
    const listAllMessages: X['listAllMessages'] = () => {
      throw new XError('funds', 'No credits', new Date(Date.now() + 20 * 86_400_000))
    }
    await read({ listAllMessages })
    expect((await watchNow()).restsUntil!.getTime()).toBeLessThan(Date.now() + 901_000)
    await refillFunds(app)
  })

  const change = (handle: string) => changeChat(app, xUserId, idOfHandle(handle))

  it('looks up an unknown X id once instead of waiting for the conversations of others', async () => {
    const { id, handles } = await begin(2)
    const [unchanged, renamed] = handles as [string, string]
    // As after first messages from a browser. One person has changed their handle since.
    for (const handle of handles) await identifyLeads(app, { twitterHandle: handle }, null)
    await change('open_stranger')
    await recordRead(app, { xUserId })
    expect(await sendNow()).toEqual([])

    const lookedUp: string[] = []
    const { findUser } = app.services.x as X
    const find: X['findUser'] = (token, handle) => {
      lookedUp.push(handle)
      return handle === renamed ? Promise.resolve(null) : findUser(token, handle)
    }
    await read({ findUser: find })
    await makeDue(app, { campaignId: id, status: 'queued' })
    expect(await sendNow()).toEqual([followUp(unchanged)])
    await read({ findUser: find })
    expect(lookedUp.toSorted()).toEqual([unchanged, renamed].toSorted())
    expect((await fates(id)).toSorted()).toEqual(['failed', 'sent'])
    await app.services.xMeters.flush()
    const charged = await app.db.select().from(xCharges).where(eq(xCharges.workspaceId, person.workspaceId))
    // Connecting the account also looked it up.
    expect(charged).toContainEqual(expect.objectContaining({ purpose: 'lookup', resource: 'user', count: 2 }))
  })

  it('holds up a person whose conversation changes between the claim and the hand-over', async () => {
    const { handles } = await begin(1)
    await read()
    await wake()
    const claimed = await claimNext(app)
    await change(handles[0]!)
    expect(await send(app.services, claimed, TIMING)).toMatchObject({ kind: 'late' })
  })

  it('holds up an extension at its claim, and again before it presses Send', async () => {
    const list = await makeList(app, person, openHandles(1))
    const { id } = await launch(person, list, { channel: 'extension', messageTemplate: undefined, steps: TWO })
    const claim = async () => (await person.call('POST', `/campaigns/${id}/claim`, { holder: 'laptop' })) as Claim
    const first = await claim()
    await person.client.campaigns.recordOutcome({ id: first.body.dmId, lease: first.body.lease, wasSent: true })
    await letPass(app, id, 2)
    await queueFollowUps(app.db, app.services.env)
    const ask = async (secondsOld: number) => {
      await recordRead(app, { xUserId }, secondsOld)
      await planRead(app, { xUserId }, new Date(Date.now() + 3_600_000))
      return claim()
    }
    const blind = await ask(31)
    expect([blind.status, blind.headers.get('retry-after')]).toEqual([204, '3'])
    // The claim has requested a read.
    expect((await watchNow()).nextPollAt.getTime()).toBeLessThan(Date.now() + 1_000)

    const stale = await ask(20)
    expect(stale.status).toBe(200)
    await recordRead(app, { xUserId }, 91)
    const confirm = ({ body: { dmId, lease } }: Claim) => person.client.campaigns.confirm({ id: dmId, lease })
    expect(await confirm(stale)).toMatchObject({ maySend: false })
    const changed = await ask(20)
    await change(list.handles[0]!)
    expect(await confirm(changed)).toMatchObject({ maySend: false })
    await forgetChats(app, xUserId)
    expect(await confirm(await ask(20))).toMatchObject({ maySend: true })
  })
  type Claim = { status: number; headers: Headers; body: { dmId: string; lease: string } }

  it('reads its list to the end if that is in another order', async () => {
    const { id, handles } = await begin(1)
    await chat(handles[0]!, account.handle)
    for (let n = 0; n < 12; n += 1) await chat(`open_chat${n}`, account.handle)
    await asX('PUT', '/_chat', { order: 'ascending' })
    await recordRead(app, { xUserId }, -600)
    const calls = await read()
    await asX('PUT', '/_chat', {})
    expect(calls.filter(({ what }) => what === 'chats')).toHaveLength(2)
    expect(await fates(id)).toEqual(['queued'])
  })

  it.each([
    ['knows no list', new XError('not-found', 'Not found'), true, true],
    ['refuses it, and the account has no keys', new XError('forbidden', 'Not allowed'), false, true],
    ['refuses it, although the account has keys', new XError('forbidden', 'Not allowed'), true, false],
    ['has trouble', new XError('unavailable', 'X is having trouble.'), true, false],
  ])('counts as absent for a day only if the account does not have it: X %s', async (_, error, hasKey, isAbsent) => {
    await begin(1)
    await read({
      listChatConversations: () => {
        throw error
      },
      hasPublicKey: async () => hasKey,
    })
    const { readUntil, chatAbsentUntil, failure } = await watchNow()
    expect([readUntil !== null, chatAbsentUntil !== null, failure === null]).toEqual([isAbsent, isAbsent, isAbsent])
    expect((await read()).some(({ what }) => what === 'chats')).toBe(!isAbsent)
    if (isAbsent) await lookForChats(app, { xUserId })
    expect((await read()).some(({ what }) => what === 'chats')).toBe(true)
  })

  it('shows that there are message requests, which X does not deliver', async () => {
    await begin(1)
    await chat('open_stranger', account.handle)
    await read()
    expect((await person.call('GET', '/replies/detection')).body.requestsOf).toEqual([account.handle])
  })
})
