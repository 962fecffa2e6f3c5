import { describe, expect, test } from 'vitest'
import { ALL_SCOPES, openX, pkce } from '../../test/open-x.ts'

const CALLBACK = 'http://127.0.0.1:3000/api/session/callback'
type OpenX = Awaited<ReturnType<typeof openX>>

/** Returns a valid authorization request, with the fields in `spoilt` replaced. */
function request(x: OpenX, challenge: string, spoilt: Record<string, string> = {}) {
  const sound = {
    response_type: 'code',
    client_id: x.x.clientId,
    redirect_uri: CALLBACK,
    scope: ALL_SCOPES,
    state: 'st"ate&1',
    code_challenge: challenge,
    code_challenge_method: 'S256',
  }
  return { ...sound, ...spoilt }
}

async function consent(x: OpenX, fields: Record<string, string>, challenge = pkce().challenge, spoilt = {}) {
  const allow = { username: 'ada', password: 'long enough', decision: 'allow' }
  return x.form('/i/oauth2/authorize', { ...request(x, challenge, spoilt), ...allow, ...fields }, {})
}

async function codeOf(x: OpenX, challenge: string, spoilt = {}) {
  const { headers } = await consent(x, {}, challenge, spoilt)
  return new URL(headers.get('location') ?? '').searchParams.get('code') ?? ''
}

const redeem = (x: OpenX, code: string, verifier: string, spoilt = {}) =>
  x.form('/2/oauth2/token', {
    grant_type: 'authorization_code',
    code,
    redirect_uri: CALLBACK,
    code_verifier: verifier,
    ...spoilt,
  })

describe('the metadata', () => {
  test('lists the endpoints and the password grant', async () => {
    const x = await openX()
    const { body } = await x.call('/.well-known/oauth-authorization-server')
    expect(body).toMatchObject({
      issuer: x.url,
      authorization_endpoint: `${x.url}/i/oauth2/authorize`,
      token_endpoint: `${x.url}/2/oauth2/token`,
      revocation_endpoint: `${x.url}/2/oauth2/revoke`,
      grant_types_supported: ['authorization_code', 'refresh_token', 'password'],
      code_challenge_methods_supported: ['S256'],
    })
  })
})

describe('the authorize page', () => {
  test('lists the scopes, runs no script and allows form redirects only to the app', async () => {
    const x = await openX()
    const page = await x.call(`/i/oauth2/authorize?${new URLSearchParams(request(x, pkce().challenge))}`)
    expect(page.status).toBe(200)
    expect(page.body).toContain('Send direct messages for you')
    expect(page.body).toContain('value="st&#34;ate&#38;1"')
    const policy = page.headers.get('content-security-policy')
    expect(policy).toContain("default-src 'none'")
    expect(policy).toContain("form-action 'self' http://127.0.0.1:3000;")
  })

  test('redirects with a code and the state after consent', async () => {
    const response = await consent(await openX(), { username: '@Ada' })
    expect(response.status).toBe(303)
    const back = new URL(response.headers.get('location') ?? '')
    expect(back.origin + back.pathname).toBe(CALLBACK)
    expect(back.searchParams.get('state')).toBe('st"ate&1')
    expect(back.searchParams.get('code')).toMatch(/^[\w-]{43}$/)
  })

  test('redirects with access_denied after cancelling', async () => {
    const response = await consent(await openX(), { decision: 'cancel', password: '' })
    expect(response.headers.get('location')).toBe(`${CALLBACK}?state=st%22ate%261&error=access_denied`)
  })

  test('shows an error for a short password or an unknown username', async () => {
    const x = await openX()
    const wrongs: Record<string, string>[] = [
      { password: '1234567' },
      { username: 'no handle' },
      { username: 'missing_x' },
      { username: '' },
    ]
    for (const fields of wrongs) {
      const page = await consent(x, fields)
      expect(page.status).toBe(400)
      expect(page.body).toContain('role="alert"')
      expect(page.headers.get('location')).toBeNull()
    }
  })

  test('shows an error for an invalid request and does not redirect', async () => {
    const x = await openX()
    const wrongs: Record<string, string>[] = [
      { client_id: 'another' },
      { redirect_uri: 'javascript:alert(1)' },
      { redirect_uri: '' },
      { response_type: 'token' },
      { scope: 'everything' },
      { scope: '' },
      { code_challenge: 'short' },
      { code_challenge_method: 'plain' },
    ]
    for (const wrong of wrongs) {
      const page = await x.call(`/i/oauth2/authorize?${new URLSearchParams(request(x, pkce().challenge, wrong))}`)
      expect(page.status, JSON.stringify(wrong)).toBe(400)
      expect((await consent(x, {}, pkce().challenge, wrong)).headers.get('location')).toBeNull()
    }
  })
})

describe('a code', () => {
  test('returns valid tokens, with a refresh token only for offline.access', async () => {
    const x = await openX()
    const { verifier, challenge } = pkce()
    const { status, body } = await redeem(x, await codeOf(x, challenge), verifier)
    expect(status).toBe(200)
    expect(body).toMatchObject({
      token_type: 'bearer',
      expires_in: 7200,
      scope: ALL_SCOPES,
      refresh_token: expect.any(String),
    })
    expect((await x.as(body.access_token).get('/2/users/me')).body.data.username).toBe('ada')

    const online = await redeem(x, await codeOf(x, challenge, { scope: 'tweet.read users.read' }), verifier)
    expect(online.body).not.toHaveProperty('refresh_token')
  })

  test('works once, within 30 seconds, with its own verifier and redirect URI', async () => {
    const x = await openX()
    const { verifier, challenge } = pkce()
    const used = await codeOf(x, challenge)
    expect((await redeem(x, used, verifier)).status).toBe(200)
    const late = await codeOf(x, challenge)
    x.wait(30_001)
    for (const code of [used, late, 'invented']) {
      expect(await redeem(x, code, verifier)).toMatchObject({ status: 400, body: { error: 'invalid_request' } })
    }
    expect((await redeem(x, await codeOf(x, challenge), pkce().verifier)).body.error_description).toContain(
      'code verifier',
    )
    const elsewhere = { redirect_uri: 'http://127.0.0.1:3000/elsewhere' }
    expect((await redeem(x, await codeOf(x, challenge), verifier, elsewhere)).status).toBe(400)
    expect((await redeem(x, await codeOf(x, challenge), '')).body.error_description).toContain('code_verifier')
  })
})

describe('a refresh token', () => {
  const refresh = (x: OpenX, token: string) =>
    x.form('/2/oauth2/token', { grant_type: 'refresh_token', refresh_token: token })

  test('works once and returns the next pair', async () => {
    const x = await openX()
    const { tokens } = await x.signIn()
    const next = await refresh(x, tokens.refresh_token)
    expect(next.status).toBe(200)
    expect(next.body.refresh_token).not.toBe(tokens.refresh_token)
    expect((await x.as(next.body.access_token).get('/2/users/me')).status).toBe(200)
  })

  test('revokes exactly its own family when it is used again', async () => {
    const x = await openX()
    const { tokens } = await x.signIn()
    const other = await x.signIn()
    const next = (await refresh(x, tokens.refresh_token)).body
    expect(await refresh(x, tokens.refresh_token)).toMatchObject({ status: 400, body: { error: 'invalid_request' } })
    for (const dead of [tokens.access_token, next.access_token])
      expect((await x.as(dead).get('/2/users/me')).status).toBe(401)
    expect((await refresh(x, next.refresh_token)).status).toBe(400)
    expect((await other.get('/2/users/me')).status).toBe(200)
  })
})

test('expires access tokens after two hours', async () => {
  const x = await openX()
  const me = await x.signIn()
  x.wait(7_199_000)
  expect((await me.get('/2/users/me')).status).toBe(200)
  x.wait(2_000)
  expect((await me.get('/2/users/me')).status).toBe(401)
})

describe('the password grant', () => {
  const signIn = (x: OpenX, fields: Record<string, string>) =>
    x.form('/2/oauth2/token', { grant_type: 'password', username: 'ada', password: '12345678', ...fields })

  test('accepts any username with a password of eight characters', async () => {
    const { status, body } = await signIn(await openX(), {})
    expect(status).toBe(200)
    expect(body.scope).toBe(ALL_SCOPES)
  })

  test('returns invalid_grant for a short password or an unknown username, and invalid_scope for an unknown scope', async () => {
    const x = await openX()
    const wrongs: Record<string, string>[] = [
      { password: '1234567' },
      { password: '' },
      { username: 'missing_x' },
      { username: 'a b' },
    ]
    for (const wrong of wrongs) {
      expect(await signIn(x, wrong)).toMatchObject({ status: 400, body: { error: 'invalid_grant' } })
    }
    expect(await signIn(x, { scope: 'everything' })).toMatchObject({ status: 400, body: { error: 'invalid_scope' } })
    expect(await signIn(x, { grant_type: 'magic' })).toMatchObject({
      status: 400,
      body: { error: 'unsupported_grant_type' },
    })
  })
})

describe('the app', () => {
  test('returns 401 for missing or wrong credentials', async () => {
    const x = await openX({ clientSecret: 's: %&ö' })
    const fields = { grant_type: 'password', username: 'ada', password: '12345678' }
    const basic = (secret: string) => ({
      authorization: `Basic ${Buffer.from(`${x.x.clientId}:${secret}`).toString('base64')}`,
    })
    for (const headers of [{}, basic('wrong'), basic('')]) {
      for (const path of ['/2/oauth2/token', '/2/oauth2/revoke']) {
        expect(await x.form(path, fields, headers)).toMatchObject({
          status: 401,
          body: { error: 'unauthorized_client' },
        })
      }
    }
    expect((await x.form('/2/oauth2/token', fields, basic(encodeURIComponent('s: %&ö')))).status).toBe(200)
  })

  test('identifies a public client by client_id', async () => {
    const x = await openX({ clientSecret: null })
    const fields = { grant_type: 'password', username: 'ada', password: '12345678' }
    expect((await x.form('/2/oauth2/token', { ...fields, client_id: x.x.clientId }, {})).status).toBe(200)
    expect((await x.form('/2/oauth2/token', { ...fields, client_id: 'another' }, {})).status).toBe(401)
  })
})

test('revokes a refresh token’s family or a single access token, and ignores unknown tokens', async () => {
  const x = await openX()
  const { tokens } = await x.signIn()
  const revoke = (token: string) => x.form('/2/oauth2/revoke', { token })
  expect(await revoke('unknown')).toMatchObject({ status: 200, body: { revoked: true } })
  expect((await x.form('/2/oauth2/revoke', {})).status).toBe(400)

  await revoke(tokens.access_token)
  expect((await x.as(tokens.access_token).get('/2/users/me')).status).toBe(401)
  const next = (await x.form('/2/oauth2/token', { grant_type: 'refresh_token', refresh_token: tokens.refresh_token }))
    .body
  await revoke(next.refresh_token)
  expect((await x.as(next.access_token).get('/2/users/me')).status).toBe(401)
})
