import { randomInt, randomUUID } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { idOfHandle } from '@x-automated/stand-ins/x/ids'
import { eq, sql } from 'drizzle-orm'
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { checkArchive } from '../../../../dev-env/archive.ts'
import { backUp, type Restored, restore } from '../../../../dev-env/archive-database.ts'
import { identifyLeads, recordClaim } from '../../../test/leads.ts'
import { connectX, makePerson, type Person, subscribe } from '../../../test/makers.ts'
import { rewrite } from '../../../test/messages.ts'
import { notifyByEmail } from '../../../test/notifications.ts'
import { openApp, type TestApp } from '../../../test/open-app.ts'
import {
  ALL_DAY,
  arrived,
  completed,
  dmsOf,
  eventually,
  expectCountsRight,
  launch,
  makeCampaign,
  makeList,
  openHandles,
  type SomeList,
  sleep,
} from '../../../test/outreach.ts'
import { deleteAccounts, deleteRestores, disconnect, leaveUnread } from '../../../test/x-accounts.ts'
import { xAccounts } from '../../domains/platform/x-account/tables.ts'
import { leads } from '../tables/leads.ts'
import { dms } from '../tables/messages.ts'
import { enrollments } from '../tables/sequences.ts'
import { recordMessagesFromX } from './restore.ts'

// Restores a backup that was taken while sending: X knows messages that the database does not.

const folder = mkdtempSync(join(tmpdir(), 'x-automated-test-'))
let archives = 0
let app: TestApp
let person: Person
let account: { id: string; handle: string }

beforeAll(async () => {
  app = await openApp({ x: true, clock: true, workers: true, unlimitedCalls: true })
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))
beforeEach(async () => {
  // Restores left over from earlier tests.
  await deleteRestores(app)
  person = await makePerson(app)
  await subscribe(app, person)
  account = await connectX(app, person)
})

async function backedUp(): Promise<string> {
  const file = join(folder, `archive ${archives++}`)
  await backUp(app.databaseUrl, { file, authSecret: app.env.authSecret })
  return file
}

async function restored(file: string): Promise<Restored> {
  let done: Restored | undefined
  await app.restart(async () => {
    done = await restore(app.databaseUrl, { file, head: await checkArchive(file), overwrite: true })
  })
  return done as Restored
}

/**
 * Waits for something that needs accounts to be read. Enqueues the job itself, because the job
 * queue does not follow the test's clock.
 */
const whileReading = (check: () => Promise<boolean>, what: string) =>
  eventually(async () => {
    await app.services.jobs.enqueue(app.db, 'find-watches', {})
    await sleep(100)
    return check()
  }, what)

async function readSoon(isRead: () => Promise<boolean>): Promise<void> {
  await app.clock.step(95_000)
  await whileReading(isRead, 'X is read')
}

/**
 * Advances the clock until no message from before the restore can be in flight, and waits until the
 * account is read.
 */
const allRead = () =>
  readSoon(async () => (await app.db.$count(xAccounts, sql`id = ${account.id} and unread_since is not null`)) === 0)

const sentBy = async () => (await arrived(app)).filter(({ from }) => from === account.handle)
const receivers = async () => (await sentBy()).map(({ to }) => to).toSorted()
const isQuiet = async () =>
  (await app.db.$count(dms, sql`workspace_id = ${person.workspaceId} and status = 'queued'`)) === 0

async function listOf(count: number, options: Parameters<typeof makeList>[3] = {}): Promise<SomeList> {
  return makeList(app, person, openHandles(count), options)
}

it('sends nothing twice when a backup that was taken while sending is restored after everything was sent', async () => {
  const running = await listOf(30)
  const imported = await listOf(5, { unknownIds: true })
  const later = await listOf(5)
  const single = await listOf(2)
  await person.client.sendingSettings.saveLimits({ ...ALL_DAY, xAccountId: account.id, pauseSeconds: null })
  const campaign = await launch(person, running, { name: 'Running' })
  await eventually(async () => (await sentBy()).length >= 5, 'some messages are sent')
  // Launched after the backup.
  const draft = await makeCampaign(person, later, { name: 'Later' })
  const importing = await makeCampaign(person, imported, { name: 'Imported' })
  const file = await backedUp()
  await person.client.campaigns.update({ id: draft.id, status: 'active' })
  await person.client.campaigns.update({ id: importing.id, status: 'active' })
  await person.client.messages.send({
    leadId: single.leadIds[0]!,
    message: 'By hand',
    templateVariables: { name: 'Lead', handle: single.handles[0]! },
  })
  for (const id of [campaign.id, draft.id, importing.id]) await completed(person, id)
  const sent = await receivers()
  expect(sent).toHaveLength(41)

  const { paused, toBeRead } = await restored(file)
  expect(paused).toBe(1)
  expect(toBeRead).toBeGreaterThan(0)
  const held = await person.client.campaigns.find({ id: campaign.id })
  expect(held).toMatchObject({
    status: 'paused',
    pauseReason: expect.stringMatching(/^Restored from the backup of .* UTC\. /),
    reason: { code: 'restored', params: { backedUpAt: expect.stringMatching(/Z$/), isReadable: true } },
  })
  for (const id of [campaign.id, draft.id, importing.id]) await person.client.campaigns.update({ id, status: 'active' })
  await allRead()
  for (const id of [campaign.id, draft.id, importing.id]) await completed(person, id)
  await eventually(isQuiet, 'nothing is queued')

  expect(await receivers()).toEqual(sent)
  const rows = await dmsOf(person, campaign.id)
  expect(rows.map(({ status }) => status)).toEqual(rows.map(() => 'sent'))
  await expectCountsRight(app)
  // Leads whose row was lost are not messaged again.
  await expect(
    person.client.messages.send({
      leadId: single.leadIds[0]!,
      message: 'Again',
      templateVariables: { name: 'Lead', handle: 'x' },
    }),
  ).rejects.toMatchObject({ code: 'LEAD_STATE' })
})

it('sends only messages that were not sent before the restore', async () => {
  const list = await listOf(6)
  await person.client.sendingSettings.saveLimits({ ...ALL_DAY, xAccountId: account.id, pauseSeconds: 60 })
  const campaign = await launch(person, list)
  await eventually(async () => (await sentBy()).length === 1, 'the first message is sent')
  const file = await backedUp()
  await app.clock.step(80_000)
  await eventually(async () => (await sentBy()).length === 2, 'the second message is sent')
  await restored(file)
  await allRead()
  await person.client.campaigns.update({ id: campaign.id, status: 'active' })
  for (let sent = 3; sent <= 6; sent += 1) {
    await app.clock.step(80_000)
    await eventually(async () => (await sentBy()).length === sent, 'one more message is sent')
  }
  await completed(person, campaign.id)
  expect(await receivers()).toEqual(list.handles.toSorted())
})

/** Three steps, two minutes apart, because sessions last only 15 minutes. */
const STEPS = ['Hi {twitter_handle}', 'Still there, {twitter_handle}?', 'Bye, {twitter_handle}'].map(
  (messageTemplate, n) => ({
    variants: [{ messageTemplate }],
    ...(n > 0 && { delay: { amount: 2, unit: 'minutes' as const } }),
  }),
)
const textsTo = (handle: string) => [`Hi @${handle}`, `Still there, @${handle}?`, `Bye, @${handle}`]

it('continues each sequence after its last step at X, and repeats none', async () => {
  const cap = (dailyCap: number | null) =>
    person.client.sendingSettings.saveLimits({ ...ALL_DAY, xAccountId: account.id, dailyCap })
  const list = await listOf(6, { unknownIds: true })
  await cap(3)
  const { id } = await launch(person, list, { messageTemplate: undefined, steps: STEPS })
  const sent = async (count: number) =>
    whileReading(async () => (await sentBy()).length === count, `${count} messages are sent`)
  await sent(3)
  await eventually(
    async () => (await dmsOf(person, id)).filter(({ status }) => status === 'sent').length === 3,
    'and recorded',
  )
  // As after a first message from a browser.
  const { to } = (await sentBy())[0]!
  await identifyLeads(app, { twitterHandle: to }, null)
  const file = await backedUp()
  await cap(6)
  await sent(6)
  await cap(9)
  await app.clock.step(150_000)
  await sent(9)

  await restored(file)
  await person.client.campaigns.update({ id, status: 'active' })
  await allRead()
  await cap(null)
  for (const count of [15, 18]) {
    await app.clock.step(150_000)
    await sent(count)
  }
  await completed(person, id)

  const all = await sentBy()
  for (const handle of list.handles)
    expect(all.filter((message) => message.to === handle).map(({ text }) => text)).toEqual(textsTo(handle))
  const states = await app.db
    .select({ state: enrollments.state })
    .from(enrollments)
    .where(eq(enrollments.campaignId, id))
  expect(states.map(({ state }) => state)).toEqual(Array.from({ length: 6 }, () => 'finished'))
  await expectCountsRight(app)
})

it('matches messages at X to steps in any order, and asks X for people whose X id no lead has', async () => {
  const list = await listOf(1, { unknownIds: true })
  const [handle, recipientId] = [list.handles[0]!, idOfHandle(list.handles[0]!)]
  const { id } = await launch(person, list, { messageTemplate: undefined, steps: STEPS, channel: 'extension' })
  const now = Date.now()
  const unreadSince = new Date(now - 3_600_000)
  await leaveUnread(app, { id: account.id }, unreadSince, new Date(now))
  const senderId = idOfHandle(account.handle)
  const [first, second] = textsTo(handle).map((text, n) => ({
    ...{ id: `${randomInt(2 ** 47)}`, senderId, recipientId, text, handles: {} },
    at: new Date(now - 3_000_000 + n * 120_000),
  }))
  const lookedUp: string[] = []
  await recordMessagesFromX(app.db, senderId, [second!, first!], async (xUserId) => {
    lookedUp.push(xUserId)
    return handle
  })
  expect(lookedUp).toEqual([recipientId])
  const [enrollment] = await app.db.select().from(enrollments).where(eq(enrollments.campaignId, id))
  expect(enrollment).toMatchObject({
    state: 'active',
    lastStepNumber: 2,
    lastSentAt: second!.at,
    nextStepNumber: 3,
    nextAt: new Date(second!.at.getTime() + 120_000),
  })
  const rows = await app.db.select().from(dms).where(eq(dms.campaignId, id)).orderBy(dms.sentAt)
  expect(rows.map(({ stepNumber, xEventId, sentAt }) => ({ stepNumber, xEventId, sentAt }))).toEqual([
    { stepNumber: 1, xEventId: first!.id, sentAt: first!.at },
    { stepNumber: 2, xEventId: second!.id, sentAt: second!.at },
  ])
  const [lead] = await app.db.select().from(leads).where(eq(leads.id, list.leadIds[0]!))
  expect(lead).toMatchObject({ xUserId: recipientId, dmStatus: 'contacted' })
  await leaveUnread(app, { id: account.id }, null)
  await expectCountsRight(app)
})

it('reads an account first connected after the backup before sending from it', async () => {
  await deleteAccounts(app, { id: account.id })
  const list = await listOf(3)
  const { id } = await makeCampaign(person, list)
  const file = await backedUp()
  account = await connectX(app, person)
  await person.client.campaigns.update({ id, status: 'active' })
  await completed(person, id)
  expect(await receivers()).toEqual(list.handles.toSorted())

  await restored(file)
  account = await connectX(app, person, account.handle)
  await person.client.campaigns.update({ id, status: 'active' })
  await allRead()
  await completed(person, id)
  expect(await receivers()).toEqual(list.handles.toSorted())
  expect((await dmsOf(person, id)).map(({ status }) => status)).toEqual(['sent', 'sent', 'sent'])
})

it('does not read accounts that are connected a month after a restore', async () => {
  await restored(await backedUp())
  await app.clock.step(31 * 86_400_000)
  const other = await connectX(app, await makePerson(app))
  expect(await app.db.$count(xAccounts, sql`id = ${other.id} and unread_since is null`)).toBe(1)
})

it('counts messages sent after the backup toward the cap', async () => {
  const list = await listOf(6)
  await person.client.sendingSettings.saveLimits({ ...ALL_DAY, xAccountId: account.id, dailyCap: 3 })
  const file = await backedUp()
  const lost = await launch(person, list)
  await eventually(async () => (await sentBy()).length === 3, 'the cap is reached')
  expect(lost.status).toBe('active')
  await restored(file)
  await expect(
    person.client.messages.send({
      leadId: list.leadIds[5]!,
      message: 'Too early',
      templateVariables: { name: 'Lead', handle: list.handles[5]! },
    }),
  ).rejects.toMatchObject({ code: 'RATE_LIMITED', message: expect.stringContaining('still checking X for messages') })
  await allRead()
  const again = await launch(person, list)
  const pace = (await person.client.sendingSettings.find({})).accounts[0]
  expect(pace).toMatchObject({ countedInDay: 3, waitingFor: { reason: 'cap' } })
  expect(await sentBy()).toHaveLength(3)
  const rows = await dmsOf(person, again.id)
  expect(rows.filter(({ reason }) => reason?.code === 'contacted')).toHaveLength(3)
})

it('fails messages that an extension may have sent if no X account can check', async () => {
  await deleteAccounts(app, { id: account.id })
  const list = await listOf(3)
  const campaign = await launch(person, list, { channel: 'extension' })
  const file = await backedUp()
  expect(await restored(file)).toMatchObject({ unknown: 3 })
  const rows = await dmsOf(person, campaign.id)
  expect(rows.map(({ status, outcomeUnknown, errorMessage }) => ({ status, outcomeUnknown, errorMessage }))).toEqual(
    rows.map(() => ({
      status: 'failed',
      outcomeUnknown: true,
      errorMessage: 'Outcome unknown: check the conversation before sending again',
    })),
  )
  expect(await person.client.campaigns.find({ id: campaign.id })).toMatchObject({
    status: 'paused',
    pauseReason: expect.stringContaining('Check the conversation'),
    reason: { code: 'restored', params: { backedUpAt: expect.stringMatching(/Z$/), isReadable: false } },
    dmsFailedCount: 3,
  })
  expect(await app.db.$count(leads, sql`workspace_id = ${person.workspaceId} and dm_status = 'failed_contact'`)).toBe(3)
  await person.client.campaigns.requeue({ id: rows[0]!.id })
  await person.client.campaigns.update({ id: campaign.id, status: 'active' })
  expect(await person.client.campaigns.claimAny({ holder: 'a browser' })).toMatchObject({
    status: 200,
    body: { dmId: rows[0]!.id },
  })
})

it('pauses people whose next message may have been sent if no X account can check', async () => {
  const list = await listOf(3)
  const steps = { messageTemplate: undefined, steps: STEPS, channel: 'extension' } as const
  const { id } = await launch(person, list, steps)
  const first = await person.client.campaigns.claimAny({ holder: 'a browser' })
  if (first.status !== 200) throw new Error('nothing was claimed')
  await person.client.campaigns.recordOutcome({ id: first.body.dmId, lease: first.body.lease, wasSent: true })
  await disconnect(app, { id: account.id })
  const file = await backedUp()
  await app.clock.step(150_000)
  await restored(file)
  expect((await dmsOf(person, id)).filter(({ outcomeUnknown }) => outcomeUnknown)).toHaveLength(2)
  const rows = await app.db.select().from(enrollments).where(eq(enrollments.campaignId, id))
  expect(
    rows.map(({ state, reason, nextStepNumber, nextAt }) => ({ state, code: reason?.code, nextStepNumber, nextAt })),
  ).toEqual(rows.map(() => ({ state: 'paused', code: 'outcome_unknown', nextStepNumber: 2, nextAt: null })))
  expect(await person.client.campaigns.find({ id })).toMatchObject({ status: 'paused', openEnrollments: 3 })
  await expectCountsRight(app)
})

it('gives extensions nothing until X is read, and records what they sent', async () => {
  const list = await listOf(2)
  const campaign = await launch(person, list, { channel: 'extension' })
  const file = await backedUp()
  const claimed = await person.client.campaigns.claimAny({ holder: 'a browser' })
  if (claimed.status !== 200) throw new Error('nothing was claimed')
  const { accessToken } = await app.services.x!.signInWithPassword(account.handle, 'long enough')
  const [lead] = await app.db.select().from(leads).where(eq(leads.id, claimed.body.leadId))
  await app.services.x!.sendMessage(accessToken, lead!.xUserId!, claimed.body.message)

  await restored(file)
  await person.client.campaigns.update({ id: campaign.id, status: 'active' })
  expect(await person.client.campaigns.claimAny({ holder: 'a browser' })).toMatchObject({ status: 204 })
  await allRead()
  const rows = await dmsOf(person, campaign.id)
  expect(rows.find(({ id }) => id === claimed.body.dmId)?.status).toBe('sent')
  // For 24 hours, no other campaign messages this lead.
  const [sentTo] = await app.db.select().from(leads).where(eq(leads.id, claimed.body.leadId))
  expect(sentTo).toMatchObject({ lastClaimedAt: expect.any(Date), lastClaimedCampaignId: campaign.id })
  expect(await person.client.campaigns.claimAny({ holder: 'a browser' })).toMatchObject({
    status: 200,
    body: { twitterHandle: list.handles.find((handle) => handle !== claimed.body.twitterHandle) },
  })
})

it('skips a queued message if the backup lost another message to the same person', async () => {
  const list = await listOf(1)
  const campaign = await launch(person, list, { channel: 'extension' })
  const file = await backedUp()
  await person.client.campaigns.update({ id: campaign.id, status: 'archived' })
  await person.client.messages.send({
    leadId: list.leadIds[0]!,
    message: 'By hand',
    templateVariables: { name: 'Lead', handle: list.handles[0]! },
  })

  await restored(file)
  await person.client.campaigns.update({ id: campaign.id, status: 'active' })
  await allRead()
  expect(await dmsOf(person, campaign.id)).toMatchObject([
    {
      status: 'failed',
      errorMessage: expect.stringContaining('after the restored backup'),
      reason: { code: 'contacted', params: { how: 'backup' } },
    },
  ])
  expect(await person.client.campaigns.claimAny({ holder: 'a browser' })).toMatchObject({ status: 204 })
})

it('keeps an account unread until messages claimed in the backup are settled', async () => {
  const list = await listOf(2)
  const campaign = await launch(person, list, { channel: 'extension' })
  const claimed = await person.client.campaigns.claimAny({ holder: 'a browser' })
  if (claimed.status !== 200) throw new Error('nothing was claimed')
  await restored(await backedUp())
  await person.client.campaigns.update({ id: campaign.id, status: 'active' })

  const watch = sql`reply_watches w join x_accounts a on a.x_user_id = w.x_user_id where a.id = ${account.id}`
  const isRead = async () =>
    (await app.db.execute(sql`select from ${watch} and w.read_until is not null and w.next_poll_at > now()`)).rows
      .length > 0
  await readSoon(isRead)
  expect(await app.db.$count(xAccounts, sql`id = ${account.id} and unread_since is not null`)).toBe(1)
  expect(await person.client.campaigns.claimAny({ holder: 'another browser' })).toMatchObject({ status: 204 })

  await person.client.campaigns.recordOutcome({ id: claimed.body.dmId, lease: claimed.body.lease, wasSent: false })
  await allRead()
  expect(await person.client.campaigns.claimAny({ holder: 'another browser' })).toMatchObject({ status: 200 })
})

it('records a message at X once if two processes read it', async () => {
  await leaveUnread(app, { id: account.id }, new Date())
  const [senderId, recipientId] = [idOfHandle(account.handle), idOfHandle(openHandles(1)[0]!)]
  const messages = Array.from({ length: 5 }, (_, n) => {
    return { id: `${randomInt(2 ** 47)}`, senderId, recipientId, text: `Text ${n}`, at: new Date(), handles: {} }
  })
  await Promise.all([1, 2, 3].map(() => recordMessagesFromX(app.db, senderId, messages, async () => null)))
  expect(await app.db.$count(dms, eq(dms.workspaceId, person.workspaceId))).toBe(5)
})

it('records a message at X as sent, even if a simulation had claimed it in the backup', async () => {
  const list = await listOf(1)
  const { id } = await launch(person, list, { channel: 'extension' })
  const [queued] = await dmsOf(person, id)
  const at = new Date()
  const claim = {
    holder: 'simulated',
    lease: randomUUID(),
    leaseExpiresAt: new Date(at.getTime() + 60_000),
    claimedAt: at,
  }
  await rewrite(app, { campaignId: id }, claim)
  await leaveUnread(app, { id: account.id }, at)
  const [senderId, recipientId] = [idOfHandle(account.handle), idOfHandle(list.handles[0]!)]
  const message = { id: `${randomInt(2 ** 47)}`, senderId, recipientId, text: queued!.message, at, handles: {} }
  await recordMessagesFromX(app.db, senderId, [message], async () => null)
  const [row] = await app.db.select().from(dms).where(eq(dms.campaignId, id))
  expect(row).toMatchObject({ status: 'sent', sentAt: at, holder: null })
})

it('counts the day between two messages from the hand-over that the backup does not know', async () => {
  const list = await listOf(1)
  const { id } = await launch(person, list)
  await completed(person, id)
  const read = () => app.db.select().from(dms).where(eq(dms.campaignId, id))
  const [sent] = await read()
  const claimedAt = new Date(sent!.claimedAt!.getTime() - 23 * 3_600_000)
  const claim = { holder: 'worker:0', lease: randomUUID(), leaseExpiresAt: claimedAt, claimedAt, triedAt: claimedAt }
  await recordClaim(app, { id: sent!.leadId! }, claimedAt)
  const unsent = { status: 'queued', sentAt: null, xEventId: null } as const
  await rewrite(app, { id: sent!.id }, { ...claim, ...unsent })
  await app.clock.step(25_000)
  await eventually(isQuiet, 'it is found at X')
  const [settled] = await read()
  const [lead] = await app.db.select().from(leads).where(eq(leads.id, sent!.leadId!))
  expect(settled).toMatchObject({ status: 'sent', xEventId: sent!.xEventId })
  expect(lead!.lastClaimedAt).toEqual(settled!.claimedAt)
  expect(settled!.claimedAt!.getTime() - sent!.claimedAt!.getTime()).toBeGreaterThan(-1_000)
})

it('fails messages that X no longer lists', async () => {
  const list = await listOf(2)
  await person.client.sendingSettings.saveLimits({ ...ALL_DAY, xAccountId: account.id, pauseSeconds: 3_600 })
  const campaign = await launch(person, list)
  await eventually(async () => (await sentBy()).length === 1, 'the first message is sent')
  await person.client.campaigns.update({ id: campaign.id, status: 'paused' })
  const file = await backedUp()
  await restored(file)
  await app.clock.step(31 * 86_400_000)
  await allRead()
  const [row] = await app.db.select().from(dms).where(sql`campaign_id = ${campaign.id} and sent_at is null`)
  expect(row).toMatchObject({ status: 'failed', outcomeUnknown: true })
})

it('drops emails that were queued in the backup', async () => {
  const { jobs, database } = app.services
  await jobs.enqueue(database.db, 'mail', { sealed: 'a letter' })
  await notifyByEmail(app, person, 'x_disconnected')
  const file = await backedUp()
  expect((await restored(file)).emails).toBeGreaterThanOrEqual(1)
  const { rows } = await app.db.execute(
    sql`select from pgboss.job where name = 'mail' and data ->> 'sealed' = 'a letter'`,
  )
  expect(rows).toEqual([])
})
