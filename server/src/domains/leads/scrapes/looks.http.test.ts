import { idOfHandle } from '@x-automated/stand-ins/x/ids'
import { eq } from 'drizzle-orm'
import { afterEach, beforeAll, describe, expect, it, vi } from 'vitest'
import { connectX, makePerson, type Person } from '../../../../test/makers.ts'
import { openApp, type TestApp } from '../../../../test/open-app.ts'
import { setFaults } from '../../../../test/outreach.ts'
import { everyone } from '../../../../test/scrapes.ts'
import { reconnect } from '../../../../test/x-accounts.ts'
import { refillFunds } from '../../../../test/x-apps.ts'
import { leads } from '../../../core/tables/leads.ts'
import { use, usedOf } from '../../platform/billing/plan.ts'
import { scrapes } from './tables.ts'

let app: TestApp
beforeAll(async () => {
  app = await openApp({ x: true, env: { X_PRICES: 'published' } })
})
afterEach(async () => {
  vi.useRealTimers()
  await setFaults(app)
})

async function connected(): Promise<Person> {
  const person = await makePerson(app)
  await connectX(app, person)
  await app.services.xMeters.flush()
  return person
}
const look = (person: Person, source: object = {}) =>
  person.call('POST', '/scrapes/look', { twitterHandle: 'f300_look', type: 'followers', ...source })
const costOf = async (person: Person) => {
  await app.services.xMeters.flush()
  const { accounts } = await person.client.xCosts.find({})
  return accounts.flatMap(({ byPurpose }) => byPurpose).find(({ purpose }) => purpose === 'scrape')?.cents ?? 0
}
const HANDLES = [...Array(30).keys()].map((index) => `handle_${index}`)
const followersOf = (handle: string) => ({ path: `/2/users/${idOfHandle(handle)}/followers` })

describe('POST /scrapes/look', () => {
  it('shows the first 25 people and their pictures, and counts what X charges', async () => {
    const person = await connected()
    // X charges for a person once a day, so no other test looks at this handle.
    const { status, body } = await look(person, { twitterHandle: '@F301_Charged' })
    expect([status, body.costCents, body.looksLeft]).toEqual([200, 26, 3])
    const all = await everyone(app.x, 'f301_charged', 'followers')
    expect(body.people).toEqual(
      all.slice(0, 25).map(({ name, handle, bio, followerCount }) => ({
        name,
        twitterHandle: handle,
        bio,
        followerCount,
        pictureUrl: expect.stringMatching(/^\/api\/pictures\?source=/),
      })),
    )
    expect(await costOf(person)).toBe(26)
    const picture = await fetch(`${app.origin}${body.people[0].pictureUrl}`)
    expect([picture.status, picture.headers.get('content-type')]).toEqual([200, 'image/webp'])
  })

  it('stores nobody and counts towards no limit of the plan, also when it is used up', async () => {
    const person = await connected()
    await use(app.db, person.workspaceId, 'scrapedLeads', 100)
    expect((await look(person)).body.people).toHaveLength(25)
    expect(await usedOf(app.db, person.workspaceId, 'scrapedLeads')).toBe(100)
    for (const table of [leads, scrapes] as const)
      expect(await app.db.$count(table, eq(table.workspaceId, person.workspaceId))).toBe(0)
  })

  it.each([
    ['following', { type: 'following', twitterHandle: 'g40_look' }, 26],
    ['likers', { type: 'likers', twitterHandle: undefined, postUrl: 'https://x.com/ana/status/1100' }, 26],
    ['repliers', { type: 'repliers', twitterHandle: undefined, postUrl: 'https://x.com/ana/status/1900' }, 38],
    ['list members', { type: 'list_members', twitterHandle: undefined, listUrl: 'https://x.com/i/lists/1100' }, 26],
    ['handles', { type: 'handles', twitterHandle: undefined, handles: HANDLES }, 25],
  ])('shows %s', async (_, source, costCents) => {
    const { status, body } = await look(await connected(), source)
    expect([status, body.people?.length, body.costCents]).toEqual([200, 25, costCents])
  })

  it.each([
    ['missing_look', "@missing_look doesn't exist on X."],
    ['suspended_look', '@suspended_look is suspended on X.'],
    ['protected_look', '@protected_look is protected. Only approved followers can see who follows it.'],
    ['f300_forbidden', "X doesn't show the followers of @f300_forbidden: "],
  ])('returns 400 for @%s, and does not count', async (twitterHandle, problem) => {
    const person = await connected()
    await setFaults(app, { ...followersOf('f300_forbidden'), status: 403 })
    const { status, body } = await look(person, { twitterHandle })
    expect([status, body.details[0].field]).toEqual([400, 'twitterHandle'])
    expect(body.error).toContain(problem)
    expect((await look(person)).body.looksLeft).toBe(3)
  })

  it('does not count if nobody follows the handle', async () => {
    const person = await connected()
    const { body } = await look(person, { twitterHandle: 'f0_look' })
    expect(body).toEqual({ people: [], costCents: 1, looksLeft: 4 })
    expect((await look(person)).body.looksLeft).toBe(3)
  })

  it.each([
    [{ status: 503 }, 503, 'X_UNAVAILABLE', 'X is not responding. Please try again in a moment.'],
    [{ status: 429, resetSeconds: 60 }, 503, 'X_UNAVAILABLE', "X's rate limit is reached. Try again in a few minutes."],
    [{ status: 401 }, 409, 'X_NOT_CONNECTED', 'Connect an X account first.'],
    [{ status: 402 }, 503, 'X_UNAVAILABLE', 'X'],
  ])('after %o of X it returns %i %s, and does not count', async (fault, status, code, text) => {
    const person = await connected()
    await setFaults(app, { ...followersOf('f300_look'), ...fault })
    const response = await look(person)
    expect([response.status, response.body.code]).toEqual([status, code])
    expect(response.body.error).toContain(text)
    await setFaults(app)
    await refillFunds(app)
    await reconnect(app, { workspaceId: person.workspaceId })
    expect((await look(person)).body.looksLeft).toBe(3)
  })

  it('limits failed looks and estimates, for which X charges, apart from other lookups', async () => {
    const person = await connected()
    const key = `${person.workspaceId} sources`
    for (let n = 0; n < 119; n += 1) await app.services.limits.consume('lookUpByWorkspace', key)
    expect((await look(person, { twitterHandle: 'protected_look' })).status).toBe(400)
    expect((await look(person, { twitterHandle: 'protected_look' })).status).toBe(429)
    const source = { twitterHandle: 'protected_look', type: 'followers' }
    expect((await person.call('POST', '/scrapes/estimate', source)).status).toBe(429)
  })

  it('says why it failed even if the look cannot be refunded', async () => {
    const person = await connected()
    vi.spyOn(app.services.limits, 'refund').mockRejectedValueOnce(new Error('no database'))
    expect((await look(person, { twitterHandle: 'missing_look' })).body.error).toContain("doesn't exist on X")
  })

  it('reads nothing beyond the spending limit', async () => {
    const person = await connected()
    await person.client.xCosts.saveLimit({
      limitCents: Math.ceil((await person.client.xCosts.find({})).totalCents) + 10,
    })
    const { status, body } = await look(person)
    expect([status, body.code, body.error]).toEqual([503, 'X_UNAVAILABLE', expect.stringContaining('spending limit')])
    expect(await costOf(person)).toBeLessThanOrEqual(1)
    await person.client.xCosts.saveLimit({ limitCents: null })
    expect((await look(person)).body.looksLeft).toBe(3)
  })

  it('allows exactly four looks a day, over all members and processes', async () => {
    const midnight = Math.ceil(Date.now() / 86_400_000) * 86_400_000
    vi.useFakeTimers({ toFake: ['Date'], now: midnight - 60_000 })
    const person = await connected()
    const colleague = await makePerson(app, { in: person, role: 'member' })
    const other = await app.startAnother()
    const at = (url: string, by: Person) =>
      fetch(`${url}/scrapes/look`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', authorization: `Bearer ${by.token}` },
        body: JSON.stringify({ twitterHandle: 'f300_look', type: 'followers' }),
      }).then(async (response) => ({ status: response.status, body: await response.json() }))
    const urls = [app.url, `${other.url}/api`]
    const responses = await Promise.all(
      [...Array(10).keys()].map((index) => at(urls[index % 2]!, index % 3 === 0 ? colleague : person)),
    )
    const accepted = responses.filter(({ status }) => status === 200)
    expect(accepted.map(({ body }) => body.looksLeft).sort()).toEqual([0, 1, 2, 3])
    for (const { status, body } of responses)
      if (status !== 200)
        expect([status, body.code, body.details]).toEqual([403, 'PLAN_LIMIT', { limit: 4, used: 4, plan: 'free' }])
    expect((await look(await connected())).body.looksLeft).toBe(3)
    vi.setSystemTime(midnight + 10_000)
    expect((await look(person)).body.looksLeft).toBe(3)
    await other.close()
  })

  it('returns 403 to viewers, 404 for other accounts, and 409 without a connection', async () => {
    const person = await connected()
    const viewer = await makePerson(app, { in: person, role: 'viewer' })
    expect((await look(viewer)).body.code).toBe('FORBIDDEN')
    const theirs = await connectX(app, await makePerson(app))
    expect((await look(person, { xAccountId: theirs.id })).body.code).toBe('X_ACCOUNT_NOT_FOUND')
    expect((await look(await makePerson(app))).body.code).toBe('X_NOT_CONNECTED')
    expect((await look(person, { twitterHandle: undefined })).body.code).toBe('INVALID_INPUT')
  })
})
