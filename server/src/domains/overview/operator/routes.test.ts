import { randomBytes } from 'node:crypto'
import { parse } from 'csv-parse/sync'
import { and, eq, sql } from 'drizzle-orm'
import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { clearOfMidnight } from '../../../../test/clear-of-midnight.ts'
import { call, makePerson, type Person } from '../../../../test/makers.ts'
import { openApp, type TestApp } from '../../../../test/open-app.ts'
import { backdateJoins, confirmMembers, readdressMembers, unsubscribeMembers } from '../../../../test/waitlist.ts'
import { members, referralCounts, rewardGrants, waitlistDays } from '../../waitlist/waitlist/tables.ts'
import { operatorLog } from './tables.ts'

let app: TestApp
let operator: Person
let colleague: Person
beforeAll(async () => {
  await clearOfMidnight()
  app = await openApp({ mailbox: true, workers: true, env: { TRUST_PROXY: 'loopback' } })
  ;[operator, colleague] = await Promise.all([makePerson(app), makePerson(app)])
  app.services.env.operators.push(operator.email, colleague.email)
})

let address = 0
const newEmail = (domain = 'example.com') => `m${randomBytes(5).toString('hex')}@${domain}`
async function join(email = newEmail(), referralCode?: string, path?: string) {
  const headers = { 'x-forwarded-for': `198.18.${++address % 250}.1` }
  const { body } = await call(app, 'POST', '/waitlist/join', { email, referralCode, path }, headers)
  const [member] = await app.db.select().from(members).where(eq(members.email, email))
  return { ...(body as { position: number; referralCode: string }), email, id: member!.id }
}
type Joined = Awaited<ReturnType<typeof join>>
const positionOf = async (id: string) => (await app.db.select().from(members).where(eq(members.id, id)))[0]!.position
const creditsOf = async (id: string) =>
  (await app.db.select().from(referralCounts).where(eq(referralCounts.memberId, id))).map((row) => row.referralCount)
const decide = (decision: 'release' | 'refuse' | 'undo', { id }: { id: string }, who = operator) =>
  who.call('POST', `/operator/referrals/${id}/${decision}`)
const heldIds = async () =>
  (await operator.client.operator.held({ pageSize: 100 })).held.map((referral) => referral.memberId)
const utcDay = () => new Date().toISOString().slice(0, 10)

it('GET /me marks operators, and omits the field for others', async () => {
  expect((await operator.call('GET', '/me')).body.operator).toBe(true)
  expect((await (await makePerson(app)).call('GET', '/me')).body).not.toHaveProperty('operator')
})

describe('held referrals', () => {
  let referrer: Joined
  let held: Joined
  beforeEach(async () => {
    referrer = await join()
    held = await join(newEmail('mailinator.com'), referrer.referralCode)
  })

  it('are listed with referrer and reason', async () => {
    const { held: rows, total } = await operator.client.operator.held({ pageSize: 100 })
    expect(rows.find((row) => row.memberId === held.id)).toMatchObject({
      email: held.email,
      referrerEmail: referrer.email,
      reason: 'disposable_domain',
    })
    expect(total).toBe(rows.length)
    expect((await operator.client.operator.growth({})).held).toBe(total)
  })

  it('count once after release; undoing reverts the credit but not the position', async () => {
    expect((await decide('release', held)).body).toEqual({ success: true })
    const moved = await positionOf(referrer.id)
    expect(await creditsOf(referrer.id)).toEqual([1, 1, 1])
    expect(moved).toBe(Math.max(1, referrer.position - 5))
    expect(await heldIds()).not.toContain(held.id)

    await decide('undo', held)
    expect(await creditsOf(referrer.id)).toEqual([0, 0, 0])
    expect(await positionOf(referrer.id)).toBe(moved)
    expect(await heldIds()).toContain(held.id)

    await decide('release', held)
    expect(await creditsOf(referrer.id)).toEqual([1, 1, 1])
    expect(await positionOf(referrer.id)).toBe(moved)
  })

  it('grant rewards once, and keep them after an undo', async () => {
    const others = [
      await join(newEmail('yopmail.com'), referrer.referralCode),
      await join(newEmail('yopmail.com'), referrer.referralCode),
    ]
    for (const referral of [held, ...others]) await decide('release', referral)
    await decide('undo', held)
    await decide('release', held)
    const [member] = await app.db.select().from(members).where(eq(members.id, referrer.id))
    expect(member!.achievements.filter((key) => key === 'bronze')).toHaveLength(1)
    const isBronze = and(eq(rewardGrants.memberId, referrer.id), eq(rewardGrants.achievement, 'bronze'))
    expect(await app.db.$count(rewardGrants, isBronze)).toBe(1)
  })

  it('do not count while refused, until that is undone', async () => {
    await decide('refuse', held)
    expect(await creditsOf(referrer.id)).toEqual([])
    expect((await decide('release', held)).body.code).toBe('REFERRAL_STATE')
    await decide('undo', held)
    await decide('release', held)
    expect(await creditsOf(referrer.id)).toEqual([1, 1, 1])
  })

  it('accept one of several parallel decisions and log its operator; the others return 409', async () => {
    const before = await app.db.$count(operatorLog, eq(operatorLog.memberId, held.id))
    const responses = await Promise.all(
      Array.from({ length: 6 }, (_, i) => decide(i < 3 ? 'release' : 'refuse', held, i % 2 ? operator : colleague)),
    )
    expect(responses.map((response) => response.status).sort()).toEqual([200, 409, 409, 409, 409, 409])
    const log = await app.db.select().from(operatorLog).where(eq(operatorLog.memberId, held.id))
    expect(log).toHaveLength(before + 1)
    const winner = responses.findIndex((response) => response.status === 200)
    expect(log[0]).toMatchObject({
      action: winner < 3 ? 'release' : 'refuse',
      operatorId: (winner % 2 ? operator : colleague).id,
    })
    const { actions } = await operator.client.operator.log({})
    expect(actions[0]).toMatchObject({
      operatorEmail: (winner % 2 ? operator : colleague).email,
      memberEmail: held.email,
      count: null,
    })
  })

  it('return 409 for credited referrals and 404 for members who were not referred', async () => {
    const plain = await join(newEmail(), referrer.referralCode)
    for (const decision of ['release', 'refuse', 'undo'] as const) {
      expect((await decide(decision, plain)).body.code).toBe('REFERRAL_STATE')
      expect((await decide(decision, referrer)).body.code).toBe('REFERRAL_NOT_FOUND')
    }
    expect((await decide('undo', held)).body.code).toBe('REFERRAL_STATE')
  })
})

describe('GET /operator/members', () => {
  const search = async (q: string) => (await operator.client.operator.members({ q })).members.map((row) => row.email)

  it('finds members by start of the address, by code and by position', async () => {
    const name = `ab.${randomBytes(4).toString('hex')}`
    const { referralCode, position } = await join(`${name}@gmail.com`)
    for (const text of [name.slice(0, 7), name.toUpperCase(), `${name}@gmail.com`, referralCode, `#${position}`])
      expect([text, await search(text)]).toEqual([text, [`${name}@gmail.com`]])
    for (const text of ['%', '_', 'no such', '\\', '.', '#0', '999999999']) expect(await search(text)).toEqual([])
  })

  it('returns pages of all members by position, and of search results', async () => {
    for (let i = 0; i < 5; i++) await join(`paged${i}@example.com`)
    const { total } = await operator.client.operator.members({})
    const all: number[] = []
    for (let page = 1; page <= Math.ceil(total / 7); page++)
      all.push(...(await operator.client.operator.members({ page, pageSize: 7 })).members.map((row) => row.position))
    expect(all).toEqual(Array.from({ length: total }, (_, i) => i + 1))
    const second = await operator.client.operator.members({ q: 'paged', page: 2, pageSize: 2 })
    expect(second).toMatchObject({ total: 5, more: false })
    expect(second.members.map((row) => row.email)).toEqual(['paged2@example.com', 'paged3@example.com'])
  })
})

describe('POST /operator/invitations', () => {
  const invitedPlaces = async () =>
    (await app.db.select().from(members).where(sql`invited_at is not null`).orderBy(members.position)).map(
      (member) => member.position,
    )

  it('invites the next members once each, keeps their positions and emails them a sign-up link', async () => {
    const [first] = await app.db.select().from(members).where(eq(members.position, 1))
    const [deaf] = await unsubscribeMembers(app, { position: 2 })
    // Two operators in parallel, one of them twice with the same key.
    const key = { 'idempotency-key': 'invite-once' }
    const invite = (who: Person, count: number, headers?: Record<string, string>) =>
      who.call('POST', '/operator/invitations', { count }, headers)
    const responses = await Promise.all([invite(operator, 3, key), invite(colleague, 2), invite(operator, 3, key)])
    expect(responses.filter((response) => response.status === 200).length).toBeGreaterThanOrEqual(2)
    expect((await invite(operator, 3, key)).body).toEqual({ success: true, invited: 3 })
    // Unsubscribed members are skipped.
    expect(await invitedPlaces()).toEqual([1, 3, 4, 5, 6])
    expect(deaf).toMatchObject({ position: 2 })
    const look = async () => {
      const response = await fetch(`${app.mailbox.url}/messages?to=${encodeURIComponent(first!.email!)}`)
      const mails = (await response.json()) as { subject: string; text: string }[]
      return mails.filter((mail) => mail.subject === 'Your invitation to X-Automated').map((mail) => mail.text)
    }
    await expect.poll(async () => (await look()).length, { timeout: 60_000 }).toBe(1)
    expect((await look())[0]).toContain(`${app.services.origin}/auth`)
    expect((await operator.client.operator.growth({})).invited).toBe(5)
  })

  it.each([{}, { count: 0 }, { count: 1001 }, { count: '5' }, { count: 1.5 }])('returns 400 for %j', async (body) => {
    expect((await operator.call('POST', '/operator/invitations', body)).status).toBe(400)
  })
})

it('GET /operator/members/export returns all members without formulas, and 404 to non-operators', async () => {
  const { id } = await join()
  await readdressMembers(app, { id }, '=1+1@example.com')
  const { body, headers, status } = await operator.call('GET', '/operator/members/export')
  expect([status, headers.get('content-type')]).toEqual([200, 'text/csv; charset=utf-8'])
  const rows = parse(body as string, { columns: true, bom: true }) as Record<string, string>[]
  expect(rows).toHaveLength(await app.db.$count(members))
  expect(headers.get('x-total-count')).toBe(String(rows.length))
  expect(Object.keys(rows[0]!)).toEqual(
    expect.arrayContaining(['id', 'email', 'referral_code', 'referred_by', 'signup_date', 'position', 'achievements']),
  )
  expect(rows.filter((row) => row.email?.startsWith('='))).toEqual([])
  expect(rows.filter((row) => row.email?.startsWith("'=1+1"))).toHaveLength(1)
  expect((await operator.client.operator.log({})).actions[0]).toMatchObject({ action: 'export', count: rows.length })

  const nothing = await call(app, 'GET', '/operator/members/nothing')
  for (const response of [
    await call(app, 'GET', '/operator/members/export'),
    await (await makePerson(app)).call('GET', '/operator/members/export'),
    await call(app, 'GET', '/operator/members/export', undefined, { authorization: 'Bearer nonsense' }),
  ])
    expect([response.status, response.body]).toEqual([404, nothing.body])
})

describe('GET /operator/growth', () => {
  it('matches the waitlist count', async () => {
    const { body } = await call(app, 'GET', '/waitlist/count')
    const { members: total, days, invited } = await operator.client.operator.growth({ days: 7 })
    expect(total).toBe(body.count)
    expect(days.at(-1)).toMatchObject({ day: utcDay(), joined: total, total, invited })
  })

  it('includes days without joins, and equals a recount after members change', async () => {
    await backdateJoins(app, sql`position between 3 and 9`, 3)
    await confirmMembers(app, sql`position between 5 and 12`)
    const { days, confirmed } = await operator.client.operator.growth({})
    expect(days.map((day) => day.joined > 0)).toEqual([true, false, false, true])
    expect(days[1]!.total).toBe(7)
    expect(confirmed).toBe(8)
    const { rows } = await app.db.execute(sql`
      select d.day::text, sum(d.joined)::int as joined, sum(d.confirmed)::int as confirmed, sum(d.invited)::int as invited
      from users u cross join lateral waitlist_days_of(u.joined_at, u.confirmed_at, u.invited_at) d group by 1 order by 1`)
    expect(await app.db.select().from(waitlistDays).orderBy(waitlistDays.day)).toEqual(rows)
  })
})

describe('GET /operator/views', () => {
  it('returns views and joins by day, by page, and by referral code with its owner', async () => {
    const owner = await join()
    for (const path of ['/pricing', '/pricing', '/waitlist'])
      await call(app, 'POST', '/track-view', { path, ref: owner.referralCode })
    await join(newEmail(), owner.referralCode, '/embed')
    await join(newEmail(), owner.referralCode, '/pricing')
    const day = utcDay()
    const byRef = await operator.client.operator.views({ from: day, to: day, by: 'ref', pageSize: 100 })
    expect(byRef.sources).toContainEqual({ source: owner.referralCode, email: owner.email, views: 3, joins: 2 })
    const byPage = await operator.client.operator.views({ from: day, to: day })
    expect(byPage.sources).toContainEqual({ source: '/pricing', email: null, views: 2, joins: 1 })
    expect(byPage.sources).toContainEqual({ source: '/embed', email: null, views: 0, joins: 1 })
    expect(byPage.days).toEqual([{ day, views: byPage.views, joins: byPage.joins }])
    expect(byRef).toMatchObject({ views: byPage.views, joins: byPage.joins })
    const week = await operator.client.operator.views({ from: '2026-01-01', to: '2026-01-07' })
    expect(week).toMatchObject({ views: 0, joins: 0, total: 0, sources: [] })
    expect(week.days).toHaveLength(7)
  })

  it.each([
    '',
    '?from=2026-01-01',
    '?from=x&to=y',
    '?from=2026-02-30&to=2026-03-01',
    '?from=2026-01-02&to=2026-01-01',
    '?from=2026-01-01&to=2026-12-31',
    '?from=2026-01-01&to=2026-01-02&by=day',
  ])('returns 400 for query “%s”', async (query) => {
    expect((await operator.call('GET', `/operator/views${query}`)).status).toBe(400)
  })
})
