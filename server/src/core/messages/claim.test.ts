import { eq, sql } from 'drizzle-orm'
import { drizzle } from 'drizzle-orm/node-postgres'
import fc from 'fast-check'
import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { reactivate } from '../../../test/campaigns.ts'
import { deleteDeliveries, storeSealed } from '../../../test/deliveries.ts'
import { startProcess } from '../../../test/jobs.ts'
import { connectX, makePerson, type Person, subscribe } from '../../../test/makers.ts'
import { makeFollowUps, rewrite } from '../../../test/messages.ts'
import { openApp, type TestApp } from '../../../test/open-app.ts'
import { arrived, confirmDetection, launch, makeList, openHandles, type SomeList } from '../../../test/outreach.ts'
import { leaveIdle, leaveUnread, letSend, loseConnection } from '../../../test/x-accounts.ts'
import type { Db } from '../../db/open.ts'
import { dms } from '../tables/messages.ts'
import { areRepliesBehind } from '../tables/replies.ts'
import type { Claimed } from './claim.ts'
import { claimDue } from './claim-due.ts'
import { send, TIMING } from './deliver.ts'
import { record } from './record.ts'

let app: TestApp
let person: Person
beforeAll(async () => {
  app = await openApp({ x: true })
})
beforeEach(async () => {
  person = await makePerson(app)
  await subscribe(app, person)
})

async function claimNext(db: Db = app.db, sendIntervalSeconds = 60): Promise<Claimed> {
  const worker = await startProcess(app)
  for (;;) {
    const { claimed, isIdle } = await claimDue(db, worker, { ...app.services.env, sendIntervalSeconds })
    if (claimed) return claimed
    if (isIdle) throw new Error('nothing is due')
  }
}

it('takes at most five statements for a message, from its claim to its record', async () => {
  const account = await connectX(app, person)
  await launch(person, await makeList(app, person, openHandles(2)))
  const statements: string[] = []
  const connection = await app.services.database.connect()
  const logger = { logQuery: (text: string) => void statements.push(text) }
  const db = drizzle(connection, { logger }) as unknown as Db
  const claimed = await claimNext(db)
  const verdict = await send({ ...app.services, database: { ...app.services.database, db } }, claimed, TIMING)
  await record(db, [{ claimed, verdict, failures: 0 }])
  await connection.end()
  expect(verdict).toMatchObject({ kind: 'sent' })
  expect(claimed.accountId).toBe(account.id)
  expect(statements.filter((text) => text !== 'begin' && text !== 'commit')).toHaveLength(5)
})

it('waits 50 ms after a claim while 50 deliveries are not stored', async () => {
  for (const { id } of [await connectX(app, person), await connectX(app, person)])
    await launch(person, await makeList(app, person, openHandles(1)), { xAccountId: id })
  const deliver = (count: number) => storeSealed(app, {}, count)

  const areBehind = async () => (await app.db.execute(sql`select ${areRepliesBehind} as are`)).rows[0]?.are
  await deliver(49)
  expect(await areBehind()).toBe(false)
  await deliver(1)
  expect(await areBehind()).toBe(true)
  await claimNext()
  const began = performance.now()
  await claimNext()
  expect(performance.now() - began).toBeGreaterThan(45)
  await deleteDeliveries(app)
})

it('sends nothing, and from no other account, while what an account sent before a restore is not read', async () => {
  const accounts = [await connectX(app, person), await connectX(app, person)]
  const [unread, other] = accounts as [{ id: string; handle: string }, { id: string }]
  const list = () => makeList(app, person, openHandles(1))
  await launch(person, await list(), { xAccountId: other.id })
  const restored = await launch(person, await list(), { xAccountId: unread.id })
  await leaveUnread(app, { id: unread.id }, new Date())
  await loseConnection(app, { id: unread.id })
  await expect(claimNext()).rejects.toThrow('nothing is due')
  await expect(person.client.campaigns.update({ id: restored.id, xAccountId: other.id })).rejects.toMatchObject({
    code: 'CAMPAIGN_STATE',
    message: expect.stringContaining(`Connect @${unread.handle} again`),
  })

  await leaveUnread(app, { id: unread.id }, null)
  await letSend(app, {}, new Date(0))
  expect((await claimNext()).accountId).toBe(other.id)
  await person.client.campaigns.update({ id: restored.id, xAccountId: other.id })
})

it('sends a released message from the account that its campaign has by then', async () => {
  const accounts = [await connectX(app, person), await connectX(app, person)]
  const list = await makeList(app, person, openHandles(1))
  const { id } = await launch(person, list, { xAccountId: accounts[0]!.id })
  const claimed = await claimNext()
  await person.client.campaigns.update({ id, xAccountId: accounts[1]!.id })
  await expect(claimNext()).rejects.toThrow('nothing is due')
  await record(app.db, [{ claimed, verdict: { kind: 'later' }, failures: 1 }])
  expect((await claimNext()).accountId).toBe(accounts[1]!.id)
})

describe('two accounts that claim messages to one person at the same moment', () => {
  let list: SomeList
  let first: Claimed
  let second: Claimed

  beforeEach(async () => {
    const accounts = [await connectX(app, person), await connectX(app, person)]
    list = await makeList(app, person, openHandles(1))
    const other = await makeList(app, person, openHandles(1))
    await launch(person, list, { xAccountId: accounts[0]!.id })
    await launch(person, other, { xAccountId: accounts[1]!.id })
    first = await claimNext()
    second = await claimNext()
    // As if both leads had been duplicates that were merged.
    await rewrite(app, { leadId: other.leadIds[0]! }, { leadId: list.leadIds[0]! })
    // The first claim commits last.
    first.visibleAt = performance.now()
  })

  it('send the first if the second sees that it must yield', async () => {
    const sending = send(app.services, first, TIMING)
    const verdict = await send(app.services, second, TIMING)
    expect(verdict).toMatchObject({ kind: 'skipped', reason: { code: 'duplicate' } })
    await record(app.db, [{ claimed: second, verdict, failures: 0 }])
    expect(await sending).toMatchObject({ kind: 'sent' })
    expect(await arrived(app, list.handles[0]!)).toHaveLength(1)
  })

  it('do not send the first if the second was sent', async () => {
    const sending = send(app.services, first, TIMING)
    await record(app.db, [{ claimed: second, verdict: { kind: 'sent', eventId: 'elsewhere', mills: 0 }, failures: 0 }])
    expect(await sending).toMatchObject({ kind: 'skipped', reason: { code: 'duplicate' } })
    expect(await arrived(app, list.handles[0]!)).toEqual([])
  })
})

it('pauses a campaign before a long variable is sent, with an emoji where its name is cut', async () => {
  await connectX(app, person)
  const { id } = await launch(person, await makeList(app, person, openHandles(1)))
  await rewrite(app, { campaignId: id }, { message: `Hi {{${'a'.repeat(97)}😀}}`, isFilled: false })
  await expect(claimNext()).rejects.toThrow('nothing is due')
  expect(await person.client.campaigns.find({ id })).toMatchObject({
    status: 'paused',
    reason: { code: 'placeholder' },
  })
})

it('pauses a campaign before a variable is sent that an earlier version left, and renders it when it is resumed', async () => {
  await connectX(app, person)
  const { id } = await launch(person, await makeList(app, person, openHandles(2)), {
    messageTemplate: 'Hi {{name|friend}} {"a": 1}',
  })
  const queued = () => app.db.select().from(dms).where(eq(dms.campaignId, id)).orderBy(dms.id)
  const rendered = (await queued()).map(({ message }) => message)
  await rewrite(app, { campaignId: id }, { message: 'Hi {friend} {"a": 1}', isFilled: false })
  await expect(claimNext()).rejects.toThrow('nothing is due')
  const paused = await person.client.campaigns.find({ id })
  expect(paused).toMatchObject({
    status: 'paused',
    reason: { code: 'placeholder', params: { written: '{friend}' } },
    pauseReason: 'A message would be sent with “{friend}” in it. Check your messages, then resume.',
  })
  expect(await queued()).toMatchObject(
    [1, 2].map(() => ({ status: 'queued', attempts: 0, lease: null, triedAt: null })),
  )

  await person.client.campaigns.update({ id, status: 'active' })
  expect((await queued()).map(({ message }) => message)).toEqual(rendered)
  expect(rendered.every((message) => message.endsWith(' {"a": 1}') && !message.includes('{friend}'))).toBe(true)
  expect((await claimNext()).message).toBe(rendered[0])
})

describe('unfilled variables', () => {
  // Messages that other tests have queued are not due.
  beforeEach(async () => void (await leaveIdle(app)))

  // PostgreSQL cannot store NUL.
  const anyText = fc
    .oneof(
      fc.string({ unit: 'grapheme', maxLength: 12 }),
      fc.string({ unit: 'binary', maxLength: 12 }),
      fc.constantFrom(
        'Name',
        'handle',
        'lead_name',
        '{friend}',
        '{lead_name',
        '[[name]]',
        '<%name%>',
        '*|NAME|*',
        '{',
        '}',
        '{a|b}',
      ),
    )
    .map((value) => value.replaceAll('\u0000', ''))

  it('are never read into the values of people, whatever these contain', async () => {
    await connectX(app, person)
    const texts = fc.sample(fc.tuple(anyText, anyText), { numRuns: 60, seed: 4 })
    const list = await makeList(app, person, openHandles(texts.length), {
      names: ['Name', ...texts.slice(1).map(([name]) => name)],
      metadata: texts.map(([, company]) => ({ company })),
    })
    const { id } = await launch(person, list, { messageTemplate: '{0} {lead_name} {1} {company|us} [ {lead_name}' })
    const claimed = []
    for (const _ of texts) claimed.push((await claimNext(app.db, 0)).message)
    expect(claimed[0]).toMatch(/^\{0\} Name /)
    expect((await person.client.campaigns.find({ id })).status).toBe('active')
  })

  const leftovers = fc.sample(
    fc.tuple(anyText, fc.constantFrom('{friend}', '{{company}}', '{lead_name', '{company|us', 'name}}'), anyText),
    { numRuns: 15, seed: 4 },
  )
  const earlier = (message: string) => ({ message, isFilled: false, dueAt: new Date() })
  const textOf = ([before, leftover, after]: [string, string, string]) => `${before} ${leftover} ${after}`

  it.each(['first message', 'follow-up'])('of an earlier version pause a campaign before its %s', async (which) => {
    const account = await connectX(app, person)
    await confirmDetection(app)
    const { id } = await launch(person, await makeList(app, person, openHandles(1)))
    const of = eq(dms.campaignId, id)
    if (which === 'follow-up') await makeFollowUps(app, of, account.id)
    for (const parts of leftovers) {
      await rewrite(app, of, earlier(textOf(parts)))
      await reactivate(app, { id })
      await letSend(app, { id: account.id })
      await expect(claimNext(), textOf(parts)).rejects.toThrow('nothing is due')
      expect(await person.client.campaigns.find({ id })).toMatchObject({
        status: 'paused',
        reason: { code: 'placeholder' },
      })
    }
  })

  it('of an earlier version skip a direct message, and no other', async () => {
    await connectX(app, person)
    const { leadIds } = await makeList(app, person, openHandles(2))
    await person.client.leads.queue({ leadIds, message: 'Hi' })
    const of = eq(dms.leadId, leadIds[0]!)
    await rewrite(app, of, earlier('Hi {friend}'))
    expect((await claimNext(app.db, 0)).lead?.id).toBe(leadIds[1])
    await expect(claimNext(app.db, 0)).rejects.toThrow('nothing is due')
    expect(await app.db.select().from(dms).where(of)).toMatchObject([
      { status: 'failed', reason: { code: 'placeholder', params: { written: '{friend}' } }, attempts: 0 },
    ])
    const [skipped] = await app.db.select().from(dms).where(of)
    await expect(person.client.campaigns.requeue({ id: skipped!.id })).rejects.toMatchObject({
      code: 'DM_STATE',
      message: expect.stringContaining('The message has “{friend}” in it, which was not filled in. Write it again.'),
    })
  })

  it('of an earlier version do not stop the claim of a direct message whose lead was deleted', async () => {
    await connectX(app, person)
    const { leadIds } = await makeList(app, person, openHandles(1))
    await person.client.leads.queue({ leadIds, message: 'Hi' })
    const [queued] = await app.db.select().from(dms).where(eq(dms.leadId, leadIds[0]!))
    const of = eq(dms.id, queued!.id)
    await rewrite(app, of, { ...earlier('Hi {friend}'), leadId: null })
    expect(await claimNext(app.db, 0)).toMatchObject({ id: queued!.id, lead: null })
  })
})
