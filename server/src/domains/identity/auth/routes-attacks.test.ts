import { type ScryptOptions, scrypt } from 'node:crypto'
import { promisify } from 'node:util'
import { eq, sql } from 'drizzle-orm'
import { decodeProtectedHeader } from 'jose'
import { beforeAll, describe, expect, it } from 'vitest'
import { beginSignUp, linkIn, mailsTo, mailTo, makeAccount, PASSWORD, statusOf } from '../../../../test/accounts.ts'
import { withSlowPasswords } from '../../../../test/cheap-passwords.ts'
import { insertKeys, removeKeys, retireKeys, retireOldestKey } from '../../../../test/credentials.ts'
import { call, type Person } from '../../../../test/makers.ts'
import { openApp, type TestApp } from '../../../../test/open-app.ts'
import { hashToken } from '../../../sealing.ts'
import { authKeys, authSessions } from './tables.ts'

let app: TestApp
beforeAll(async () => {
  app = await openApp({ mailbox: true, workers: true, env: { TRUST_PROXY: 'loopback' } })
})

const scryptKey = promisify<string, string, number, ScryptOptions, Buffer>(scrypt)

let count = 0
/** An unused client address. */
const newAddress = () => `203.0.113.${++count}`
const from = (address: string) => ({ 'x-forwarded-for': address })
const signIn = (email: string, password = PASSWORD, address = newAddress()) =>
  call(app, 'POST', '/auth/sign-in/email', { email, password }, from(address))
const newEmail = () => `attacked${++count}@example.com`
const addressHash = (address: string) => hashToken(`${app.env.authSecret}\n${address}`)

async function timed(work: () => Promise<unknown>): Promise<number> {
  const since = performance.now()
  await work()
  return performance.now() - since
}

/**
 * Expects both calls to take about the same time. Each hashes a password, which takes about ten
 * times as long as the rest. The fastest of several runs is the least disturbed; a busy machine
 * needs more of them.
 */
async function expectSameTime(first: () => Promise<unknown>, other: () => Promise<unknown>): Promise<void> {
  const best = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY] as [number, number]
  const isSimilar = () => best[0] / best[1] > 0.5 && best[0] / best[1] < 2
  await withSlowPasswords(async () => {
    for (let i = 0; i < 8 || (i < 40 && !isSimilar()); i++) {
      best[0] = Math.min(best[0], await timed(first))
      best[1] = Math.min(best[1], await timed(other))
    }
  })
  expect(isSimilar(), `${best.map(Math.round).join(' and ')} ms`).toBe(true)
}

describe('enumeration', () => {
  it('reveals nothing through timing: passwords are hashed for unknown addresses too', async () => {
    const { email } = await makeAccount(app)
    await expectSameTime(
      () => signIn(email, 'Wrong-one1'),
      () => signIn(newEmail(), 'Wrong-one1'),
    )
    const signUp = (address: string) =>
      call(app, 'POST', '/auth/sign-up/email', { email: address, password: PASSWORD }, from(newAddress()))
    await expectSameTime(
      () => signUp(email),
      () => signUp(newEmail()),
    )
    const waiting = newEmail()
    for (let n = 0; n < 5; n += 1) await signUp(waiting)
    await expectSameTime(
      () => signIn(waiting, 'Wrong-one1'),
      () => signIn(newEmail(), 'Wrong-one1'),
    )
  })
})

it('occupies no database connection while a password is hashed', async () => {
  const { email } = await makeAccount(app)
  // New connections need one of the hashing threads to resolve the database's name.
  await Promise.all(Array.from({ length: 4 }, () => app.db.execute(sql`select pg_sleep(0.1)`)))
  // Keeps the hashing threads busy, so that the sign-in waits for one.
  const isDone = Promise.all(
    Array.from({ length: 12 }, () => scryptKey('busy', 'salt', 64, { N: 2 ** 15, r: 8, maxmem: 2 ** 26 })),
  ).then(() => true)
  const signingIn = signIn(email, 'Wrong-one1')
  const isHeld = sql`select query from pg_stat_activity where datname = current_database()
    and state = 'idle in transaction' and query like '%auth_%'`
  const held = []
  while (!(await Promise.race([isDone, new Promise((resolve) => setTimeout(resolve, 50, false))])))
    held.push(...(await app.db.execute(isHeld)).rows)
  expect((await signingIn).status).toBe(400)
  expect(held).toEqual([])
})

describe('brute force', () => {
  const spendAccount = async (email: string, points: number) => {
    for (let i = 0; i < points; i++) await app.services.limits.consume('signInByAccount', hashToken(email))
  }

  it('returns 429 to guesses from many addresses, while the owner can still sign in', async () => {
    const { email } = await makeAccount(app)
    const home = newAddress()
    expect((await signIn(email, PASSWORD, home)).status).toBe(200)
    await spendAccount(email, 98)
    const guesses = []
    for (let i = 0; i < 4; i++) guesses.push((await signIn(email, 'Wrong-one1')).status)
    expect(guesses).toEqual([400, 400, 429, 429])
    expect((await signIn(email, PASSWORD, home)).status).toBe(200)

    const away = newAddress()
    expect((await signIn(email, PASSWORD, away)).status).toBe(429)
    const { ticket } = (await call(app, 'POST', '/auth/otp', { email }, from(away))).body
    const code = (await mailTo(app, email, /^Your code/)).subject.replace(/\D/g, '')
    expect((await call(app, 'POST', '/auth/verify', { ticket, code }, from(away))).status).toBe(200)
    expect((await signIn(email, PASSWORD, away)).status).toBe(200)
  })

  it('lets the owner sign in immediately after a password reset', async () => {
    const { email } = await makeAccount(app)
    await spendAccount(email, 100)
    expect((await signIn(email)).status).toBe(429)
    await call(app, 'POST', '/auth/recover', { email }, from(newAddress()))
    const link = linkIn(await mailTo(app, email, /Reset/), '/reset-password')
    const token = link.hash.slice('#token='.length)
    await call(app, 'POST', '/auth/reset-password', { token, password: 'Another-one2' }, from(newAddress()))
    expect((await signIn(email, 'Another-one2')).status).toBe(200)
  })

  describe('requesting emails', () => {
    const exhaustEmailLimit = async (kind: string, email: string) => {
      const spend = () => app.services.limits.consume('mailByRecipient', hashToken(`${kind}\n${email}`))
      for (let i = 0; i < 20; i++) await spend().catch(() => {})
    }
    const tokenIn = async (email: string) =>
      linkIn(await mailTo(app, email, /Reset/), '/reset-password').hash.slice('#token='.length)

    it('responds as usual over the recipient limit, sends nothing and keeps the last link valid', async () => {
      const { email } = await makeAccount(app)
      await call(app, 'POST', '/auth/recover', { email }, from(newAddress()))
      const token = await tokenIn(email)
      const usual = await call(app, 'POST', '/auth/otp', { email }, from(newAddress()))
      await mailTo(app, email, /^Your code/)
      for (const kind of ['recover', 'code', 'resend']) await exhaustEmailLimit(kind, email)
      const before = (await mailsTo(app, email)).length
      for (const path of ['/auth/recover', '/auth/otp', '/auth/resend'])
        expect([path, (await call(app, 'POST', path, { email }, from(newAddress()))).status]).toEqual([path, 200])
      const beyond = await call(app, 'POST', '/auth/otp', { email }, from(newAddress()))
      expect({ ...beyond.body, ticket: '' }).toEqual({ ...usual.body, ticket: '' })
      const reset = { token, password: 'Another-one2' }
      expect((await call(app, 'POST', '/auth/reset-password', reset, from(newAddress()))).status).toBe(200)
      expect((await signIn(email, 'Another-one2')).status).toBe(200)
      // This email was requested last, so any earlier ones would have arrived by now.
      await mailTo(app, email, /password was changed/)
      expect(await mailsTo(app, email)).toHaveLength(before + 1)
    })

    it.each([
      ['203.0.113.250', '203.0.113.250'],
      ['2001:db8:1:2::7', '2001:db8:1:2:a:b:c:d'],
    ])('reserves part of the limit for addresses where the account has signed in (%s)', async (before, home) => {
      const { email } = await makeAccount(app)
      expect((await signIn(email, PASSWORD, before)).status).toBe(200)
      for (const kind of ['recover', 'code']) await exhaustEmailLimit(kind, email)
      await call(app, 'POST', '/auth/recover', { email }, from(home))
      expect(await tokenIn(email)).toHaveLength(43)
      const { ticket } = (await call(app, 'POST', '/auth/otp', { email }, from(home))).body
      const code = (await mailTo(app, email, /^Your code/)).subject.replace(/\D/g, '')
      expect((await call(app, 'POST', '/auth/verify', { ticket, code }, from(home))).status).toBe(200)
      await spendAccount(email, 100)
      expect((await signIn(email, PASSWORD, home)).status).toBe(200)
    })

    it('lets a session reauthenticate by code, whatever others have requested', async () => {
      const person = await makeAccount(app)
      for (const kind of ['recover', 'code', 'resend']) await exhaustEmailLimit(kind, person.email)
      expect((await person.call('POST', '/auth/reauthenticate', {})).status).toBe(200)
      await mailTo(app, person.email, /^Your code/)
    })
  })

  it('returns 429 to guesses from one address across many accounts', async () => {
    const address = newAddress()
    for (let i = 0; i < 299; i++) await app.services.limits.consume('signInByAddress', addressHash(address))
    const statuses = []
    for (let i = 0; i < 2; i++) statuses.push((await signIn(newEmail(), 'Wrong-one1', address)).status)
    expect(statuses).toEqual([400, 429])
    expect((await signIn(newEmail(), 'Wrong-one1')).status).toBe(400)
  })

  it('ignores forwarded addresses from untrusted clients', async () => {
    const direct = await app.startAnother({ env: { TRUST_PROXY: '' } })
    const { email } = await makeAccount(app)
    const guess = () =>
      call(
        { url: `${direct.url}/api` },
        'POST',
        '/auth/sign-in/email',
        { email, password: 'Wrong-one1' },
        from(newAddress()),
      )
    const responses = await Promise.all(Array.from({ length: 11 }, guess))
    expect(responses.filter(({ status }) => status === 429)).toHaveLength(1)
  })
})

it('limits sign-ups to 30 an hour per IP address, while others can still sign up', async () => {
  const address = newAddress()
  for (let i = 0; i < 29; i++) await app.services.limits.consume('signUpByAddress', addressHash(address))
  const signUp = (by: string) =>
    call(app, 'POST', '/auth/sign-up/email', { email: newEmail(), password: PASSWORD }, from(by))
  expect((await signUp(address)).status).toBe(200)
  const flooded = await signUp(address)
  expect([flooded.status, Number(flooded.headers.get('retry-after')) > 0]).toEqual([429, true])
  expect((await signUp(newAddress())).status).toBe(200)
})

it.each([
  ['signUpByAddress', 30, '/auth/sign-up/email', { password: PASSWORD }],
  ['signInByAddress', 300, '/auth/sign-in/email', { password: PASSWORD }],
  ['mailByAddress', 60, '/auth/recover', {}],
] as const)('limits an IPv6 /48 to twice what one address may do (%s)', async (limit, points, path, body) => {
  const networkHash = hashToken(`${app.env.authSecret}\n2001:db8:${points}::/48`)
  for (let i = 0; i < 2 * points - 1; i += 1)
    await app.services.limits.consume(limit, { addressHash: `address ${i}`, networkHash })
  const ask = (address: string) => call(app, 'POST', path, { email: newEmail(), ...body }, from(address))
  expect((await ask(`2001:db8:${points}:1::1`)).status).not.toBe(429)
  expect((await ask(`2001:db8:${points}:2::1`)).status).toBe(429)
  expect((await ask('2001:db8:ffff:2::1')).status).not.toBe(429)
})

it('prevents session fixation: browser input never determines a session or its tokens', async () => {
  const { email } = await makeAccount(app)
  const attackers = (await signIn(email)).body
  const body = { email, password: PASSWORD }
  const { status, body: own } = await call(app, 'POST', '/auth/sign-in/email', body, {
    authorization: `Bearer ${attackers.token}`,
    cookie: `x-automated.session_token=${attackers.refreshToken}; authToken=${attackers.token}`,
    'x-session-id': 'chosen',
  })
  expect(status).toBe(200)
  expect(own.refreshToken).not.toBe(attackers.refreshToken)
  const sid = (token: string) => JSON.parse(Buffer.from(token.split('.')[1]!, 'base64url').toString()).sid
  expect(sid(own.token)).not.toBe(sid(attackers.token))
  for (const extra of [{ token: 'chosen' }, { sessionId: 'chosen' }, { refreshToken: 'chosen' }])
    expect((await call(app, 'POST', '/auth/sign-in/email', { ...body, ...extra })).status).toBe(400)
})

it('prevents CSRF: no call accepts cookies or forms', async () => {
  const person = await makeAccount(app)
  const cookie = `authToken=${person.token}; x-automated.session_token=${person.token}`
  const forged = { cookie, origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' }
  for (const [method, path] of [
    ['PATCH', '/auth/user'],
    ['DELETE', '/auth/user'],
    ['POST', '/auth/sign-out'],
    ['POST', '/auth/identities/authorize'],
    ['POST', '/auth/factors'],
  ] as const)
    expect([path, (await call(app, method, path, undefined, forged)).status]).toEqual([path, 401])
  const form = { 'content-type': 'application/x-www-form-urlencoded', origin: 'https://evil.example' }
  const login = `email=${encodeURIComponent(person.email)}&password=${PASSWORD}`
  expect((await call(app, 'POST', '/auth/sign-in/email', login, form)).status).toBe(400)
  const preflight = await call(app, 'OPTIONS', '/auth/sign-in/email', undefined, {
    origin: 'https://evil.example',
    'access-control-request-method': 'POST',
  })
  expect(preflight.headers.get('access-control-allow-origin')).toBeNull()
})

it('prevents open redirects through emailed links and parameters', async () => {
  const email = newEmail()
  const { cookie } = await beginSignUp(app, email, {}, from(newAddress()))
  const link = linkIn(await mailTo(app, email, /Confirm your email/), 'verify-email')
  for (const name of ['callbackURL', 'redirectTo', 'redirect', 'next', 'returnTo', 'from'])
    link.searchParams.set(name, 'https://evil.example')
  const headers = { 'x-forwarded-host': 'evil.example', 'x-forwarded-proto': 'https' }
  const open = async (more: object) => {
    const path = link.pathname.replace('/api', '') + link.search
    const opened = await call(app, 'GET', path, undefined, { ...headers, ...more })
    return new URL(opened.headers.get('location')!)
  }
  expect((await open({})).href).toMatch(/^http:\/\/localhost:3000\/auth\/confirm#/)
  expect((await open({ cookie })).href).toMatch(/^http:\/\/localhost:3000\/auth\/callback\?code=/)
  await call(app, 'POST', '/auth/recover', { email }, { ...headers, ...from(newAddress()) })
  expect((await mailTo(app, email, /Reset/)).text).not.toContain('evil.example')
})

describe('keys', () => {
  it('prevent a start if the database is encrypted with another AUTH_SECRET', async () => {
    await makeAccount(app)
    const other = { AUTH_SECRET: 'another secret of tests, as long as the first' }
    await expect(app.startAnother({ env: other })).rejects.toThrow('encrypted with another AUTH_SECRET')
  })

  const keysOf = async (url = app.url) => (await call({ url }, 'GET', '/auth/jwks')).body.keys as { kid: string }[]
  const kidOf = (token: string) => decodeProtectedHeader(token).kid

  it('rotate; tokens of a retired key work during its grace period on every process, and not after', async () => {
    const person: Person = await makeAccount(app)
    const before = await keysOf()
    await retireOldestKey(app, 1)
    const { token } = (await signIn(person.email)).body as { token: string }
    expect(kidOf(token)).not.toBe(kidOf(person.token))
    expect((await keysOf()).map(({ kid }) => kid)).toEqual(expect.arrayContaining([kidOf(person.token), kidOf(token)]))
    expect(before.map(({ kid }) => kid)).not.toContain(kidOf(token))

    const another = { url: `${(await app.startAnother()).url}/api` }
    expect([await statusOf(another, person.token), await statusOf(another, token)]).toEqual([200, 200])

    await retireOldestKey(app, 25)
    const late = { url: `${(await app.startAnother()).url}/api` }
    expect((await keysOf(late.url)).map(({ kid }) => kid)).not.toContain(kidOf(person.token))
    expect([await statusOf(late, person.token), await statusOf(late, token)]).toEqual([401, 200])
  })

  it('are found by every process, also right after it has looked for a forged one', async () => {
    const person = await makeAccount(app)
    const another = { url: `${(await app.startAnother()).url}/api` }
    expect(await statusOf(another, person.token)).toBe(200)
    const [, ...rest] = person.token.split('.')
    const header = Buffer.from(JSON.stringify({ alg: 'EdDSA', kid: 'ours' })).toString('base64url')
    expect(await statusOf(another, [header, ...rest].join('.'))).toBe(401)
    await retireKeys(app, 1)
    const { token } = (await signIn(person.email)).body as { token: string }
    expect(kidOf(token)).not.toBe(kidOf(person.token))
    expect(await Promise.all([statusOf(another, token), statusOf(another, token)])).toEqual([200, 200])
  })

  it('return 401 for a valid token on a server without keys', async () => {
    const person = await makeAccount(app)
    const keys = await removeKeys(app)
    const bare = { url: `${(await app.startAnother()).url}/api` }
    const response = await call(bare, 'GET', '/me', undefined, { authorization: `Bearer ${person.token}` })
    expect([response.status, response.body.error]).toEqual([401, 'JWKS is empty'])
    await insertKeys(app, keys)
  })

  it('are stored with their private halves encrypted', async () => {
    const rows = await app.db.select().from(authKeys)
    expect(rows.length).toBeGreaterThan(0)
    for (const { privateKey } of rows) expect(privateKey).not.toMatch(/"d"\s*:/)
  })
})

it('stores the IP address of every session, to show the owner its place', async () => {
  const { email, id } = await makeAccount(app)
  const address = newAddress()
  await signIn(email, PASSWORD, address)
  const [session] = await app.db
    .select()
    .from(authSessions)
    .where(eq(authSessions.userId, id))
    .orderBy(sql`created_at desc`)
  expect(session?.ipAddress).toBe(address)
})
