import { eq, sql } from 'drizzle-orm'
import fc from 'fast-check'
import { beforeAll, describe, expect, it } from 'vitest'
import { deleteCampaigns } from '../../../../test/campaigns.ts'
import { clearOfMidnight } from '../../../../test/clear-of-midnight.ts'
import { insertConversation } from '../../../../test/conversations.ts'
import { deleteLeads, makeLeads } from '../../../../test/leads.ts'
import { connectX, makePerson, type Person, subscribe } from '../../../../test/makers.ts'
import { copyMessages, markReplied, markSent, rewrite } from '../../../../test/messages.ts'
import { openApp, type TestApp } from '../../../../test/open-app.ts'
import { launch, makeList, openHandles, type SomeList } from '../../../../test/outreach.ts'
import { insertReply } from '../../../../test/replies.ts'
import { setTimeZone } from '../../../../test/x-accounts.ts'
import { deleteMessages, updateMessages } from '../../../core/messages/counts.ts'
import { leads } from '../../../core/tables/leads.ts'
import { ANSWERS, dms } from '../../../core/tables/messages.ts'

let app: TestApp
beforeAll(async () => {
  await clearOfMidnight()
  app = await openApp()
})

/** Creates a person with a campaign whose messages are queued. */
async function withCampaign(count: number): Promise<{ person: Person; list: SomeList; campaignId: string }> {
  const person = await makePerson(app)
  await connectX(app, person)
  const list = await makeList(app, person, openHandles(count))
  return { person, list, campaignId: (await launch(person, list)).id }
}

const today = () => new Date().toISOString().slice(0, 10)

const NEVER = {
  leadsCount: 0,
  messagesSent: 0,
  messagesDelivered: 0,
  replies: 0,
  replyRate: null,
  positiveReplies: 0,
  positiveReplyRate: null,
  medianAnswerSeconds: null,
  clickRate: null,
  conversionRate: null,
}

describe('GET /analytics', () => {
  it('returns zeros, no rates and a week of UTC days before the first message', async () => {
    const person = await makePerson(app)
    const { status, body } = await person.call('GET', '/analytics')
    expect(status).toBe(200)
    expect(body).toMatchObject({ ...NEVER, topPerformingLeads: [], timeZone: 'UTC' })
    expect(body.series).toHaveLength(7)
    expect(body.series.at(-1)).toEqual({
      day: new Date().toISOString().slice(0, 10),
      sent: 0,
      delivered: 0,
      replied: 0,
    })
    // The campaign of direct messages does not exist yet.
    expect(await person.call('GET', '/analytics?campaignId=direct')).toMatchObject({ status: 200, body: NEVER })
  })

  it('returns counts, rates and recent repliers, by campaign and by day of the time zone', async () => {
    const { person, list, campaignId } = await withCampaign(4)
    const [a, b, c] = list.leadIds as [string, string, string]
    const became = (leadId: string, values: Partial<typeof dms.$inferInsert>) => rewrite(app, { leadId }, values)
    // At 23:50 UTC it is the 10th in Berlin. At 18:10 UTC it is 23:55 in Kathmandu.
    await became(a, { status: 'sent', sentAt: new Date('2026-03-09T18:10:00Z') })
    await became(b, { status: 'delivered', sentAt: new Date('2026-03-09T23:50:00Z') })
    await became(c, {
      status: 'replied',
      sentAt: new Date('2026-03-10T12:00:00Z'),
      repliedAt: new Date('2026-03-11T09:00:00Z'),
    })
    await makeLeads(app, person, 1)
    const figures = { messagesSent: 3, messagesDelivered: 2, replies: 1, replyRate: 33.3, clickRate: null }
    const top = [{ handle: list.handles[2], name: 'Lead 3', repliedAt: '2026-03-11T09:00:00.000Z' }]
    const ask = async (query = '') => (await person.call('GET', `/analytics${query}`)).body
    expect(await ask()).toMatchObject({ ...figures, leadsCount: 5, conversionRate: 20, topPerformingLeads: top })
    expect(await ask(`?campaignId=${campaignId}`)).toMatchObject({
      ...figures,
      leadsCount: 4,
      conversionRate: 25,
      topPerformingLeads: top,
    })
    expect(await ask('?campaignId=direct')).toMatchObject({ messagesSent: 0, topPerformingLeads: [] })

    const march = '?from=2026-03-09&to=2026-03-10'
    expect(await ask(march)).toMatchObject({ ...figures, topPerformingLeads: [] })
    const days = async () =>
      (await ask(march)).series.map(({ day, sent, delivered, replied }: Record<string, number>) => [
        day,
        sent,
        delivered,
        replied,
      ])
    expect(await days()).toEqual([
      ['2026-03-09', 2, 1, 0],
      ['2026-03-10', 1, 1, 1],
    ])
    expect(await ask('?from=2026-03-11&to=2026-03-11')).toMatchObject({
      messagesSent: 0,
      replyRate: null,
      topPerformingLeads: top,
    })
    for (const [timeZone, sent] of [
      ['Europe/Berlin', [1, 2]],
      ['Asia/Kathmandu', [1, 2]],
      ['Asia/Kolkata', [1, 2]],
      ['America/New_York', [2, 1]],
    ] as const) {
      await setTimeZone(app, person, timeZone)
      expect([timeZone, (await ask(march)).timeZone, (await days()).map(([, count]: number[]) => count)]).toEqual([
        timeZone,
        timeZone,
        sent,
      ])
    }
  })

  it('returns positive replies, and the median time to our first answer by hand or in the inbox', async () => {
    const { person, list, campaignId } = await withCampaign(4)
    const [a, b, c, d] = list.leadIds as [string, string, string, string]
    const repliedAt = new Date('2026-03-10T12:00:00Z')
    const later = (seconds: number) => new Date(repliedAt.getTime() + seconds * 1_000)
    for (const [leadId, answers] of [
      [a, ANSWERS.replied + ANSWERS.positive],
      [b, ANSWERS.replied],
      [c, ANSWERS.replied],
      // An automatic reply.
      [d, 0],
    ] as const)
      await markReplied(app, { leadId }, repliedAt, {
        sentAt: new Date('2026-03-10T08:00:00Z'),
        answers,
        personAnswers: answers,
      })
    const ask = async (query = '') => (await person.call('GET', `/analytics${query}`)).body
    expect(await ask()).toMatchObject({
      replies: 4,
      positiveReplies: 1,
      positiveReplyRate: 25,
      medianAnswerSeconds: null,
    })
    const { workspaceId } = person
    const written = (leadId: string, seconds: number) =>
      insertReply(app, { workspaceId, leadId, kind: 'written', at: later(seconds) })
    // For the first lead, only the message after 100 seconds counts: one comes before the reply,
    // one is a second answer.
    await written(a, -60)
    await written(a, 100)
    await written(a, 500)
    await written(d, 1)
    // A direct message. Only new leads can be queued, so it is moved to the second lead afterwards.
    const [fresh] = await makeLeads(app, person, 1)
    await person.client.leads.queue({ leadIds: [fresh!.id] })
    await markSent(app, { leadId: fresh!.id }, later(300), { leadId: b })
    for (const query of ['', `?campaignId=${campaignId}`, '?from=2026-03-10&to=2026-03-10'])
      expect(await ask(query)).toMatchObject({ positiveReplies: 1, medianAnswerSeconds: 200 })
    expect(await ask('?from=2026-03-11&to=2026-03-12')).toMatchObject({
      positiveReplies: 0,
      positiveReplyRate: null,
      medianAnswerSeconds: null,
    })
    await subscribe(app, person)
    for (const by of ['campaign', 'step', 'variant', 'account', 'member'] as const)
      expect(await person.client.analytics.breakdown({ by, campaignId })).toMatchObject({
        rows: [{ medianAnswerSeconds: 200 }],
      })
  })

  it('returns the ten most recent repliers, each once', async () => {
    const { person, list } = await withCampaign(12)
    for (const [index, leadId] of list.leadIds.entries())
      await markReplied(app, { leadId }, new Date(Date.now() - index * 60_000), {
        sentAt: sql`now() - interval '1 day'`,
      })
    const { topPerformingLeads } = await person.client.analytics.find({})
    expect(topPerformingLeads).toHaveLength(10)
    expect(new Set(topPerformingLeads.map(({ handle }) => handle)).size).toBe(10)
    const moments = topPerformingLeads.map(({ repliedAt }) => repliedAt)
    expect(moments).toEqual(moments.toSorted().reverse())

    // No one who asked to stop is listed, whether or not a member has confirmed it.
    const [suppressed, suggested] = topPerformingLeads.map(({ handle }) => handle)
    await person.client.suppressions.create({ handles: [suppressed!] })
    const [lead] = await app.db.select().from(leads).where(eq(leads.twitterHandle, suggested!))
    const { workspaceId } = person
    const conversation = { workspaceId, leadId: lead!.id, label: 'opted_out' as const }
    await insertConversation(app, { ...conversation, suggestsSuppression: true })
    for (const range of [{}, { from: today(), to: today() }]) {
      const { topPerformingLeads: rest } = await person.client.analytics.find(range)
      expect(rest).toHaveLength(10)
      expect(rest.slice(0, 8)).toEqual(topPerformingLeads.slice(2))
    }
  })

  it.each(['from=2026-02-30', 'to=yesterday', 'from=2026-02-02&to=2026-02-01', 'from=2025-01-01&to=2026-01-02'])(
    'returns 400 for %s',
    async (query) => {
      const person = await makePerson(app)
      expect(await person.call('GET', `/analytics?${query}`)).toMatchObject({
        status: 400,
        body: { code: 'INVALID_INPUT' },
      })
    },
  )

  it("returns 404 for another workspace's campaign, and for the built-in one by its id", async () => {
    const { person, campaignId } = await withCampaign(1)
    const stranger = await makePerson(app)
    const missing = { status: 404, body: { code: 'CAMPAIGN_NOT_FOUND' } }
    expect(await stranger.call('GET', `/analytics?campaignId=${campaignId}`)).toMatchObject(missing)
    const [lead] = await makeLeads(app, person, 1)
    await person.client.leads.queue({ leadIds: [lead!.id] })
    const [direct] = await app.db.select().from(dms).where(eq(dms.leadId, lead!.id))
    expect(await person.call('GET', `/analytics?campaignId=${direct?.campaignId}`)).toMatchObject(missing)
  })
})

/** Recomputes the figures from the messages. */
async function recount(person: Person, campaignId: string | null) {
  const { rows } = await app.db.execute(sql`
    select (sent_at at time zone 'UTC')::date::text as day, count(*)::int as sent,
      (count(*) filter (where status in ('delivered', 'replied')))::int as delivered, (count(*) filter (where status = 'replied'))::int as replied
    from dms where workspace_id = ${person.workspaceId} and sent_at is not null and ${campaignId ? sql`campaign_id = ${campaignId}` : sql`true`}
    group by 1 order by 1`)
  return rows as { day: string; sent: number; delivered: number; replied: number }[]
}

it('always equals a recount of the messages, whatever happens to them', async () => {
  const { person, campaignId } = await withCampaign(8)
  const second = (await launch(person, await makeList(app, person, openHandles(8)))).id
  const moment = fc
    .integer({ min: 0, max: 6 * 96 })
    .map((quarter) => new Date(Date.UTC(2026, 0, 1) + quarter * 900_000 + 123))
  const share = fc.constantFrom(1, 2, 5)
  const sent = ['sent', 'delivered', 'replied'] as const
  const commands = fc.oneof(
    fc.record({ kind: fc.constantFrom('send'), share, at: moment }),
    fc.record({ kind: fc.constantFrom('move'), share, to: fc.constantFrom(...sent), at: moment }),
    fc.record({ kind: fc.constantFrom('fail', 'queue', 'copy', 'delete', 'purge'), share }),
  )
  const some = (n: number) =>
    sql`select id from dms where workspace_id = ${person.workspaceId} order by hashtext(id::text || ${String(Math.random())}) limit ${n}`
  const apply = async (command: { kind: string; share: number; to?: string; at?: Date }) => {
    const chosen = some(command.share)
    const at = command.at?.toISOString() ?? null
    switch (command.kind) {
      case 'send':
        return updateMessages(app.db, sql`id in (${chosen})`, sql`status = 'sent', sent_at = ${at}::timestamptz`)
      case 'move':
        return updateMessages(
          app.db,
          sql`sent_at is not null and id in (${chosen})`,
          sql`status = ${command.to}, replied_at = ${at}::timestamptz`,
        )
      case 'fail':
      case 'queue':
        return updateMessages(
          app.db,
          sql`id in (${chosen})`,
          sql`status = ${command.kind === 'fail' ? 'failed' : 'queued'}, sent_at = null`,
        )
      case 'copy':
        return copyMessages(app, sql`id in (${chosen})`, { limit: 1_000, isFollowUp: false })
      case 'delete':
        return deleteMessages(app.db, sql`id in (${chosen})`)
      case 'purge':
        return deleteLeads(app, sql`id in (select lead_id from dms where id in (${chosen}))`)
    }
  }
  await fc.assert(
    fc.asyncProperty(fc.array(commands, { maxLength: 12 }), async (chosenCommands) => {
      for (const command of chosenCommands) await apply(command)
      for (const id of [null, campaignId, second]) {
        const days = await person.client.analytics.find({
          from: '2026-01-01',
          to: '2026-01-08',
          ...(id ? { campaignId: id } : {}),
        })
        const allTime = await person.client.analytics.find(id ? { campaignId: id } : {})
        const counted = await recount(person, id)
        expect(days.series.filter((day) => day.sent > 0)).toEqual(counted)
        const sum = (key: 'sent' | 'delivered' | 'replied') => counted.reduce((total, day) => total + day[key], 0)
        const totals = { messagesSent: sum('sent'), messagesDelivered: sum('delivered'), replies: sum('replied') }
        expect(days).toMatchObject(totals)
        expect(allTime).toMatchObject(totals)
      }
    }),
    { numRuns: 12 },
  )
  // Deleting a campaign deletes its activity.
  await deleteCampaigns(app, { id: second })
  expect(
    (await person.client.analytics.find({ from: '2026-01-01', to: '2026-01-08' })).series.filter((day) => day.sent > 0),
  ).toEqual(await recount(person, null))
})
