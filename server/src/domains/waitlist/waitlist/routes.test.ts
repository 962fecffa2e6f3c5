import { randomBytes } from 'node:crypto'
import { eq } from 'drizzle-orm'
import { beforeAll, describe, expect, it } from 'vitest'
import { beginSignUp, openLink } from '../../../../test/accounts.ts'
import { clearOfMidnight } from '../../../../test/clear-of-midnight.ts'
import { type Answer, call, makePerson, type Person } from '../../../../test/makers.ts'
import { openApp, type TestApp } from '../../../../test/open-app.ts'
import { ageJoinAddress, fillWaitlist, letCreditsPass } from '../../../../test/waitlist.ts'
import { pageViews } from '../views/tables.ts'
import { expireWeek } from './credits.ts'
import { BURSTS } from './rules.ts'
import { joinAddresses, members, referralCounts, referrals, rewardGrants } from './tables.ts'
import { purgeJoinData } from './waitlist.ts'

let app: TestApp
beforeAll(async () => {
  await clearOfMidnight()
  app = await openApp({ mailbox: true, workers: true, env: { TRUST_PROXY: 'loopback' } })
})

const newEmail = (domain = 'example.com') => `m${randomBytes(5).toString('hex')}@${domain}`
/** Returns an address in a new /24. */
let range = 0
const newAddress = () => `198.${18 + Math.floor(++range / 256)}.${range % 256}.7`
const from = (address: string) => ({ 'x-forwarded-for': address })

interface Join {
  email?: string
  referralCode?: string
  address?: string
  to?: Pick<TestApp, 'url'>
}
async function join({ email = newEmail(), referralCode, address = newAddress(), to = app }: Join = {}) {
  const response = await call(to, 'POST', '/waitlist/join', { email, referralCode }, from(address))
  const { position, referralCode: code } = response.body as { position: number; referralCode: string }
  return { email, answer: response, position, code }
}
const lookUp = (email: string, address = newAddress()) =>
  call(app, 'POST', '/waitlist/position', { email }, from(address))
const memberOf = async (email: string) => (await app.db.select().from(members).where(eq(members.email, email)))[0]!
const board = (query = '', person?: Person): Promise<Answer> =>
  person ? person.call('GET', `/leaderboard${query}`) : call(app, 'GET', `/leaderboard${query}`)
/** Joins with the person's address. */
async function joinAs(person: Person, referralCode?: string) {
  return join({ email: person.email, referralCode })
}

interface Letter {
  subject: string
  text: string
}
async function mailTo(email: string, subject: RegExp): Promise<Letter> {
  let letter: Letter | undefined
  const look = async () => {
    const response = await fetch(`${app.mailbox.url}/messages?to=${encodeURIComponent(email)}`)
    letter = ((await response.json()) as Letter[]).find((mail) => subject.test(mail.subject))
    return letter !== undefined
  }
  await expect.poll(look, { timeout: 60_000 }).toBe(true)
  return letter!
}
const pathIn = (text: string, what: string) => {
  const url = new URL(new RegExp(`http\\S+/waitlist/${what}\\S+`).exec(text)![0])
  return url.pathname.replace(/^\/api/, '') + url.search
}

describe('POST /waitlist/join', () => {
  it('returns 200 with the next place and a code of 8 characters', async () => {
    const first = await join()
    const second = await join()
    expect(first.answer.status).toBe(200)
    expect(first.answer.body).toEqual({
      success: true,
      position: expect.any(Number),
      referralCode: expect.stringMatching(/^[A-Za-z0-9]{8}$/),
      message: 'You are on the waitlist.',
    })
    expect(second.position).toBe(first.position + 1)
    expect((await call(app, 'GET', '/waitlist/count')).body).toEqual({ count: second.position })
  })

  it('returns 200 with the same place for any spelling of the address', async () => {
    const name = `jane${randomBytes(4).toString('hex')}`
    const { position, code } = await join({ email: `${name}@gmail.com` })
    for (const email of [
      `${name.toUpperCase()}@gmail.com`,
      `j.${name.slice(1)}+x@gmail.com`,
      `${name}@googlemail.com`,
    ]) {
      const again = await join({ email })
      expect(again.answer.status).toBe(200)
      expect(again.answer.body).toEqual({ success: true, position, referralCode: code, message: 'User already exists' })
    }
  })

  it('creates one place for ten concurrent joins with one address', async () => {
    const email = newEmail()
    const before = (await call(app, 'GET', '/waitlist/count')).body.count
    const joins = await Promise.all(Array.from({ length: 10 }, () => join({ email })))
    expect(new Set(joins.map((a) => `${a.answer.status} ${a.position} ${a.code}`)).size).toBe(1)
    expect((await call(app, 'GET', '/waitlist/count')).body.count).toBe(before + 1)
  })

  it('moves the referrer up 5 and the members passed down 1', async () => {
    const line = []
    for (let i = 0; i < 8; i++) line.push(await join())
    const last = line.at(-1)!
    const joined = await join({ referralCode: last.code })
    expect(joined.position).toBe(last.position + 1)
    const places = await Promise.all(line.map(async ({ email }) => (await lookUp(email)).body.position))
    const start = line[0]!.position
    expect(places).toEqual([0, 1, 3, 4, 5, 6, 7, 2].map((offset) => start + offset))
    expect((await lookUp(last.email)).body.referralCount).toBe(1)
  })

  it.each(['nobody', '', ' ', 'x'.repeat(5_000), "'; drop table users; --", 'a\u0000b'])(
    'ignores an unknown code (%#)',
    async (referralCode) => {
      const { answer: response, email } = await join({ referralCode })
      expect(response.status).toBe(200)
      expect((await memberOf(email)).referredBy).toBeNull()
    },
  )

  it.each([
    [{ email: 'nobody' }, 'Invalid email format'],
    [{}, 'Please enter your email address'],
    [{ email: 'a@example.com', referralCode: 5 }, 'Referral code must be text.'],
  ])('returns 400 for %j', async (body, text) => {
    const response = await call(app, 'POST', '/waitlist/join', body, from(newAddress()))
    expect([response.status, response.body.code]).toEqual([400, 'INVALID_INPUT'])
    expect(response.body.error).toMatch(text)
  })

  it('returns 429 for the 31st join per minute from one address', async () => {
    const address = newAddress()
    const email = newEmail()
    const joins = await Promise.all(Array.from({ length: 31 }, () => join({ email, address })))
    expect(joins.map((a) => a.answer.status).sort()).toEqual([...Array(30).fill(200), 429])
    const limited = joins.find((a) => a.answer.status === 429)!.answer
    expect(limited.body.code).toBe('RATE_LIMITED')
    expect(Number(limited.headers.get('retry-after'))).toBeGreaterThan(0)
  })

  it('returns 429 for the 61st join per minute from one IPv6 /48, which has 65,536 addresses', async () => {
    const email = newEmail()
    const statuses: number[] = []
    for (let i = 0; i < 70; i += 1)
      statuses.push((await join({ email, address: `2001:db8:48:${i.toString(16)}::1` })).answer.status)
    expect(statuses).toEqual([...Array(60).fill(200), ...Array(10).fill(429)])
    expect((await join({ email, address: '2001:db8:49::1' })).answer.status).toBe(200)
    // An IPv4 network has as many subscribers as addresses.
    for (let i = 0; i < 70; i += 1) expect((await join({ email, address: `203.0.113.${i}` })).answer.status).toBe(200)
  })

  it('repeats the answer for the same Idempotency-Key', async () => {
    const headers = { ...from(newAddress()), 'idempotency-key': randomBytes(8).toString('hex') }
    const body = { email: newEmail() }
    const first = await call(app, 'POST', '/waitlist/join', body, headers)
    expect((await call(app, 'POST', '/waitlist/join', body, headers)).body).toEqual(first.body)
  })

  it('stores only the country and hashes of the address', async () => {
    const { email } = await join({ address: '8.8.8.8' })
    const member = await memberOf(email)
    expect(member.country).toBe('US')
    const [stored] = await app.db.select().from(joinAddresses).where(eq(joinAddresses.memberId, member.id))
    expect(JSON.stringify([stored, member])).not.toContain('8.8.8')
  })
})

describe('held credits', () => {
  it('include referrals of disposable addresses, which still join', async () => {
    const referrer = await join()
    const { email, answer: response } = await join({ email: newEmail('mailinator.com'), referralCode: referrer.code })
    expect(response.status).toBe(200)
    const [referral] = await app.db
      .select()
      .from(referrals)
      .where(eq(referrals.memberId, (await memberOf(email)).id))
    expect(referral).toMatchObject({ status: 'held', holdReason: 'disposable_domain', creditedAt: null })
    expect((await lookUp(referrer.email)).body).toMatchObject({ referralCount: 0, position: referrer.position })
  })

  it('include referrals beyond a burst from one range, which still join', async () => {
    const referrer = await join()
    const net = newAddress().replace(/\d+$/, '')
    const { joins } = BURSTS[0]
    for (let i = 0; i < joins + 2; i++) {
      const { answer: response } = await join({ address: `${net}${i}`, referralCode: referrer.code })
      expect(response.status).toBe(200)
    }
    expect((await lookUp(referrer.email)).body.referralCount).toBe(joins)
    const held = await app.db
      .select()
      .from(referrals)
      .where(eq(referrals.referrerId, (await memberOf(referrer.email)).id))
    expect(held.filter((row) => row.status === 'held').map((row) => row.holdReason)).toEqual(
      Array(2).fill('address_burst'),
    )
  })
})

describe('achievements', () => {
  /** The months of Pro of each reward. */
  const grantsOf = async (email: string) => {
    const rows = await app.db
      .select()
      .from(rewardGrants)
      .where(eq(rewardGrants.memberId, (await memberOf(email)).id))
    return Object.fromEntries(rows.map(({ achievement, months }) => [achievement, months]))
  }

  it('are awarded with the referral that earns them, with months of Pro and an email', async () => {
    const referrer = await join()
    for (let i = 0; i < 3; i++) await join({ referralCode: referrer.code })
    expect((await lookUp(referrer.email)).body.user.achievements).toEqual(expect.arrayContaining(['bronze']))
    expect(await grantsOf(referrer.email)).toEqual({ pioneer: 0, bronze: 1 })
    expect((await mailTo(referrer.email, /You earned the Bronze Referrer badge/)).text).toContain('1 month of Pro')
  })

  it('include viral for 5 referrals in one UTC day', async () => {
    const referrer = await join()
    for (let i = 0; i < 5; i++) await join({ referralCode: referrer.code })
    expect((await lookUp(referrer.email)).body.user.achievements).toContain('viral')
    expect(await grantsOf(referrer.email)).toMatchObject({ viral: 0 })
  })

  it('include global for referrals from 3 countries', async () => {
    const referrer = await join()
    const achievements = async () => (await lookUp(referrer.email)).body.user.achievements
    for (const address of ['8.8.4.4', '81.2.69.160', '8.8.4.5']) await join({ address, referralCode: referrer.code })
    expect(await achievements()).not.toContain('global')
    await join({ address: '133.11.0.1', referralCode: referrer.code })
    expect(await achievements()).toContain('global')
    expect(await grantsOf(referrer.email)).toMatchObject({ global: 0 })
  })
})

describe('emails to members', () => {
  it('confirm the address by their link', async () => {
    const { email } = await join()
    const { text } = await mailTo(email, /You're on the waitlist/)
    const response = await call(app, 'GET', pathIn(text, 'confirm'))
    expect([response.status, response.headers.get('location')]).toEqual([
      302,
      'http://localhost:3000/waitlist?confirmed=true',
    ])
    expect((await memberOf(email)).confirmedAt).not.toBeNull()
  })

  it.each(['', 'x', 'A'.repeat(60)])('redirect with an error for the invalid token %j', async (token) => {
    const response = await call(app, 'GET', `/waitlist/confirm?token=${token}`)
    expect(response.headers.get('location')).toBe('http://localhost:3000/waitlist?error=INVALID_CODE')
  })

  it('announce a new place, and unsubscribe by one click', async () => {
    const referrer = await join()
    await join({ referralCode: referrer.code })
    const { text } = await mailTo(referrer.email, /You moved up: you're #\d+ now/)
    const path = pathIn(text, 'unsubscribe')
    // Opening the link changes nothing yet.
    expect((await call(app, 'GET', path)).body).toContain('<button type="submit">Unsubscribe</button>')
    expect((await memberOf(referrer.email)).unsubscribedAt).toBeNull()
    const oneClick = await call(app, 'POST', path, 'List-Unsubscribe=One-Click', {
      'content-type': 'application/x-www-form-urlencoded',
    })
    expect([oneClick.status, oneClick.body]).toEqual([200, expect.stringContaining("You're unsubscribed")])
    expect((await memberOf(referrer.email)).unsubscribedAt).not.toBeNull()
  })

  it('return 400 if the unsubscribe link is invalid', async () => {
    const response = await call(app, 'POST', '/waitlist/unsubscribe?token=x', 'List-Unsubscribe=One-Click', {
      'content-type': 'multipart/form-data; boundary=x',
    })
    expect([response.status, response.body.code]).toEqual([400, 'INVALID_CODE'])
  })
})

describe('WAITLIST_CONFIRM=required', () => {
  it('credits a referral once the referred member has confirmed', async () => {
    const strict = await app.startAnother({
      env: { TRUST_PROXY: 'loopback', WAITLIST_CONFIRM: 'required' },
      workers: true,
    })
    const to = { url: `${strict.url}/api` }
    const referrer = await join({ to })
    const { email } = await join({ to, referralCode: referrer.code })
    expect((await lookUp(referrer.email)).body).toMatchObject({ referralCount: 0, position: referrer.position })
    const path = pathIn((await mailTo(email, /You're on the waitlist/)).text, 'confirm')
    await call(to, 'GET', path)
    await call(to, 'GET', path)
    expect((await lookUp(referrer.email)).body).toMatchObject({ referralCount: 1, position: referrer.position - 5 })
  })
})

describe('POST /waitlist/position', () => {
  it('returns 200 with the place and a masked address', async () => {
    const { email, position, code } = await join()
    const { status, body } = await lookUp(email.toUpperCase())
    expect(status).toBe(200)
    expect(body).toEqual({
      success: true,
      message: `You are #${position} on the waitlist.`,
      position,
      referralCount: 0,
      joinedDate: expect.stringMatching(/^\d{4}-\d\d-\d\dT/),
      user: {
        position,
        email: `${email.slice(0, 3)}***@example.com`,
        referralCount: 0,
        achievements: expect.any(Array),
        referral_code: code,
      },
    })
  })

  it('returns 404 for unknown addresses, and for accounts that never joined', async () => {
    const person = await makePerson(app)
    await person.call('GET', '/dashboard')
    for (const email of [newEmail(), person.email]) {
      const { status, body } = await lookUp(email)
      expect([status, body]).toEqual([
        404,
        { success: false, code: 'MEMBER_NOT_FOUND', error: 'Email not found. Please sign up first.' },
      ])
    }
  })

  it.each([
    [{}, 'Please enter your email address'],
    [{ email: ' ' }, 'Please enter your email address'],
    [{ email: 'nobody' }, 'Invalid email format'],
  ])('returns 400 for %j', async (body, error) => {
    const response = await call(app, 'POST', '/waitlist/position', body, from(newAddress()))
    expect([response.status, response.body.error]).toEqual([400, error])
  })

  it('returns 429 for the 21st lookup per minute from one address', async () => {
    const address = newAddress()
    const responses = await Promise.all(Array.from({ length: 21 }, () => lookUp(newEmail(), address)))
    expect(responses.map((a) => a.status).sort()).toEqual([...Array(20).fill(404), 429])
  })
})

describe('POST /track-view', () => {
  const view = (body: unknown) => call(app, 'POST', '/track-view', body)
  const rows = (path: string) => app.db.select().from(pageViews).where(eq(pageViews.path, path))

  it('counts views by day, page and code, and stores nothing else', async () => {
    const { code } = await join()
    for (let i = 0; i < 3; i++) await view({ path: '/pricing?utm=x', ref: code, referrer: 'https://news.example/' })
    await view({ path: '/pricing' })
    expect((await rows('/pricing')).map(({ ref, views }) => [ref, views]).sort()).toEqual(
      [
        ['', 1],
        [code, 3],
      ].sort(),
    )
    expect(JSON.stringify(await rows('/pricing'))).not.toContain('news.example')
  })

  it('counts all unknown pages and codes in one row', async () => {
    const responses = await Promise.all(
      Array.from({ length: 20 }, (_, i) => view({ path: `/made/up/${i}`, ref: `made-up-${i}\u0000` })),
    )
    expect(responses.every((a) => a.status === 200 || a.status === 400)).toBe(true)
    await Promise.all(Array.from({ length: 20 }, (_, i) => view({ path: `/made/up/${i}`, ref: `made-up-${i}` })))
    expect((await rows('other')).map(({ ref }) => ref)).toEqual([''])
  })

  it('counts joins next to views, by referral code', async () => {
    const { code } = await join()
    await join({ referralCode: code })
    expect((await rows('/waitlist')).find((row) => row.ref === code)).toMatchObject({ joins: 1 })
    // Joins count for the first page of the visit, if known.
    for (const path of ['/embed?x=1', '/auth', '/', '/no/page'])
      await call(app, 'POST', '/waitlist/join', { email: newEmail(), referralCode: code, path }, from(newAddress()))
    for (const path of ['/embed', '/auth', '/', 'other'])
      expect((await rows(path)).find((row) => row.ref === code)).toMatchObject({ joins: 1 })
  })

  it.each([{}, { path: '' }, { path: 5 }, { path: '/', ref: {} }])('returns 400 for %j', async (body) => {
    expect((await view(body)).status).toBe(400)
  })
})

describe('GET /dashboard', () => {
  it('creates a member at position 0, with a code of 6 capitals and digits, for users who never joined', async () => {
    const person = await makePerson(app)
    const { status, body } = await person.call('GET', '/dashboard')
    expect(status).toBe(200)
    expect(body).toEqual({
      position: 0,
      referralCount: 0,
      referralCode: expect.stringMatching(/^[A-Z0-9]{6}$/),
      signupDate: expect.any(String),
      achievements: [],
      isReferred: false,
      nextReward: { key: 'bronze', label: 'Bronze Referrer', threshold: 3, remaining: 3 },
      progressPercent: 0,
    })
    expect((await person.call('GET', '/dashboard')).body).toEqual(body)
  })

  it('keeps the code and credits earned before joining', async () => {
    const person = await makePerson(app)
    const { referralCode } = (await person.call('GET', '/dashboard')).body
    const friend = await join({ referralCode })
    expect((await person.call('GET', '/dashboard')).body).toMatchObject({ position: 0, referralCount: 1 })
    const joined = await joinAs(person)
    expect(joined).toMatchObject({ position: friend.position + 1, code: referralCode })
    expect(joined.answer.body.message).toBe('You are on the waitlist.')
    expect((await person.call('GET', '/dashboard')).body).toMatchObject({
      position: friend.position + 1,
      referralCount: 1,
    })
  })

  it("assigns the entry of the account's address, with its waiting rewards", async () => {
    const person = await makePerson(app)
    const { position, code } = await joinAs(person)
    for (let i = 0; i < 3; i++) await join({ referralCode: code })
    const { body } = await person.call('GET', '/dashboard')
    expect(body).toMatchObject({
      position: Math.max(1, position - 15),
      referralCode: code,
      referralCount: 3,
      progressPercent: 25,
      nextReward: { key: 'silver', remaining: 7 },
    })
    expect((await person.client.billing.rewards()).rewards.map(({ achievement }) => achievement)).toEqual([
      'pioneer',
      'bronze',
    ])
  })

  it('creates one member for ten concurrent requests', async () => {
    const person = await makePerson(app)
    const responses = await Promise.all(Array.from({ length: 10 }, () => person.call('GET', '/dashboard')))
    expect(new Set(responses.map((a) => a.body.referralCode)).size).toBe(1)
  })
})

describe('POST /referrals', () => {
  const refer = (person: Person, referralCode: unknown) => person.call('POST', '/referrals', { referralCode })

  it('credits the first referrer once', async () => {
    const [person, referrer, other] = [await makePerson(app), await join(), await join()]
    expect((await refer(person, referrer.code)).body).toEqual({ success: true })
    expect((await refer(person, referrer.code)).status).toBe(200)
    expect((await refer(person, other.code)).status).toBe(200)
    expect((await lookUp(referrer.email)).body.referralCount).toBe(1)
    expect((await lookUp(other.email)).body.referralCount).toBe(0)
  })

  it('credits the referrer once for concurrent requests', async () => {
    const [person, referrer] = [await makePerson(app), await join()]
    await Promise.all(Array.from({ length: 8 }, () => refer(person, referrer.code)))
    expect((await lookUp(referrer.email)).body.referralCount).toBe(1)
  })

  it('returns 400 for an unknown code, the own code, and the code of a referred member', async () => {
    const person = await makePerson(app)
    const { referralCode } = (await person.call('GET', '/dashboard')).body
    const friend = await join({ referralCode })
    for (const code of ['nobody', ' ', referralCode, friend.code]) {
      const { status, body } = await refer(person, code)
      expect([code, status, body.success, body.error]).toEqual([code, 400, false, 'Invalid referral code'])
    }
    expect((await refer(person, 'nobody')).body.code).toBe('INVALID_REFERRAL_CODE')
    expect((await person.call('GET', '/dashboard')).body.referralCount).toBe(1)
  })

  it('returns 400 without a code', async () => {
    expect((await refer(await makePerson(app), undefined)).status).toBe(400)
  })
})

describe('a referral code at sign-up', () => {
  async function signUp(referralCode: string) {
    const email = newEmail()
    const { token, cookie } = await beginSignUp(app, email, { referralCode }, from(newAddress()))
    return { email, confirm: () => openLink(app, token, cookie) }
  }

  it('credits the referrer once the address is confirmed', async () => {
    const referrer = await join()
    const { email, confirm } = await signUp(referrer.code)
    expect((await lookUp(referrer.email)).body.referralCount).toBe(0)
    await confirm()
    await confirm()
    expect((await lookUp(referrer.email)).body).toMatchObject({
      referralCount: 1,
      position: Math.max(1, referrer.position - 5),
    })
    expect(await memberOf(email)).toMatchObject({ position: 0, referredBy: (await memberOf(referrer.email)).id })
  })

  it.each(['nobody', '', 'x'.repeat(5_000), 'a\u0000b'])('is ignored if unknown (%#)', async (code) => {
    const { email, confirm } = await signUp(code)
    await confirm()
    expect((await memberOf(email)).referredBy).toBeNull()
  })
})

describe('GET /leaderboard', () => {
  it('ranks by referrals, then by time, and masks all addresses but the own', async () => {
    const person = await makePerson(app)
    const own = await joinAs(person)
    const [late, early] = [await join(), await join()]
    for (const { code } of [late, own, early]) await join({ referralCode: code })
    // `early` reaches two referrals before `late`.
    for (const { code } of [early, own, late, own]) await join({ referralCode: code })
    const { body } = await board('?pageSize=100', person)
    const rows = body.leaderboard as {
      rank: number
      email: string
      referralCount: number
      referralCode: string | null
    }[]
    expect(rows.map((row) => row.rank)).toEqual(rows.map((_, i) => i + 1))
    const rowIndexOf = (email: string) => rows.findIndex((row) => row.email === email)
    const masked = (email: string) => `${email.slice(0, 3)}***@example.com`
    expect(body.own).toMatchObject({ email: person.email, referralCode: own.code, referralCount: 3, isOwn: true })
    expect(rows.filter((row) => 'isOwn' in row && row.isOwn)).toEqual([body.own])
    expect(rowIndexOf(person.email)).toBe(body.own.rank - 1)
    expect(rows.map((row) => row.email)).not.toContain(early.email)
    expect(rows.filter((row) => row.email === masked(early.email)).every((row) => row.referralCode === null)).toBe(true)
    const ids = await Promise.all([early, late].map(async ({ email }) => (await memberOf(email)).id))
    const order = (body.leaderboard as { id: string }[]).map((row) => row.id)
    expect(order.indexOf(ids[0]!)).toBeLessThan(order.indexOf(ids[1]!))
    expect((await board('?pageSize=100')).body.own).toBeNull()
  })

  it('lists everyone by page and by cursor, with the own rank on every page', async () => {
    const person = await makePerson(app)
    const { code } = await joinAs(person)
    await join({ referralCode: code })
    const all = (await board('?pageSize=100', person)).body
    expect(all.total).toBe(all.leaderboard.length)
    const byPage = []
    const byCursor = []
    let cursor = ''
    for (let page = 1; (page - 1) * 3 < all.total; page++) {
      byPage.push(...(await board(`?pageSize=3&page=${page}`, person)).body.leaderboard)
      const { body } = await board(`?pageSize=3${cursor}`, person)
      byCursor.push(...body.leaderboard)
      expect(body.own).toEqual(all.own)
      cursor = `&cursor=${body.cursor}`
    }
    expect(byPage).toEqual(all.leaderboard)
    expect(byCursor).toEqual(all.leaderboard)
    expect(all.own.rank).toBe(all.leaderboard.findIndex((row: { isOwn: boolean }) => row.isOwn) + 1)
  })

  it('shows full addresses with LEADERBOARD_EMAILS=full', async () => {
    const open = await app.startAnother({ env: { LEADERBOARD_EMAILS: 'full' } })
    const { body } = await call({ url: `${open.url}/api` }, 'GET', '/leaderboard')
    expect(body.leaderboard.length).toBeGreaterThan(0)
    expect(JSON.stringify(body)).not.toContain('***')
  })

  it("counts only the period's credits for week and today", async () => {
    const referrer = await join()
    await join({ referralCode: referrer.code })
    const { id } = await memberOf(referrer.email)
    const has = async (period: string) =>
      (await board(`?period=${period}&pageSize=100`)).body.leaderboard.some((row: { id: string }) => row.id === id)
    expect([await has('alltime'), await has('week'), await has('today')]).toEqual([true, true, true])
    // Moves the credit to eight days ago.
    await letCreditsPass(app, 8, id)
    expect([await has('alltime'), await has('week'), await has('today')]).toEqual([true, false, false])
  })

  it.each(['?period=year', '?page=0', '?pageSize=101', '?cursor=x'])('returns 400 for %s', async (query) => {
    const { status, body } = await board(query)
    expect([status, body.code]).toEqual([400, 'INVALID_INPUT'])
  })

  it('returns 401 for an invalid token, so that the page renews it', async () => {
    const response = await call(app, 'GET', '/leaderboard', undefined, { authorization: 'Bearer a.b.c' })
    expect([response.status, response.body.error]).toEqual([401, 'Session expired. Please log in again.'])
  })
})

describe('the first 100 members', () => {
  it('are the only pioneers', async () => {
    const fresh = await openApp()
    await fillWaitlist(fresh, 99)
    for (const [position, achievements] of [
      [100, ['pioneer']],
      [101, []],
    ]) {
      const email = newEmail()
      await join({ email, to: fresh })
      const [member] = await fresh.db.select().from(members).where(eq(members.email, email))
      expect(member).toMatchObject({ position, achievements })
    }
  })
})

it('purgeJoinData deletes addresses after 30 days and daily counts after two', async () => {
  const first = await join()
  const referrer = await memberOf(first.email)
  const friend = await memberOf((await join({ referralCode: first.code })).email)
  await ageJoinAddress(app, referrer.id, 29)
  await ageJoinAddress(app, friend.id, 31)
  await letCreditsPass(app, 8, referrer.id)
  await purgeJoinData(app.db)
  await expireWeek(app.db)
  const memberIds = (await app.db.select().from(joinAddresses)).map((row) => row.memberId)
  expect(memberIds).toContain(referrer.id)
  expect(memberIds).not.toContain(friend.id)
  const counts = await app.db.select().from(referralCounts).where(eq(referralCounts.memberId, referrer.id))
  expect(counts.map((row) => [row.period, row.referralCount]).sort()).toEqual([
    ['alltime', 1],
    ['week', 0],
  ])
})
