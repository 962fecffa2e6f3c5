import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Role } from '@x-automated/contract/route'
import { idOfHandle } from '@x-automated/stand-ins/x/ids'
import { isNotNull } from 'drizzle-orm'
import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { ageOffers, messaged, say } from '../../test/conversations.ts'
import { ageEvents, deleteEvents, deleteStreams, insertEvents, insertStreams } from '../../test/events.ts'
import { call, connectX, makePerson, type Person } from '../../test/makers.ts'
import { changeHolder, endLeases } from '../../test/messages.ts'
import { openApp, type TestApp } from '../../test/open-app.ts'
import { eventually, launch, makeList, openHandles } from '../../test/outreach.ts'
import { revoke } from '../../test/sessions.ts'
import { changeRole, leaveWorkspace } from '../../test/team.ts'
import { identify, loseConnection } from '../../test/x-accounts.ts'
import { expireLeases, takeOver } from '../core/messages/settle.ts'
import { dms } from '../core/tables/messages.ts'
import { signOut } from '../domains/identity/auth/sessions.ts'
import { purgeExpiredOffers } from '../domains/outreach/conversation-offers/offers.ts'
import { publishEvents } from '../domains/platform/events/events.ts'
import { EVENTS_CHANNEL } from '../domains/platform/events/recording.ts'
import { eventStreams } from '../domains/platform/events/tables.ts'

let app: TestApp
let owner: Person
beforeAll(async () => {
  app = await openApp()
})
beforeEach(async () => {
  owner = await makePerson(app)
})
const opened: AbortController[] = []
afterEach(async () => {
  for (const controller of opened.splice(0)) controller.abort()
  await eventually(async () => (await app.db.$count(eventStreams)) === 0, 'streams end with their clients')
})

interface Read {
  id: number
  event: string | null
  data: unknown
}

/** Opens a stream that collects its events until it ends. */
async function open(person: Person, { url = app.url, token = person.token, lastId = '' } = {}) {
  const stop = new AbortController()
  opened.push(stop)
  const response = await fetch(`${url}/events`, {
    headers: {
      authorization: `Bearer ${token}`,
      'accept-encoding': 'br, gzip',
      ...(lastId ? { 'last-event-id': lastId } : {}),
    },
    signal: stop.signal,
  })
  const events: Read[] = []
  let text = ''
  const collect = async () => {
    const decoder = new TextDecoder()
    for await (const chunk of response.body as unknown as AsyncIterable<Uint8Array>) {
      text += decoder.decode(chunk, { stream: true })
      const blocks = text.split('\n\n')
      text = blocks.pop() as string
      for (const block of blocks) {
        const fields = Object.fromEntries(block.split('\n').map((line) => line.split(/: (.*)/s).slice(0, 2)))
        if (fields.id) position = Number(fields.id)
        if (fields.data) events.push({ id: position, event: fields.event ?? null, data: JSON.parse(fields.data) })
      }
    }
  }
  let position = -1
  const ended = collect().catch(() => {})
  return { response, events, ended, position: () => position, close: () => stop.abort() }
}
const data = (stream: { events: Read[] }) => stream.events.map((event) => event.data)
const publish = (kind: 'campaign' | 'conversation' | 'scrape', ids: string[], person = owner) =>
  publishEvents(app.db, person.workspaceId, kind, ids)
/** Publishes an event and waits for it, so that all earlier events have arrived. */
async function until(stream: { events: Read[] }, id: string) {
  await publish('scrape', [id])
  await eventually(() => data(stream).some((payload) => JSON.stringify(payload).includes(id)), `event ${id}`)
}
async function tokenOf(person: Person, claims: object) {
  const now = Math.floor(Date.now() / 1000)
  const { userId: sub, sessionId: sid, workspaceId: wid, role } = person.actor
  const payload = { sub, sid, wid, role, iat: now, exp: now + 900, ...claims }
  return app.services.auth.sign(app.db, payload)
}

describe('GET /events', () => {
  it('streams changes of the workspace as hints, uncompressed and with growing ids', async () => {
    const stream = await open(owner)
    expect(stream.response.headers.get('content-type')).toBe('text/event-stream; charset=utf-8')
    expect(stream.response.headers.get('content-encoding')).toBeNull()
    await publish('campaign', ['c1'])
    await until(stream, 's1')
    expect(stream.events).toEqual([
      { id: expect.any(Number), event: null, data: { kind: 'campaign', ids: ['c1'] } },
      { id: stream.events[0]!.id + 1, event: null, data: { kind: 'scrape', ids: ['s1'] } },
    ])
  })

  it('begins with recent changes, which a page that has just loaded may have missed', async () => {
    const first = await open(owner)
    await publish('campaign', ['old'])
    await until(first, 'recent')
    await ageEvents(app, { workspaceId: owner.workspaceId, kind: 'campaign' }, 60)
    const second = await open(owner)
    await until(second, 'next')
    expect(data(second)).toEqual([
      { kind: 'scrape', ids: ['recent'] },
      { kind: 'scrape', ids: ['next'] },
    ])
  })

  it('publishes nothing if the transaction rolls back', async () => {
    const stream = await open(owner)
    const undone = app.db.transaction(async (tx) => {
      await publishEvents(tx, owner.workspaceId, 'campaign', ['undone'])
      throw new Error('undone')
    })
    await expect(undone).rejects.toThrow('undone')
    await until(stream, 's2')
    expect(data(stream)).toEqual([{ kind: 'scrape', ids: ['s2'] }])
  })

  it('reaches streams of other processes, but not of other workspaces', async () => {
    const other = await app.startAnother()
    const stranger = await makePerson(app)
    const [here, there, foreign] = [
      await open(owner),
      await open(owner, { url: `${other.url}/api` }),
      await open(stranger),
    ]
    await until(here, 's3')
    await eventually(() => there.events.length > 0, 'the other process streams it')
    expect(data(there)).toEqual(data(here))
    expect(foreign.events).toEqual([])
    here.close()
    there.close()
    foreign.close()
  })

  it.each([
    ['viewer', 0],
    ['member', 1],
    ['admin', 1],
  ] as [Role, number][])('sends a %s %i events of conversations', async (role, count) => {
    const stream = await open(await makePerson(app, { in: owner, role }))
    await publish('conversation', ['talk'])
    await until(stream, `after-${role}`)
    expect(stream.events).toHaveLength(count + 1)
  })

  it('sends a notification to its person only', async () => {
    const colleague = await makePerson(app, { in: owner, role: 'admin' })
    await colleague.client.notifications.setPreference({ kind: 'x_disconnected', inApp: false, email: false })
    const [mine, theirs] = [await open(owner), await open(colleague)]
    const { id } = await connectX(app, owner)
    await loseConnection(app, { id }, 'Gone.')
    await until(theirs, 's5')
    await until(mine, 's6')
    const [notification] = (await owner.client.notifications.list({})).notifications
    expect(data(mine)).toContainEqual({ kind: 'notification', ids: [notification!.id] })
    expect(JSON.stringify(theirs.events)).not.toContain('notification')
  })

  it('sends at most one event a second of a campaign', async () => {
    const stream = await open(owner)
    const began = Date.now()
    for (let turn = 0; turn < 40; turn += 1) {
      app.services.events.touch(owner.workspaceId, 'campaign', 'busy')
      await publish('campaign', ['busy'])
      await new Promise((resolve) => setTimeout(resolve, 50))
    }
    await until(stream, 's7')
    const sent = data(stream).filter((payload) => JSON.stringify(payload).includes('busy'))
    expect(sent.length).toBeGreaterThan(0)
    expect(sent.length).toBeLessThanOrEqual(2 + (Date.now() - began) / 1_000)
  })

  it('names the changed conversation, and of drafts tells only when they begin and end', async () => {
    const account = await connectX(app, owner)
    await identify(app, { id: account.id }, idOfHandle(account.handle))
    const { handles } = await messaged(app, owner)
    await say(app, handles[0]!, account.handle, 'What does it cost?')
    const id = (await owner.client.conversations.list({})).conversations[0]!.id
    const stream = await open(owner)
    await until(stream, 'ready')
    const before = stream.events.length
    for (const text of ['H', 'Hi', 'Hi,']) await owner.client.conversations.saveDraft({ id, text })
    await until(stream, 'typed')
    await owner.client.conversations.saveDraft({ id, text: '' })
    await until(stream, 'emptied')
    await owner.client.conversations.update({ id, isRead: true })
    const conversation = { kind: 'conversation', ids: [id] }
    const since = () =>
      data(stream)
        .slice(before)
        .filter((payload) => (payload as { kind: string }).kind === 'conversation')
    await eventually(() => since().length === 3, 'the mark as read')
    expect(since()).toEqual([conversation, conversation, conversation])
  })

  it('publishes changes although another workspace sends an id that cannot be stored', async () => {
    const stranger = await makePerson(app)
    const stream = await open(owner)
    // The first change is published immediately, the next two together, a second later.
    app.services.events.touch(stranger.workspaceId, 'campaign')
    await new Promise((resolve) => setTimeout(resolve, 20))
    const message = { text: 'Hi', afterMessageId: randomUUID() }
    expect((await stranger.call('POST', '/conversations/%00/messages', message)).status).toBe(404)
    await owner.client.tags.create({ name: 'VIP' })
    await eventually(() => data(stream).length > 0, 'the change is published')
  })

  it('publishes changes by members and processes of campaigns', async () => {
    const stream = await open(owner)
    const list = await owner.client.lists.create({ name: 'List' })
    await owner.client.campaigns.create({ name: 'Spring', leadListId: list.id, messageTemplate: 'Hi', status: 'draft' })
    await eventually(
      () => data(stream).some((payload) => JSON.stringify(payload) === '{"kind":"campaign","ids":[]}'),
      'a campaign',
    )
  })
})

describe('changes by processes', () => {
  const heard = async (payload: string, change: () => Promise<unknown>) => {
    const payloads: string[] = []
    const stop = app.services.channels.subscribe(EVENTS_CHANNEL, (received) => payloads.push(received))
    await change()
    await eventually(() => payloads.includes(payload), payload)
    stop()
  }

  it('are published if leases expire, and if a process takes over messages', async () => {
    const { id: accountId } = await connectX(app, owner)
    const list = await makeList(app, owner, openHandles(2))
    const { id } = await launch(owner, list, { channel: 'extension' })
    await owner.call('POST', `/campaigns/${id}/claim`, { holder: 'test' })
    await endLeases(app, isNotNull(dms.leaseExpiresAt))
    const payload = `${owner.workspaceId} campaign ${id}`
    await heard(payload, () => expireLeases(app.db))
    const claim = { leaseExpiresAt: new Date(Date.now() - 1_000), holder: 'worker:999999', xAccountId: accountId }
    await changeHolder(app, { campaignId: id, status: 'queued' }, claim)
    await heard(payload, () => takeOver(app.db))
  })

  it('are published if an offer appears or expires', async () => {
    const { id, handle } = await connectX(app, owner)
    await identify(app, { id }, idOfHandle(handle), { offersUnknownSenders: true })
    const payload = `${owner.workspaceId} conversation *`
    await heard(payload, () => say(app, 'a_stranger', handle, 'Hello'))
    await ageOffers(app, {}, 8)
    await heard(payload, () => purgeExpiredOffers(app.db))
  })
})

describe('Last-Event-ID', () => {
  it('continues with what was missed, in another process too', async () => {
    const first = await open(owner)
    await until(first, 's8')
    first.close()
    await publish('campaign', ['missed'])
    const other = await app.startAnother()
    const again = await open(owner, { url: `${other.url}/api`, lastId: String(first.position()) })
    await until(again, 's9')
    expect(data(again)).toEqual([
      { kind: 'campaign', ids: ['missed'] },
      { kind: 'scrape', ids: ['s9'] },
    ])
    again.close()
  })

  it.each(['older', 'unknown', 'nonsense'])('starts with reset if it is %s', async (which) => {
    const first = await open(owner)
    await until(first, `kept-${which}`)
    const last = first.position()
    if (which === 'older') await deleteEvents(app, { workspaceId: owner.workspaceId })
    const lastId = { older: String(last - 1), unknown: String(last + 1_000), nonsense: 'x' }[which] as string
    const again = await open(owner, { lastId })
    await eventually(() => again.events.length > 0, 'an event')
    expect(again.events).toEqual([{ id: last, event: 'reset', data: {} }])
    await until(again, `after-${which}`)
    expect(again.events).toHaveLength(2)
  })

  it('starts with reset if much was missed', async () => {
    const first = await open(owner)
    await until(first, 'before')
    const last = first.position()
    first.close()
    const missed = (from: number, count: number, ids: number) => insertEvents(app, owner, { from, count, ids })
    await missed(last + 1, 100, 100)
    for (const [seen, now] of [
      [last, last + 100],
      [last + 100, last + 700],
    ] as const) {
      if (now > last + 100) await missed(last + 101, 600, 1)
      const again = await open(owner, { lastId: String(seen) })
      await eventually(() => again.events.length > 0, 'an event')
      expect(again.events).toEqual([{ id: now, event: 'reset', data: {} }])
      again.close()
    }
  })

  it('starts with reset after a restart, which ends every stream', async () => {
    const first = await open(owner)
    await until(first, 'stored')
    await app.restart(() => first.ended)
    const again = await open(owner, { lastId: String(first.position()) })
    await eventually(() => again.events.length > 0, 'an event')
    expect(again.events).toEqual([{ id: first.position() + 1, event: 'reset', data: {} }])
  })

  it('misses nothing if another process takes over storing events', async () => {
    const other = await app.startAnother()
    const stream = await open(owner, { url: `${other.url}/api` })
    await until(stream, 'before')
    await app.services.events.close()
    await publish('campaign', ['meanwhile'])
    // A process that has just taken over cannot know what else was published.
    await eventually(
      () => stream.events.at(-1)?.event === 'reset' || JSON.stringify(stream.events).includes('meanwhile'),
      'a reset, or the change',
    )
    await until(stream, 'after')
    await app.restart(async () => {})
  })
})

describe('the end of a stream', () => {
  it('comes with its token', async () => {
    const stream = await open(owner, { token: await tokenOf(owner, { exp: Math.floor(Date.now() / 1000) + 2 }) })
    expect(stream.response.status).toBe(200)
    await stream.ended
  })

  it('comes with a new role, a removed member, and signing out', async () => {
    const team = await makePerson(app)
    const [first, second, third] = await Promise.all([1, 2, 3].map(() => makePerson(app, { in: team, role: 'member' })))
    const streams = await Promise.all([first!, second!, third!].map((person) => open(person)))
    await team.client.people.update({ id: first!.id, role: 'viewer' })
    await team.client.people.remove({ id: second!.id })
    await signOut({ db: app.db, auth: app.services.auth }, third!.actor, 'local')
    await Promise.all(streams.map(({ ended }) => ended))
  })

  it.each([
    ['removed', (team: Person, { id }: Person) => team.client.people.remove({ id })],
    ['demoted', (team: Person, { id }: Person) => team.client.people.update({ id, role: 'viewer' })],
    ['signed out', (_: Person, { actor }: Person) => signOut({ db: app.db, auth: app.services.auth }, actor, 'local')],
  ])('comes within a second without an event after it, whatever happens while it opens (%s)', async (_, end) => {
    const team = await makePerson(app)
    for (const delay of [0, 2, 4, 6, 8, 12]) {
      const member = await makePerson(app, { in: team, role: 'member' })
      const opening = open(member)
      await sleep(delay)
      await end(team, member)
      await publish('conversation', [`after-${delay}`], team)
      const stream = await opening
      await expect(Promise.race([stream.ended.then(() => 'ended'), sleep(1_000, 'open')])).resolves.toBe('ended')
      expect(JSON.stringify(stream.events)).not.toContain(`after-${delay}`)
    }
  })

  it('comes before the next event if the database announces nothing', async () => {
    const team = await makePerson(app)
    const members = await Promise.all([1, 2, 3].map(() => makePerson(app, { in: team, role: 'member' })))
    const [removed, demoted, left] = await Promise.all(members.map((member) => open(member)))
    await publish('scrape', ['before'], team)
    await eventually(() => data(removed!).length > 0, 'an event')
    await leaveWorkspace(app, { userId: members[0]!.id })
    await changeRole(app, { userId: members[1]!.id }, 'viewer')
    await revoke(app, members[2]!.actor.sessionId)
    await publish('conversation', ['after'], team)
    await Promise.all([removed!.ended, demoted!.ended, left!.ended])
    expect(JSON.stringify([removed!.events, demoted!.events, left!.events])).not.toContain('after')
  })
})

describe('refusals', () => {
  it('are 401 without a token, with an expired one, and after signing out', async () => {
    const person = await makePerson(app)
    const expired = await tokenOf(person, { exp: Math.floor(Date.now() / 1000) - 1 })
    const responses = [
      await call(app, 'GET', '/events'),
      await call(app, 'GET', '/events', undefined, { authorization: `Bearer ${expired}` }),
      await call(app, 'GET', '/events', undefined, { authorization: 'Bearer xae_unknown' }),
    ]
    await signOut({ db: app.db, auth: app.services.auth }, person.actor, 'local')
    responses.push(await person.call('GET', '/events'))
    for (const { status, body } of responses) expect([status, body.code]).toEqual([401, 'UNAUTHORIZED'])
  })

  it('are 403 for a paired extension', async () => {
    const { code } = await owner.client.extension.createCode()
    const paired = await call(app, 'POST', '/extension/pair', { code, version: '1' })
    const response = await call(app, 'GET', '/events', undefined, { authorization: `Bearer ${paired.body.token}` })
    expect([response.status, response.body.code]).toEqual([403, 'FORBIDDEN'])
  })

  it('are 429 for the 21st stream of a person, over all processes, until one ends', async () => {
    const person = await makePerson(app)
    const other = await app.startAnother()
    const streams = []
    for (let count = 0; count < 20; count += 1)
      streams.push(await open(person, { url: count % 2 ? app.url : `${other.url}/api` }))
    const refused = await person.call('GET', '/events')
    expect([refused.status, refused.body.code, refused.headers.get('retry-after')]).toEqual([429, 'RATE_LIMITED', '5'])
    expect((await open(owner)).response.status).toBe(200)
    streams[0]!.close()
    await eventually(async () => (await open(person)).response.status === 200, 'a free place')
    for (const controller of opened.splice(0)) controller.abort()
    await eventually(async () => (await app.db.$count(eventStreams)) === 0, 'all ended')
  })

  it('do not count streams of dead processes', async () => {
    const person = await makePerson(app)
    await insertStreams(app, person, 999_999, 20)
    expect((await open(person)).response.status).toBe(200)
    await deleteStreams(app, 999_999)
  })
})
