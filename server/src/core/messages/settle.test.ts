import { createServer, type IncomingMessage, type Server } from 'node:http'
import { text } from 'node:stream/consumers'
import type { StepInput } from '@x-automated/contract/outreach/steps'
import { idOfHandle } from '@x-automated/stand-ins/x/ids'
import { eq, sql } from 'drizzle-orm'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { connectX, makePerson, type Person, subscribe } from '../../../test/makers.ts'
import { rewrite } from '../../../test/messages.ts'
import { openApp, type TestApp } from '../../../test/open-app.ts'
import {
  arrived,
  expectCountsRight,
  launch,
  makeList,
  openHandles,
  SENDS,
  sendDue,
  setFaults,
} from '../../../test/outreach.ts'
import { refillFunds } from '../../../test/x-apps.ts'
import { createXApi } from '../../outside/x.ts'
import { dms } from '../tables/messages.ts'
import { enrollments } from '../tables/sequences.ts'
import { type Needs, TIMING } from './deliver.ts'
import { listMessages } from './read.ts'
import { requeue } from './requeue.ts'
import { settle } from './settle.ts'

// Every way in which X may show a conversation, or fail to. Whatever it shows, nothing is sent twice.

type Event = { id: string; text: string; sender_id?: string; created_at: string; entities?: object }
type Body = { data?: Event[]; meta?: { result_count?: number; next_token?: string } }
interface Page {
  status: number
  body: Body | string
}
type Alter = (page: Page, number: number) => Page

let app: TestApp
let person: Person
let needs: Needs
let proxy: Server
/** How X's responses about a conversation are altered in transit, by the X id of the person. */
const ways = new Map<string, Alter>()
/** Conversations that X shows with one message per page. */
const shortPages = new Set<string>()
const reads = new Map<string, number>()

beforeAll(async () => {
  app = await openApp({ x: true, clock: true, unlimitedCalls: true })
  proxy = createServer(async (request, response) => {
    const id = /with\/(\d+)\/dm_events/.exec(request.url ?? '')?.[1] ?? ''
    if (shortPages.has(id)) request.url = request.url?.replace('max_results=10', 'max_results=1')
    const page = await forward(request)
    const number = reads.get(id) ?? 0
    reads.set(id, number + 1)
    const { status, body } = ways.get(id)?.(page, number) ?? page
    response.writeHead(status, { 'content-type': typeof body === 'string' ? 'text/html' : 'application/json' })
    response.end(typeof body === 'string' ? body : JSON.stringify(body))
  })
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve))
  const { port } = proxy.address() as { port: number }
  const { clientId, clientSecret } = app.x
  needs = { ...app.services, x: createXApi({ apiUrl: `http://127.0.0.1:${port}`, clientId, clientSecret }) }
})
afterAll(() => void proxy.close())

/** How long a session is used, in ms. Access tokens expire after 15 minutes. */
const SESSION_MS = 600_000
let signedUpAt = Number.NEGATIVE_INFINITY

async function signUp(): Promise<void> {
  if (app.clock.now() < signedUpAt + SESSION_MS) return
  signedUpAt = app.clock.now()
  person = await makePerson(app)
  await subscribe(app, person)
}

async function forward(request: IncomingMessage): Promise<Page> {
  const { method = 'GET', headers } = request
  const response = await fetch(`${app.x.url}${request.url}`, {
    method,
    headers: { authorization: headers.authorization ?? '', 'content-type': headers['content-type'] ?? 'text/plain' },
    ...(method === 'GET' ? {} : { body: await text(request) }),
  })
  return { status: response.status, body: (await response.json()) as Body }
}

const TEXT = 'Hi \u{1F44D}\u{1F3FD}\u2764\uFE0F {lead_name}: see https://example.com/a?b=1\n  &  tell Zo\u00EB <soon>.'
const STEPS = [
  { variants: [{ messageTemplate: TEXT }] },
  { variants: [{ messageTemplate: 'And?' }], delay: { amount: 90, unit: 'days' } },
] as StepInput[]

type Sent = Awaited<ReturnType<typeof sendUnknown>>

/** Sends a message whose outcome is unknown. @param how how X's response fails @param way what X shows later */
async function sendUnknown(how: object, way: Alter = (page) => page) {
  await setFaults(app)
  await signUp()
  const account = await connectX(app, person)
  const list = await makeList(app, person, openHandles(1))
  const [handle] = list.handles as [string]
  // The conversation already has messages.
  const { accessToken } = await app.services.x!.signInWithPassword(account.handle, 'long enough')
  for (const greeting of ['Hello', 'Hello again']) {
    await app.services.x!.sendMessage(accessToken, idOfHandle(handle), greeting)
    await app.clock.step(60_000)
  }
  ways.set(idOfHandle(handle), way)
  await setFaults(app, { ...SENDS, times: 1, ...how })
  const { id } = await launch(person, list, { messageTemplate: undefined, steps: STEPS, xAccountId: account.id })
  await sendDue(app)
  await setFaults(app)
  const { actor } = person
  return {
    id,
    handle,
    account: account.handle,
    actor,
    attemptAt: app.clock.now(),
    row: async () => (await app.db.select().from(dms).where(eq(dms.campaignId, id)))[0],
    enrollment: async () => (await app.db.select().from(enrollments).where(eq(enrollments.campaignId, id)))[0],
    /** The message as screens show it. */
    shown: async () => (await listMessages(app.db, app.services.env, actor, { id, page: 1, pageSize: 1 })).dms[0],
    copies: async () => (await arrived(app, handle)).filter(({ text }) => !text.startsWith('Hello')).length,
  }
}
const ARRIVES = { dropAfter: true }
const IS_LOST = { dropBefore: true }

/** Settles and sends whatever is due for this time. */
async function letPass(seconds: number): Promise<void> {
  const end = app.clock.now() + seconds * 1_000
  for (;;) {
    let ms = await settle(needs, TIMING)
    while (ms !== null && ms <= 0) ms = await settle(needs, TIMING)
    await sendDue(app)
    if ((await app.db.$count(dms, sql`outcome_unknown and status = 'queued' and due_at <= now()`)) > 0) continue
    const left = end - app.clock.now()
    if (left <= 0) return
    await app.clock.step(Math.ceil(Math.min(left, Math.max(30_000, ms ?? left))))
  }
}

/** Lets a day pass for every conversation that shows nothing certain. */
async function letADayPass(): Promise<void> {
  const which = sql`unreadable_since is not null and status = 'queued'`
  await rewrite(app, which, { unreadableSince: sql`unreadable_since - interval '1 day'`, dueAt: sql`now()` })
  await letPass(1)
}

const bodyOf =
  (change: (body: Body) => Body): Alter =>
  (page) =>
    typeof page.body === 'string' ? page : { ...page, body: change(page.body) }
const eachEvent = (change: (event: Event) => Event) =>
  bodyOf((body) => ({ ...body, ...(body.data && { data: body.data.map(change) }) }))
const eachText = (change: (text: string) => string) => eachEvent((event) => ({ ...event, text: change(event.text) }))
const respondWith =
  (status: number, body: Body | object | string): Alter =>
  () => ({ status, body })
/** Replaces links as X does, with t.co. @param address the link's target, as X names it; null: X does not */
const withShortLink = (address: string | null) =>
  eachEvent(({ entities: _, ...event }) => ({
    ...event,
    text: event.text.replace(/https?:\/\/\S+/, 'https://t.co/Xy12'),
    ...(address && { entities: { urls: [{ url: 'https://t.co/Xy12', expanded_url: address }] } }),
  }))
const withoutOurs = bodyOf((body) => ({
  ...body,
  data: body.data?.filter(({ text }) => text.startsWith('Hello')) ?? [],
}))
const reversed = bodyOf((body) => ({ ...body, ...(body.data && { data: body.data.toReversed() }) }))
/** Shows only the person's last message. */
const endsEarly: Alter = () => ({
  status: 200,
  body: {
    data: [{ id: '9', sender_id: '1', text: 'Hello?', created_at: new Date(app.clock.now()).toISOString() }],
    meta: { result_count: 1 },
  },
})
const problem = (status: number, type = 'about:blank') =>
  respondWith(status, { title: 'Problem', type, status, detail: 'No.' })

/** Ways in which our message is recognized. */
const RECOGNIZABLE: [string, Alter][] = [
  ['as it was sent', (page) => page],
  ['with a t.co link', withShortLink(null)],
  ['with a t.co link whose address X names', withShortLink('https://example.com/a?b=1')],
  ['with other white space', eachText((text) => text.replaceAll(/\s+/g, '\u00A0 '))],
  ['with entities of HTML', eachText((text) => text.replace('&', '&amp;').replace('<', '&lt;').replace('>', '&gt;'))],
  ['decomposed', eachText((text) => text.normalize('NFD'))],
  ['without variation selectors', eachText((text) => text.replaceAll('\uFE0F', ''))],
  ['without skin tones', eachText((text) => text.replaceAll('\u{1F3FD}', ''))],
  ['in another order', reversed],
]
/** Ways in which nobody can tell what was sent. */
const UNCERTAIN: [string, Alter][] = [
  ['entries have no sender', eachEvent(({ sender_id: _, ...event }) => event)],
  ['entries have no time', eachEvent((event) => ({ ...event, created_at: '' }))],
  ['the page ends early', endsEarly],
  ['the page is empty without saying so', respondWith(200, { data: [] })],
  ['the answer is empty', respondWith(200, {})],
  ['the answer is HTML', respondWith(200, '<!doctype html><title>Just a moment</title>')],
  ['the error is HTML', respondWith(503, '<!doctype html><title>Just a moment</title>')],
  ['X is having trouble', problem(500)],
]
/** Ways in which nobody can tell whether one of the messages is ours. */
const CHANGED: [string, Alter][] = [
  ['our text was changed beyond recognition', eachText((text) => text.replace('tell', 'say'))],
  ['its link leads elsewhere', withShortLink('https://example.com/other')],
]
const REFUSED: [string, Alter][] = [
  ['X forbids it', problem(403)],
  ['X does not find it', problem(404)],
]

describe('a message whose answer is lost', () => {
  const arrivedOnes = new Map<string, Sent>()
  const lostOnes = new Map<string, Sent>()
  const of = (all: Map<string, Sent>, name: string) => all.get(name) as Sent
  /** Each message as screens show it after ten minutes. */
  const early = new Map<string, unknown>()

  beforeAll(async () => {
    for (const [name, way] of [...RECOGNIZABLE, ...UNCERTAIN, ...CHANGED, ...REFUSED])
      arrivedOnes.set(name, await sendUnknown(ARRIVES, way))
    for (const [name, way] of [
      ...UNCERTAIN,
      ...REFUSED,
      ...RECOGNIZABLE.filter(([name]) => name === 'in another order'),
    ])
      lostOnes.set(name, await sendUnknown(IS_LOST, way))
    await letPass(600)
    for (const [name, message] of [...arrivedOnes, ...lostOnes])
      early.set(`${name} ${message.id}`, await message.shown())
    await letADayPass()
  }, 120_000)

  it.each(RECOGNIZABLE)('is found in its conversation %s', async (name) => {
    const sent = of(arrivedOnes, name)
    const row = await sent.row()
    expect(row).toMatchObject({ status: 'sent', xEventId: expect.any(String), outcomeUnknown: false })
    expect(Math.abs(row!.sentAt!.getTime() - sent.attemptAt)).toBeLessThan(5_000)
    expect(await sent.copies()).toBe(1)
  })

  it.each([
    ...[...UNCERTAIN, ...CHANGED].map(([name]) => ['arrived', name, arrivedOnes] as const),
    ...[...UNCERTAIN, ['in another order']].map(([name]) => ['did not arrive', name, lostOnes] as const),
  ])('waits a day and is left to a person if it %s and %s', async (what, name, all) => {
    const sent = of(all as Map<string, Sent>, name as string)
    expect(early.get(`${name} ${sent.id}`)).toMatchObject({
      status: 'queued',
      reason: { code: 'settling', params: {} },
    })
    expect(await sent.row()).toMatchObject({ status: 'failed', outcomeUnknown: true, attempts: 1 })
    expect(await sent.enrollment()).toMatchObject({ state: 'paused', reason: { code: 'outcome_unknown' } })
    expect(await sent.copies()).toBe(what === 'arrived' ? 1 : 0)
  })

  it.each([
    ...REFUSED.map(([name]) => ['arrived', name, arrivedOnes] as const),
    ...REFUSED.map(([name]) => ['did not arrive', name, lostOnes] as const),
  ])('is left to a person immediately if it %s and %s', async (what, name, all) => {
    const sent = of(all, name)
    expect(early.get(`${name} ${sent.id}`)).toMatchObject({ status: 'failed', outcomeUnknown: true })
    expect(await sent.enrollment()).toMatchObject({ state: 'paused', reason: { code: 'outcome_unknown' } })
    expect(await sent.copies()).toBe(what === 'arrived' ? 1 : 0)
  })

  it('leaves every count right', () => expectCountsRight(app))
})

describe('a message that X does not show', () => {
  it('is sent again after two readings, 30 and 90 seconds after the attempt', async () => {
    const sent = await sendUnknown(IS_LOST)
    await letPass(30)
    expect(await sent.row()).toMatchObject({ status: 'queued', outcomeUnknown: true, absentAt: null })
    await letPass(30)
    const first = await sent.row()
    expect(first).toMatchObject({ status: 'queued', outcomeUnknown: true, absentAt: expect.any(Date) })
    expect(first!.absentAt!.getTime() - sent.attemptAt).toBeGreaterThanOrEqual(30_000)
    expect(await sent.copies()).toBe(0)
    await letPass(90)
    const row = await sent.row()
    expect(row).toMatchObject({ status: 'sent', attempts: 2, outcomeUnknown: false })
    expect(row!.claimedAt!.getTime() - sent.attemptAt).toBeGreaterThanOrEqual(90_000)
    expect(await sent.copies()).toBe(1)
  })

  it('is sent again if its conversation is empty and X says so', async () => {
    const sent = await sendUnknown(IS_LOST, respondWith(200, { meta: { result_count: 0 } }))
    await letPass(300)
    expect(await sent.row()).toMatchObject({ status: 'sent', attempts: 2 })
    expect(await sent.copies()).toBe(1)
  })

  it('is found on a later page', async () => {
    const sent = await sendUnknown(ARRIVES)
    shortPages.add(idOfHandle(sent.handle))
    const { accessToken } = await app.services.x!.signInWithPassword(sent.account, 'long enough')
    await app.services.x!.sendMessage(accessToken, idOfHandle(sent.handle), 'Hello, by hand')
    await letPass(1)
    expect(reads.get(idOfHandle(sent.handle))).toBeGreaterThan(1)
    expect(await sent.row()).toMatchObject({ status: 'sent' })
    expect(await sent.copies()).toBe(1)
  })

  it('is found if X lists it late', async () => {
    const sent = await sendUnknown(ARRIVES, (page, number) => (number < 2 ? withoutOurs(page, number) : page))
    await letPass(300)
    expect(await sent.row()).toMatchObject({ status: 'sent', attempts: 1 })
    expect(await sent.copies()).toBe(1)
  })

  it('is not sent again while a message from the account is unexplained', async () => {
    const sent = await sendUnknown(IS_LOST)
    const { accessToken } = await app.services.x!.signInWithPassword(sent.account, 'long enough')
    await app.services.x!.sendMessage(accessToken, idOfHandle(sent.handle), 'Hello, by hand')
    await letPass(600)
    await letADayPass()
    expect(await sent.row()).toMatchObject({ status: 'failed', outcomeUnknown: true, attempts: 1 })
    expect(await sent.copies()).toBe(0)
  })

  it('is sent again only once: a second lost answer leaves it to a person, who may queue it again', async () => {
    const sent = await sendUnknown(IS_LOST)
    await setFaults(app, { ...SENDS, ...IS_LOST, times: 1 })
    await letPass(600)
    expect(await sent.row()).toMatchObject({ status: 'failed', outcomeUnknown: true, attempts: 2 })
    expect(await sent.enrollment()).toMatchObject({ state: 'paused', reason: { code: 'outcome_unknown' } })
    expect(await sent.copies()).toBe(0)
    await requeue(app.db, app.services.env, sent.actor, (await sent.row())!.id, async () => {})
    await letPass(1)
    expect(await sent.row()).toMatchObject({ status: 'sent' })
    expect(await sent.copies()).toBe(1)
  })

  it('is not sent again if X answered that it was said already', async () => {
    const sent = await sendUnknown({ status: 403, code: 151 })
    await letPass(600)
    expect(await sent.row()).toMatchObject({ status: 'failed', outcomeUnknown: true, attempts: 1, mayResend: false })
    expect(await sent.copies()).toBe(0)
  })

  it('is sent again once by any number of processes', async () => {
    const sent = await sendUnknown(IS_LOST)
    for (let minutes = 0; minutes < 3; minutes += 1) {
      await Promise.all([1, 2, 3].map(() => settle(needs, TIMING)))
      await Promise.all([1, 2, 3].map(() => sendDue(app)))
      await app.clock.step(60_000)
    }
    expect(await sent.row()).toMatchObject({ status: 'sent', attempts: 2 })
    expect(await sent.copies()).toBe(1)
  })
})

it('waits as long as the X app has no credits, and is settled when they return', async () => {
  const [arrivedOne, lostOne] = [await sendUnknown(ARRIVES), await sendUnknown(IS_LOST)]
  const both = [arrivedOne, lostOne]
  for (const { handle } of both) ways.set(idOfHandle(handle), problem(402, 'https://api.x.com/2/problems/credits'))
  await letPass(600)
  for (const message of both) {
    expect(await message.shown()).toMatchObject({ status: 'queued', reason: { code: 'settling' } })
    expect(await message.row()).toMatchObject({ unreadableSince: null })
  }
  for (const { handle } of both) ways.delete(idOfHandle(handle))
  await refillFunds(app)
  await letPass(600)
  for (const message of both) {
    expect(await message.row()).toMatchObject({ status: 'sent' })
    expect(await message.copies()).toBe(1)
  }
})

describe('a message with an unknown outcome that a person queues again', () => {
  it.each([
    ['although it arrived, is not sent again if X shows it', ARRIVES, 1, 1],
    ['is sent although its conversation still shows nothing for certain', IS_LOST, 0, 1],
  ])('%s', async (_, how, before, after) => {
    const isShownLater = how === ARRIVES
    const sent = await sendUnknown(how, problem(403))
    await letPass(1)
    expect(await sent.row()).toMatchObject({ status: 'failed', outcomeUnknown: true })
    expect(await sent.copies()).toBe(before)
    if (isShownLater) ways.delete(idOfHandle(sent.handle))
    await requeue(app.db, app.services.env, sent.actor, (await sent.row())!.id, async () => {})
    await letPass(1)
    expect(await sent.row()).toMatchObject({ status: 'sent' })
    expect(await sent.copies()).toBe(after)
  })
})
