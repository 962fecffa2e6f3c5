import { idOfHandle } from '@x-automated/stand-ins/x/ids'
import { personOf } from '@x-automated/stand-ins/x/people'
import { eq, sql } from 'drizzle-orm'
import { beforeAll, describe, expect, it, vi } from 'vitest'
import { loseResponse } from '../../../../test/jobs.ts'
import { closeTo, makeLeads } from '../../../../test/leads.ts'
import { connectX, makePerson, type Person, subscribe } from '../../../../test/makers.ts'
import { openApp, type TestApp } from '../../../../test/open-app.ts'
import {
  changeScrapes,
  everyone,
  foundBy,
  makeScrape,
  setFoundAt,
  startScrape,
  until,
} from '../../../../test/scrapes.ts'
import { grantReward, insertMember } from '../../../../test/waitlist.ts'
import { leads } from '../../../core/tables/leads.ts'
import { XError } from '../../../outside/x-errors.ts'
import { monthlyUsage } from '../../platform/billing/tables.ts'
import { xAccounts } from '../../platform/x-account/tables.ts'
import { estimateFor } from './scrapes.ts'
import { scrapes } from './tables.ts'

let app: TestApp
beforeAll(async () => {
  app = await openApp({ x: true, workers: true })
  await fetch(`${app.x.url}/_faults`, {
    method: 'PUT',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify([
      { path: `/2/users/${idOfHandle(SLOW)}/followers`, delayMs: 2_000 },
      { path: `/2/users/${idOfHandle(BRIEF)}/followers`, delayMs: 500 },
    ]),
  })
})
/** X takes two seconds per page of this account's followers. */
const SLOW = 'f30_slow'
/** X takes half a second per page. */
const BRIEF = 'f30_brief'

async function connected(): Promise<Person> {
  const person = await makePerson(app)
  await subscribe(app, person)
  await connectX(app, person)
  return person
}
const over = (row: { status: string }) => ['completed', 'failed', 'canceled'].includes(row.status)
const anyone = { type: 'followers', minFollowers: 0, maxFollowers: 1_000_000_000 }

describe.concurrent('plan limits', () => {
  const LIMIT = 'Your Free plan includes 100 scraped leads a month. Upgrade to Pro for 1,000 scraped leads a month.'
  const free = async () => {
    const person = await makePerson(app)
    await connectX(app, person)
    return person
  }
  const usedBy = async (person: Person) =>
    (await app.db.select().from(monthlyUsage).where(eq(monthlyUsage.workspaceId, person.workspaceId)))[0]?.count ?? 0

  it('stop a scrape, keep its leads, and let it resume on a higher plan', async () => {
    const person = await free()
    const id = await startScrape(person, 'f450_limit')
    expect(await until(app, id, over)).toMatchObject({
      status: 'completed',
      matched: 100,
      error: `${LIMIT} We kept the leads found so far.`,
      stoppedBy: 'PLAN_LIMIT',
    })
    expect(await usedBy(person)).toBe(100)
    // The scrape read 300 profiles for 100 leads, not a full page of 1,000.
    expect((await until(app, id, over)).fetched).toBe(300)
    const refusal = {
      success: false,
      code: 'PLAN_LIMIT',
      error: LIMIT,
      details: { limit: 100, used: 100, plan: 'free' },
    }
    for (const [path, body] of [
      [`/scrapes/${id}/resume`, undefined],
      ['/scrapes', { twitterHandle: 'f9_more', type: 'followers' }],
      ['/scrape/scrape', { twitterHandle: 'f9_more', type: 'followers' }],
    ] as const) {
      const response = await person.call('POST', path, body)
      expect([response.status, response.body]).toEqual([403, refusal])
    }
    expect((await person.call('GET', `/scrapes/${id}`)).body.status).toBe('completed')
    await subscribe(app, person, 'pro_monthly')
    expect((await person.call('POST', `/scrapes/${id}/resume`)).body).toMatchObject({
      status: 'queued',
      error: null,
      stoppedBy: null,
    })
    // The page that the plan cut was read and billed twice, but is counted once.
    const completed = { status: 'completed', matched: 450, fetched: 450, billed: 750, error: null, stoppedBy: null }
    expect(await until(app, id, over)).toMatchObject(completed)
    expect(new Set(await foundBy(app, id)).size).toBe(450)
    expect(await usedBy(person)).toBe(450)
  })

  it('are returned by POST /scrape/scrape if they stopped it', async () => {
    const person = await free()
    const scrape = async (twitterHandle: string) =>
      (await person.call('POST', '/scrape/scrape', { ...anyone, twitterHandle })).body
    expect(await scrape('f60_below')).toMatchObject({ success: true, count: 60, stoppedBy: null })
    const stopped = await scrape('f450_reached')
    expect(stopped).toMatchObject({ success: true, count: 40, stoppedBy: 'PLAN_LIMIT' })
    const { scrapes } = (await person.call('GET', '/scrapes')).body
    expect(scrapes[0]).toMatchObject({
      stoppedBy: 'PLAN_LIMIT',
      error: `${LIMIT} We kept the leads found so far.`,
      isResumable: true,
    })
  })

  it('count a person once a month, and rise with earned months', async () => {
    const person = await free()
    for (const _ of [1, 2]) await until(app, await startScrape(person, 'f60_twice'), over)
    expect(await usedBy(person)).toBe(60)
    const member = await insertMember(app, { email: person.email, referralCode: person.id.slice(-8), position: 0 })
    await grantReward(app, member.id, person.id)
    expect(await until(app, await startScrape(person, 'f120_earned'), over)).toMatchObject({
      matched: 120,
      error: null,
    })
  })

  it('count a person in the month in which they were found', async () => {
    const person = await free()
    const id = await startScrape(person, 'f40_month')
    await until(app, id, over)
    const lastMonth = sql`date_trunc('month', now()) - interval '2 days'`
    await changeScrapes(app, { id }, { createdAt: lastMonth })
    const again = await startScrape(person, 'f40_month')
    await until(app, again, over)
    expect(await usedBy(person)).toBe(40)
    await setFoundAt(app, { scrapeId: [id, again] }, lastMonth)
    await until(app, await startScrape(person, 'f40_month'), over)
    expect(await usedBy(person)).toBe(80)
  })

  it('apply to concurrent scrapes', async () => {
    const person = await free()
    const ids = await Promise.all([startScrape(person, 'f90_one'), startScrape(person, 'f90_two')])
    const rows = await Promise.all(ids.map((id) => until(app, id, over)))
    expect(rows.reduce((sum, row) => sum + row.matched, 0)).toBe(100)
    expect(await usedBy(person)).toBe(100)
  })
})

describe.concurrent('a scrape through an account', () => {
  it('waits for the chosen account, else for the current one', async () => {
    const person = await makePerson(app)
    await subscribe(app, person)
    const first = await connectX(app, person, 'scraper_one')
    const second = await connectX(app, person, 'scraper_two')
    const chosen = await person.call('POST', '/scrapes', { ...anyone, twitterHandle: BRIEF, xAccountId: first.id })
    expect(chosen.status).toBe(200)
    const current = await startScrape(person, BRIEF)
    // Disconnect both accounts before the first page is read.
    await person.call('POST', `/x-accounts/${first.id}/disconnect`)
    await person.call('POST', `/x-accounts/${second.id}/disconnect`)
    const waits = (row: { status: string; resumesAt: Date | null }) =>
      row.status === 'waiting' && row.resumesAt === null
    await Promise.all([until(app, chosen.body.id, (row) => waits(row) || over(row)), until(app, current, waits)])
    await connectX(app, person, 'scraper_two')
    expect(await until(app, current, over)).toMatchObject({ status: 'completed', matched: 30 })
    expect(await until(app, chosen.body.id, () => true)).toMatchObject({ status: 'waiting' })
    await connectX(app, person, 'scraper_one')
    expect(await until(app, chosen.body.id, over)).toMatchObject({ status: 'completed', matched: 30 })
  })

  it('returns 404 for other workspaces and 409 if not connected', async () => {
    const person = await connected()
    const theirs = await connectX(app, await makePerson(app))
    const own = await connectX(app, person)
    for (const path of ['/scrapes', '/scrape/scrape', '/scrapes/estimate']) {
      const body = { twitterHandle: 'f9_x', type: 'followers' }
      const response = await person.call('POST', path, { ...body, xAccountId: theirs.id })
      expect([response.status, response.body.code]).toEqual([404, 'X_ACCOUNT_NOT_FOUND'])
    }
    await person.call('POST', `/x-accounts/${own.id}/disconnect`)
    const body = { twitterHandle: 'f9_x', type: 'followers', xAccountId: own.id }
    for (const path of ['/scrapes', '/scrapes/estimate'])
      expect((await person.call('POST', path, body)).body.code).toBe('X_SESSION_EXPIRED')
  })
})

describe.concurrent('POST /scrapes/estimate', () => {
  it('returns the number of profiles, the time, the cost and the allowance', async () => {
    const person = await makePerson(app)
    await connectX(app, person)
    const body = { twitterHandle: '@f2500_pat', type: 'followers' }
    const free = {
      twitterHandle: 'f2500_pat',
      profiles: 2_500,
      seconds: 3,
      costCents: null,
      likely: { profiles: 300, seconds: 1, costCents: null },
      leadsLeft: 100,
    }
    expect((await person.call('POST', '/scrapes/estimate', body)).body).toEqual(free)
    await subscribe(app, person)
    // The real X bills for reads.
    const x = { ...app.services.x!, readPriceCents: 1 }
    const context = { ...app.services, x, db: app.db } as never
    expect(
      await estimateFor(context, person.actor, { twitterHandle: 'bigfounder', type: 'followers', maxResults: 1_000 }),
    ).toEqual({
      twitterHandle: 'bigfounder',
      profiles: 1_000_000,
      seconds: 3_700,
      costCents: 1_000_000,
      likely: { profiles: 3_000, seconds: 3, costCents: 3_000 },
      leadsLeft: null,
    })
  })

  it('returns 400 for unknown and protected accounts', async () => {
    const person = await connected()
    for (const [twitterHandle, problem] of [
      ['missing_x', "@missing_x doesn't exist on X."],
      ['protected_x', '@protected_x is protected. Only approved followers can see who follows it.'],
    ]) {
      const response = await person.call('POST', '/scrapes/estimate', { twitterHandle, type: 'followers' })
      expect([response.status, response.body.error]).toEqual([400, problem])
    }
  })

  it('returns 503 if X fails', async () => {
    const x = {
      ...app.services.x!,
      findUser: () => Promise.reject(new XError('unknown', 'X is having trouble.')),
    }
    const person = await connected()
    const estimating = estimateFor({ ...app.services, x, db: app.db } as never, person.actor, {
      twitterHandle: 'f9_x',
      type: 'followers',
      maxResults: 1_000,
    })
    await expect(estimating).rejects.toMatchObject({ code: 'X_UNAVAILABLE' })
    await expect(
      estimateFor({ ...app.services, x: null, db: app.db } as never, person.actor, {
        twitterHandle: 'f9_x',
        type: 'followers',
        maxResults: 1_000,
      }),
    ).rejects.toMatchObject({ code: 'X_UNAVAILABLE' })
  })
})

describe.concurrent('POST /scrapes', () => {
  it('returns the scrape immediately and saves exactly the matching leads', async () => {
    const person = await connected()
    const request = { minFollowers: 100, maxFollowers: 5_000, keywords: ['Founder', 'design', 'زززز'] }
    const { status, body } = await person.call('POST', '/scrapes', {
      twitterHandle: '@F2500_Pat',
      type: 'followers',
      maxResults: 10_000,
      ...request,
    })
    expect(status).toBe(200)
    expect(body).toEqual({
      id: expect.any(String),
      twitterHandle: 'F2500_Pat',
      type: 'followers',
      postUrl: null,
      listUrl: null,
      maxResults: 10_000,
      ...request,
      status: 'queued',
      fetched: 0,
      matched: 0,
      estimate: null,
      spentCents: null,
      resumesAt: null,
      error: null,
      stoppedBy: null,
      isResumable: false,
      createdAt: expect.stringMatching(/Z$/),
    })
    const row = await until(app, body.id, over)
    const all = await everyone(app.x, 'f2500_pat', 'followers')
    const wanted = all.filter(
      (user) => user.followerCount >= 100 && user.followerCount <= 5_000 && /founder|design/i.test(user.bio),
    )
    expect(wanted.length).toBeGreaterThan(50)
    expect(row).toMatchObject({
      status: 'completed',
      fetched: 2_500,
      matched: wanted.length,
      expected: 2_500,
      error: null,
    })
    expect((await foundBy(app, body.id)).sort()).toEqual(wanted.map((user) => user.id).sort())
    const stored = await app.db.select().from(leads).where(eq(leads.workspaceId, person.workspaceId))
    const byId = new Map(stored.map((lead) => [lead.xUserId, lead]))
    for (const user of wanted) {
      expect(byId.get(user.id)).toMatchObject({
        twitterHandle: user.handle,
        name: user.name,
        bio: user.bio,
        followerCount: user.followerCount,
        followingCount: user.followingCount,
        location: user.location,
        website: user.website,
        url: `https://x.com/${user.handle}`,
        sourceProfile: 'f2500_pat',
        dmStatus: 'not_sent',
      })
    }
    expect((await person.call('GET', `/scrapes/${body.id}`)).body).toMatchObject({
      status: 'completed',
      estimate: { profiles: 2_500, secondsLeft: null },
    })
  })

  it('scrapes following', async () => {
    const person = await connected()
    const id = await startScrape(person, 'g130_kim', { type: 'following' })
    expect(await until(app, id, over)).toMatchObject({ status: 'completed', fetched: 130, matched: 130 })
    expect((await foundBy(app, id)).sort()).toEqual(
      (await everyone(app.x, 'g130_kim', 'following')).map((user) => user.id).sort(),
    )
  })

  it('stops at maxResults without reading more than needed', async () => {
    const person = await connected()
    const id = await startScrape(person, 'bigfounder', { maxResults: 120 })
    const row = await until(app, id, over)
    expect(row).toMatchObject({ status: 'completed', matched: 120, fetched: 360 })
    expect(await foundBy(app, id)).toHaveLength(120)
  })

  it('updates existing leads and keeps their status', async () => {
    const person = await connected()
    const [someone] = await everyone(app.x, 'f40_again', 'followers')
    await makeLeads(app, person, [
      {
        twitterHandle: someone!.handle.toUpperCase(),
        name: 'Imported',
        dmStatus: 'contacted',
        metadata: { company: 'Acme' },
      },
    ])
    for (let time = 0; time < 2; time++) {
      const id = await startScrape(person, 'f40_again')
      expect(await until(app, id, over)).toMatchObject({ status: 'completed', matched: 40 })
    }
    const stored = await app.db.select().from(leads).where(eq(leads.workspaceId, person.workspaceId))
    expect(stored).toHaveLength(40)
    expect(stored.find((lead) => lead.xUserId === someone!.id)).toMatchObject({
      name: someone!.name,
      dmStatus: 'contacted',
      metadata: { company: 'Acme' },
    })
  })

  it('finds nobody for an account without followers', async () => {
    const person = await connected()
    const id = await startScrape(person, 'f0_lonely')
    expect(await until(app, id, over)).toMatchObject({ status: 'completed', fetched: 0, matched: 0 })
  })

  it('starts once for an Idempotency-Key', async () => {
    const person = await connected()
    const key = { 'idempotency-key': crypto.randomUUID() }
    const body = { twitterHandle: 'f10_once', type: 'followers' }
    const first = await person.call('POST', '/scrapes', body, key)
    const second = await person.call('POST', '/scrapes', body, key)
    expect([second.status, second.body]).toEqual([200, first.body])
    expect((await person.call('GET', '/scrapes')).body.total).toBe(1)
    expect((await person.call('POST', '/scrapes', { ...body, type: 'following' }, key)).body.code).toBe(
      'IDEMPOTENCY_KEY_REUSED',
    )
  })

  it.each([
    ['missing_pat', "@missing_pat doesn't exist on X."],
    ['suspended_pat', '@suspended_pat is suspended on X.'],
    ['protected_pat', '@protected_pat is protected. Only approved followers can see who follows it.'],
  ])('returns 200 and fails with a clear error for @%s', async (handle, error) => {
    const person = await connected()
    const id = await startScrape(person, handle)
    expect(await until(app, id, over)).toMatchObject({ status: 'failed', error, fetched: 0 })
    expect((await person.call('GET', `/scrapes/${id}`)).body.isResumable).toBe(false)
  })

  it.each([
    [{ type: 'followers' }, 'Please enter a X handle to scrape'],
    [{ ...anyone, twitterHandle: ' @' }, 'Please enter a X handle to scrape'],
    [{ ...anyone, twitterHandle: 'not a handle' }, /1 to 15 letters/],
    [{ ...anyone, twitterHandle: '@Search' }, /page on X/],
    [{ ...anyone, twitterHandle: 'ana', type: 'likes' }, 'Type must be followers or following.'],
    [
      { twitterHandle: 'ana', type: 'followers', minFollowers: 10, maxFollowers: 9 },
      'Max followers must not be less than the minimum.',
    ],
    [{ ...anyone, twitterHandle: 'ana', keywords: [''] }, 'Entry 1 of keywords is required.'],
    [{ ...anyone, twitterHandle: 'ana', maxResults: 0 }, 'Max results must be at least 1.'],
    [
      { ...anyone, twitterHandle: 'ana', credentials: { username: '', password: '' } },
      'Please enter your X credentials',
    ],
    [
      { ...anyone, twitterHandle: 'ana', credentials: { username: '@a', password: 'x' } },
      'Please enter your Twitter username without the @ symbol',
    ],
  ])('returns 400 for invalid input %#', async (body, text) => {
    const person = await makePerson(app)
    for (const path of 'type' in body && body.type === 'likes' ? ['/scrape/scrape'] : ['/scrapes', '/scrape/scrape']) {
      const response = await person.call('POST', path, body)
      expect([response.status, response.body.code]).toEqual([400, 'INVALID_INPUT'])
      expect(response.body.error).toMatch(text)
    }
  })

  it('returns 409 without a connected X account', async () => {
    const person = await makePerson(app)
    for (const path of ['/scrapes', '/scrape/scrape']) {
      const response = await person.call('POST', path, { ...anyone, twitterHandle: 'ana' })
      expect([response.status, response.body]).toEqual([
        409,
        {
          success: false,
          code: 'X_SESSION_EXPIRED',
          error: 'X session expired or invalid. Please enter your X credentials.',
        },
      ])
    }
    expect((await person.call('GET', '/scrapes')).body.total).toBe(0)
  })

  it('returns 400 for credentials that X rejects', async () => {
    const person = await makePerson(app)
    const credentials = { username: 'ana', password: 'short' }
    for (const path of ['/scrapes', '/scrape/scrape']) {
      const response = await person.call('POST', path, { ...anyone, twitterHandle: 'ana', credentials })
      expect([response.status, response.body.code]).toEqual([400, 'X_CREDENTIALS_REFUSED'])
    }
  })

  it('returns 403 for viewers, and for members with credentials', async () => {
    const owner = await connected()
    const viewer = await makePerson(app, { in: owner, role: 'viewer' })
    const member = await makePerson(app, { in: owner, role: 'member' })
    const credentials = { username: 'other_one', password: 'long enough' }
    for (const path of ['/scrapes', '/scrape/scrape']) {
      const body = { ...anyone, twitterHandle: 'f10_roles' }
      expect((await viewer.call('POST', path, body)).body.code).toBe('FORBIDDEN')
      expect((await member.call('POST', path, { ...body, credentials })).body.code).toBe('FORBIDDEN')
      expect((await member.call('POST', path, body)).status).toBe(200)
    }
  })
})

describe.concurrent('other sources', () => {
  const postUrl = 'https://x.com/ana/status/77250'
  const listUrl = 'https://x.com/i/lists/8130'
  const bounds = { minFollowers: 0, maxFollowers: 1_000_000_000, maxResults: 10_000 }

  it.each([
    [{ type: 'likers', postUrl }, 250],
    [{ type: 'repliers', postUrl: 'twitter.com/i/web/status/77250?s=20' }, 84],
    [{ type: 'list_members', listUrl }, 130],
    [{ type: 'handles', handles: ['ana', 'Ana', 'ben', 'missing_x', 'suspended_x'] }, 2],
  ])('scrapes %j', async (source, count) => {
    const person = await connected()
    const { status, body } = await person.call('POST', '/scrapes', { ...bounds, ...source })
    expect([status, body.type, body.twitterHandle]).toEqual([200, source.type, null])
    expect(await until(app, body.id, over)).toMatchObject({ status: 'completed', matched: count, fetched: count })
    const scraped = (await person.call('GET', `/leads?scrapeId=${body.id}`)).body.leads
    expect(scraped[0]).toMatchObject({ sourceProfile: null })
    const { events } = (await person.call('GET', `/leads/${scraped[0].id}/history`)).body
    expect(events.at(-1)).toMatchObject({ kind: 'scraped', type: source.type, twitterHandle: null })
  })

  it("reads 5,000 handles in parts, and stops at the plan's limit", async () => {
    const person = await makePerson(app)
    await connectX(app, person)
    const handles = Array.from({ length: 5_000 }, (_, index) => `open_${index}`)
    const { body } = await person.call('POST', '/scrapes', { ...bounds, type: 'handles', handles })
    expect(await until(app, body.id, over)).toMatchObject({ matched: 100, fetched: 100, stoppedBy: 'PLAN_LIMIT' })
    expect((await person.call('GET', `/scrapes/${body.id}/handles`)).body).toEqual({ handles })
    const more = await person.call('POST', '/scrapes', {
      ...bounds,
      type: 'handles',
      handles: [...handles, 'one_more'],
    })
    expect([more.status, more.body.error]).toEqual([400, 'Handles must have at most 5,000 entries.'])
  })

  it.each([
    [{ type: 'likers', postUrl: 'https://x.com/ana/status/5000' }, "This post doesn't exist on X."],
    [
      { type: 'list_members', listUrl: 'https://x.com/i/lists/5000' },
      "This list doesn't exist on X, or it is private.",
    ],
  ])('fail for %j', async (source, error) => {
    const person = await connected()
    const { body } = await person.call('POST', '/scrapes', { ...bounds, ...source })
    expect(await until(app, body.id, over)).toMatchObject({ status: 'failed', error })
    const estimate = await person.call('POST', '/scrapes/estimate', source)
    expect([estimate.status, estimate.body.error]).toEqual([400, error])
  })

  it.each([
    [{ type: 'likers', postUrl }, 250],
    [{ type: 'repliers', postUrl }, 84],
    [{ type: 'list_members', listUrl }, 130],
    [{ type: 'handles', handles: ['ana', 'ben'] }, 2],
  ])('are estimated: %j', async (source, profiles) => {
    const person = await connected()
    const x = { ...app.services.x!, readPriceCents: 1 }
    const context = { ...app.services, x, db: app.db } as never
    const costCents = source.type === 'repliers' ? profiles * 1.5 : profiles
    expect(await estimateFor(context, person.actor, { ...source, maxResults: 1_000 } as never)).toMatchObject({
      profiles,
      costCents,
      likely: { profiles, costCents },
    })
  })

  it.each([
    [{ type: 'likers' }, /URL of a post/],
    [{ type: 'likers', postUrl: 'https://x.com/ana' }, /URL of a post/],
    [{ type: 'likers', postUrl: `https://evil.example/?x.com/ana/status/1` }, /URL of a post/],
    [{ type: 'list_members', listUrl: postUrl }, /URL of a list/],
    [{ type: 'handles', handles: [] }, /at least one handle/],
    [{ type: 'handles', handles: ['ana', 'not a handle'] }, /1 to 15 letters/],
    [{ type: 'followers', twitterHandle: 'ana', postUrl }, /does not go with the type followers/],
  ])('return 400 for %j', async (source, error) => {
    const person = await makePerson(app)
    for (const path of ['/scrapes', '/scrapes/estimate']) {
      const response = await person.call('POST', path, source)
      expect([response.status, response.body.code]).toEqual([400, 'INVALID_INPUT'])
      expect(response.body.error).toMatch(error)
    }
  })

  it('return 400 if X does not offer them', async () => {
    const person = await connected()
    const x = { ...app.services.x!, sources: ['followers'] as const }
    const estimating = estimateFor({ ...app.services, x, db: app.db } as never, person.actor, {
      type: 'likers',
      postUrl,
      maxResults: 1,
    })
    await expect(estimating).rejects.toMatchObject({ code: 'INVALID_INPUT' })
  })
})

describe.concurrent('GET /scrapes/{id}/histogram', () => {
  const countsOf = async (person: Person, id: string): Promise<{ from: number; count: number }[]> =>
    (await person.call('GET', `/scrapes/${id}/histogram`)).body.bins

  it('counts every profile read, matching or not', async () => {
    const person = await connected()
    const id = await startScrape(person, 'f1300_bins', { minFollowers: 100, maxFollowers: 1_000 })
    expect((await until(app, id, over)).matched).toBeLessThan(1_300)
    const bins = await countsOf(person, id)
    const all = await everyone(app.x, 'f1300_bins', 'followers')
    for (const [index, { from, count }] of bins.entries()) {
      const to = bins[index + 1]?.from ?? Number.POSITIVE_INFINITY
      expect([from, count]).toEqual([from, all.filter((u) => u.followerCount >= from && u.followerCount < to).length])
    }
  })

  it('counts a page once that the plan cut and that is read again', async () => {
    const person = await makePerson(app)
    await connectX(app, person)
    const id = await startScrape(person, 'f450_bins')
    const sum = async () => (await countsOf(person, id)).reduce((total, { count }) => total + count, 0)
    expect((await until(app, id, over)).stoppedBy).toBe('PLAN_LIMIT')
    expect(await sum()).toBe(300)
    await subscribe(app, person)
    await person.call('POST', `/scrapes/${id}/resume`)
    await until(app, id, over)
    expect(await sum()).toBe(450)
  })

  it('counts the words in the bios of the leads found, as the filter by words finds them', async () => {
    const person = await connected()
    const id = await startScrape(person, 'f300_words', { minFollowers: 100, maxFollowers: 1_000 })
    const { matched } = await until(app, id, over)
    const { words } = (await person.call('GET', `/scrapes/${id}/histogram`)).body
    expect(words.length).toBeGreaterThan(5)
    const totalOf = async (bioWords: string) => (await person.client.leads.list({ scrapeId: id, bioWords })).total
    for (const { word, count } of words.slice(0, 6))
      expect([word, await totalOf(word), await totalOf(`-${word}`)]).toEqual([word, count, matched - count])
  })

  it('returns empty bins before the first page, and 404 to other workspaces', async () => {
    const person = await makePerson(app)
    const { id } = await makeScrape(app, person)
    const { body } = await person.call('GET', `/scrapes/${id}/histogram`)
    expect(body).toMatchObject({ words: [] })
    expect(body.bins).toHaveLength(30)
    expect(body.bins.at(-1)).toEqual({ from: 10_000_000, to: null, count: 0 })
    const stranger = await makePerson(app)
    expect((await stranger.call('GET', `/scrapes/${id}/histogram`)).body.code).toBe('SCRAPE_NOT_FOUND')
  })
})

it('returns no pasted handles of other scrapes, and 404 to other workspaces', async () => {
  const [person, stranger] = await Promise.all([makePerson(app), makePerson(app)])
  const { id } = await makeScrape(app, person)
  expect((await person.call('GET', `/scrapes/${id}/handles`)).body).toEqual({ handles: [] })
  expect((await stranger.call('GET', `/scrapes/${id}/handles`)).body.code).toBe('SCRAPE_NOT_FOUND')
})

describe.concurrent('POST /scrape/scrape', () => {
  it('waits for the leads', async () => {
    const person = await connected()
    const { status, body } = await person.call('POST', '/scrape/scrape', { ...anyone, twitterHandle: 'f60_wait' })
    expect([status, body.success, body.count]).toEqual([200, true, 60])
    const all = await everyone(app.x, 'f60_wait', 'followers')
    expect(body.leads.map((lead: { twitterHandle: string }) => lead.twitterHandle).sort()).toEqual(
      all.map((user) => user.handle).sort(),
    )
  })

  it('connects with the credentials first', async () => {
    const person = await makePerson(app)
    const credentials = { username: 'fresh_one', password: 'long enough' }
    const { body } = await person.call('POST', '/scrape/scrape', {
      ...anyone,
      twitterHandle: 'f20_fresh',
      credentials,
    })
    expect(body.count).toBe(20)
    expect((await person.call('GET', '/session/status')).body).toMatchObject({ connected: true, handle: 'fresh_one' })
    expect(
      JSON.stringify(await app.db.select().from(scrapes).where(eq(scrapes.workspaceId, person.workspaceId))),
    ).not.toContain('long enough')
  })

  it('returns at most maxResults leads', async () => {
    const person = await connected()
    const body = { ...anyone, twitterHandle: 'f500_most', maxResults: 7 }
    expect((await person.call('POST', '/scrape/scrape', body)).body).toMatchObject({ count: 7 })
    expect((await person.call('POST', '/scrape/scrape', { ...body, maxResults: 1_001 })).status).toBe(400)
  })

  it('waits for the same scrape with an Idempotency-Key', async () => {
    const person = await connected()
    const key = { 'idempotency-key': crypto.randomUUID() }
    const body = { ...anyone, twitterHandle: SLOW }
    const controller = new AbortController()
    const request = fetch(`${app.url}/scrape/scrape`, {
      method: 'POST',
      headers: { authorization: `Bearer ${person.token}`, 'content-type': 'application/json', ...key },
      body: JSON.stringify(body),
      signal: controller.signal,
    })
    const begun = async () => (await person.call('GET', '/scrapes')).body.scrapes
    await vi.waitUntil(async () => (await begun()).length === 1, 60_000)
    expect((await person.call('POST', '/scrape/scrape', body, key)).body.code).toBe('IDEMPOTENCY_UNDER_WAY')
    controller.abort()
    await expect(request).rejects.toThrow()
    const again = () => person.call('POST', '/scrape/scrape', body, key)
    const response = await vi.waitUntil(async () => {
      const next = await again()
      return next.status !== 409 && next
    }, 60_000)
    expect([response.status, response.body.count]).toEqual([200, 30])
    expect((await again()).body).toEqual(response.body)
    expect(await begun()).toHaveLength(1)
  })

  it('resumes a failed scrape with an Idempotency-Key', async () => {
    const person = await connected()
    const key = crypto.randomUUID()
    const body = { ...anyone, twitterHandle: 'f25_failed' }
    const ask = () => person.call('POST', '/scrape/scrape', body, { 'idempotency-key': key })
    const first = await ask()
    const [scrape] = await app.db.select().from(scrapes).where(eq(scrapes.workspaceId, person.workspaceId))
    // As if the scrape had failed after its waiting process died.
    await changeScrapes(app, { id: scrape!.id }, { status: 'failed', failures: 8 })
    await loseResponse(app, key, scrape!.id)
    const second = await ask()
    expect([second.status, second.body.count]).toEqual([200, first.body.count])
    expect((await person.call('GET', '/scrapes')).body).toMatchObject({
      total: 1,
      scrapes: [{ id: scrape!.id, status: 'completed' }],
    })
  })

  it.each(['missing_wait', 'protected_wait'])('returns 400 for @%s', async (twitterHandle) => {
    const person = await connected()
    const { status, body } = await person.call('POST', '/scrape/scrape', { ...anyone, twitterHandle })
    expect([status, body.code]).toEqual([400, 'INVALID_INPUT'])
    expect(body.error).toContain(`@${twitterHandle}`)
    expect(body.details).toMatchObject([{ field: 'twitterHandle' }])
  })
})

describe.concurrent('GET /scrapes, GET /scrapes/{id}', () => {
  it("list the workspace's scrapes, newest first, for viewers too", async () => {
    const person = await connected()
    const ids = [await startScrape(person, 'f1_first'), await startScrape(person, 'f1_second')]
    const viewer = await makePerson(app, { in: person, role: 'viewer' })
    const { body } = await viewer.call('GET', '/scrapes')
    expect(body).toMatchObject({ total: 2, page: 1, pageSize: 20 })
    expect(body.scrapes.map((scrape: { id: string }) => scrape.id)).toEqual(ids.reverse())
    expect((await viewer.call('GET', '/scrapes?page=2&pageSize=1')).body.scrapes).toMatchObject([{ id: ids[1] }])
    const stranger = await makePerson(app)
    expect((await stranger.call('GET', '/scrapes')).body).toMatchObject({ scrapes: [], total: 0 })
    const hidden = await stranger.call('GET', `/scrapes/${ids[0]}`)
    expect([hidden.status, hidden.body]).toEqual([
      404,
      { success: false, code: 'SCRAPE_NOT_FOUND', error: 'Scrape not found or access denied' },
    ])
  })
})

describe.concurrent('POST /scrapes/{id}/cancel, POST /scrapes/{id}/resume', () => {
  it('return 409 in the wrong state, and 404 and 403 for others', async () => {
    const person = await connected()
    const id = await startScrape(person, 'f5_state')
    await until(app, id, (row) => row.status === 'completed')
    const stranger = await makePerson(app)
    const viewer = await makePerson(app, { in: person, role: 'viewer' })
    for (const what of ['cancel', 'resume']) {
      const response = await person.call('POST', `/scrapes/${id}/${what}`)
      expect([response.status, response.body.code]).toEqual([409, 'SCRAPE_STATE'])
      expect((await stranger.call('POST', `/scrapes/${id}/${what}`)).body.code).toBe('SCRAPE_NOT_FOUND')
      expect((await viewer.call('POST', `/scrapes/${id}/${what}`)).body.code).toBe('FORBIDDEN')
    }
  })

  it('return 409 when resuming after a final answer of X', async () => {
    const person = await connected()
    const id = await startScrape(person, 'missing_again')
    await until(app, id, (row) => row.status === 'failed')
    expect((await person.call('GET', `/scrapes/${id}`)).body.isResumable).toBe(false)
    const response = await person.call('POST', `/scrapes/${id}/resume`)
    expect([response.status, response.body.code]).toEqual([409, 'SCRAPE_STATE'])
  })
})

it('stores who takes no messages from the account, and forgets it once they do', async () => {
  const person = await connected()
  const id = await startScrape(person, 'f40_closed')
  await until(app, id, over)
  const readLeads = async () => app.db.select().from(leads).where(eq(leads.workspaceId, person.workspaceId))
  const isClosed = (handle: string) => !personOf(handle).inboxOpen
  const closed = async () => (await readLeads()).filter(({ closedTo }) => closedTo !== null)
  const expected = (await readLeads()).filter(({ twitterHandle }) => isClosed(twitterHandle))
  expect(expected.length).toBeGreaterThan(0)
  expect((await closed()).map(({ id }) => id).sort()).toEqual(expected.map(({ id }) => id).sort())
  const [account] = await app.db.select().from(xAccounts).where(eq(xAccounts.workspaceId, person.workspaceId))
  expect(new Set((await closed()).map(({ closedTo }) => closedTo))).toEqual(new Set([account!.xUserId]))
  await closeTo(app, { workspaceId: person.workspaceId }, account!.xUserId)
  await until(app, await startScrape(person, 'f40_closed'), over)
  expect((await closed()).map(({ id }) => id).sort()).toEqual(expected.map(({ id }) => id).sort())
})
