import { once } from 'node:events'
import { createServer } from 'node:http'
import { eq, sql } from 'drizzle-orm'
import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { expireAuthorizations } from '../../../../test/credentials.ts'
import { connectX, makePerson, type Person, subscribe } from '../../../../test/makers.ts'
import { openApp, type TestApp } from '../../../../test/open-app.ts'
import { launch, makeList, openHandles, waitForBlockedStatement } from '../../../../test/outreach.ts'
import { unsubscribe } from '../../../../test/subscriptions.ts'
import { changeRole } from '../../../../test/team.ts'
import { expireTokens, loseConnection, renewTokens } from '../../../../test/x-accounts.ts'
import { createXApi } from '../../../outside/x.ts'
import { XError } from '../../../outside/x-errors.ts'
import { createSealer } from '../../../sealing.ts'
import { createXApps } from '../x-apps/engine.ts'
import { authorize, connectWithPassword } from './connecting.ts'
import { disconnect } from './disconnecting.ts'
import { xAccounts } from './tables.ts'
import { withAccount } from './tokens.ts'

let app: TestApp
beforeAll(async () => {
  app = await openApp({ x: true })
})
let person: Person
beforeEach(async () => {
  await setFaults([])
  person = await makePerson(app)
})

const setFaults = (faults: unknown[]) =>
  fetch(`${app.x.url}/_faults`, {
    method: 'PUT',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(faults),
  })
const connect = (body: unknown, by = person) => by.call('POST', '/session/connect', body)
const tokenOf = (services: TestApp['services'], id: string) => withAccount(services, id, async (_, token) => token)
const rowOf = async (by: Person) =>
  (await app.db.select().from(xAccounts).where(eq(xAccounts.workspaceId, by.workspaceId)))[0]!

describe('GET /session/status', () => {
  it('returns not connected if it never was', async () => {
    expect((await person.call('GET', '/session/status')).body).toEqual({
      connected: false,
      lastConnected: null,
      handle: null,
      methods: ['password', 'oauth'],
      sources: ['followers', 'following', 'likers', 'repliers', 'list_members', 'handles'],
      readPriceCents: 0,
      reason: null,
    })
  })

  it('returns the handle and time of the connection', async () => {
    await connect({ username: 'Founder_Ann', password: 'long enough' })
    const { body } = await person.call('GET', '/session/status')
    expect(body).toMatchObject({ connected: true, handle: expect.stringMatching(/^founder_ann$/i), reason: null })
    expect(Date.now() - new Date(body.lastConnected).getTime()).toBeLessThan(5_000)
  })

  it('hides the accounts of other workspaces', async () => {
    await connectX(app, await makePerson(app))
    expect((await person.call('GET', '/session/status')).body.connected).toBe(false)
  })
})

describe('POST /session/connect', () => {
  it('connects without storing the password or a readable token', async () => {
    const { status, body } = await connect({ username: 'founder_bob', password: 'my X password' })
    expect([status, body]).toEqual([200, { success: true, message: 'Twitter account connected successfully!' }])
    const row = await rowOf(person)
    expect(JSON.stringify(row)).not.toContain('my X password')
    const token = app.services.sealer.open(row.sealedAccessToken!)
    expect(JSON.stringify(row)).not.toContain(token)
  })

  it('reconnects the same account with new tokens', async () => {
    await connect({ username: 'founder_bob', password: 'long enough' })
    const first = await rowOf(person)
    await connect({ username: 'founder_bob', password: 'long enough' })
    const second = await rowOf(person)
    expect(second.id).toBe(first.id)
    expect(second.sealedAccessToken).not.toBe(first.sealedAccessToken)
  })

  it('assigns extension campaigns without an account to it, and sends them first', async () => {
    const own = await makePerson(app)
    const launched = async () => launch(own, await makeList(app, own, openHandles(1)), { channel: 'extension' })
    const early = await launched()
    expect(early.xAccountId).toBeNull()
    await connect({ username: 'founder_gus', password: 'long enough' }, own)
    const { waitsBehind, xAccountId } = await launched()
    expect(waitsBehind).toEqual({ id: early.id, name: early.name })
    expect(await own.client.campaigns.find({ id: early.id })).toMatchObject({ xAccountId })
  })

  it('returns 400 for a wrong password, with the text of the screen', async () => {
    const { status, body } = await connect({ username: 'founder_bob', password: 'short' })
    expect([status, body]).toEqual([
      400,
      {
        success: false,
        code: 'X_CREDENTIALS_REFUSED',
        error: 'Failed to connect Twitter account. Please check your credentials and try again.',
      },
    ])
  })

  it.each([
    [{ username: '', password: 'long enough' }, 'Please enter both username and password'],
    [{ username: 'founder', password: '' }, 'Please enter both username and password'],
    [{ username: '@founder', password: 'long enough' }, 'Please enter your Twitter username without the @ symbol'],
  ])('returns 400 for %j', async (body, error) => {
    const response = await connect(body)
    expect([response.status, response.body.code, response.body.error]).toEqual([400, 'INVALID_INPUT', error])
  })

  it.each([[{ status: 503 }], [{ dropBefore: true }]])(
    'returns 503 and changes nothing if X fails with %j',
    async (fault) => {
      await setFaults([{ path: '/2/oauth2/token', times: 1, ...fault }])
      const response = await connect({ username: 'founder_bob', password: 'long enough' })
      expect([response.status, response.body.code]).toEqual([503, 'X_UNAVAILABLE'])
      expect((await person.call('GET', '/session/status')).body.connected).toBe(false)
    },
  )
})

describe('POST /scrapes with credentials', () => {
  it('returns 503 if X is unavailable, and connects and scrapes nothing', async () => {
    await setFaults([{ path: '/2/oauth2/token', status: 503, times: 1 }])
    const credentials = { username: 'founder_bob', password: 'long enough' }
    const response = await person.call('POST', '/scrapes', { twitterHandle: 'f10_x', type: 'followers', credentials })
    expect([response.status, response.body.code]).toEqual([503, 'X_UNAVAILABLE'])
    expect((await person.call('GET', '/session/status')).body.connected).toBe(false)
    expect((await person.call('GET', '/scrapes')).body.total).toBe(0)
  })
})

it('POST /session/connect revokes the previous tokens of a reconnected account', async () => {
  const again = { username: 'founder_again', password: 'long enough' }
  await connect(again)
  const before = await rowOf(person)
  await connect(again)
  const after = await rowOf(person)
  const { sealer, x } = app.services
  await expect(x!.findMe(sealer.open(before.sealedAccessToken!))).rejects.toMatchObject({ kind: 'unauthorized' })
  await expect(x!.refreshTokens(sealer.open(before.sealedRefreshToken!))).rejects.toThrow(XError)
  expect((await x!.findMe(sealer.open(after.sealedAccessToken!))).handle).toBe('founder_again')
})

describe('POST /session/disconnect', () => {
  it('disconnects here and at X', async () => {
    await connect({ username: 'founder_bob', password: 'long enough' })
    const token = app.services.sealer.open((await rowOf(person)).sealedAccessToken!)
    const { body } = await person.call('POST', '/session/disconnect')
    expect(body).toEqual({ success: true, message: 'Twitter account disconnected successfully!' })
    expect((await person.call('GET', '/session/status')).body).toMatchObject({ connected: false, handle: null })
    expect(await rowOf(person)).toMatchObject({ sealedAccessToken: null, sealedRefreshToken: null })
    await expect(app.services.x!.findMe(token)).rejects.toMatchObject({ kind: 'unauthorized' })
  })

  it('disconnects only the current account and returns to the one chosen before', async () => {
    await subscribe(app, person)
    const stranger = await makePerson(app)
    await connectX(app, stranger)
    await connect({ username: 'founder_cat', password: 'long enough' })
    await connect({ username: 'founder_dan', password: 'long enough' })
    const rows = await app.db.select().from(xAccounts).where(eq(xAccounts.workspaceId, person.workspaceId))
    const tokenOf = (handle: string) =>
      app.services.sealer.open(rows.find((row) => row.handle === handle)!.sealedAccessToken!)
    expect((await person.call('POST', '/session/disconnect')).status).toBe(200)
    expect((await person.call('GET', '/session/status')).body).toMatchObject({ connected: true, handle: 'founder_cat' })
    await expect(app.services.x!.findMe(tokenOf('founder_dan'))).rejects.toMatchObject({ kind: 'unauthorized' })
    expect((await app.services.x!.findMe(tokenOf('founder_cat'))).handle).toBe('founder_cat')
    expect((await person.call('POST', '/session/disconnect')).status).toBe(200)
    expect((await person.call('GET', '/session/status')).body).toMatchObject({ connected: false, handle: null })
    expect((await stranger.call('GET', '/session/status')).body.connected).toBe(true)
  })

  it('revokes tokens of a renewal in progress', async () => {
    await connect({ username: 'founder_eve', password: 'long enough' })
    const { id } = await rowOf(person)
    const { sealer, x } = app.services
    const renewal = await app.db.transaction(async (tx) => {
      await tx.execute(sql`select from x_accounts where id = ${id} for update`)
      const response = person.call('POST', '/session/disconnect')
      await waitForBlockedStatement(app)
      const tokens = await x!.signInWithPassword('founder_eve', 'long enough')
      const sealed = {
        sealedAccessToken: sealer.seal(tokens.accessToken),
        sealedRefreshToken: sealer.seal(tokens.refreshToken!),
      }
      await renewTokens({ db: tx }, { id }, sealed)
      return { answer: response, tokens }
    })
    expect((await renewal.answer).status).toBe(200)
    await expect(x!.findMe(renewal.tokens.accessToken)).rejects.toMatchObject({ kind: 'unauthorized' })
    await expect(x!.refreshTokens(renewal.tokens.refreshToken!)).rejects.toThrow(XError)
  })

  it('disconnects an account sealed with another AUTH_SECRET', async () => {
    await connect({ username: 'founder_fay', password: 'long enough' })
    const other = { ...app.services, sealer: createSealer('another secret', 'X tokens') }
    expect(await disconnect(other, person.actor)).toMatchObject({ success: true })
    expect((await person.call('GET', '/session/status')).body).toMatchObject({ connected: false, handle: null })
  })

  it('succeeds if nothing is connected', async () => {
    expect((await person.call('POST', '/session/disconnect')).status).toBe(200)
  })
})

describe('several accounts', () => {
  const accounts = async (by = person) => (await by.call('GET', '/x-accounts')).body
  const handles = async () =>
    (await accounts()).accounts.map((account: { handle: string; isCurrent: boolean }) => [
      account.handle,
      account.isCurrent,
    ])
  const connectTwo = async () => {
    await subscribe(app, person, 'pro_monthly')
    await connect({ username: 'founder_ann', password: 'long enough' })
    await connect({ username: 'founder_bob', password: 'long enough' })
    return (await accounts()).accounts as { id: string; handle: string }[]
  }

  it('GET /x-accounts returns no accounts and the limit', async () => {
    expect(await accounts()).toEqual({ accounts: [], limit: 1, plan: 'free' })
  })

  it('makes a new account current, and keeps a chosen one when another is reconnected', async () => {
    const [bob, ann] = await connectTwo()
    expect(await accounts()).toMatchObject({ limit: 3, plan: 'pro' })
    expect(await handles()).toEqual([
      ['founder_bob', true],
      ['founder_ann', false],
    ])
    const { status, body } = await person.call('POST', `/x-accounts/${ann!.id}/current`)
    expect([status, body]).toEqual([
      200,
      {
        id: ann!.id,
        handle: 'founder_ann',
        pictureUrl: expect.stringMatching(/^\/api\/pictures\//),
        followerCount: expect.any(Number),
        status: 'connected',
        reason: null,
        isCurrent: true,
        lastConnected: expect.stringMatching(/Z$/),
        storesConversations: null,
        consent: null,
        offersUnknownSenders: false,
        isConnectedByCaller: true,
      },
    ])
    expect((await person.call('GET', '/session/status')).body.handle).toBe('founder_ann')
    await connect({ username: 'founder_bob', password: 'long enough' })
    expect(await handles()).toEqual([
      ['founder_ann', true],
      ['founder_bob', false],
    ])
    expect(bob!.handle).toBe('founder_bob')
  })

  it('asks again for consent if another person connects it', async () => {
    await connect({ username: 'founder_ann', password: 'long enough' })
    const [account] = (await person.client.xAccount.list()).accounts
    const allowed = { storesConversations: true, offersUnknownSenders: true }
    await person.client.xAccount.consent({ id: account!.id, ...allowed })
    await connect({ username: 'founder_ann', password: 'long enough' })
    expect((await person.client.xAccount.list()).accounts).toMatchObject([
      { ...allowed, consent: { by: { id: person.id } } },
    ])
    const admin = await makePerson(app, { in: person, role: 'admin' })
    await connect({ username: 'founder_ann', password: 'long enough' }, admin)
    expect((await person.client.xAccount.list()).accounts).toMatchObject([
      { storesConversations: null, consent: null, offersUnknownSenders: false, isConnectedByCaller: false },
    ])
  })

  it("returns 403 PLAN_LIMIT over the plan's limit and revokes the new tokens", async () => {
    await connect({ username: 'founder_ann', password: 'long enough' })
    const words = 'Your Free plan includes 1 X account. Upgrade to Pro for 3 X accounts.'
    for (const response of [
      await connect({ username: 'founder_bob', password: 'long enough' }),
      await person.call('POST', '/session/authorize'),
    ]) {
      expect([response.status, response.body]).toEqual([
        403,
        { success: false, code: 'PLAN_LIMIT', error: words, details: { limit: 1, used: 1, plan: 'free' } },
      ])
    }
    // Reconnecting the same account does not count again.
    expect((await connect({ username: 'founder_ann', password: 'long enough' })).status).toBe(200)
    expect(await handles()).toEqual([['founder_ann', true]])
  })

  it('returns 403 PLAN_LIMIT to one of two parallel connections for the last place', async () => {
    const both = await Promise.all(
      ['founder_ann', 'founder_bob'].map((username) => connect({ username, password: 'long enough' })),
    )
    expect(both.map(({ status }) => status).sort()).toEqual([200, 403])
    expect(await handles()).toHaveLength(1)
  })

  it('returns 403 PLAN_LIMIT to one of two parallel checks of lost accounts', async () => {
    const two = await connectTwo()
    await loseConnection(app, { workspaceId: person.workspaceId }, 'x')
    await unsubscribe(app, person)
    const both = await Promise.all(two.map(({ id }) => person.call('POST', `/x-accounts/${id}/check`)))
    expect(both.map(({ status }) => status).sort()).toEqual([200, 403])
  })

  it('POST /x-accounts/{id}/disconnect disconnects only that account', async () => {
    const [, ann] = await connectTwo()
    expect((await person.call('POST', `/x-accounts/${ann!.id}/disconnect`)).body).toEqual({
      success: true,
      message: 'Twitter account disconnected successfully!',
    })
    expect(await handles()).toEqual([['founder_bob', true]])
    for (const [path, method] of [
      ['current', 'POST'],
      ['disconnect', 'POST'],
      ['check', 'POST'],
    ])
      expect((await person.call(method!, `/x-accounts/${ann!.id}/${path}`)).body.code).toBe('X_ACCOUNT_NOT_FOUND')
  })

  it('POST /x-accounts/{id}/check detects rejected tokens, and tokens that work again', async () => {
    const { id } = await connectX(app, person)
    expect((await person.call('POST', `/x-accounts/${id}/check`)).body).toMatchObject({ status: 'connected' })
    await setFaults([{ path: '/2/users/me', status: 403, code: 326, times: 1 }])
    const reason = 'X has locked this account. Unlock it on x.com, then refresh its status under Connect X.'
    expect((await person.call('POST', `/x-accounts/${id}/check`)).body).toMatchObject({ status: 'lost', reason })
    expect((await person.call('GET', '/session/status')).body).toMatchObject({ connected: false, reason })
    // A lost account does not count, so another can take its place and block its return.
    await connect({ username: 'founder_ann', password: 'long enough' })
    expect((await person.call('POST', `/x-accounts/${id}/check`)).body.code).toBe('PLAN_LIMIT')
    await person.call('POST', '/session/disconnect')
    expect((await person.call('POST', `/x-accounts/${id}/check`)).body).toMatchObject({
      status: 'connected',
      reason: null,
      isCurrent: true,
    })
    await setFaults([{ path: '/2/users/me', status: 503, times: 1 }])
    expect((await person.call('POST', `/x-accounts/${id}/check`)).body.code).toBe('X_UNAVAILABLE')
    expect((await person.call('GET', '/session/status')).body.connected).toBe(true)
  })
})

describe('POST /session/authorize and the callback', () => {
  /** Starts an authorization like a browser. @returns X's URL and the cookie for the callback */
  async function begin(by = person) {
    const { status, body, headers } = await by.call('POST', '/session/authorize')
    expect(status).toBe(200)
    return { url: new URL(body.url), cookie: headers.get('set-cookie') ?? '' }
  }
  async function decide(url: URL, form: Record<string, string>): Promise<URL> {
    const response = await fetch(url, {
      method: 'POST',
      redirect: 'manual',
      body: new URLSearchParams({ ...Object.fromEntries(url.searchParams), ...form }),
    })
    return new URL(response.headers.get('location')!)
  }
  async function comeBack(callback: URL, cookie: string): Promise<string | null> {
    const response = await fetch(`${app.origin}${callback.pathname}${callback.search}`, {
      redirect: 'manual',
      headers: { cookie: cookie.split(';')[0]! },
    })
    expect(response.status).toBe(302)
    const page = new URL(response.headers.get('location')!)
    expect([page.origin, page.pathname]).toEqual(['http://localhost:3000', '/twitter'])
    expect(page.searchParams.size).toBe(1)
    return page.searchParams.get('x')
  }
  const allow = (username: string) => ({ decision: 'allow', username, password: 'long enough' })

  it('returns a URL with PKCE and all scopes, and a cookie limited to the callback', async () => {
    const { url, cookie } = await begin()
    expect(url.origin + url.pathname).toBe(`${app.x.url}/i/oauth2/authorize`)
    expect(Object.fromEntries(url.searchParams)).toEqual({
      response_type: 'code',
      client_id: app.x.clientId,
      redirect_uri: 'http://localhost:3000/api/session/callback',
      scope: 'tweet.read users.read follows.read dm.read dm.write offline.access like.read list.read',
      state: expect.stringMatching(/^.{40,}$/),
      code_challenge: expect.stringMatching(/^[\w-]{43}$/),
      code_challenge_method: 'S256',
    })
    expect(cookie).toMatch(
      /^x-authorization=[\w-]{40,}; Path=\/api\/session\/callback; Max-Age=600; HttpOnly; SameSite=Lax$/,
    )
  })

  it('connects with renewable tokens, and accepts a state once', async () => {
    const { url, cookie } = await begin()
    const callback = await decide(url, allow('founder_oauth'))
    expect(await comeBack(callback, cookie)).toBe('connected')
    expect((await person.call('GET', '/session/status')).body).toMatchObject({
      connected: true,
      handle: 'founder_oauth',
    })
    const row = await rowOf(person)
    await expireTokens(app, { id: row.id })
    expect(await tokenOf(app.services, row.id)).toBeTruthy()
    expect(await comeBack(callback, cookie)).toBe('failed')
  })

  it('reports that another workspace has the same account', async () => {
    await connectX(app, await makePerson(app), 'founder_both')
    const { url, cookie } = await begin()
    expect(await comeBack(await decide(url, allow('founder_both')), cookie)).toBe('shared')
  })

  it('reports a canceled authorization', async () => {
    const { url, cookie } = await begin()
    expect(await comeBack(await decide(url, { decision: 'cancel' }), cookie)).toBe('cancelled')
  })

  it('fails without the right cookie, with an unknown state, and after it has expired', async () => {
    const other = await begin()
    for (const cookie of ['', other.cookie]) {
      const { url } = await begin()
      expect(await comeBack(await decide(url, allow('founder_oauth')), cookie)).toBe('failed')
    }
    expect(await comeBack(new URL('http://localhost/api/session/callback?state=x&code=y'), other.cookie)).toBe('failed')
    await expireAuthorizations(app)
    expect(await comeBack(await decide(other.url, allow('founder_oauth')), other.cookie)).toBe('failed')
    expect((await person.call('GET', '/session/status')).body.connected).toBe(false)
  })

  it('fails if X rejects the code or is unavailable', async () => {
    const refused = await begin()
    const callback = await decide(refused.url, allow('founder_oauth'))
    callback.searchParams.set('code', 'another')
    expect(await comeBack(callback, refused.cookie)).toBe('failed')
    const { url, cookie } = await begin()
    const good = await decide(url, allow('founder_oauth'))
    await setFaults([{ path: '/2/oauth2/token', status: 503, times: 1 }])
    expect(await comeBack(good, cookie)).toBe('unavailable')
  })

  it('is rejected if the last place was taken or the role was lost meanwhile', async () => {
    const late = await begin()
    await connectX(app, person, 'founder_first')
    expect(await comeBack(await decide(late.url, allow('founder_late')), late.cookie)).toBe('limit')
    const admin = await makePerson(app)
    const { url, cookie } = await begin(admin)
    await changeRole(app, { userId: admin.id }, 'member')
    expect(await comeBack(await decide(url, allow('founder_gone')), cookie)).toBe('forbidden')
    expect((await admin.call('GET', '/session/status')).body.connected).toBe(false)
  })

  it('returns 503 if X is not configured, and offers only authorization if X publishes nothing', async () => {
    await expect(authorize({ ...app.services, x: null }, person.actor)).rejects.toMatchObject({ code: 'X_UNAVAILABLE' })
    const silent = createServer((_, response) => response.writeHead(404).end()).listen(0, '127.0.0.1')
    await once(silent, 'listening')
    const { port } = silent.address() as { port: number }
    const env = { ...app.env, x: { ...app.env.x!, apiUrl: `http://127.0.0.1:${port}` } }
    const services = { ...app.services, xApps: createXApps(env) }
    const { x } = services.xApps.operator!
    expect(await x.signInMethods()).toEqual(['oauth'])
    const { url } = await authorize(services, person.actor)
    expect(url).toMatch(/^https:\/\/x\.com\/i\/oauth2\/authorize\?/)
    await expect(
      connectWithPassword(services, person.actor, { username: 'ann', password: 'long enough' }),
    ).rejects.toMatchObject({ code: 'X_CREDENTIALS_REFUSED' })
    silent.close()
    const own = createXApi({ apiUrl: 'https://api.x.com', clientId: 'app', clientSecret: null })
    expect([own.readPriceCents, x.readPriceCents]).toEqual([1, 0])
    expect(own.sources).toEqual(['followers', 'following', 'repliers', 'handles'])
  })
})

describe('access tokens of X', () => {
  const expireToken = (id: string) => expireTokens(app, { id }, new Date(Date.now() - 1_000))

  it('are renewed once for many parallel calls, because refresh tokens work once', async () => {
    const { id } = await connectX(app, person)
    await expireToken(id)
    const another = await app.startAnother()
    const tokens = await Promise.all(
      [app.services, another.services, app.services, another.services].map((services) => tokenOf(services, id)),
    )
    expect(new Set(tokens).size).toBe(1)
    expect((await app.services.x!.findMe(tokens[0]!)).handle).toBeTruthy()
    // The new refresh token works, too.
    await expireToken(id)
    expect(await tokenOf(app.services, id)).not.toBe(tokens[0])
  })

  it('are renewed when X rejects one early', async () => {
    const { id } = await connectX(app, person)
    await setFaults([{ path: '/2/users/me', status: 401, times: 1 }])
    expect((await withAccount(app.services, id, (x, token) => x.findMe(token))).handle).toBeTruthy()
  })

  it('mark the account as lost, with a reason, if they cannot be renewed', async () => {
    const { id } = await connectX(app, person)
    const refreshToken = app.services.sealer.open((await rowOf(person)).sealedRefreshToken!)
    await app.services.x!.refreshTokens(refreshToken)
    await expireToken(id)
    await expect(tokenOf(app.services, id)).rejects.toThrow(XError)
    expect((await person.call('GET', '/session/status')).body).toMatchObject({
      connected: false,
      reason: 'X has ended this connection. Connect again.',
    })
  })

  it('mark the account as lost if they were sealed with another AUTH_SECRET', async () => {
    const { id } = await connectX(app, person)
    const other = { ...app.services, sealer: createSealer('another secret', 'X tokens') }
    await expect(tokenOf(other, id)).rejects.toMatchObject({ kind: 'unauthorized' })
    expect((await person.call('GET', '/session/status')).body).toMatchObject({
      connected: false,
      reason: 'X has ended this connection. Connect again.',
    })
  })

  it('are kept while X is unavailable', async () => {
    const { id } = await connectX(app, person)
    await expireToken(id)
    await setFaults([{ path: '/2/oauth2/token', status: 503, times: 1 }])
    await expect(tokenOf(app.services, id)).rejects.toThrow(XError)
    expect((await person.call('GET', '/session/status')).body.connected).toBe(true)
    expect(await tokenOf(app.services, id)).toBeTruthy()
  })
})
