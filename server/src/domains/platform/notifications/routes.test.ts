import {
  DEFAULT_REPLY_LABELS,
  NOTIFICATION_KINDS,
  type NotificationKind,
} from '@x-automated/contract/platform/notifications'
import { eq } from 'drizzle-orm'
import { beforeAll, describe, expect, it } from 'vitest'
import { insertLeads } from '../../../../test/leads.ts'
import { call, connectX, makePerson, type Person } from '../../../../test/makers.ts'
import { ageNotifications } from '../../../../test/notifications.ts'
import { openApp, type TestApp } from '../../../../test/open-app.ts'
import { eventually, launch, makeList, openHandles } from '../../../../test/outreach.ts'
import { loseConnection } from '../../../../test/x-accounts.ts'
import { pauseCampaignsOf } from '../../../core/campaigns/pause.ts'
import { sendQueuedEmails } from '../../../jobs/mail.ts'
import { createMailer } from '../../../outside/mail.ts'
import { notifyReplies, purgeOldNotifications, queueDigests, queueNotificationEmails } from './notifications.ts'
import { notifications } from './tables.ts'

let app: TestApp
let owner: Person
let viewer: Person
beforeAll(async () => {
  app = await openApp({ mailbox: true })
  owner = await makePerson(app)
  viewer = await makePerson(app, { in: owner, role: 'viewer' })
})

const REASON = 'X has locked this account.'
const lose = (id: string) => loseConnection(app, { id }, REASON)
const context = () => ({ ...app.services, db: app.db })

/** Launches an extension campaign of two messages and reports both outcomes, which completes it. */
async function complete(person: Person) {
  const campaign = await launch(person, await makeList(app, person, openHandles(2)), { channel: 'extension' })
  for (const wasSent of [true, false]) {
    const { body } = await person.call('POST', `/campaigns/${campaign.id}/claim`, { holder: 'laptop' })
    await person.call('POST', `/dms/${body.dmId}/outcome`, { lease: body.lease, wasSent })
  }
  return campaign
}

it('notifies every member of a lost account and of paused and completed campaigns, but not of what a person did', async () => {
  const account = await connectX(app, owner)
  const campaign = await complete(owner)
  const paused = await launch(owner, await makeList(app, owner, openHandles(1)))
  await owner.client.campaigns.update({ id: paused.id, status: 'paused' })
  await owner.client.campaigns.update({ id: paused.id, status: 'active' })
  await app.db.transaction((tx) =>
    pauseCampaignsOf(
      tx,
      { accountId: account.id, campaignId: paused.id },
      { reason: { code: 'x_locked', params: {} }, xMessage: REASON },
    ),
  )
  await lose(account.id)
  await lose(account.id)
  const expected = [
    {
      kind: 'x_disconnected',
      title: `@${account.handle} is disconnected`,
      text: `Sending from this account is paused. ${REASON}`,
      path: '/twitter',
    },
    {
      kind: 'campaign_paused',
      title: 'Campaign “Spring” was paused automatically',
      text: REASON,
      path: `/campaigns/${paused.id}`,
    },
    {
      kind: 'campaign_completed',
      title: 'Campaign “Spring” is complete',
      text: '1 sent, 1 failed.',
      path: `/campaigns/${campaign.id}`,
    },
  ]
  for (const person of [owner, viewer]) {
    const page = await person.client.notifications.list({})
    expect(page).toMatchObject({ notifications: expected, total: 3, unread: 3, page: 1, pageSize: 20 })
    expect(await person.client.notifications.countUnread()).toEqual({ unread: 3 })
  }
  expect((await owner.client.notifications.list({ page: 2, pageSize: 2 })).notifications).toMatchObject([expected[2]!])
  const stranger = await makePerson(app)
  expect(await stranger.client.notifications.list({})).toMatchObject({ notifications: [], total: 0, unread: 0 })

  // Marking as read affects only the caller's own notifications.
  const [first] = (await owner.client.notifications.list({})).notifications
  expect(await viewer.client.notifications.markRead({ ids: [first!.id] })).toEqual({ success: true, unread: 3 })
  expect(await owner.client.notifications.markRead({ ids: [first!.id] })).toEqual({ success: true, unread: 2 })
  expect(await owner.client.notifications.markRead({})).toEqual({ success: true, unread: 0 })
  expect((await viewer.client.notifications.countUnread()).unread).toBe(3)
})

/** The preference of someone who has chosen nothing. */
const asDefault = (kind: NotificationKind) => ({
  kind,
  inApp: true,
  email: true,
  ...(kind === 'lead_replied' && { browser: false, frequency: 'immediate', labels: DEFAULT_REPLY_LABELS }),
})

describe('replies', () => {
  const reply = async (person: Person, label: 'interested' | 'auto_reply' | null, at = new Date()) => {
    const handle = { name: 'Lena Lead', twitterHandle: crypto.randomUUID() }
    const [leadId] = await insertLeads(app, [{ workspaceId: person.workspaceId, userId: person.id, ...handle }])
    await notifyReplies(app.db, person.workspaceId, [{ leadId: leadId!, accountXUserId: '1', label, at }])
  }
  const titles = async (person: Person) =>
    (await person.client.notifications.list({})).notifications.map(({ title, text, path }) => [title, text, path])

  it('notify members by label, and never viewers', async () => {
    const person = await makePerson(app)
    const [colleague, reader] = [
      await makePerson(app, { in: person, role: 'member' }),
      await makePerson(app, { in: person, role: 'viewer' }),
    ]
    await colleague.client.notifications.setPreference({ kind: 'lead_replied', labels: ['auto_reply'] })
    await reply(person, 'interested')
    await reply(person, 'auto_reply')
    expect(await titles(person)).toEqual([['Lena Lead replied', 'Labeled Interested.', '/inbox']])
    expect(await titles(colleague)).toEqual([['Lena Lead replied', 'Labeled Automatic reply.', '/inbox']])
    expect(await titles(reader)).toEqual([])
  })

  it('are emailed once a day to those who want that', async () => {
    while ((await queueNotificationEmails(context())) > 0);
    const person = await makePerson(app)
    await person.client.notifications.setPreference({ kind: 'lead_replied', frequency: 'daily' })
    await reply(person, 'interested')
    await reply(person, null)
    expect(await queueNotificationEmails(context())).toBe(0)
    expect(await queueDigests(context())).toBe(0)
    await ageNotifications(app, { userId: person.id }, 25)
    expect(await queueDigests(context())).toBe(1)
    expect(await queueDigests(context())).toBe(0)
  })

  it('that are found late notify nobody', async () => {
    const person = await makePerson(app)
    await reply(person, 'interested', new Date(Date.now() - 25 * 3_600_000))
    expect(await titles(person)).toEqual([])
  })

  it('in the browser only are not in the bell', async () => {
    const person = await makePerson(app)
    await person.client.notifications.setPreference({ kind: 'lead_replied', inApp: false, browser: true })
    await reply(person, 'interested')
    expect(await titles(person)).toEqual([])
    expect((await person.client.notifications.list({ browser: true })).notifications).toMatchObject([
      { title: 'Lena Lead replied' },
    ])
  })

  it.each(['immediate', 'daily'] as const)('are not emailed (%s) to people who became viewers', async (frequency) => {
    while ((await queueNotificationEmails(context())) > 0);
    const person = await makePerson(app)
    const [colleague, former] = [
      await makePerson(app, { in: person, role: 'member' }),
      await makePerson(app, { in: person, role: 'member' }),
    ]
    for (const member of [person, colleague, former])
      await member.client.notifications.setPreference({ kind: 'lead_replied', frequency })
    await reply(person, 'interested')
    await person.client.people.update({ id: colleague.id, role: 'viewer' })
    await person.client.people.remove({ id: former.id })
    await ageNotifications(app, { workspaceId: person.workspaceId }, 25)
    while ((await queueNotificationEmails(context())) > 0);
    while ((await queueDigests(context())) > 0);
    await sendQueuedEmails(
      app.services.jobs,
      createMailer(app.env.smtpUrl!, app.env.mailFrom, app.env.supportEmail),
      app.env.authSecret,
    )
    const inboxOf = async ({ email }: Person) => {
      const mails: { subject: string; text: string }[] = await (
        await fetch(`${app.mailbox.url}/messages?to=${email}`)
      ).json()
      return mails.filter(({ subject, text }) => (subject + text).includes('Lena Lead'))
    }
    await eventually(async () => (await inboxOf(person)).length === 1, 'the email of the member')
    for (const member of [colleague, former]) expect(await inboxOf(member)).toEqual([])
  })

  it('alone have labels, a frequency and browser notifications', async () => {
    const response = await owner.call('PUT', '/notifications/preferences', { kind: 'usage_high', frequency: 'daily' })
    expect([response.status, response.body.code]).toEqual([400, 'INVALID_INPUT'])
  })
})

it('inserts nothing if the transaction rolls back', async () => {
  const person = await makePerson(app)
  const { id } = await connectX(app, person)
  const undone = app.db.transaction(async (tx) => {
    await loseConnection({ db: tx }, { id }, REASON)
    throw new Error('undone')
  })
  await expect(undone).rejects.toThrow('undone')
  expect(await person.client.notifications.list({})).toMatchObject({ total: 0 })
})

describe('preferences', () => {
  it('are all on by default and apply per channel', async () => {
    const person = await makePerson(app)
    expect(await person.client.notifications.listPreferences()).toEqual({
      preferences: NOTIFICATION_KINDS.map(asDefault),
    })
    const { preferences } = await person.client.notifications.setPreference({ kind: 'x_disconnected', inApp: false })
    expect(preferences[0]).toEqual({ kind: 'x_disconnected', inApp: false, email: true })
    await person.client.notifications.setPreference({ kind: 'campaign_completed', email: false })
    await lose((await connectX(app, person)).id)
    await complete(person)
    expect((await person.client.notifications.list({})).notifications.map(({ kind }) => kind)).toEqual([
      'campaign_completed',
    ])
    const rows = await app.db.select().from(notifications).where(eq(notifications.userId, person.id))
    expect(rows.map(({ kind, inApp, email }) => [kind, inApp, email]).sort()).toEqual([
      ['campaign_completed', true, false],
      ['x_disconnected', false, true],
    ])
    await person.client.notifications.setPreference({ kind: 'x_disconnected', email: false })
    await lose((await connectX(app, person)).id)
    expect(await app.db.$count(notifications, eq(notifications.userId, person.id))).toBe(2)
    expect((await person.call('PUT', '/notifications/preferences', { kind: 'weather' })).status).toBe(400)
    expect((await person.call('POST', '/notifications/read', { ids: [] })).status).toBe(400)
  })
})

it.each(['/notices', '/notices/unread', '/notices/preferences'])('returns 404 for the former path %s', async (path) => {
  expect((await owner.call('GET', path)).status).toBe(404)
})

describe('emails', () => {
  it('are queued once by concurrent processes, and stop after one click on unsubscribe', async () => {
    while ((await queueNotificationEmails(context())) > 0);
    const person = await makePerson(app)
    await lose((await connectX(app, person)).id)
    await complete(person)
    const queuedCounts = await Promise.all([1, 2, 3, 4].map(() => queueNotificationEmails(context())))
    expect(queuedCounts.reduce((sum, count) => sum + count, 0)).toBe(2)
    const mailer = createMailer(app.env.smtpUrl!, app.env.mailFrom, app.env.supportEmail)
    await sendQueuedEmails(app.services.jobs, mailer, app.env.authSecret)
    const inbox = async (): Promise<{ subject: string; text: string; html: string }[]> =>
      (await fetch(`${app.mailbox.url}/messages?to=${person.email}`)).json()
    const mails = await eventually(async () => {
      const come = await inbox()
      return come.length === 2 ? come : null
    }, 'both emails arrive')
    const lost = mails.find(({ subject }) => subject.endsWith('is disconnected'))!
    expect(lost.text).toContain(REASON)
    expect(lost.text).toContain('/twitter')

    const [link] = lost.text.match(/\/api\/notifications\/unsubscribe\?token=\S+/)!
    const path = link!.slice('/api'.length)
    const response = await call(app, 'GET', path)
    expect([response.status, response.body]).toEqual([200, expect.stringContaining('Unsubscribe from these emails?')])
    expect((await person.client.notifications.listPreferences()).preferences[0]?.email).toBe(true)
    const form = { 'content-type': 'application/x-www-form-urlencoded' }
    const done = await call(app, 'POST', path, 'List-Unsubscribe=One-Click', form)
    expect([done.status, done.body]).toEqual([200, expect.stringContaining('disconnected X accounts')])
    expect((await person.client.notifications.listPreferences()).preferences).toEqual(
      NOTIFICATION_KINDS.map((kind) => ({ ...asDefault(kind), email: kind !== 'x_disconnected' })),
    )
    // Emails sent before the path was renamed link to the old one.
    expect((await call(app, 'POST', path.replace('notifications', 'notices'), '', form)).status).toBe(200)
    expect((await call(app, 'POST', '/notifications/unsubscribe?token=made-up', '', form)).body.code).toBe(
      'INVALID_CODE',
    )
    mailer.close()
  })
})

it('deletes notifications after 90 days', async () => {
  await ageNotifications(app, { userId: owner.id }, 91 * 24)
  await purgeOldNotifications(app.db)
  expect((await owner.client.notifications.list({})).total).toBe(0)
  expect((await viewer.client.notifications.list({})).total).toBe(3)
})
