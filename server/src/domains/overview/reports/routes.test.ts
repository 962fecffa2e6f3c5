import { REPORTS_MAX } from '@x-automated/contract/overview/report-limits'
import { eq } from 'drizzle-orm'
import { beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest'
import { deleteUsers } from '../../../../test/accounts.ts'
import { makeDirect, makeSample } from '../../../../test/campaigns.ts'
import { insertConversation } from '../../../../test/conversations.ts'
import { deleteLeads } from '../../../../test/leads.ts'
import { LOGO } from '../../../../test/logo.ts'
import { call, connectX, makePerson, type Person, prove, subscribe } from '../../../../test/makers.ts'
import { markFailed, rewrite } from '../../../../test/messages.ts'
import { openApp, type TestApp } from '../../../../test/open-app.ts'
import { launch, makeList, openHandles } from '../../../../test/outreach.ts'
import { openPlanned } from '../../../../test/plans.ts'
import { expireReport, insertReports } from '../../../../test/reports.ts'
import { deletionOf, whileWaiting } from '../../../../test/while-waiting.ts'
import { ANSWERS, type dms } from '../../../core/tables/messages.ts'
import { hashToken } from '../../../sealing.ts'
import { find } from './reports.ts'
import { reports } from './tables.ts'

let app: TestApp
beforeAll(async () => {
  app = await openApp({ env: { TRUST_PROXY: 'loopback' } })
})

async function makeAgency(): Promise<Person> {
  const person = await makePerson(app)
  await connectX(app, person)
  await subscribe(app, person)
  return person
}

const sentAt = new Date('2026-03-09T12:00:00Z')
const LEADS = ['Ada Secret', 'Ben Secret', 'Cyd Secret', 'Dan Secret']

/** Creates a campaign that was sent to four people. One was interested, one opted out, one replied automatically. */
async function makeCampaign(person: Person, name = 'Spring') {
  const list = await makeList(app, person, openHandles(4), { names: LEADS })
  const { id } = await launch(person, list, { name })
  const became = (index: number, values: Partial<typeof dms.$inferInsert>) =>
    rewrite(app, { campaignId: id, leadId: list.leadIds[index]! }, { sentAt, ...values })
  const replied = (at: string, answers: number) =>
    ({ status: 'replied', repliedAt: new Date(at), answers, personAnswers: answers }) as const
  await became(0, replied('2026-03-10T09:00:00Z', ANSWERS.replied | ANSWERS.positive))
  await became(1, replied('2026-03-11T09:00:00Z', ANSWERS.replied | ANSWERS.optedOut))
  await became(2, replied('2026-03-09T12:01:00Z', 0))
  await became(3, { status: 'sent', sentAt: new Date('2026-03-11T12:00:00Z') })
  return { id, list }
}

const TOTALS = { peopleMessaged: 4, messagesSent: 4, read: 3, peopleReplied: 2, peoplePositive: 1, optedOut: 1 }

const tokenOf = ({ url }: { url: string | null }) => new URL(url!).pathname.replace('/r/', '')
/** Each test reads from its own IP address, because calls per address are rate limited. */
let addresses = 0
function openReader() {
  addresses += 1
  const headers = { 'x-forwarded-for': `10.0.0.${addresses}` }
  return (token: string) => call(app, 'POST', '/reports/find', { token }, headers)
}

describe('POST /reports', () => {
  it('shares a campaign under its name for 90 days, and stores no readable token', async () => {
    const person = await makeAgency()
    const { id } = await makeCampaign(person)
    const report = await person.client.reports.create({ kind: 'campaign', campaignId: id })
    expect(report).toEqual({
      id: expect.any(String),
      kind: 'campaign',
      campaignId: id,
      month: null,
      title: 'Spring',
      url: expect.stringMatching(/^http:\/\/localhost:3000\/r\/[\w-]{43}$/),
      includesPeople: false,
      status: 'active',
      createdBy: { id: person.id, name: expect.any(String) },
      createdAt: expect.any(String),
      expiresAt: expect.any(String),
    })
    const days = (Date.parse(report.expiresAt) - Date.now()) / 86_400_000
    expect(Math.round(days)).toBe(90)
    const stored = await app.db.select().from(reports).where(eq(reports.id, report.id))
    expect(JSON.stringify(stored)).not.toContain(tokenOf(report))
    expect(stored[0]?.tokenHash).toBe(hashToken(tokenOf(report)))
    expect(await person.client.reports.list({})).toEqual({ reports: [report], total: 1, page: 1, pageSize: 50 })
  })

  it('shares a month under its name or another title', async () => {
    const person = await makeAgency()
    const share = (title?: string) => person.client.reports.create({ kind: 'month', month: '2026-03', title })
    expect((await share()).title).toBe('March 2026')
    expect((await share('Acme in March')).title).toBe('Acme in March')
    const { reports: newest } = await person.client.reports.list({ pageSize: 1 })
    expect(newest.map(({ title }) => title)).toEqual(['Acme in March'])
  })

  it('is refused below Agency with the name of the plan', async () => {
    const person = await makePerson(app)
    for (const plan of ['free', 'pro'] as const) {
      if (plan === 'pro') await subscribe(app, person, 'pro_monthly')
      const { status, body } = await person.call('POST', '/reports', { kind: 'month', month: '2026-03' })
      expect([status, body.code, body.details]).toEqual([403, 'PLAN_LIMIT', { limit: 0, used: 0, plan }])
      expect(body.error).toContain('Agency plan')
    }
  })

  it('lets admins share, members list, and API keys do neither', async () => {
    const owner = await makeAgency()
    const body = { kind: 'month', month: '2026-03' }
    const statuses: Record<string, number[]> = {}
    for (const role of ['viewer', 'member', 'admin'] as const) {
      const person = await makePerson(app, { in: owner, role })
      const created = await person.call('POST', '/reports', body)
      const listed = await person.call('GET', '/reports')
      const removed = await person.call('DELETE', '/reports/01900000-0000-7000-8000-000000000000')
      statuses[role] = [created.status, listed.status, removed.status]
    }
    expect(statuses).toEqual({ viewer: [403, 403, 403], member: [403, 200, 403], admin: [200, 200, 404] })
    await prove(app, owner)
    const { key } = await owner.client.apiKeys.create({ name: 'CRM', scopes: ['analytics:write', 'campaigns:write'] })
    const authorization = { authorization: `Bearer ${key}` }
    for (const [method, path] of [
      ['GET', '/reports'],
      ['POST', '/reports'],
      ['GET', '/workspace/branding'],
    ] as const)
      expect((await call(app, method, path, method === 'POST' ? body : undefined, authorization)).status).toBe(403)
  })

  it('rejects reports on neither or both, and expiries in the past or after a year', async () => {
    const person = await makeAgency()
    const { id } = await makeCampaign(person)
    const inDays = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString()
    const month = { kind: 'month', month: '2026-03' }
    for (const [body, field] of [
      [{ kind: 'campaign' }, 'campaignId'],
      [{ kind: 'month' }, 'month'],
      [{ kind: 'month', month: '2026-13' }, 'month'],
      [{ kind: 'month', month: '2026-03-01' }, 'month'],
      [{ kind: 'month', month: '2999-01' }, 'month'],
      [{ ...month, campaignId: id }, 'campaignId'],
      [{ kind: 'campaign', campaignId: id, month: '2026-03' }, 'month'],
      [{ ...month, expiresAt: inDays(-1) }, 'expiresAt'],
      [{ ...month, expiresAt: inDays(366) }, 'expiresAt'],
      [{ ...month, title: ' ' }, 'title'],
      [{ ...month, title: 'x'.repeat(101) }, 'title'],
    ] as const) {
      const response = await person.call('POST', '/reports', body)
      expect([response.body.code, response.body.details?.[0]?.field], JSON.stringify(body)).toEqual([
        'INVALID_INPUT',
        field,
      ])
    }
    expect((await person.call('POST', '/reports', { ...month, expiresAt: inDays(365) })).status).toBe(200)
  })

  it("returns 404 for another workspace's campaign and for direct messages", async () => {
    const person = await makeAgency()
    const { id } = await makeCampaign(person)
    const stranger = await makeAgency()
    const direct = await makeCampaign(stranger)
    await makeDirect(app, { id: direct.id })
    for (const campaignId of [id, direct.id, 'direct'])
      expect((await stranger.call('POST', '/reports', { kind: 'campaign', campaignId })).body.code).toBe(
        'CAMPAIGN_NOT_FOUND',
      )
  })

  it('returns 404 if the campaign is deleted meanwhile', async () => {
    const person = await makeAgency()
    const { id: campaignId } = await makeCampaign(person)
    const response = await whileWaiting(app, {
      lock: deletionOf('campaigns', campaignId),
      work: () => person.call('POST', '/reports', { kind: 'campaign', campaignId }),
      end: 'commit',
    })
    expect([response.status, response.body.code]).toEqual([404, 'CAMPAIGN_NOT_FOUND'])
  })

  it('stops at 200 reports, even if two are shared at the same time', async () => {
    const person = await makeAgency()
    await insertReports(app, person, REPORTS_MAX - 1, new Date())
    const share = () => person.call('POST', '/reports', { kind: 'month', month: '2026-03' })
    const responses = await Promise.all([share(), share()])
    expect(responses.map(({ status }) => status).toSorted()).toEqual([200, 409])
    expect(responses.find(({ status }) => status === 409)?.body.code).toBe('TOO_MANY')
    // A token that was sealed with another secret cannot be shown.
    const { reports: oldest } = await person.client.reports.list({ page: 4 })
    expect(oldest.at(-1)).toMatchObject({ url: null, status: 'expired' })
  })
})

describe('POST /reports/find', () => {
  it('returns a campaign under the brand of its workspace, without ids and people', async () => {
    const person = await makeAgency()
    const { id } = await makeCampaign(person)
    await person.client.people.rename({ name: 'Acme Agency' })
    await person.client.branding.save({ logo: LOGO, color: '#1d7a3c' })
    const report = await person.client.reports.create({ kind: 'campaign', campaignId: id, title: 'Our results' })
    const { status, body } = await openReader()(tokenOf(report))
    expect(status).toBe(200)
    expect(body).toEqual({
      title: 'Our results',
      kind: 'campaign',
      from: '2026-03-09',
      to: '2026-03-11',
      workspace: { name: 'Acme Agency', logo: LOGO, color: '#1d7a3c' },
      totals: TOTALS,
      days: [
        { day: '2026-03-09', sent: 3, replied: 2, positive: 1 },
        { day: '2026-03-10', sent: 0, replied: 0, positive: 0 },
        { day: '2026-03-11', sent: 1, replied: 0, positive: 0 },
      ],
      campaigns: [
        {
          name: 'Spring',
          totals: TOTALS,
          steps: [
            {
              number: 1,
              kind: 'step',
              variants: [{ name: 'A', sent: 4, read: 3, replied: 2, positive: 1, optedOut: 1 }],
            },
          ],
        },
      ],
      people: null,
    })
    const text = JSON.stringify(body)
    for (const secret of [person.workspaceId, person.id, person.email, id, report.id])
      expect(text).not.toContain(secret)
    expect(text).not.toMatch(/Secret|open_/)
  })

  it('returns the figures of a month, without other months, direct messages and sample data', async () => {
    const person = await makeAgency()
    await makeCampaign(person, 'Spring')
    const april = await makeCampaign(person, 'April')
    await rewrite(app, { campaignId: april.id }, { sentAt: new Date('2026-04-02T12:00:00Z') })
    const sample = await makeCampaign(person, 'Sample')
    await makeSample(app, { id: sample.id })
    const direct = await makeCampaign(person, 'Direct')
    await makeDirect(app, { id: direct.id })
    const report = await person.client.reports.create({ kind: 'month', month: '2026-03' })
    const { body } = await openReader()(tokenOf(report))
    expect(body).toMatchObject({ from: '2026-03-01', to: '2026-03-31', totals: TOTALS })
    expect(body.days).toHaveLength(31)
    expect(body.campaigns.map(({ name }: { name: string }) => name)).toEqual(['Spring'])
    expect(body.campaigns[0].steps[0].variants[0]).toMatchObject({ sent: 4, replied: 2 })
  })

  it('is empty before the first message', async () => {
    const person = await makeAgency()
    const list = await makeList(app, person, openHandles(1))
    const { id } = await launch(person, list)
    const today = new Date().toISOString().slice(0, 10)
    const read = openReader()
    const shared = await person.client.reports.create({ kind: 'campaign', campaignId: id, includesPeople: true })
    const { body } = await read(tokenOf(shared))
    expect(body).toMatchObject({ from: today, to: today, totals: { messagesSent: 0 }, people: [] })
    expect(body.campaigns).toMatchObject([{ name: 'Spring', steps: [{ variants: [{ sent: 0 }] }] }])
    const month = await person.client.reports.create({ kind: 'month', month: '1999-01' })
    expect((await read(tokenOf(month))).body).toMatchObject({
      totals: { messagesSent: 0 },
      campaigns: [],
      people: null,
    })
  })

  it('names the people who replied, if it includes them', async () => {
    const person = await makeAgency()
    const { id, list } = await makeCampaign(person)
    await insertConversation(app, { workspaceId: person.workspaceId, leadId: list.leadIds[0]!, label: 'meeting' })
    const people = [
      { name: 'Ben Secret', twitterHandle: list.handles[1], label: null, repliedAt: '2026-03-11T09:00:00.000Z' },
      { name: 'Ada Secret', twitterHandle: list.handles[0], label: 'meeting', repliedAt: '2026-03-10T09:00:00.000Z' },
    ]
    const read = openReader()
    const share = async (subject: object) =>
      (await read(tokenOf((await person.call('POST', '/reports', { ...subject, includesPeople: true })).body))).body
        .people
    expect(await share({ kind: 'campaign', campaignId: id })).toEqual(people)
    expect(await share({ kind: 'month', month: '2026-03' })).toEqual(people)
    expect(await share({ kind: 'month', month: '2026-02' })).toEqual([])
    await deleteLeads(app, { id: list.leadIds[1]! })
    expect(await share({ kind: 'campaign', campaignId: id })).toEqual(people.slice(1))
  })

  it('gives the same answer for unknown, expired, deleted and disabled reports', async () => {
    const person = await makeAgency()
    const share = async () => {
      const report = await person.client.reports.create({ kind: 'month', month: '2026-03' })
      return { id: report.id, token: tokenOf(report) }
    }
    const [expired, deleted, disabled] = [await share(), await share(), await share()]
    const read = openReader()
    // Reports that have been read before stop working, too.
    for (const { token } of [expired, deleted, disabled]) expect((await read(token)).status).toBe(200)
    await expireReport(app, expired.id)
    await person.client.reports.remove({ id: deleted.id })
    const missing = { success: false, code: 'REPORT_NOT_FOUND', error: expect.any(String) }
    for (const token of [expired.token, deleted.token, 'unknown', '', '\u0000', 'x'.repeat(1_000)])
      expect(await read(token)).toMatchObject({ status: 404, body: missing })

    await subscribe(app, person, 'pro_monthly')
    const refused = await read(disabled.token)
    expect([refused.status, refused.body]).toEqual([404, (await read('unknown')).body])
    const statusOf = async (id: string) =>
      (await person.client.reports.list({})).reports.find((report) => report.id === id)?.status
    expect([await statusOf(disabled.id), await statusOf(expired.id)]).toEqual(['plan', 'expired'])
    await subscribe(app, person)
    expect([(await read(disabled.token)).status, await statusOf(disabled.id)]).toEqual([200, 'active'])
  })

  it('keeps figures for five minutes, but neither title, brand nor access', async () => {
    const person = await makeAgency()
    const { id } = await makeCampaign(person)
    const token = tokenOf(await person.client.reports.create({ kind: 'campaign', campaignId: id }))
    const read = openReader()
    const sent = async () => (await read(token)).body.totals.messagesSent
    expect(await sent()).toBe(4)
    await markFailed(app, { campaignId: id, status: 'sent' }, { sentAt: null })
    expect(await sent()).toBe(4)
    await person.client.people.rename({ name: 'New name' })
    expect((await read(token)).body.workspace.name).toBe('New name')
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 5 * 60_000 })
    onTestFinished(() => void vi.useRealTimers())
    expect(await sent()).toBe(3)
  })

  it('allows 60 reads a minute from an address', async () => {
    const read = openReader()
    const responses = await Promise.all(Array.from({ length: 61 }, () => read('unknown')))
    const limited = responses.filter(({ status }) => status === 429)
    expect([limited.length, responses.length - limited.length]).toEqual([1, 60])
    expect(Number(limited[0]?.headers.get('retry-after'))).toBeGreaterThan(0)
    expect((await openReader()('unknown')).status).toBe(404)
  })

  it('reads no table without an index', async () => {
    const person = await makeAgency()
    const { id } = await makeCampaign(person)
    const { db, reads } = await openPlanned(app.databaseUrl)
    const { limits } = app.services
    for (const subject of [
      { kind: 'campaign', campaignId: id },
      { kind: 'month', month: '2026-03' },
    ] as const) {
      const report = await person.client.reports.create({ ...subject, includesPeople: true })
      const context = { db, limits, request: { addressHash: `plan ${subject.kind}` } } as Parameters<typeof find>[0]
      expect((await find(context, tokenOf(report))).totals).toEqual(TOTALS)
    }
    const large = ['reports', 'dm_activity', 'dms', 'leads', 'conversations', 'campaigns', 'sequence_versions']
    expect(reads.map(({ table }) => table)).toEqual(expect.arrayContaining(large))
    expect(reads.filter(({ table, by }) => large.includes(table) && by !== 'index')).toEqual([])
  })
})

describe('DELETE /reports/{id}', () => {
  it('deletes a report once; until then it outlives its creator', async () => {
    const owner = await makeAgency()
    const admin = await makePerson(app, { in: owner, role: 'admin' })
    const report = await admin.client.reports.create({ kind: 'month', month: '2026-03' })
    await deleteUsers(app, { id: admin.id })
    expect((await owner.client.reports.list({})).reports[0]?.createdBy).toBeNull()
    expect((await openReader()(tokenOf(report))).status).toBe(200)
    expect((await owner.call('DELETE', `/reports/${report.id}`)).status).toBe(204)
    expect((await owner.call('DELETE', `/reports/${report.id}`)).body.code).toBe('REPORT_NOT_FOUND')
    expect((await openReader()(tokenOf(report))).status).toBe(404)
  })
})
