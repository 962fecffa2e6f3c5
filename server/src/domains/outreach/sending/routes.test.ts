import { eq } from 'drizzle-orm'
import { beforeAll, describe, expect, it } from 'vitest'
import { makeLeads } from '../../../../test/leads.ts'
import { connectX, makePerson, type Person, subscribe } from '../../../../test/makers.ts'
import { markFailed } from '../../../../test/messages.ts'
import { openApp, type TestApp } from '../../../../test/open-app.ts'
import {
  ALL_DAY,
  arrived,
  launch,
  makeList,
  openHandles,
  openSenders,
  READS,
  SENDS,
  setFaults,
} from '../../../../test/outreach.ts'
import { setUsage } from '../../../../test/subscriptions.ts'
import { rest } from '../../../../test/x-accounts.ts'
import { leads } from '../../../core/tables/leads.ts'
import { dms } from '../../../core/tables/messages.ts'
import { monthlyUsage } from '../../platform/billing/tables.ts'

let app: TestApp
const senders = openSenders(() => app)
beforeAll(async () => {
  app = await openApp({ x: true })
})

/** Creates a user with a connected X account and leads who accept messages. */
async function withLeads(count: number) {
  const { person, account } = await senders.connected()
  const rows = await makeLeads(
    app,
    person,
    openHandles(count).map((twitterHandle, i) => ({ twitterHandle, name: `Ann ${i + 1}` })),
  )
  return { person, account, rows }
}

type Row = Awaited<ReturnType<typeof withLeads>>['rows'][number]
const bodyFor = (row: Row, more: object = {}) => ({
  leadId: row.id,
  message: 'Hi {{name}}, I follow {{handle}}',
  templateVariables: { name: row.name, handle: row.twitterHandle },
  ...more,
})
const send = (person: Person, row: Row, more: object = {}, key?: string) =>
  person.call('POST', '/messages/send', bodyFor(row, more), key ? { 'idempotency-key': key } : {})
const statusOf = async (row: Row) => (await app.db.select().from(leads).where(eq(leads.id, row.id)))[0]?.dmStatus
const dmsTo = (row: Row) => app.db.select().from(dms).where(eq(dms.leadId, row.id))

describe('GET /messages/leads', () => {
  it('returns leads newest first, by status, 100 per page, with totals and a cursor', async () => {
    const person = await makePerson(app)
    const statuses = ['not_sent', 'queued', 'sent', 'failed', 'contacted', 'failed_contact'] as const
    const rows = await makeLeads(
      app,
      person,
      statuses.map((dmStatus) => ({ dmStatus })),
    )
    const names = async (query: string) => {
      const { status, body } = await person.call('GET', `/messages/leads${query}`)
      expect([status, body.success]).toEqual([200, true])
      return [body.total, ...body.leads.map((lead: Row) => lead.dmStatus)]
    }
    expect(await names('')).toEqual([6, ...statuses.toReversed()])
    expect(await names('?status=all&pageSize=2&page=2')).toEqual([6, 'failed', 'sent'])
    expect(await names('?status=pending')).toEqual([2, 'queued', 'not_sent'])
    expect(await names('?status=sent')).toEqual([2, 'contacted', 'sent'])
    expect(await names('?status=failed')).toEqual([2, 'failed_contact', 'failed'])
    const first = await person.client.messages.leads({ status: 'pending', pageSize: 1 })
    const rest = await person.client.messages.leads({ status: 'pending', pageSize: 1, cursor: first.cursor ?? '' })
    expect([first.leads[0]?.id, rest.leads[0]?.id, rest.cursor]).toEqual([rows[1]?.id, rows[0]?.id, null])
    expect(first.pageSize).toBe(1)
    expect((await person.client.messages.leads({})).pageSize).toBe(100)
  })

  it.each(['?status=contacted', '?pageSize=101', '?page=0', '?cursor=nonsense'])(
    'returns 400 for %s',
    async (query) => {
      const person = await makePerson(app)
      expect(await person.call('GET', `/messages/leads${query}`)).toMatchObject({ status: 400 })
    },
  )
})

describe('POST /messages/send', () => {
  it('fills placeholders, sends once per key, and records the message on the lead', async () => {
    const { person, account, rows } = await withLeads(2)
    const [firstLead, two] = rows as [Row, Row]
    const first = await send(person, firstLead, {}, 'a key of the first')
    expect(first).toMatchObject({ status: 200, body: { success: true, status: 'sent' } })
    expect(await senders.arrivedFrom(account.handle)).toMatchObject([
      { to: firstLead.twitterHandle, text: `Hi Ann 1, I follow @${firstLead.twitterHandle}` },
    ])
    expect((await send(person, firstLead, {}, 'a key of the first')).body).toEqual(first.body)
    expect(await senders.arrivedFrom(account.handle)).toHaveLength(1)
    expect(await statusOf(firstLead)).toBe('contacted')
    expect(await dmsTo(firstLead)).toMatchObject([
      { id: first.body.dmId, status: 'sent', attempts: 1, leaseExpiresAt: null },
    ])

    // A missing name, a handle with @, and campaign placeholders.
    const variables = { name: ' ', handle: `@${two.twitterHandle}` }
    const message = '{{NAME}} {lead\u200b_name} @{{ handle }} {company|us}'
    expect(await send(person, two, { message, templateVariables: variables })).toMatchObject({ status: 200 })
    expect((await arrived(app, two.twitterHandle))[0]?.text).toBe(`there there @${two.twitterHandle} us`)
    expect((await person.client.campaigns.list({})).total).toBe(0)
  })

  it('returns 409 if the lead is queued, suppressed, or may already have been messaged', async () => {
    const { person, rows } = await withLeads(4)
    const [written, queued, suppressed, unknown] = rows as [Row, Row, Row, Row]
    await send(person, written)
    await person.client.leads.queue({ leadIds: [queued.id] })
    await person.client.suppressions.create({ handles: [suppressed.twitterHandle] })
    const list = await makeList(app, person, [])
    await person.client.lists.addLeads({ id: list.id, leadIds: [unknown.id] })
    const campaign = await launch(person, list, { channel: 'extension' })
    await markFailed(app, { campaignId: campaign.id }, { outcomeUnknown: true })
    const refused = await Promise.all([written, queued, suppressed, unknown].map((row) => send(person, row)))
    expect(refused.map(({ status, body }) => [status, body.code, body.error])).toEqual([
      [409, 'LEAD_STATE', 'You have already messaged this lead.'],
      [409, 'LEAD_STATE', 'A message to this lead is already queued.'],
      [
        409,
        'LEAD_STATE',
        'This person is on your suppression list. To message them, remove them from your suppression list first.',
      ],
      [409, 'LEAD_STATE', 'A message to this lead may have been sent. Check the conversation on X first.'],
    ])
    expect(await send(person, written, { allowRepeat: true })).toMatchObject({ status: 200 })
    expect(await arrived(app, written.twitterHandle)).toHaveLength(2)
    for (const row of [queued, suppressed, unknown])
      expect(await send(person, row, { allowRepeat: true })).toMatchObject({ status: 409 })
  })

  it('sends one of two concurrent messages to a lead', async () => {
    const { person, rows } = await withLeads(1)
    const responses = await Promise.all([send(person, rows[0]!), send(person, rows[0]!), send(person, rows[0]!)])
    expect(responses.map(({ status }) => status).sort()).toEqual([200, 409, 409])
    expect(await arrived(app, rows[0]!.twitterHandle)).toHaveLength(1)
  })

  it('returns 409 and records the reason if X does not deliver, and allows a retry', async () => {
    const { person } = await senders.connected()
    const [closed] = await makeLeads(app, person, [{ twitterHandle: 'closed_inbox', name: 'Closed' }])
    const refused = await send(person, closed!)
    expect(refused).toMatchObject({ status: 409, body: { code: 'DM_FAILED' } })
    expect(refused.body.error).toMatch(/^X rejected the message to @closed_inbox/)
    expect(await statusOf(closed!)).toBe('failed_contact')
    expect(await send(person, closed!)).toMatchObject({ status: 409, body: { code: 'DM_FAILED' } })
    expect((await dmsTo(closed!)).map(({ step, status }) => [step, status]).sort()).toEqual([
      [0, 'failed'],
      [1, 'failed'],
    ])
  })

  it('ignores the sending window and the interval', async () => {
    const { person, account, rows } = await withLeads(2)
    const inTwoDays = ((new Date().getUTCDay() + 1) % 7) + 1
    const limits = { ...ALL_DAY, workDays: [inTwoDays], pauseSeconds: 600 }
    await person.client.sendingSettings.saveLimits({ ...limits, xAccountId: account.id })
    for (const row of rows) expect(await send(person, row)).toMatchObject({ status: 200 })
  })

  it("returns 429 at the daily cap or X's rate limit, and stores nothing", async () => {
    const { person, account, rows } = await withLeads(3)
    await person.client.sendingSettings.saveLimits({ ...ALL_DAY, xAccountId: account.id, dailyCap: 1 })
    expect(await send(person, rows[0]!)).toMatchObject({ status: 200 })
    const capped = await send(person, rows[1]!, {}, 'capped')
    expect(capped).toMatchObject({ status: 429, body: { code: 'RATE_LIMITED' } })
    expect(capped.body.error).toBe(`@${account.handle} has reached its daily cap of 1 DM. Try again later.`)
    expect(Number(capped.headers.get('retry-after'))).toBeGreaterThan(86_000)
    expect([await statusOf(rows[1]!), await dmsTo(rows[1]!)]).toEqual(['not_sent', []])

    await person.client.sendingSettings.saveLimits({ ...ALL_DAY, xAccountId: account.id, dailyCap: null })
    await setFaults(app, { ...SENDS, status: 429, times: 1 })
    const limited = await send(person, rows[1]!, {}, 'capped')
    expect(limited).toMatchObject({
      status: 429,
      body: { error: 'X is limiting messages from this account. Try again later.' },
    })
    expect(Number(limited.headers.get('retry-after'))).toBeGreaterThan(0)
    // X is not called again before its reset time.
    expect(await send(person, rows[2]!)).toMatchObject({ status: 429 })
    expect([await statusOf(rows[1]!), await dmsTo(rows[1]!), await dmsTo(rows[2]!)]).toEqual(['not_sent', [], []])
    // A temporary refusal is not stored, so the same key sends now.
    await rest(app, { id: account.id }, null)
    expect(await send(person, rows[1]!, {}, 'capped')).toMatchObject({ status: 200 })
    const [usage] = await app.db.select().from(monthlyUsage).where(eq(monthlyUsage.workspaceId, person.workspaceId))
    expect(usage?.count).toBe(2)
  })

  it('settles a send that X never answered, and never sends twice', async () => {
    const { person, account, rows } = await withLeads(2)
    await senders.start()
    await setFaults(app, { ...SENDS, dropAfter: true, times: 1 }, { ...SENDS, dropBefore: true, times: 1 })
    const both = () => Promise.all(rows.map((row) => send(person, row, {}, `dropped ${row.id}`)))
    const first = await both()
    expect(first.map(({ status }) => status)).toEqual([200, 200])
    expect((await both()).map(({ body }) => body)).toEqual(first.map(({ body }) => body))
    expect((await senders.arrivedFrom(account.handle)).map(({ to }) => to).sort()).toEqual(
      rows.map(({ twitterHandle }) => twitterHandle).sort(),
    )
  })

  it('returns 503 while the outcome is unknown; the same key returns it later without sending again', async () => {
    const { person, account, rows } = await withLeads(1)
    await setFaults(app, { ...SENDS, dropAfter: true, times: 1 }, { ...READS, status: 503, times: 100 })
    const waiting = new AbortController()
    const body = JSON.stringify(bodyFor(rows[0]!))
    const request = fetch(`${app.url}/messages/send`, {
      method: 'POST',
      signal: waiting.signal,
      headers: {
        authorization: `Bearer ${person.token}`,
        'content-type': 'application/json',
        'idempotency-key': 'gone',
      },
      body,
    }).catch(() => null)
    await expect.poll(async () => (await dmsTo(rows[0]!))[0]?.outcomeUnknown).toBe(true)
    // The caller disconnects.
    waiting.abort()
    await request
    await setFaults(app)
    await senders.start()
    await expect.poll(async () => (await send(person, rows[0]!, {}, 'gone')).status, { timeout: 60_000 }).toBe(200)
    expect(await senders.arrivedFrom(account.handle)).toHaveLength(1)
  })

  it('returns 503 within 30 seconds while nobody knows, then settles and sends once', async () => {
    const { person, account, rows } = await withLeads(1)
    await senders.start({}, { absentAfterMs: 27_000, absentAgainMs: 500 })
    await setFaults(app, { ...SENDS, dropBefore: true, times: 1 })
    const since = performance.now()
    const first = await send(person, rows[0]!, {}, 'lost')
    expect(performance.now() - since).toBeLessThan(45_000)
    expect(first).toMatchObject({ status: 503, body: { code: 'DM_UNSETTLED' } })
    expect(Number(first.headers.get('retry-after'))).toBeGreaterThan(0)
    await setFaults(app)
    await expect.poll(async () => (await dmsTo(rows[0]!))[0]?.status, { timeout: 60_000 }).toBe('sent')
    expect(await send(person, rows[0]!, {}, 'lost')).toMatchObject({ status: 200 })
    expect(await senders.arrivedFrom(account.handle)).toHaveLength(1)
  })

  it('returns 503 if it stays unknown whether the message arrived', async () => {
    const { person, account, rows } = await withLeads(1)
    await senders.start()
    await setFaults(app, { ...SENDS, dropBefore: true, times: 2 })
    const lost = await send(person, rows[0]!, {}, 'lost twice')
    expect(lost).toMatchObject({
      status: 503,
      body: { code: 'DM_UNSETTLED', error: 'Outcome unknown: check the conversation before sending again' },
    })
    expect((await send(person, rows[0]!, {}, 'lost twice')).body).toEqual(lost.body)
    expect(await dmsTo(rows[0]!)).toMatchObject([{ status: 'failed', outcomeUnknown: true }])
    expect(await senders.arrivedFrom(account.handle)).toEqual([])
  })

  it('returns 503 within 30 seconds if X is slow, then settles the message', async () => {
    const { person, account, rows } = await withLeads(1)
    await setFaults(
      app,
      { method: 'GET', path: '/2/users/by/username/*', delayMs: 13_000, times: 1 },
      { ...SENDS, delayMs: 14_000, times: 1 },
    )
    const since = performance.now()
    expect(await send(person, rows[0]!, {}, 'slow')).toMatchObject({ status: 503, body: { code: 'DM_UNSETTLED' } })
    expect(performance.now() - since).toBeLessThan(45_000)
    expect(await send(person, rows[0]!, {}, 'slow')).toMatchObject({ status: 200 })
    expect(await senders.arrivedFrom(account.handle)).toHaveLength(1)
  })

  it('returns 503 or 409 and stores nothing if X is unreachable or no account can send', async () => {
    const { person, rows } = await withLeads(1)
    const [row] = rows as [Row]
    await setFaults(
      app,
      { method: 'POST', path: '/2/oauth2/token', status: 401, times: 9 },
      { ...SENDS, status: 401, times: 9 },
    )
    const lost = await send(person, row)
    expect(lost).toMatchObject({ status: 409, body: { code: 'X_NOT_CONNECTED' } })
    expect(lost.body.error).toMatch(/Connect again/)
    expect(await send(person, row)).toMatchObject({ status: 409, body: { code: 'X_NOT_CONNECTED' } })
    expect([await statusOf(row), await dmsTo(row)]).toEqual(['not_sent', []])
    await setFaults(app)

    const other = await app.startAnother({ env: { X_API_URL: 'http://127.0.0.1:9' } })
    const away = await withLeads(1)
    const response = await fetch(`${other.url}/api/messages/send`, {
      method: 'POST',
      headers: { authorization: `Bearer ${away.person.token}`, 'content-type': 'application/json' },
      body: JSON.stringify(bodyFor(away.rows[0]!)),
    })
    expect([response.status, (await response.json()).code]).toEqual([503, 'X_UNAVAILABLE'])
    expect([await statusOf(away.rows[0]!), await dmsTo(away.rows[0]!)]).toEqual(['not_sent', []])
  })

  it("returns 403 when the plan's monthly DMs are used up, until an upgrade", async () => {
    const person = await makePerson(app)
    await connectX(app, person)
    const rows = await makeLeads(app, person, [{ twitterHandle: openHandles(1)[0]! }])
    await setUsage(app, person, 50)
    const refused = await send(person, rows[0]!)
    expect(refused).toMatchObject({
      status: 403,
      body: { code: 'PLAN_LIMIT', details: { limit: 50, used: 50, plan: 'free' } },
    })
    await subscribe(app, person)
    expect(await send(person, rows[0]!)).toMatchObject({ status: 200 })
  })

  it.each([
    ['no message', { message: ' ' }, 'Please enter a message to send'],
    [
      'nothing but a name that is blank',
      { message: '{{nick}}' },
      'Unknown variable {{nick}}. Use {first_name}, {lead_name}, {twitter_handle}, or',
    ],
    ...[
      ['{{name | default: "friend"}}', '{lead_name|friend}'],
      ['\u0024{name}', '{lead_name}'],
      ['::name::', '{lead_name}'],
      ['{na\u200bme', '{lead_name}'],
      ['{}', null],
    ].map(([written, instead]): [string, object, string] => [
      `of another tool: ${written}`,
      { message: `Hi ${written}, ok?` },
      instead ? `Write ${instead}.` : 'Unknown variable {}.',
    ]),
    ['no variables', { templateVariables: undefined }, 'templateVariables'],
    ['a handle that is none', { templateVariables: { name: '', handle: 'not a handle' } }, 'templateVariables.handle'],
    [
      'too long once filled',
      { message: '{{name}}'.repeat(60), templateVariables: { name: 'x'.repeat(200), handle: 'x' } },
      'This message is longer than 10,000 characters with the variables filled in.',
    ],
    ['an unknown key', { nonsense: 1 }, ''],
  ])('returns 400: %s', async (_, more, words) => {
    const { person, rows } = await withLeads(1)
    const { status, body } = await send(person, rows[0]!, more)
    expect([status, body.code]).toEqual([400, 'INVALID_INPUT'])
    expect(JSON.stringify(body)).toContain(words)
    expect(await dmsTo(rows[0]!)).toEqual([])
  })

  it('returns 404 for a lead of another workspace and 403 for viewers', async () => {
    const { person, rows } = await withLeads(1)
    const { person: stranger } = await senders.connected()
    expect(await send(stranger, rows[0]!)).toMatchObject({ status: 404, body: { code: 'LEAD_NOT_FOUND' } })
    const viewer = await makePerson(app, { in: person, role: 'viewer' })
    expect(await send(viewer, rows[0]!)).toMatchObject({ status: 403, body: { code: 'FORBIDDEN' } })
    expect(await dmsTo(rows[0]!)).toEqual([])
  })
})
