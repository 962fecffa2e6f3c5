import { and, eq } from 'drizzle-orm'
import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { call, connectX, makePerson, type Person, subscribe } from '../../../../test/makers.ts'
import { copyCampaign } from '../../../../test/many-rows.ts'
import { markReplied, markSent } from '../../../../test/messages.ts'
import { openApp, type TestApp } from '../../../../test/open-app.ts'
import { launch, makeList, openHandles } from '../../../../test/outreach.ts'
import { setTimeZone } from '../../../../test/x-accounts.ts'
import { ANSWERS, dms } from '../../../core/tables/messages.ts'

let app: TestApp
let person: Person
let account: { id: string; handle: string }
beforeAll(async () => {
  app = await openApp()
})
beforeEach(async () => {
  person = await makePerson(app)
  account = await connectX(app, person)
  await subscribe(app, person)
})

const sentAt = new Date('2026-03-09T12:00:00Z')

/** Sends two variants. @param replied replies of the first people: seconds after sending, and ANSWERS flags */
async function tested(count: number, replied: { after: number; answers: number }[] = []) {
  const list = await makeList(app, person, openHandles(count))
  const variants = [{ messageTemplate: 'Hi {lead_name}' }, { messageTemplate: 'Hello {lead_name}' }]
  const { id } = await launch(person, list, { messageTemplate: undefined, steps: [{ variants }] })
  const isTheirs = eq(dms.campaignId, id)
  await markSent(app, isTheirs, sentAt, { xAccountId: account.id })
  for (const [index, { after, answers }] of replied.entries())
    await markReplied(
      app,
      and(isTheirs, eq(dms.leadId, list.leadIds[index]!))!,
      new Date(sentAt.getTime() + after * 1_000),
      { answers, personAnswers: answers },
    )
  return { id, leadIds: list.leadIds }
}

const REPLIES = [
  { after: 60, answers: ANSWERS.replied },
  { after: 120, answers: ANSWERS.replied | ANSWERS.positive },
  { after: 600, answers: ANSWERS.replied | ANSWERS.optedOut },
  // An automatic reply.
  { after: 1, answers: 0 },
]
const FIGURES = {
  peopleMessaged: 8,
  peopleReplied: 3,
  peoplePositive: 1,
  optedOut: 1,
  replyRate: 37.5,
  positiveRate: 12.5,
  medianReplySeconds: 120,
  medianAnswerSeconds: null,
}

describe('GET /analytics/breakdown', () => {
  it('compares campaigns, X accounts and members by people', async () => {
    const { id } = await tested(8, REPLIES)
    const quiet = await tested(2)
    const nothing = {
      peopleReplied: 0,
      peoplePositive: 0,
      optedOut: 0,
      replyRate: 0,
      positiveRate: 0,
      medianReplySeconds: null,
    }
    const by = (name: 'campaign' | 'account' | 'member') => person.client.analytics.breakdown({ by: name })
    expect(await by('campaign')).toEqual({
      rows: [
        { ...FIGURES, ...nothing, id: quiet.id, name: 'Spring', peopleMessaged: 2 },
        { ...FIGURES, id, name: 'Spring' },
      ],
      cursor: null,
    })
    const both = { ...FIGURES, peopleMessaged: 10, replyRate: 30, positiveRate: 10 }
    expect((await by('account')).rows).toEqual([{ ...both, id: account.id, name: `@${account.handle}` }])
    expect((await by('member')).rows).toEqual([{ ...both, id: person.id, name: expect.stringMatching(/\S/) }])
    const filtered = await person.client.analytics.breakdown({ by: 'account', campaignId: quiet.id })
    expect(filtered.rows).toMatchObject([{ peopleMessaged: 2 }])
  })

  it('compares the steps and variants of one campaign', async () => {
    const { id } = await tested(8, REPLIES)
    await tested(2)
    const [step] = (await person.client.analytics.breakdown({ by: 'step', campaignId: id })).rows
    expect(step).toEqual({ ...FIGURES, id: expect.any(String), name: 'Step 1' })
    const { rows } = await person.client.analytics.breakdown({ by: 'variant', campaignId: id })
    const names = ['Step 1, variant A', 'Step 1, variant B']
    expect(names.filter((name) => rows.some((row) => row.name === name)).length).toBe(rows.length)
    const sum = (key: 'peopleMessaged' | 'peopleReplied' | 'peoplePositive' | 'optedOut') =>
      rows.reduce((total, row) => total + row[key], 0)
    expect([sum('peopleMessaged'), sum('peopleReplied'), sum('peoplePositive'), sum('optedOut')]).toEqual([8, 3, 1, 1])
  })

  it('covers only the requested days', async () => {
    await tested(3, [{ after: 86_400, answers: ANSWERS.replied }])
    const on = async (from: string, to = from) =>
      (await person.client.analytics.breakdown({ by: 'member', from, to })).rows
    expect(await on('2026-03-08')).toEqual([])
    // The reply came a day later.
    expect(await on('2026-03-09')).toMatchObject([{ peopleMessaged: 3, peopleReplied: 1, medianReplySeconds: null }])
    expect(await on('2026-03-09', '2026-03-10')).toMatchObject([{ peopleReplied: 1, medianReplySeconds: 86_400 }])
  })

  it('returns every campaign once over all pages, and in the file', async () => {
    const { id } = await tested(1)
    await copyCampaign(app, id, 60, sentAt)
    const first = await person.client.analytics.breakdown({ by: 'campaign' })
    const second = await person.client.analytics.breakdown({ by: 'campaign', cursor: first.cursor! })
    expect([first.rows.length, second.rows.length, second.cursor]).toEqual([50, 11, null])
    expect(new Set([...first.rows, ...second.rows].map((row) => row.id)).size).toBe(61)
    const { body } = await person.call('GET', '/analytics/breakdown/export?by=campaign')
    expect(linesOf(body)).toHaveLength(62)
  })

  it.each(['', '?by=lead', '?by=step', '?by=variant', '?by=campaign&cursor=x', '?by=campaign&from=2026-02-30'])(
    'returns 400 for “%s”, also as a file',
    async (query) => {
      for (const path of ['/analytics/breakdown', '/analytics/breakdown/export'])
        expect(await person.call('GET', `${path}${query}`)).toMatchObject({
          status: 400,
          body: { code: 'INVALID_INPUT' },
        })
    },
  )
})

describe('GET /analytics/heatmap', () => {
  it('counts messages and replies by weekday and hour of the time zone', async () => {
    const { id } = await tested(8, REPLIES)
    const cell = { weekday: 1, hour: 12, sent: 8, replied: 3, positive: 1 }
    expect(await person.client.analytics.heatmap({})).toEqual({ cells: [cell], timeZone: 'UTC' })
    await setTimeZone(app, person, 'Pacific/Auckland')
    expect(await person.client.analytics.heatmap({ campaignId: id })).toEqual({
      cells: [{ ...cell, weekday: 2, hour: 1 }],
      timeZone: 'Pacific/Auckland',
    })
    expect((await person.client.analytics.heatmap({ campaignId: 'direct' })).cells).toEqual([])
    expect((await person.client.analytics.heatmap({ from: '2026-03-11', to: '2026-03-12' })).cells).toEqual([])
  })

  it('returns 400 for reversed days', async () => {
    for (const path of ['/analytics/heatmap', '/analytics/heatmap/export'])
      expect((await person.call('GET', `${path}?from=2026-02-02&to=2026-02-01`)).status).toBe(400)
  })
})

const linesOf = (csv: string) =>
  csv
    .replace('\uFEFF', '')
    .split('\r\n')
    .filter((line) => line)

describe('the files', () => {
  it('have the figures of the screens', async () => {
    const { id } = await tested(8, REPLIES)
    const file = async (path: string) => {
      const { status, body, headers } = await person.call('GET', path)
      expect([status, headers.get('content-type')]).toEqual([200, 'text/csv; charset=utf-8'])
      return linesOf(body)
    }
    expect(await file('/analytics/breakdown/export?by=campaign')).toEqual([
      'id,name,people_messaged,people_replied,people_positive,opted_out,reply_rate,positive_rate,median_reply_seconds,median_answer_seconds',
      `${id},Spring,8,3,1,1,37.5,12.5,120,`,
    ])
    expect(await file('/analytics/heatmap/export')).toEqual(['weekday,hour,sent,replied,positive', '1,12,8,3,1'])
    const [header, ...rows] = await file(`/campaigns/${id}/results/export`)
    expect(header).toBe('step,kind,variant,is_active,sent,read,replied,positive,opted_out,failed,skipped,verdict')
    expect(rows).toHaveLength(2)
    expect(rows[0]).toMatch(/^1,step,A,true,\d,/)
  })
})

describe('every advanced figure', () => {
  const paths = (id: string) => [
    `/analytics/breakdown?by=step&campaignId=${id}`,
    `/analytics/breakdown/export?by=campaign&campaignId=${id}`,
    `/analytics/heatmap?campaignId=${id}`,
    `/analytics/heatmap/export?campaignId=${id}`,
    `/campaigns/${id}/results/export`,
  ]

  it("returns 404 for another workspace's campaign", async () => {
    const { id } = await tested(1)
    const stranger = await makePerson(app)
    await subscribe(app, stranger)
    for (const path of paths(id))
      expect([path, (await stranger.call('GET', path)).body.code]).toEqual([path, 'CAMPAIGN_NOT_FOUND'])
  })

  it('returns 403 on plans without advanced analytics', async () => {
    const free = await makePerson(app)
    await connectX(app, free)
    const { id } = await launch(free, await makeList(app, free, openHandles(1)))
    for (const path of paths(id))
      expect(await free.call('GET', path)).toMatchObject({
        status: 403,
        body: { code: 'PLAN_LIMIT', error: expect.stringContaining('Agency'), details: { plan: 'free' } },
      })
  })

  it('returns 401 without a token', async () => {
    for (const path of paths('x')) expect((await call(app, 'GET', path)).status).toBe(401)
  })
})
