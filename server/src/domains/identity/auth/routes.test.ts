import { eq, like } from 'drizzle-orm'
import { generateKeyPair, SignJWT } from 'jose'
import { beforeAll, describe, expect, it } from 'vitest'
import { beginSignUp, linkIn, mailsTo, mailTo, openLink, statusOf } from '../../../../test/accounts.ts'
import { backdateRotation, expire, expireSignUps } from '../../../../test/credentials.ts'
import { call, makePerson } from '../../../../test/makers.ts'
import { openApp, type TestApp } from '../../../../test/open-app.ts'
import { expireSessions } from '../../../../test/sessions.ts'
import { hashToken } from '../../../sealing.ts'
import { authRefreshTokens, authSessions, authSignUps, authUsers } from './tables.ts'

let app: TestApp
beforeAll(async () => {
  app = await openApp({ mailbox: true, workers: true, env: { TRUST_PROXY: 'loopback' } })
})

const PASSWORD = 'Correct-horse1'
let count = 0
const newEmail = () => `person${++count}@example.com`
/** Headers with a new client address, because sign-ups are limited by address. */
const elsewhere = () => ({ 'x-forwarded-for': `203.0.113.${++count % 250}` })

/** Signs up without opening the emailed link. */
async function signUp(email = newEmail(), password = PASSWORD) {
  const response = await call(app, 'POST', '/auth/sign-up/email', { email, password }, elsewhere())
  return { email, password, answer: response }
}

const beginHere = (email: string, input: Parameters<typeof beginSignUp>[2] = {}) =>
  beginSignUp(app, email, input, elsewhere())

async function signedUp() {
  const email = newEmail()
  const { answer: response, token, cookie } = await beginHere(email)
  return { email, password: PASSWORD, answer: response, token, cookie, redirect: await openLink(app, token, cookie) }
}

async function signedIn() {
  const person = await signedUp()
  const { body } = await call(
    app,
    'POST',
    '/auth/sign-in/email',
    person.answer && { email: person.email, password: person.password },
  )
  return {
    ...person,
    session: body as { token: string; refreshToken: string; expiresAt: string; user: { id: string; email: string } },
  }
}

describe('POST /auth/sign-up/email', () => {
  it('creates no account that can sign in before its address is confirmed', async () => {
    const { email, password, answer: response } = await signUp()
    expect(response.status).toBe(200)
    expect(response.body).toEqual({
      success: true,
      message: 'Almost there! Check your email for a confirmation link to complete your registration.',
    })
    const refused = await call(app, 'POST', '/auth/sign-in/email', { email, password })
    expect([refused.status, refused.body.code]).toEqual([403, 'EMAIL_NOT_VERIFIED'])
  })

  it('returns the same for a known address, and emails its owner', async () => {
    const { email, answer: response } = await signedUp()
    const again = await call(app, 'POST', '/auth/sign-up/email', {
      email: email.toUpperCase(),
      password: 'Another-one2',
    })
    expect([again.status, again.body]).toEqual([response.status, response.body])
    expect((await mailTo(app, email, /already have an account/)).text).toContain('/login')
    expect((await call(app, 'POST', '/auth/sign-in/email', { email, password: 'Another-one2' })).body.code).toBe(
      'INVALID_CREDENTIALS',
    )
  })

  it('keeps several sign-ups of one address, each with its own link', async () => {
    const email = newEmail()
    const owners = await beginHere(email, { password: 'The-owners1' })
    const strangers = await beginHere(email, { password: 'A-strangers1' })
    expect(strangers.token).not.toBe(owners.token)
    expect((await openLink(app, owners.token, owners.cookie)).searchParams.get('code')).toHaveLength(43)
    const signIn = async (password: string) =>
      (await call(app, 'POST', '/auth/sign-in/email', { email, password })).status
    expect([await signIn('A-strangers1'), await signIn('The-owners1')]).toEqual([400, 200])
  })

  it('creates one account from three parallel sign-ups of one address', async () => {
    const email = newEmail()
    const signUps = await Promise.all([signUp(email), signUp(email), signUp(email)])
    expect(signUps.map((a) => a.answer.status)).toEqual([200, 200, 200])
    await expect.poll(async () => (await mailsTo(app, email)).length).toBe(3)
    const tokens = (await mailsTo(app, email)).map((mail) => linkIn(mail, 'verify-email').searchParams.get('token'))
    const confirmed = await Promise.all(
      tokens.map((token) => call(app, 'POST', '/auth/verify-email', { token, password: PASSWORD })),
    )
    expect(confirmed.map(({ status }) => status).sort()).toEqual([200, 400, 400])
    expect(await app.db.select().from(authUsers).where(eq(authUsers.email, email))).toHaveLength(1)
  })

  it('sets the sign-up cookie for known and unknown addresses alike', async () => {
    const { email } = await signedUp()
    for (const address of [email, newEmail()]) {
      const { answer: response } = await signUp(address)
      expect(response.headers.get('set-cookie')).toMatch(
        /^sign-up-[\da-f-]{36}=[\w-]{43}; Path=\/api\/auth\/verify-email; Max-Age=\d+; HttpOnly; SameSite=Lax$/,
      )
    }
  })

  it('sends at most 5 emails an hour to one mailbox and keeps the last link valid', async () => {
    const address = `${newEmail().split('@')[0]}@gmail.com`
    const spelling = (n: number) => address.replace('@', `+${n}@`)
    const responses = []
    for (let n = 0; n < 8; n += 1) responses.push((await signUp(spelling(n))).answer)
    expect(new Set(responses.map(({ status, body }) => JSON.stringify([status, body]))).size).toBe(1)
    const waiting = await app.db
      .select()
      .from(authSignUps)
      .where(like(authSignUps.email, `${address.split('@')[0]}+%`))
    expect(waiting.map(({ email }) => email).sort()).toEqual([0, 1, 2, 3, 4].map(spelling))
    const link = linkIn(await mailTo(app, spelling(4), /Confirm/), 'verify-email')
    expect((await openLink(app, link.searchParams.get('token') ?? '')).pathname).toBe('/auth/confirm')
    expect(await mailsTo(app, spelling(5))).toEqual([])
  })

  it('counts resends and password resets toward these 5, however the address is spelled', async () => {
    const address = `${newEmail().split('@')[0]}@gmail.com`
    const tagged = address.replace('@', '+tag@')
    await beginHere(address)
    await beginHere(tagged)
    for (let n = 0; n < 6; n += 1)
      for (const path of ['/auth/resend', '/auth/recover'])
        expect((await call(app, 'POST', path, { email: n % 2 ? address : tagged }, elsewhere())).status).toBe(200)
    await expect.poll(async () => (await mailsTo(app, address)).length + (await mailsTo(app, tagged)).length).toBe(5)
    // This later email arrives last and is not one of the five.
    await call(app, 'POST', '/auth/otp', { email: address }, elsewhere())
    await mailTo(app, address, /^Your code/)
    expect([...(await mailsTo(app, address)), ...(await mailsTo(app, tagged))]).toHaveLength(6)
  })

  it('counts emails to addresses with an account in the same way', async () => {
    const { email } = await signedUp()
    for (let n = 0; n < 8; n += 1) expect((await signUp(email)).answer.status).toBe(200)
    await expect.poll(async () => (await mailsTo(app, email)).length).toBe(5)
    // This later email arrives last and is not one of the five.
    await call(app, 'POST', '/auth/recover', { email })
    await mailTo(app, email, /Reset/)
    expect(await mailsTo(app, email)).toHaveLength(6)
  })

  it.each([
    [{}, 'You must provide either an email or phone number and a password'],
    [{ email: 'nobody', password: PASSWORD }, 'Invalid email format'],
    [{ email: 'a@example.com', password: 'short1A' }, 'Password does not meet the requirements'],
    [{ email: 'a@example.com', password: 'alllowercase1' }, 'Password does not meet the requirements'],
    [{ email: 'a@example.com', password: 'NoDigitsHere' }, 'Password does not meet the requirements'],
    [{ email: 'a@example.com', password: PASSWORD, admin: true }, /admin/],
  ])('returns 400 for %j', async (body, text) => {
    const response = await call(app, 'POST', '/auth/sign-up/email', body)
    expect(response.status).toBe(400)
    expect(response.body).toMatchObject({ success: false, code: 'INVALID_INPUT' })
    expect(response.body.error).toMatch(text)
    expect(response.body.details.length).toBeGreaterThan(0)
  })
})

describe('GET /auth/verify-email', () => {
  it('confirms in the browser that signed up and redirects with a one-time code', async () => {
    const { redirect, email, password } = await signedUp()
    expect(redirect.origin + redirect.pathname).toBe('http://localhost:3000/auth/callback')
    expect(redirect.searchParams.get('code')).toHaveLength(43)
    expect((await call(app, 'POST', '/auth/sign-in/email', { email, password })).status).toBe(200)
  })

  it('changes nothing in other browsers and redirects to the page that asks for a password', async () => {
    const email = newEmail()
    const { token, cookie } = await beginHere(email)
    const [name] = cookie.split('=')
    const others = (await beginHere(newEmail())).cookie
    for (const foreign of ['', others, `${name}=${'x'.repeat(43)}`, `${name}=`, `other=${cookie.split('=')[1]}`])
      expect((await openLink(app, token, foreign)).href).toBe(`http://localhost:3000/auth/confirm#${token}`)
    expect(await app.db.$count(authUsers, eq(authUsers.email, email))).toBe(0)
    expect((await call(app, 'HEAD', `/auth/verify-email?token=${token}`, undefined, { cookie })).status).toBe(404)
    expect((await openLink(app, token, `a=b; ${cookie}; c=d`)).searchParams.get('code')).toHaveLength(43)
  })

  it('does not sign in when it is opened again', async () => {
    const { token, cookie } = await signedUp()
    for (const browser of [cookie, '']) {
      const { searchParams } = await openLink(app, token, browser)
      expect([searchParams.get('code'), searchParams.get('confirmed')]).toEqual([null, 'before'])
    }
  })

  it('redirects with an error after a day', async () => {
    const email = newEmail()
    const { token, cookie } = await beginHere(email)
    await expireSignUps(app, email)
    expect((await openLink(app, token, cookie)).searchParams.get('error')).toBe('INVALID_CODE')
    // Signing in with the right password emails the link again and extends it by a day.
    expect((await call(app, 'POST', '/auth/sign-in/email', { email, password: PASSWORD })).status).toBe(403)
    expect((await openLink(app, token, cookie)).searchParams.get('code')).toHaveLength(43)
  })

  it.each(['', 'x', 'a.b.c', 'A'.repeat(64), `${'a'.repeat(3000)}`])(
    'redirects with an error for an invalid link: %j',
    async (token) => {
      const { pathname, searchParams } = await openLink(app, token)
      expect([pathname, searchParams.get('error')]).toEqual(['/auth/callback', 'INVALID_CODE'])
    },
  )
})

describe('POST /auth/verify-email', () => {
  const confirm = (body: object, cookie = '') => call(app, 'POST', '/auth/verify-email', body, { cookie })
  const signIn = async (email: string, password: string) =>
    (await call(app, 'POST', '/auth/sign-in/email', { email, password })).status

  it('replaces the password of the sign-up in another browser', async () => {
    const email = newEmail()
    const { token } = await beginHere(email)
    const missing = await confirm({ token })
    expect([missing.status, missing.body.details]).toEqual([
      400,
      [{ field: 'password', problem: 'Enter a new password.' }],
    ])
    expect((await confirm({ token, password: 'weak' })).status).toBe(400)
    const done = await confirm({ token, password: 'The-owners1' })
    expect([done.status, done.body]).toEqual([200, { success: true, message: 'Email confirmed' }])
    expect([await signIn(email, PASSWORD), await signIn(email, 'The-owners1')]).toEqual([400, 200])
  })

  it('keeps the password of the sign-up in its own browser', async () => {
    const email = newEmail()
    const { token, cookie } = await beginHere(email)
    expect((await confirm({ token }, cookie)).status).toBe(200)
    expect(await signIn(email, PASSWORD)).toBe(200)
  })

  it('returns 400 for used, expired and forged links', async () => {
    const { token, cookie, email } = await signedUp()
    const late = await beginHere(newEmail())
    await expireSignUps(app)
    for (const [body, browser] of [
      [{ token, password: 'Another-one2' }, cookie],
      [{ token: late.token, password: 'Another-one2' }, late.cookie],
      [{ token: 'x', password: 'Another-one2' }, ''],
      [{ token: `${token.slice(0, -1)}x`, password: 'Another-one2' }, ''],
    ] as const) {
      const response = await confirm(body, browser)
      expect([response.status, response.body.code]).toEqual([400, 'INVALID_CODE'])
    }
    expect(await signIn(email, PASSWORD)).toBe(200)
  })

  it('ignores passwords from older links once the address is confirmed', async () => {
    const email = newEmail()
    const strangers = await beginHere(email, { password: 'A-strangers1' })
    const owners = await beginHere(email, { password: 'The-owners1' })
    await openLink(app, owners.token, owners.cookie)
    expect((await openLink(app, strangers.token, strangers.cookie)).searchParams.get('confirmed')).toBe('before')
    expect((await confirm({ token: strangers.token, password: 'A-strangers1' }, strangers.cookie)).status).toBe(400)
    expect([await signIn(email, 'A-strangers1'), await signIn(email, 'The-owners1')]).toEqual([400, 200])
  })

  it('emails the link that fits the password, even after a stranger signed up later', async () => {
    const email = newEmail()
    const owners = await beginHere(email, { password: 'The-owners1' })
    for (let n = 0; n < 2; n += 1) await beginHere(email, { password: 'A-strangers1' })
    const response = await call(app, 'POST', '/auth/sign-in/email', { email, password: 'The-owners1' })
    expect([response.status, response.body.code]).toEqual([403, 'EMAIL_NOT_VERIFIED'])
    await expect.poll(async () => (await mailsTo(app, email)).length).toBe(4)
    const [newest] = await mailsTo(app, email)
    expect(linkIn(newest!, 'verify-email').searchParams.get('token')).toBe(owners.token)
    expect(await signIn(email, 'Nobodys-own1')).toBe(400)
    expect((await openLink(app, owners.token, owners.cookie)).searchParams.get('code')).toHaveLength(43)
    expect([await signIn(email, 'A-strangers1'), await signIn(email, 'The-owners1')]).toEqual([400, 200])
  })

  it('stores neither the token nor the cookie in plain text', async () => {
    const { token, cookie } = await beginHere(newEmail())
    const stored = JSON.stringify(await app.db.select().from(authSignUps))
    for (const secret of [token, cookie.split('=')[1] ?? '']) expect(stored).not.toContain(secret)
  })
})

describe('POST /auth/exchange', () => {
  const codeOf = (url: URL) => url.searchParams.get('code')!

  it('returns a session, once', async () => {
    const { redirect, email } = await signedUp()
    const first = await call(app, 'POST', '/auth/exchange', { code: codeOf(redirect) })
    expect(first.body).toMatchObject({ token: expect.any(String), refreshToken: expect.any(String), user: { email } })
    expect((await call(app, 'GET', '/me', undefined, { authorization: `Bearer ${first.body.token}` })).status).toBe(200)
    const second = await call(app, 'POST', '/auth/exchange', { code: codeOf(redirect) })
    expect([second.status, second.body.code]).toEqual([400, 'INVALID_CODE'])
  })

  it('returns 400 for a code after 60 seconds', async () => {
    const { redirect } = await signedUp()
    await expire(app, 'code', codeOf(redirect))
    expect((await call(app, 'POST', '/auth/exchange', { code: codeOf(redirect) })).status).toBe(400)
  })

  it('binds the code to its PKCE challenge; a wrong verifier uses it up', async () => {
    const verifier = 'the right verifier, long enough to be one of PKCE'
    // The SHA-256 of the verifier, base64url (RFC 7636).
    const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(verifier))
    const signUpHere = async () => {
      const codeChallenge = Buffer.from(digest).toString('base64url')
      const { token, cookie } = await beginHere(newEmail(), { codeChallenge })
      return codeOf(await openLink(app, token, cookie))
    }
    const exchange = async (body: object) => {
      const response = await call(app, 'POST', '/auth/exchange', body)
      return [response.status, response.body.error]
    }
    const unknown = [400, 'This link or code is invalid or has expired.']
    expect(await exchange({ code: await signUpHere(), codeVerifier: verifier })).toEqual([200, undefined])
    expect(await exchange({ code: await signUpHere() })).toEqual([400, 'Not a valid PKCE flow url.'])
    const code = await signUpHere()
    expect(await exchange({ code, codeVerifier: 'a wrong one' })).toEqual(unknown)
    expect(await exchange({ code, codeVerifier: verifier })).toEqual(unknown)
  })

  it.each([{}, { code: '' }, { code: ' ' }])('returns 400 without a code: %j', async (body) => {
    const response = await call(app, 'POST', '/auth/exchange', body)
    expect([response.status, response.body.error]).toEqual([400, 'No code detected.'])
  })
})

describe('POST /auth/sign-in/email', () => {
  it('returns a session with a 15-minute access token', async () => {
    const { session, email } = await signedIn()
    expect(session.user.email).toBe(email)
    const minutes = (new Date(session.expiresAt).getTime() - Date.now()) / 60_000
    expect(minutes).toBeGreaterThan(14.5)
    expect(minutes).toBeLessThanOrEqual(15)
  })

  it('returns the same 400 for a wrong password and an unknown address', async () => {
    const { email } = await signedUp()
    const wrong = await call(app, 'POST', '/auth/sign-in/email', { email, password: 'Wrong-one1' })
    const unknown = await call(app, 'POST', '/auth/sign-in/email', { email: newEmail(), password: 'Wrong-one1' })
    expect([wrong.status, wrong.body]).toEqual([
      400,
      { success: false, code: 'INVALID_CREDENTIALS', error: 'Invalid email or password' },
    ])
    expect([unknown.status, unknown.body]).toEqual([wrong.status, wrong.body])
  })

  it('returns 429 after 10 failures of one account from one address, and lets other accounts sign in', async () => {
    const { email, password } = await signedUp()
    const other = await signedUp()
    const responses = await Promise.all(
      Array.from({ length: 14 }, () => call(app, 'POST', '/auth/sign-in/email', { email, password: 'Wrong-one1' })),
    )
    expect(responses.filter((a) => a.status === 400)).toHaveLength(10)
    const limited = await call(app, 'POST', '/auth/sign-in/email', { email, password })
    expect([limited.status, limited.body.code]).toEqual([429, 'RATE_LIMITED'])
    expect(Number(limited.headers.get('retry-after'))).toBeGreaterThan(0)
    expect(
      (await call(app, 'POST', '/auth/sign-in/email', { email: other.email, password: other.password })).status,
    ).toBe(200)
  })

  it('returns 429 on other processes too', async () => {
    const { email } = await signedUp()
    await Promise.all(
      Array.from({ length: 10 }, () => call(app, 'POST', '/auth/sign-in/email', { email, password: 'Wrong-one1' })),
    )
    const another = await app.startAnother()
    expect(
      (await call({ url: `${another.url}/api` }, 'POST', '/auth/sign-in/email', { email, password: 'Wrong-one1' }))
        .status,
    ).toBe(429)
  })
})

describe('POST /auth/refresh', () => {
  const refresh = (refreshToken: string) => call(app, 'POST', '/auth/refresh', { refreshToken })
  const age = (token: string, seconds: number) => backdateRotation(app, token, seconds)

  it('returns a new pair of the same session', async () => {
    const { session } = await signedIn()
    const { status, body } = await refresh(session.refreshToken)
    expect(status).toBe(200)
    expect(body.refreshToken).not.toBe(session.refreshToken)
    expect((await call(app, 'GET', '/me', undefined, { authorization: `Bearer ${body.token}` })).status).toBe(200)
  })

  it('lets two tabs refresh at the same time', async () => {
    const { session } = await signedIn()
    const responses = await Promise.all(Array.from({ length: 10 }, () => refresh(session.refreshToken)))
    expect(responses.map((a) => a.status)).toEqual(responses.map(() => 200))
    for (const { body } of responses) expect(await statusOf(app, body.token)).toBe(200)
    const [first, second] = responses.map(({ body }) => body.refreshToken as string)
    const next = await refresh(first!)
    expect([next.status, (await refresh(next.body.refreshToken)).status]).toEqual([200, 200])
    // Using the first revoked the others, so using one of those ends the session.
    expect((await refresh(second!)).status).toBe(401)
    expect(await statusOf(app, next.body.token)).toBe(401)
  })

  it('keeps one of several successors valid that are used in parallel', async () => {
    const { session } = await signedIn()
    const responses = await Promise.all([refresh(session.refreshToken), refresh(session.refreshToken)])
    const used = await Promise.all(responses.map(({ body }) => refresh(body.refreshToken)))
    expect(used.map(({ status }) => status).sort()).toEqual([200, 401])
  })

  it('accepts a token again if its response was lost', async () => {
    const { session } = await signedIn()
    await refresh(session.refreshToken)
    const again = await refresh(session.refreshToken)
    expect((await refresh(again.body.refreshToken)).status).toBe(200)
  })

  it('returns 401 and ends the session if a token is reused after its successor, within seconds too', async () => {
    const { session } = await signedIn()
    const next = await refresh(session.refreshToken)
    const latest = await refresh(next.body.refreshToken)
    expect((await refresh(session.refreshToken)).status).toBe(401)
    expect((await refresh(latest.body.refreshToken)).status).toBe(401)
  })

  it('returns 401 and ends the session if a rotated token is reused', async () => {
    const { session } = await signedIn()
    const next = await refresh(session.refreshToken)
    await age(session.refreshToken, 11)
    expect((await refresh(session.refreshToken)).status).toBe(401)
    expect((await refresh(next.body.refreshToken)).status).toBe(401)
    expect((await call(app, 'GET', '/me', undefined, { authorization: `Bearer ${next.body.token}` })).status).toBe(401)
  })

  it('returns 401 for unknown tokens and expired sessions', async () => {
    expect((await refresh('x'.repeat(43))).body).toMatchObject({ code: 'UNAUTHORIZED', success: false })
    const { session } = await signedIn()
    await expireSessions(app, { userId: session.user.id })
    expect((await refresh(session.refreshToken)).status).toBe(401)
  })

  it('stores tokens hashed', async () => {
    const { session } = await signedIn()
    const rows = JSON.stringify([
      await app.db.select().from(authRefreshTokens),
      await app.db.select().from(authSessions),
    ])
    expect(rows).not.toContain(session.refreshToken)
    expect(rows).toContain(hashToken(session.refreshToken))
  })
})

describe('POST /auth/sign-out', () => {
  const me = (token: string) => call(app, 'GET', '/me', undefined, { authorization: `Bearer ${token}` })
  const again = async (email: string) =>
    (await call(app, 'POST', '/auth/sign-in/email', { email, password: PASSWORD })).body as {
      token: string
      refreshToken: string
    }
  const out = (token: string, scope: string) =>
    call(app, 'POST', '/auth/sign-out', { scope }, { authorization: `Bearer ${token}` })

  it.each([
    ['local', [401, 200]],
    ['others', [200, 401]],
    ['global', [401, 401]],
  ])('ends access immediately with scope %s', async (scope, [here, elsewhere]) => {
    const { email, session } = await signedIn()
    const other = await again(email)
    expect((await out(session.token, scope)).body).toEqual({ success: true })
    expect([(await me(session.token)).status, (await me(other.token)).status]).toEqual([here, elsewhere])
    const refreshed = await call(app, 'POST', '/auth/refresh', { refreshToken: session.refreshToken })
    expect(refreshed.status).toBe(here === 401 ? 401 : 200)
  })

  it('ends access on other processes too', async () => {
    const another = await app.startAnother()
    const { session } = await signedIn()
    const there = () =>
      call({ url: `${another.url}/api` }, 'GET', '/me', undefined, { authorization: `Bearer ${session.token}` })
    expect((await there()).status).toBe(200)
    await out(session.token, 'local')
    await expect.poll(async () => (await there()).status).toBe(401)
  })

  it('returns 400 for an unknown scope', async () => {
    const person = await makePerson(app)
    expect((await person.call('POST', '/auth/sign-out', { scope: 'everyone' })).status).toBe(400)
  })
})

describe('GET /me', () => {
  it('returns the user in their personal workspace', async () => {
    const { session, email } = await signedIn()
    const { body } = await call(app, 'GET', '/me', undefined, { authorization: `Bearer ${session.token}` })
    expect(body).toMatchObject({ id: session.user.id, email, workspace: { role: 'owner' } })
    expect(body.workspaces).toEqual([body.workspace])
  })

  it('returns 401 without a token or with one we did not sign', async () => {
    const { privateKey } = await generateKeyPair('EdDSA')
    const claims = { sub: crypto.randomUUID(), sid: crypto.randomUUID(), wid: crypto.randomUUID(), role: 'owner' }
    const forge = (alg: string) =>
      new SignJWT(claims)
        .setProtectedHeader({ alg, kid: 'ours' })
        .setIssuer('http://localhost:3000')
        .setAudience('http://localhost:3000')
        .setExpirationTime('5m')
    const forged = await forge('EdDSA').sign(privateKey)
    const byHash = await forge('HS256').sign(new TextEncoder().encode('a secret for tests, long enough to pass'))
    const unsigned = `${Buffer.from('{"alg":"none"}').toString('base64url')}.${forged.split('.')[1]}.x`
    for (const header of [
      '',
      'Bearer',
      'Basic abc',
      'Bearer a.b.c',
      `Bearer ${forged}`,
      `Bearer ${byHash}`,
      `Bearer ${unsigned}`,
    ]) {
      const response = await call(app, 'GET', '/me', undefined, header ? { authorization: header } : {})
      expect([header, response.status, response.body.code]).toEqual([header, 401, 'UNAUTHORIZED'])
    }
  })

  it('returns 401 for an expired token', async () => {
    const person = await makePerson(app)
    const past = Math.floor(Date.now() / 1000) - 10
    const token = await app.services.auth.sign(app.db, {
      sub: person.id,
      sid: person.actor.sessionId,
      wid: person.workspaceId,
      role: 'owner',
      iat: past - 900,
      exp: past,
    })
    expect((await call(app, 'GET', '/me', undefined, { authorization: `Bearer ${token}` })).status).toBe(401)
  })
})

describe('GET /auth/jwks', () => {
  it('returns public keys only', async () => {
    await makePerson(app)
    const { body } = await call(app, 'GET', '/auth/jwks')
    expect(body.keys[0]).toMatchObject({ kty: 'OKP', crv: 'Ed25519', use: 'sig' })
    expect(JSON.stringify(body)).not.toContain('"d"')
  })
})
