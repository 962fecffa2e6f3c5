import { createHmac } from 'node:crypto'
import { idOfHandle } from '@x-automated/stand-ins/x/ids'
import { eq, sql } from 'drizzle-orm'
import { beforeAll, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import { ageDeliveries, deleteDeliveries, makeDeliveriesDue, storeSealed } from '../../../../test/deliveries.ts'
import { connectX, makePerson, type Person, subscribe } from '../../../../test/makers.ts'
import { loseOutcome, markClaimed } from '../../../../test/messages.ts'
import { openApp, type TestApp } from '../../../../test/open-app.ts'
import { confirmDetection, dmsOf, launch, letPass, makeList, openHandles, sendDue } from '../../../../test/outreach.ts'
import { recordRead } from '../../../../test/reply-watches.ts'
import { openTestLog } from '../../../../test/test-log.ts'
import { letSend } from '../../../../test/x-accounts.ts'
import { addOwnApp, deleteApps, setDeliveries } from '../../../../test/x-apps.ts'
import {
  createDeliveryStore,
  processDeliveries,
  type Receive,
  startDeliveries,
} from '../../../core/replies/deliveries.ts'
import { noteGapsOfStart, replayGaps } from '../../../core/replies/gaps.ts'
import { receive } from '../../../core/replies/receive.ts'
import { queueFollowUps } from '../../../core/sequences/advance.ts'
import { dms } from '../../../core/tables/messages.ts'
import { replies, replyWatches, xDeliveries } from '../../../core/tables/replies.ts'
import { OPERATOR_APP_ID, xApps } from '../../platform/x-apps/tables.ts'

let app: TestApp
let person: Person
let account: { id: string; handle: string }
beforeAll(async () => {
  app = await openApp({ x: true, unlimitedCalls: true })
})
beforeEach(async () => {
  await deleteDeliveries(app)
  person = await makePerson(app)
  account = await connectX(app, person)
  await subscribe(app, person)
  await confirmDetection(app)
})

const post = async (data: object) => {
  const body = JSON.stringify({ data })
  const signature = createHmac('sha256', app.x.consumerSecret).update(body).digest('base64')
  const headers = { 'x-twitter-webhooks-signature': `sha256=${signature}` }
  return (await fetch(`${app.url}/x/webhook`, { method: 'POST', headers, body })).status
}
let lastId = 10n ** 18n
const newId = () => {
  lastId += 1n
  return String(lastId)
}
const message = (from: string, to: string, text: string, id = newId()) => {
  const [sender_id, recipient_id] = [idOfHandle(from), idOfHandle(to)]
  const message_create = { target: { recipient_id }, sender_id, message_data: { text } }
  const event = { type: 'message_create', id, created_timestamp: String(Date.now()), message_create }
  return { event_type: 'dm.received', filter: { user_id: recipient_id }, payload: { direct_message_events: [event] } }
}
const chatSent = (to: string, id = newId()) => {
  const [sender_id, other] = [idOfHandle(account.handle), idOfHandle(to)]
  const payload = {
    id,
    sender_id,
    conversation_id: `${sender_id}:${other}`,
    created_at_msec: String(Date.now()),
    encoded_event: '',
  }
  return { event_type: 'chat.sent', filter: { user_id: sender_id }, payload }
}
const work = (using: Receive = receive, log = app.services.log) => processDeliveries({ ...app.services, log }, using)
const stored = () => app.db.select().from(xDeliveries)
const makeAllDue = () => makeDeliveriesDue(app)

const TWO = [
  { variants: [{ messageTemplate: 'Hi {twitter_handle}' }] },
  { variants: [{ messageTemplate: 'Still there?' }], delay: { amount: 2, unit: 'hours' as const } },
]
/** Launches a sequence and makes a follow-up due to each lead. */
async function begin(count: number) {
  const list = await makeList(app, person, openHandles(count))
  const { id } = await launch(person, list, { messageTemplate: undefined, steps: TWO })
  await sendDue(app)
  await letPass(app, id, 2)
  await queueFollowUps(app.db, app.services.env)
  return { ...list, id }
}
const sendNow = async () => {
  await letSend(app, { id: account.id }, new Date(0))
  return sendDue(app)
}
/** Makes the last complete read of every account recent. */
const justRead = () => recordRead(app)
const fates = async (id: string) =>
  (await dmsOf(person, id))
    .filter(({ stepNumber }) => stepNumber === 2)
    .map(({ status, reason }) => reason?.code ?? status)

describe('a delivery', () => {
  it('is stored sealed before it is answered, and holds up its account until it is processed', async () => {
    const { id, handles } = await begin(2)
    expect(await post(message(handles[0]!, account.handle, 'Please stop'))).toBe(200)
    const [waiting] = await stored()
    expect(waiting).toMatchObject({
      accountXUserId: idOfHandle(account.handle),
      personXUserId: idOfHandle(handles[0]!),
      holds: true,
    })
    expect(waiting!.sealedBody).not.toContain('stop')
    expect(await sendNow()).toEqual([])
    expect(await work()).toBe(1)
    expect(await stored()).toEqual([])
    expect(await sendNow()).toEqual(['Still there?'])
    expect(await fates(id)).toEqual(['suppressed', 'sent'])
  })

  it('that nobody can read, and that names no person, lets no follow-up leave before its account is read', async () => {
    await begin(1)
    await justRead()
    const filter = { user_id: idOfHandle(account.handle) }
    expect(await post({ event_type: 'dm.received', filter, payload: { something: 'new' } })).toBe(200)
    expect(await work()).toBe(1)
    expect(await stored()).toEqual([])
    expect(await sendNow()).toEqual([])
    await confirmDetection(app)
    expect(await sendNow()).toEqual(['Still there?'])
  })

  it('is counted, but not stored if it says nothing about an account of its app', async () => {
    const own = await addOwnApp(app, person)
    const reported: object[] = []
    const store = createDeliveryStore({ ...app.services, unreadables: { report: (note) => reported.push(note) } })
    const of = (userId: string) => ({
      eventType: 'dm.received',
      accountXUserId: userId,
      happenings: [],
      unreadable: {
        eventType: 'dm.received',
        keys: [],
        accountXUserId: userId,
        personXUserId: '5',
        mayBeMessage: true,
      },
      isGroup: false,
      eventUuid: null,
    })
    const body = Buffer.from('{}')
    await store({ appId: OPERATOR_APP_ID, body, delivery: of('4711') })
    // The app's owner could sign events about anyone.
    await store({ appId: own, body, delivery: of(idOfHandle(account.handle)) })
    expect(await stored()).toEqual([])
    expect(reported).toEqual(Array(2).fill({ source: 'account', name: 'dm.received', keys: [] }))
    await deleteApps(app, { id: own })
  })

  it('of one person waits for the one before, and others do not', async () => {
    const { handles } = await begin(2)
    const [ann, ben] = handles as [string, string]
    const order = [
      message(ann, account.handle, 'First'),
      message(ann, account.handle, 'Second'),
      message(ben, account.handle, 'Hi'),
    ]
    for (const delivery of order) await post(delivery)
    const texts: string[][] = []
    const slow: Receive = async (db, events) => {
      texts.push(events.map((event) => (event.kind === 'message' ? event.text : event.kind)))
      // Another process looks for deliveries at the same time.
      if (texts.length === 1) await work(slow)
      return receive(db, events)
    }
    for (let left = 3; left > 0; ) left -= await work(slow)
    expect(texts).toEqual([['First', 'Hi'], ['Second']])
  })

  it('is processed while an earlier one of another person is being stored', async () => {
    const { handles } = await begin(2)
    const [ann, ben] = handles as [string, string]
    const begun: string[] = []
    const [storing, both] = [Promise.withResolvers<void>(), Promise.withResolvers<string[]>()]
    const slow: Receive = async (_, events) => {
      for (const event of events) if (event.kind === 'message') begun.push(event.text)
      if (begun.includes('First')) storing.resolve()
      if (begun.includes('Hi')) both.resolve([...begun])
      await both.promise
      return new Set()
    }
    const running = startDeliveries(app.services, slow)
    onTestFinished(() => running.close())
    await post(message(ann, account.handle, 'First'))
    await storing.promise
    await post(message(ann, account.handle, 'Second'))
    await post(message(ben, account.handle, 'Hi'))
    expect(await both.promise).toEqual(['First', 'Hi'])
    await vi.waitFor(async () => expect(await stored()).toEqual([]))
    expect(begun).toEqual(['First', 'Hi', 'Second'])
  })

  it('that fails is tried alone, and after 5 attempts counts as a reply of the person it names', async () => {
    const { id, handles } = await begin(2)
    const quiet = openTestLog(() => {})
    await post(message(handles[0]!, account.handle, 'Poison'))
    await post(message(handles[1]!, account.handle, 'Please stop'))
    const failing: Receive = async (db, events) => {
      if (events.some((event) => event.kind === 'message' && event.text === 'Poison')) throw new Error('poison')
      return receive(db, events)
    }
    for (let attempt = 1; attempt <= 5; attempt += 1) {
      expect(await stored()).toHaveLength(attempt === 1 ? 2 : 1)
      expect(await sendNow()).toEqual([])
      await makeAllDue()
      await work(failing, quiet)
    }
    expect(await stored()).toEqual([])
    expect(await fates(id)).toEqual(['replied', 'suppressed'])
    expect(
      (
        await app.db
          .select()
          .from(replies)
          .where(eq(replies.leadId, handles[0] ? await leadOf(handles[0]) : ''))
      )[0],
    ).toMatchObject({ text: '', label: null })
  })
  const leadOf = async (handle: string) => {
    const { rows } = await app.db.execute<{ id: string }>(sql`select id from leads where twitter_handle = ${handle}`)
    return rows[0]!.id
  }

  it('that fails has waited long enough after 2 minutes', async () => {
    const { id, handles } = await begin(1)
    await post(message(handles[0]!, account.handle, 'Poison'))
    await ageDeliveries(app, 121)
    const failing: Receive = async (db, events) => {
      if (events.some((event) => event.kind === 'message' && event.text === 'Poison')) throw new Error('poison')
      return receive(db, events)
    }
    await work(
      failing,
      openTestLog(() => {}),
    )
    expect(await fates(id)).toEqual(['replied'])
  })

  it('that nobody can open has its account read, or counts as a reply of the person it names', async () => {
    const { id, handles } = await begin(1)

    const accountXUserId = idOfHandle(account.handle)
    await storeSealed(app, { accountXUserId })
    await work()
    const [watch] = await app.db.select().from(replyWatches).where(eq(replyWatches.xUserId, accountXUserId))
    expect(watch!.nextPollAt.getTime()).toBeLessThanOrEqual(Date.now() + 1_000)
    await storeSealed(app, { accountXUserId, personXUserId: idOfHandle(handles[0]!) })
    await work()
    expect(await fates(id)).toEqual(['replied'])
  })

  it('is taken over from a process that died', async () => {
    const { handles } = await begin(1)
    await post(message(handles[0]!, account.handle, 'Hi'))
    const dying: Receive = () => new Promise(() => {})
    void work(dying)
    await expect.poll(async () => (await stored())[0]?.attempts).toBe(1)
    expect(await work()).toBe(0)
    await makeAllDue()
    expect(await work()).toBe(1)
  })
})

describe('chat.sent', () => {
  it('waits while an extension is at work, is ours after its outcome, and by hand if another one follows', async () => {
    const list = await makeList(app, person, openHandles(1))
    const { id } = await launch(person, list, { channel: 'extension', messageTemplate: undefined, steps: TWO })
    const claim = await person.client.campaigns.claim({ id, holder: 'laptop' })
    if (claim.status !== 200) throw new Error('nothing was claimed')
    await post(chatSent(list.handles[0]!))
    await work()
    expect(await stored()).toMatchObject([{ holds: false, attempts: 0 }])
    await person.client.campaigns.recordOutcome({ id: claim.body.dmId, lease: claim.body.lease, wasSent: true })
    await makeAllDue()
    await work()
    expect(await stored()).toEqual([])
    const [sent] = await app.db.select().from(dms).where(eq(dms.campaignId, id))
    expect(sent!.xEventId).toMatch(/^chat /)
    expect(await app.db.$count(replies, eq(replies.workspaceId, person.workspaceId))).toBe(0)

    await post(chatSent(list.handles[0]!))
    await work()
    expect(await app.db.select().from(replies).where(eq(replies.workspaceId, person.workspaceId))).toMatchObject([
      { kind: 'written' },
    ])
    const { enrollments } = await person.client.enrollments.list({ id })
    expect(enrollments[0]).toMatchObject({ state: 'replied' })
  })
})

describe('a message from the account that a sender may have written', () => {
  it('does not hold up what the person says next', async () => {
    const list = await makeList(app, person, openHandles(1))
    const { id } = await launch(person, list, { channel: 'extension', messageTemplate: undefined, steps: TWO })
    const claim = await person.client.campaigns.claim({ id, holder: 'laptop' })
    if (claim.status !== 200) throw new Error('nothing was claimed')
    await post(chatSent(list.handles[0]!))
    await work()
    await post(message(list.handles[0]!, account.handle, 'Please stop'))
    await work()
    expect(await stored()).toMatchObject([{ holds: false }])
    expect(await app.db.select().from(replies).where(eq(replies.workspaceId, person.workspaceId))).toMatchObject([
      { optedOut: true },
    ])
  })

  it('was written by hand if the outcome of an earlier message stays unknown', async () => {
    const { id, handles } = await begin(1)
    await markClaimed(app, { campaignId: id, status: 'queued' }, new Date(0), {
      holder: 'worker:1',
      lease: id,
      leaseExpiresAt: new Date(Date.now() + 60_000),
    })
    await post(chatSent(handles[0]!))
    await work()
    expect(await stored()).toHaveLength(1)
    await loseOutcome(app, { campaignId: id, status: 'queued' })
    await makeAllDue()
    await work()
    expect(await stored()).toEqual([])
    expect(await app.db.select().from(replies).where(eq(replies.workspaceId, person.workspaceId))).toMatchObject([
      { kind: 'written' },
    ])
  })
})

describe('a gap', () => {
  const gap = async () => {
    const [row] = await app.db.select().from(xApps).where(eq(xApps.id, OPERATOR_APP_ID))
    return row!
  }

  const isReadDue = async () => {
    const [watch] = await app.db
      .select()
      .from(replyWatches)
      .where(eq(replyWatches.xUserId, idOfHandle(account.handle)))
    return watch!.nextPollAt <= new Date()
  }

  it('is noted after a delivery that could not be stored, and has every account read', async () => {
    await setDeliveries(app, { deliveredAt: new Date(Date.now() - 60_000) })
    const execute = async () => {
      throw new Error('the database is away')
    }
    let isAway = true
    const db = new Proxy(app.db, {
      get: (target, name) => (name === 'execute' && isAway ? execute : Reflect.get(target, name)),
    })
    const store = createDeliveryStore({ ...app.services, database: { ...app.services.database, db } })
    const delivery = {
      eventType: 'dm.received',
      accountXUserId: null,
      happenings: [],
      unreadable: null,
      isGroup: false,
      eventUuid: null,
    }
    await expect(store({ appId: OPERATOR_APP_ID, body: Buffer.from('{}'), delivery })).rejects.toThrow('away')
    isAway = false
    // Another process has stored a delivery since then.
    await setDeliveries(app, { deliveredAt: new Date(Date.now() + 1_000) })
    await expect.poll(async () => (await gap()).gapSince !== null).toBe(true)
    const { gapSince, deliveredAt } = await gap()
    expect(gapSince!.getTime()).toBeLessThan(deliveredAt!.getTime())
    expect(await isReadDue()).toBe(true)
  })

  it('is noted by a process that starts alone, not by one that starts beside another', async () => {
    await setDeliveries(app, { deliveredAt: new Date(Date.now() - 60_000) })
    await app.services.requestWorker.workerId()
    const other = await app.startAnother()
    await noteGapsOfStart(other.services.database)
    expect(await gap()).toMatchObject({ gapSince: null })
    expect(await isReadDue()).toBe(false)
    await noteGapsOfStart(app.services.database)
    expect((await gap()).gapSince).not.toBeNull()
    expect(await isReadDue()).toBe(true)
  })

  it('lets no follow-up leave on a read that began before it was noted', async () => {
    await setDeliveries(app, { deliveredAt: new Date() })
    await begin(1)
    await justRead()
    await app.services.requestWorker.workerId()
    await noteGapsOfStart(app.services.database)
    expect(await sendNow()).toEqual([])
    await confirmDetection(app)
    expect(await sendNow()).toEqual(['Still there?'])
  })

  it('is replayed once in 10 minutes, from 2 minutes before the last delivery, at most a day back', async () => {
    const replayed: object[] = []
    const activity = {
      ...app.services.xActivity!,
      replay: async (span: object) => void replayed.push(span),
    }
    const replay = () => replayGaps(app.services, async () => ({ activity, id: '7' }))
    const [since, until] = [new Date(Date.now() - 3_600_000), new Date()]
    await setDeliveries(app, { gapSince: since, gapUntil: until })
    for (let n = 0; n < 2; n += 1) await replay()
    expect(replayed).toEqual([{ webhookId: '7', from: new Date(since.getTime() - 120_000), to: until }])
    expect(await gap()).toMatchObject({ gapSince: null, gapUntil: null })
    await setDeliveries(app, { gapSince: new Date(0), gapUntil: until, replayedAt: new Date() })
    await replay()
    expect(replayed).toHaveLength(1)
    await setDeliveries(app, { gapSince: new Date(0), gapUntil: until, replayedAt: new Date(Date.now() - 601_000) })
    await replay()
    expect(replayed[1]).toMatchObject({ from: expect.any(Date), to: until })
    expect((replayed[1] as { from: Date }).from.getTime()).toBeGreaterThan(Date.now() - 86_401_000)
    // X has nothing that old.
    await setDeliveries(app, { gapSince: new Date(0), gapUntil: new Date(Date.now() - 86_401_000) })
    await replay()
    expect(replayed).toHaveLength(2)
    expect(await gap()).toMatchObject({ gapSince: null, gapUntil: null })
  })
})
