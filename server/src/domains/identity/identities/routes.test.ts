import { signInAtGoogle } from '@x-automated/stand-ins/google/visit'
import { and, eq } from 'drizzle-orm'
import { exportJWK, generateKeyPair, SignJWT } from 'jose'
import { beforeAll, describe, expect, it } from 'vitest'
import {
  changeUser,
  insertUser,
  mailTo,
  makeAccount,
  PASSWORD,
  pkce,
  prove,
  signIn,
  statusOf,
} from '../../../../test/accounts.ts'
import { expire, removePassword } from '../../../../test/credentials.ts'
import { call, makePerson, type Person } from '../../../../test/makers.ts'
import { openApp, type TestApp } from '../../../../test/open-app.ts'
import { addFactor } from '../../../../test/second-factors.ts'
import { hashToken } from '../../../sealing.ts'
import { authIdentities, authUsers } from '../auth/tables.ts'
import { authStates } from './tables.ts'

let app: TestApp
beforeAll(async () => {
  app = await openApp({ google: true, mailbox: true, workers: true })
})

let count = 0
const newEmail = (start = 'ada') => `${start}${++count}@example.com`
const post = (path: string, body: object) => call(app, 'POST', path, body)

type Start = { intent?: string; referralCode?: string }

/** Starts a sign-in and signs in at Google. @returns the callback URL and the PKCE verifier */
async function atGoogle(email: string, start: Start = {}, decision: 'continue' | 'cancel' = 'continue') {
  const { codeVerifier, codeChallenge } = pkce()
  const { status, body } = await post('/auth/authorize', { provider: 'google', codeChallenge, ...start })
  expect(status).toBe(200)
  return { codeVerifier, url: body.url as string, callback: await signInAtGoogle(body.url, email, decision) }
}

/** Opens the callback. @returns the page it redirects to */
async function cameBack(callback: URL): Promise<URL> {
  const response = await call(app, 'GET', callback.pathname.replace('/api', '') + callback.search)
  expect([response.status, response.headers.get('set-cookie')]).toEqual([302, null])
  const page = new URL(response.headers.get('location')!)
  expect(page.origin).toBe('http://localhost:3000')
  return page
}

async function signInWithGoogle(email: string, start: Start = {}) {
  const { callback, codeVerifier } = await atGoogle(email, start)
  const page = await cameBack(callback)
  const code = page.searchParams.get('code')
  return { page, codeVerifier, code, answer: code ? await post('/auth/exchange', { code, codeVerifier }) : null }
}

const accountOf = async (email: string) => (await app.db.select().from(authUsers).where(eq(authUsers.email, email)))[0]
const identitiesOf = async (person: Pick<Person, 'call'>) =>
  (await person.call('GET', '/auth/identities')).body.identities

describe('GET /auth/providers', () => {
  it('lists Google if it is configured', async () => {
    expect((await call(app, 'GET', '/auth/providers')).body).toEqual({ providers: ['google'] })
    const another = await app.startAnother({ env: { GOOGLE_CLIENT_ID: '' } })
    const there = { url: `${another.url}/api` }
    expect((await call(there, 'GET', '/auth/providers')).body).toEqual({ providers: [] })
    const start = { provider: 'google', codeChallenge: pkce().codeChallenge }
    const refused = await call(there, 'POST', '/auth/authorize', start)
    expect([refused.status, refused.body.code]).toEqual([503, 'GOOGLE_UNAVAILABLE'])
  })
})

describe('signing in with Google', () => {
  it('creates a confirmed account the first time and finds it again', async () => {
    const email = newEmail('grace.hopper')
    const first = await signInWithGoogle(email)
    expect(first.page.pathname).toBe('/auth/callback')
    expect([first.answer?.status, first.answer?.body.user.email]).toEqual([200, email])
    const me = await call(app, 'GET', '/me', undefined, { authorization: `Bearer ${first.answer?.body.token}` })
    expect(me.body).toMatchObject({ email, name: expect.stringMatching(/^Grace Hopper/), workspace: { role: 'owner' } })
    const second = await signInWithGoogle(email)
    expect(second.answer?.body.user.id).toBe(first.answer?.body.user.id)
  })

  it('uses PKCE, a nonce and minimal scopes, and stores no secrets', async () => {
    const { codeChallenge } = pkce()
    const url = new URL((await post('/auth/authorize', { provider: 'google', codeChallenge })).body.url)
    expect(url.origin).toBe(app.google.url)
    const params = Object.fromEntries(url.searchParams)
    expect(params).toMatchObject({
      response_type: 'code',
      scope: 'openid email profile',
      code_challenge_method: 'S256',
      redirect_uri: 'http://localhost:3000/api/auth/callback/google',
    })
    expect(params.code_challenge).not.toBe(codeChallenge)
    const stored = JSON.stringify(await app.db.select().from(authStates))
    for (const secret of [params.state, params.nonce]) expect(stored).not.toContain(secret)
    expect(stored).toContain(hashToken(params.state!))
  })

  it('removes password and sessions of an unconfirmed account with the address', async () => {
    const squatted = await makeAccount(app, { confirmed: false })
    const { answer: response } = await signInWithGoogle(squatted.email)
    expect(response?.body.user.id).toBe(squatted.id)
    expect(await statusOf(app, squatted.token)).toBe(401)
    expect((await signIn(app, squatted.email)).body.code).toBe('INVALID_CREDENTIALS')
  })

  it('signs in to the confirmed account with the same address and emails its owner', async () => {
    const person = await makeAccount(app)
    const { answer: response } = await signInWithGoogle(person.email)
    expect(response?.body.user.id).toBe(person.id)
    expect((await signIn(app, person.email)).status).toBe(200)
    await mailTo(app, person.email, /Google was linked/)
  })

  it('asks for the second factor of an account that has one', async () => {
    const person = await makeAccount(app)
    await addFactor(app, person.id)
    const { answer: response } = await signInWithGoogle(person.email)
    expect([response?.status, response?.body]).toEqual([200, { secondFactor: ['totp'], ticket: expect.any(String) }])
  })

  it('identifies linked users by Google account, not by address', async () => {
    const email = newEmail()
    const first = await signInWithGoogle(email)
    await changeUser(app, { email }, { email: newEmail('moved') })
    const again = await signInWithGoogle(email)
    expect(again.answer?.body.user.id).toBe(first.answer?.body.user.id)
  })

  it.each([
    ['unverified', 'unconfirmed_email'],
    ['noemail', 'no_email'],
    ['error', 'failed'],
  ])('fails if Google returns %s', async (start, error) => {
    const email = newEmail(start)
    const { page, code } = await signInWithGoogle(email)
    expect([page.pathname, page.searchParams.get('error'), code]).toEqual(['/auth/callback', error, null])
    expect(await accountOf(email)).toBeUndefined()
  })

  it('never links by an unconfirmed address', async () => {
    const email = newEmail('unverified')
    await insertUser(app, email)
    const { page } = await signInWithGoogle(email)
    expect(page.searchParams.get('error')).toBe('unconfirmed_email')
  })

  it('returns to the starting page if it is canceled', async () => {
    for (const [intent, path] of [
      ['login', '/auth/callback'],
      ['waitlist', '/waitlist'],
    ] as const) {
      const { callback } = await atGoogle('', { intent }, 'cancel')
      const page = await cameBack(callback)
      expect([page.pathname, page.searchParams.get('error')]).toEqual([path, 'cancelled'])
    }
  })

  it('joins the waitlist and credits the referral', async () => {
    const referrer = (await post('/waitlist/join', { email: newEmail('referrer') })).body
    const email = newEmail('joiner')
    const { page, answer: response } = await signInWithGoogle(email, {
      intent: 'waitlist',
      referralCode: referrer.referralCode,
    })
    expect([page.pathname, response?.status]).toEqual(['/waitlist', 200])
    const dashboard = await call(app, 'GET', '/dashboard', undefined, {
      authorization: `Bearer ${response?.body.token}`,
    })
    expect(dashboard.body.position).toBeGreaterThan(0)
    const position = await post('/waitlist/position', { email: `referrer${count - 1}@example.com` })
    expect(position.body.referralCount).toBe(1)
  })

  it('credits the referral of a sign-up', async () => {
    const referrer = newEmail('referrer')
    const { referralCode } = (await post('/waitlist/join', { email: referrer })).body
    const { answer: response } = await signInWithGoogle(newEmail(), { referralCode })
    expect(response?.status).toBe(200)
    expect((await post('/waitlist/position', { email: referrer })).body.referralCount).toBe(1)
  })
})

describe('attacks on Google sign-in', () => {
  it('rejects and uses up a code without its verifier', async () => {
    const { code, codeVerifier } = await (async () => {
      const started = await atGoogle(newEmail())
      const page = await cameBack(started.callback)
      return { code: page.searchParams.get('code')!, codeVerifier: started.codeVerifier }
    })()
    expect((await post('/auth/exchange', { code })).body.code).toBe('INVALID_CODE')
    expect((await post('/auth/exchange', { code, codeVerifier })).body.code).toBe('INVALID_CODE')
  })

  it('accepts a callback once, within 10 minutes', async () => {
    const { callback } = await atGoogle(newEmail())
    expect((await cameBack(callback)).searchParams.get('code')).toHaveLength(43)
    expect((await cameBack(callback)).search).toBe('?provider=google&error=failed')
    const late = await atGoogle(newEmail())
    await expire(app, 'state', late.callback.searchParams.get('state')!)
    expect((await cameBack(late.callback)).search).toBe('?provider=google&error=failed')
  })

  it("rejects forged, missing and foreign states, and another sign-in's code", async () => {
    const other = await atGoogle(newEmail())
    for (const change of [
      (query: URLSearchParams) => query.set('state', 'x'.repeat(43)),
      (query: URLSearchParams) => query.delete('state'),
      (query: URLSearchParams) => query.set('code', other.callback.searchParams.get('code')!),
      (query: URLSearchParams) => query.set('iss', 'https://evil.example'),
    ]) {
      const { callback } = await atGoogle(newEmail())
      change(callback.searchParams)
      expect((await cameBack(callback)).search).toBe('?provider=google&error=failed')
    }
  })

  it('never redirects to another origin', async () => {
    const { callback } = await atGoogle(newEmail())
    for (const name of ['redirect_uri', 'redirect', 'next', 'origin', 'callbackURL', 'returnTo'])
      callback.searchParams.set(name, 'https://evil.example')
    await cameBack(callback)
    const withHost = await fetch(`${app.url}/auth/callback/google?state=x`, {
      redirect: 'manual',
      headers: { 'x-forwarded-host': 'evil.example' },
    })
    expect(withHost.headers.get('location')).toBe('http://localhost:3000/auth/callback?provider=google&error=failed')
    const start = { provider: 'google', codeChallenge: pkce().codeChallenge, redirectTo: 'https://evil.example' }
    expect((await post('/auth/authorize', start)).status).toBe(400)
  })

  it('returns 503 while Google does not respond', async () => {
    const another = await app.startAnother({ env: { GOOGLE_ISSUER: 'http://127.0.0.1:9' } })
    const there = { url: `${another.url}/api` }
    const start = { provider: 'google', codeChallenge: pkce().codeChallenge }
    const responses = [
      await call(there, 'POST', '/auth/authorize', start),
      await call(there, 'POST', '/auth/sign-in/id-token', { provider: 'google', idToken: 'a.b.c' }),
    ]
    for (const { status, body } of responses) expect([status, body.code]).toEqual([503, 'GOOGLE_UNAVAILABLE'])
    const person = await makeAccount(app)
    await prove(person)
    const linking = await call(there, 'POST', '/auth/identities/authorize', start, {
      authorization: `Bearer ${person.token}`,
    })
    expect([linking.status, linking.body.code]).toEqual([503, 'GOOGLE_UNAVAILABLE'])
  })
})

describe('POST /auth/sign-in/id-token', () => {
  const CALLBACK = 'http://localhost:1/callback'

  /** Gets an id_token from Google, like a native app with the same client. */
  async function idTokenOf(email: string, nonce: string): Promise<string> {
    const { codeVerifier, codeChallenge } = pkce()
    const params = new URLSearchParams({
      client_id: app.google.clientId,
      response_type: 'code',
      scope: 'openid email profile',
      redirect_uri: CALLBACK,
      state: 's',
      nonce,
      code_challenge: codeChallenge,
      code_challenge_method: 'S256',
    })
    const callback = await signInAtGoogle(`${app.google.url}/auth?${params}`, email)
    const response = await fetch(`${app.google.url}/token`, {
      method: 'POST',
      body: new URLSearchParams({
        grant_type: 'authorization_code',
        code: callback.searchParams.get('code')!,
        redirect_uri: CALLBACK,
        client_id: app.google.clientId,
        client_secret: app.google.clientSecret,
        code_verifier: codeVerifier,
      }),
    })
    return ((await response.json()) as { id_token: string }).id_token
  }
  const bring = (idToken: string, nonce?: string) =>
    post('/auth/sign-in/id-token', { provider: 'google', idToken, ...(nonce ? { nonce } : {}) })

  it('signs in once with its nonce', async () => {
    const email = newEmail()
    const idToken = await idTokenOf(email, 'a nonce')
    const refusals = [await bring(idToken), await bring(idToken, 'another nonce')]
    expect(refusals.map(({ status, body }) => [status, body.code])).toEqual(
      refusals.map(() => [400, 'IDENTITY_REFUSED']),
    )
    const responses = await Promise.all([bring(idToken, 'a nonce'), bring(idToken, 'a nonce')])
    expect(responses.map((response) => response.status).sort()).toEqual([200, 400])
    expect(responses.find((response) => response.status === 200)?.body.user.email).toBe(email)
    expect((await bring(idToken, 'a nonce')).status).toBe(400)
  })

  it('returns 400 for a token without an address', async () => {
    const refused = await bring(await idTokenOf(newEmail('noemail'), 'n'), 'n')
    expect(refused.body).toEqual({
      success: false,
      code: 'IDENTITY_REFUSED',
      error: 'Could not retrieve email from Google account.',
      details: { problem: 'no_email' },
    })
  })

  it('returns 400 for forged, foreign, expired and unsigned tokens', async () => {
    const genuine = await idTokenOf(newEmail(), 'n')
    const { keys } = (await (await fetch(`${app.google.url}/jwks`)).json()) as { keys: { kid: string }[] }
    const { privateKey, publicKey } = await generateKeyPair('RS256')
    const forge = (change: { issuer?: string; audience?: string; alg?: string } = {}) =>
      new SignJWT({ email: 'victim@example.com', email_verified: true })
        .setProtectedHeader({ alg: change.alg ?? 'RS256', kid: keys[0]!.kid })
        .setSubject('1')
        .setIssuer(change.issuer ?? app.google.url)
        .setAudience(change.audience ?? app.google.clientId)
        .setIssuedAt()
        .setExpirationTime('5m')
    const [header, payload, signature] = genuine.split('.')
    const encoded = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')
    const claims = JSON.parse(Buffer.from(payload!, 'base64url').toString())
    const forgeries = [
      await forge().sign(privateKey),
      await forge({ issuer: 'https://evil.example' }).sign(privateKey),
      await forge({ audience: 'another' }).sign(privateKey),
      await forge({ alg: 'HS256' }).sign(new TextEncoder().encode(JSON.stringify(await exportJWK(publicKey)))),
      `${encoded({ alg: 'none' })}.${payload}.`,
      `${header}.${encoded({ ...claims, email: 'victim@example.com' })}.${signature}`,
      'nonsense',
      'a.b.c',
    ]
    for (const token of forgeries) {
      const response = await bring(token, 'n')
      expect([token.slice(0, 20), response.status, response.body.code]).toEqual([
        token.slice(0, 20),
        400,
        'IDENTITY_REFUSED',
      ])
    }
    expect(await accountOf('victim@example.com')).toBeUndefined()
  })
})

describe('linked accounts', () => {
  async function linkingCode(person: Person, email: string) {
    const { codeVerifier, codeChallenge } = pkce()
    const started = await person.call('POST', '/auth/identities/authorize', { provider: 'google', codeChallenge })
    expect(started.status).toBe(200)
    const page = await cameBack(await signInAtGoogle(started.body.url, email))
    expect(page.pathname).toBe('/account')
    return { code: page.searchParams.get('code')!, codeVerifier }
  }
  async function linked(email = newEmail('linked')) {
    const person = await makeAccount(app)
    await prove(person)
    const response = await person.call('POST', '/auth/identities', await linkingCode(person, email))
    expect(response.status).toBe(200)
    return { person, email, identity: response.body as { id: string } }
  }

  it('links an account with any address, which can then sign in', async () => {
    const { person, email, identity } = await linked()
    expect(await identitiesOf(person)).toEqual([
      { id: identity.id, provider: 'google', email, createdAt: expect.any(String) },
    ])
    expect((await signInWithGoogle(email)).answer?.body.user.id).toBe(person.id)
    await mailTo(app, person.email, /Google was linked/)
  })

  it('returns 403 without reauthentication', async () => {
    const person = await makeAccount(app)
    const start = { provider: 'google', codeChallenge: pkce().codeChallenge }
    const refused = await person.call('POST', '/auth/identities/authorize', start)
    expect([refused.status, refused.body.code]).toEqual([403, 'REAUTHENTICATION_NEEDED'])
  })

  it('returns 400 for another session or verifier, and for used or expired codes', async () => {
    const person = await makeAccount(app)
    await prove(person)
    const proof = await linkingCode(person, newEmail())
    const stranger = await makePerson(app)
    expect((await stranger.call('POST', '/auth/identities', proof)).body.code).toBe('INVALID_CODE')
    const other = { ...proof, codeVerifier: pkce().codeVerifier }
    expect((await person.call('POST', '/auth/identities', other)).body.code).toBe('INVALID_CODE')
    expect((await person.call('POST', '/auth/identities', proof)).body.code).toBe('INVALID_CODE')
    const late = await linkingCode(person, newEmail())
    await expire(app, 'linkCode', late.code)
    expect((await person.call('POST', '/auth/identities', late)).status).toBe(400)
    expect(await identitiesOf(person)).toEqual([])
    // A code for linking cannot sign in.
    const fresh = await linkingCode(person, newEmail())
    expect((await post('/auth/exchange', fresh)).body.code).toBe('INVALID_CODE')
  })

  it('returns 409 if it is linked to another account, and changes nothing if it is already linked', async () => {
    const { person, email, identity } = await linked()
    const other = await makeAccount(app)
    await prove(other)
    const response = await other.call('POST', '/auth/identities', await linkingCode(other, email))
    expect([response.status, response.body.code]).toEqual([409, 'IDENTITY_TAKEN'])
    const again = await person.call('POST', '/auth/identities', await linkingCode(person, email))
    expect([again.status, again.body.id]).toEqual([200, identity.id])
  })

  it('unlinks after reauthentication and stops signing in', async () => {
    const { person, email, identity } = await linked()
    expect((await person.call('DELETE', `/auth/identities/${identity.id}`)).status).toBe(204)
    expect(await identitiesOf(person)).toEqual([])
    expect((await signInWithGoogle(email)).answer?.body.user.id).not.toBe(person.id)
    await mailTo(app, person.email, /A sign-in method was unlinked/)
  })

  it('returns 403 for unlinking without reauthentication, and 404 for foreign identities and passwords', async () => {
    const { person, identity } = await linked()
    const stranger = await makeAccount(app)
    expect((await stranger.call('DELETE', `/auth/identities/${identity.id}`)).body.code).toBe('IDENTITY_NOT_FOUND')
    const isPassword = and(eq(authIdentities.userId, person.id), eq(authIdentities.providerId, 'credential'))
    const [password] = await app.db.select().from(authIdentities).where(isPassword)
    expect((await person.call('DELETE', `/auth/identities/${password!.id}`)).status).toBe(404)
    const elsewhere = (await signIn(app, person.email, PASSWORD)).body.token
    const refused = await call(app, 'DELETE', `/auth/identities/${identity.id}`, undefined, {
      authorization: `Bearer ${elsewhere}`,
    })
    expect([refused.status, refused.body.code]).toEqual([403, 'REAUTHENTICATION_NEEDED'])
  })

  it('returns 409 for the last sign-in method', async () => {
    const { person, identity } = await linked()
    await removePassword(app, person.id)
    const refused = await person.call('DELETE', `/auth/identities/${identity.id}`)
    expect([refused.status, refused.body.code]).toEqual([409, 'LAST_WAY_IN'])
  })
})
