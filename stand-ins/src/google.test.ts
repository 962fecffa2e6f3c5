import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { browser, signInAtGoogle } from './google/visit.ts'
import { type Google, startGoogle } from './google.ts'

// RFC 7636, appendix B.
const VERIFIER = 'dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk'
const CHALLENGE = 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM'
const CALLBACK = 'http://localhost:4567/api/auth/callback/google'

async function open(stateDir?: string, port?: number): Promise<Google> {
  const google = await startGoogle({ stateDir, port })
  onTestFinished(() => google.close())
  return google
}

function authorizeUrl(google: Google, more: Record<string, string> = {}) {
  const parameters = {
    client_id: google.clientId,
    response_type: 'code',
    scope: 'openid email profile',
    redirect_uri: CALLBACK,
    state: 'some state',
    nonce: 'some nonce',
    code_challenge: CHALLENGE,
    code_challenge_method: 'S256',
    prompt: 'select_account',
    ...more,
  }
  return `${google.url}/auth?${new URLSearchParams(parameters)}`
}

async function tokens(google: Google, callback: URL, verifier = VERIFIER) {
  const response = await fetch(`${google.url}/token`, {
    method: 'POST',
    body: new URLSearchParams({
      grant_type: 'authorization_code',
      code: callback.searchParams.get('code') ?? '',
      redirect_uri: CALLBACK,
      client_id: google.clientId,
      client_secret: google.clientSecret,
      code_verifier: verifier,
    }),
  })
  const body = (await response.json()) as { id_token?: string; error?: string }
  const claims = JSON.parse(Buffer.from(body.id_token?.split('.')[1] ?? 'bnVsbA', 'base64url').toString())
  return { status: response.status, ...body, claims }
}

test('signs in any address and puts its claims into the id_token', async () => {
  const google = await open()
  const callback = await signInAtGoogle(authorizeUrl(google), ' Ada.Lovelace@Example.com ')
  expect(callback.origin + callback.pathname).toBe(CALLBACK)
  expect(callback.searchParams.get('state')).toBe('some state')
  const { claims } = await tokens(google, callback)
  expect(claims).toMatchObject({
    iss: google.url,
    aud: google.clientId,
    nonce: 'some nonce',
    email: 'ada.lovelace@example.com',
    email_verified: true,
    name: 'Ada Lovelace',
    sub: expect.stringMatching(/^1\d{20}$/),
  })
  const again = await tokens(google, callback)
  expect([again.status, again.error]).toEqual([400, 'invalid_grant'])
})

test('asks for the account even if one is signed in', async () => {
  const google = await open()
  const visit = browser()
  for (const email of ['first@example.com', 'second@example.com']) {
    const callback = await signInAtGoogle(authorizeUrl(google), email, 'continue', visit)
    expect((await tokens(google, callback)).claims.email).toBe(email)
  }
})

test.each([
  ['unverified.ada@example.com', { email: 'unverified.ada@example.com', email_verified: false }],
  ['noemail.ada@example.com', { email: undefined, email_verified: undefined }],
])('returns the claims of %s', async (email, claims) => {
  const google = await open()
  const received = (await tokens(google, await signInAtGoogle(authorizeUrl(google), email))).claims
  expect({ email: received.email, email_verified: received.email_verified }).toEqual(claims)
})

test('redirects to the app with an error on cancel or failure', async () => {
  const google = await open()
  const cancelled = await signInAtGoogle(authorizeUrl(google), '', 'cancel')
  const broken = await signInAtGoogle(authorizeUrl(google), 'error@example.com')
  expect([cancelled, broken].map((url) => url.searchParams.get('error'))).toEqual(['access_denied', 'server_error'])
  expect(cancelled.searchParams.get('state')).toBe('some state')
})

test('shows an error for an invalid address next to its labeled field', async () => {
  const google = await open()
  const visit = browser()
  const page = new URL((await visit(authorizeUrl(google))).headers.get('location')!, google.url)
  const refused = await visit(page, {
    method: 'POST',
    body: new URLSearchParams({ email: '<b>', decision: 'continue' }),
  })
  const html = await refused.text()
  expect(refused.status).toBe(400)
  expect(html).toMatch(/role="alert">Enter an email address[\s\S]*<label>Email <input[^>]*value="&#60;b&#62;"/)
})

test('rejects a wrong verifier, requests without PKCE and callbacks on other machines', async () => {
  const google = await open()
  const callback = await signInAtGoogle(authorizeUrl(google), 'ada@example.com')
  expect((await tokens(google, callback, 'x'.repeat(43))).error).toBe('invalid_grant')
  const withoutPkce = authorizeUrl(google, { code_challenge: '', code_challenge_method: '' })
  expect((await browser()(withoutPkce)).headers.get('location')).toContain('error=invalid_request')
  const elsewhere = await browser()(authorizeUrl(google, { redirect_uri: 'https://evil.example/callback' }))
  expect([elsewhere.status, elsewhere.headers.get('location')]).toEqual([400, null])
})

test('keeps keys, accounts and used codes across a restart', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'google-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const first = await startGoogle({ stateDir: folder })
  const used = await signInAtGoogle(authorizeUrl(first), 'ada@example.com')
  const { claims } = await tokens(first, used)
  const unused = await signInAtGoogle(authorizeUrl(first), 'ada@example.com')
  const keysOf = async (google: Google) => (await fetch(`${google.url}/jwks`)).json()
  const keys = await keysOf(first)
  await first.close()
  const second = await open(folder, first.port)
  // The first request may reuse a connection to the previous server.
  await expect.poll(() => keysOf(second)).toEqual(keys)
  expect((await tokens(second, used)).error).toBe('invalid_grant')
  expect((await tokens(second, unused)).claims.sub).toBe(claims.sub)
  expect(readFileSync(join(folder, 'google.jsonl'), 'utf8').length).toBeGreaterThan(0)
})
