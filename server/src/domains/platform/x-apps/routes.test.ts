import { createHmac, randomBytes } from 'node:crypto'
import { X_APP_PROBLEM_TEXT } from '@x-automated/contract/platform/x-apps'
import { idOfHandle } from '@x-automated/stand-ins/x/ids'
import { eq, sql } from 'drizzle-orm'
import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { connectX, makePerson, type Person, subscribe } from '../../../../test/makers.ts'
import { openApp, type TestApp } from '../../../../test/open-app.ts'
import { makeList, openHandles, setFaults } from '../../../../test/outreach.ts'
import { expireTokens } from '../../../../test/x-accounts.ts'
import { xAccounts, xAuthorizations } from '../x-account/tables.ts'
import { withAccount } from '../x-account/tokens.ts'
import { OPERATOR_APP_ID, xApps } from './tables.ts'

let app: TestApp
let owner: Person
/** The apps that X knows in addition to the operator's. */
let registered: AppAtX[]
beforeAll(async () => {
  app = await openApp({ x: true })
  // X calls the webhooks of this address.
  Object.assign(app.services, { origin: app.origin })
})
beforeEach(async () => {
  await setFaults(app)
  registered = []
  owner = await makePerson(app)
  await subscribe(app, owner)
})

interface AppAtX {
  id: string
  secret: string
  consumerSecret: string
  bearerToken: string
}

async function register(...apps: AppAtX[]): Promise<void> {
  registered = apps
  const headers = { 'content-type': 'application/json' }
  await fetch(`${app.x.url}/_apps`, { method: 'PUT', headers, body: JSON.stringify(apps) })
}
function makeApp(more: Partial<AppAtX> = {}): AppAtX {
  const id = `app-${randomBytes(4).toString('hex')}`
  return { id, secret: `${id} secret`, consumerSecret: `${id} consumer`, bearerToken: `${id} bearer`, ...more }
}
/** Registers another app at X. */
async function registerApp(): Promise<AppAtX> {
  const added = makeApp()
  await register(...registered, added)
  return added
}
const inputOf = ({ id, secret, consumerSecret, bearerToken }: AppAtX, more: object = {}) => ({
  clientId: id,
  clientSecret: secret,
  consumerSecret,
  bearerToken,
  ...more,
})
const save = (xApp: AppAtX, more: object = {}, by = owner) => by.call('PUT', '/x-app', inputOf(xApp, more))
const rowsOf = (by: Person) => app.db.select().from(xApps).where(eq(xApps.workspaceId, by.workspaceId))
const accountsOf = (by: Person) => app.db.select().from(xAccounts).where(eq(xAccounts.workspaceId, by.workspaceId))
const webhooksOf = async ({ bearerToken }: AppAtX) => {
  const headers = { authorization: `Bearer ${bearerToken}` }
  return (await (await fetch(`${app.x.url}/2/webhooks`, { headers })).json()) as { data: { url: string }[] }
}
/** An access token of an X account, renewed if it has expired. */
const tokenOf = (id: string) => withAccount(app.services, id, async (_, token) => token)
const settingsOf = async (by: Person) => (await by.call('GET', '/sending/settings')).body.xApp

describe('GET /x-app', () => {
  it('returns null and the callback URL while the workspace uses the app of this server', async () => {
    expect((await owner.call('GET', '/x-app')).body).toEqual({
      app: null,
      callbackUrl: `${app.origin}/api/session/callback`,
    })
    expect(await settingsOf(owner)).toEqual({ isOwn: false, sentInDay: expect.any(Number), dailyLimit: null })
  })

  it.each(['admin', 'member', 'viewer'] as const)(
    'returns 403 for each operation to %ss, who see its use',
    async (role) => {
      const other = await makePerson(app, { in: owner, role })
      for (const [method, body] of [['GET'], ['PUT', inputOf(makeApp())], ['DELETE', {}]] as const)
        expect((await other.call(method, '/x-app', body)).status).toBe(403)
      expect(await settingsOf(other)).toMatchObject({ isOwn: false })
    },
  )
})

describe('PUT /x-app', () => {
  it('stores sealed secrets, never returns them, and registers a webhook that X has verified', async () => {
    const own = await registerApp()
    const { status, body } = await save(own)
    expect([status, body]).toEqual([
      200,
      {
        id: expect.any(String),
        clientId: own.id,
        callbackUrl: `${app.origin}/api/session/callback`,
        webhookUrl: `${app.origin}/api/x/webhook/${body.id}`,
        problem: null,
        sentInDay: 0,
        dailyLimit: null,
        updatedAt: expect.any(String),
      },
    ])
    expect((await owner.call('GET', '/x-app')).body.app).toEqual(body)
    for (const secret of [own.secret, own.consumerSecret, own.bearerToken])
      expect(JSON.stringify([await rowsOf(owner), body])).not.toContain(secret)
    expect((await webhooksOf(own)).data.map(({ url }) => url)).toEqual([body.webhookUrl])
    expect(await settingsOf(owner)).toEqual({ isOwn: true, sentInDay: 0, dailyLimit: null })
  })

  it.each([
    [{ secret: 'wrong' }, ['clientId', 'clientSecret']],
    [{ id: 'unknown' }, ['clientId', 'clientSecret']],
    [{ bearerToken: 'wrong' }, ['bearerToken']],
    [{ secret: 'wrong', bearerToken: 'wrong' }, ['clientId', 'clientSecret', 'bearerToken']],
  ])('returns 400 and stores nothing if X refuses %j', async (wrong, fields) => {
    const { status, body } = await save({ ...(await registerApp()), ...wrong })
    expect([status, body.code, body.details]).toEqual([400, 'X_CREDENTIALS_REFUSED', { fields }])
    expect(body.error).not.toContain('wrong')
    expect(await rowsOf(owner)).toEqual([])
  })

  it.each([
    { path: '/2/oauth2/token', status: 503 },
    { path: '/2/webhooks', status: 503 },
    { path: '/2/webhooks', dropBefore: true },
    { path: '/2/oauth2/token', status: 429 },
  ])('returns 503 and stores nothing if X fails with %j', async (fault) => {
    const own = await registerApp()
    await setFaults(app, fault)
    const { status, body } = await save(own)
    expect([status, body.code]).toEqual([503, 'X_UNAVAILABLE'])
    expect(await rowsOf(owner)).toEqual([])
  })

  it('returns 400 for missing and empty secrets', async () => {
    const { bearerToken: _, ...input } = inputOf(makeApp())
    for (const body of [input, { ...input, bearerToken: '' }, { ...input, bearerToken: ' ' }])
      expect((await owner.call('PUT', '/x-app', body)).body).toMatchObject({ code: 'INVALID_INPUT' })
  })

  it.each(['a\r\nb', 'schlüssel', '“quoted”'])(
    'returns 400 for the secret %j, which no header can carry',
    async (text) => {
      const { body } = await save(await registerApp(), { bearerToken: text })
      expect(body).toMatchObject({ code: 'INVALID_INPUT', details: [{ field: 'bearerToken' }] })
      expect(await rowsOf(owner)).toEqual([])
    },
  )

  it('returns 409 with the handles while accounts are connected, and disconnects them if asked to', async () => {
    const { handle } = await connectX(app, owner)
    const token = app.services.sealer.open((await accountsOf(owner))[0]!.sealedAccessToken!)
    const own = await registerApp()
    const refused = await save(own)
    expect([refused.status, refused.body.code, refused.body.details]).toEqual([
      409,
      'X_APP_IN_USE',
      { handles: [handle] },
    ])
    expect((await accountsOf(owner))[0]).toMatchObject({ status: 'connected', xAppId: OPERATOR_APP_ID })
    expect((await save(own, { disconnectsAccounts: true })).status).toBe(200)
    expect((await accountsOf(owner))[0]).toMatchObject({ status: 'disconnected', sealedAccessToken: null })
    await expect(app.services.x!.findMe(token)).rejects.toMatchObject({ kind: 'unauthorized' })
  })

  it('replaces the secrets of the same client id without disconnecting anything', async () => {
    const own = await registerApp()
    const { body: before } = await save(own)
    const { id } = await connectX(app, owner)
    const rotated = { ...own, secret: 'new secret', consumerSecret: 'new consumer', bearerToken: 'new bearer' }
    await register(rotated)
    const { status, body: after } = await save(rotated)
    expect([status, after.id, after.webhookUrl, after.problem]).toEqual([200, before.id, before.webhookUrl, null])
    const account = (await accountsOf(owner))[0]!
    expect(account).toMatchObject({ id, status: 'connected', xAppId: before.id })
    await expireTokens(app, { id })
    expect(await tokenOf(id)).toBeTruthy()
  })

  it('replaces one own app by another, whose webhook it registers instead', async () => {
    const [first, second] = [await registerApp(), await registerApp()]
    const { body: before } = await save(first)
    await connectX(app, owner)
    const { body: after } = await save(second, { disconnectsAccounts: true })
    expect(after.id).not.toBe(before.id)
    expect((await webhooksOf(first)).data).toEqual([])
    expect((await webhooksOf(second)).data.map(({ url }) => url)).toEqual([after.webhookUrl])
    expect((await fetch(`${before.webhookUrl}?crc_token=a`)).status).toBe(404)
  })

  it('reports a webhook that X cannot verify, and notifies owners once until it can', async () => {
    const own = await registerApp()
    const wrong = { ...own, consumerSecret: 'wrong' }
    expect((await save(wrong)).body.problem).toBe('webhook')
    expect((await save(wrong)).body.problem).toBe('webhook')
    const { notifications } = (await owner.call('GET', '/notifications')).body
    expect(notifications.map(({ kind, text }: { kind: string; text: string }) => [kind, text])).toEqual([
      ['x_app_problem', X_APP_PROBLEM_TEXT.webhook],
    ])
    expect((await save(own)).body.problem).toBeNull()
    // X has already verified the webhook, and verifies it again with the new secret.
    expect((await save(wrong)).body.problem).toBe('webhook')
  })
})

describe('an X account', () => {
  it('is connected, renewed and revoked with the own app', async () => {
    const own = await registerApp()
    const { body } = await save(own)
    const { id } = await connectX(app, owner)
    const [account] = await accountsOf(owner)
    expect(account?.xAppId).toBe(body.id)
    const refresh = app.services.sealer.open(account!.sealedRefreshToken!)
    await expect(app.services.xApps.operator!.x.refreshTokens(refresh)).rejects.toMatchObject({ kind: 'invalid' })
    await expireTokens(app, { id })
    const token = await tokenOf(id)
    expect((await owner.call('POST', '/session/disconnect')).status).toBe(200)
    await expect(app.services.x!.findMe(token)).rejects.toMatchObject({ kind: 'unauthorized' })
  })

  it('stays connected while X refuses the secret of its app, which is reported once', async () => {
    const own = await registerApp()
    await save(own)
    const { id } = await connectX(app, owner)
    await expireTokens(app, { id })
    await register({ ...own, secret: 'rotated at X' })
    for (const _ of [1, 2]) await expect(tokenOf(id)).rejects.toMatchObject({ kind: 'app' })
    expect((await accountsOf(owner))[0]?.status).toBe('connected')
    expect((await owner.call('GET', '/x-app')).body.app.problem).toBe('client')
    expect((await owner.call('GET', '/notifications')).body.total).toBe(1)
    await register(own)
    expect(await tokenOf(id)).toBeTruthy()
    expect((await owner.call('GET', '/x-app')).body.app.problem).toBeNull()
  })

  it('is not connected by a consent that was given to an app removed since', async () => {
    const { body } = await save(await registerApp())
    const { url } = (await owner.call('POST', '/session/authorize')).body
    expect(new URL(url).searchParams.get('client_id')).toBe(body.clientId)
    expect((await owner.call('DELETE', '/x-app', {})).status).toBe(204)
    expect(await app.db.$count(xAuthorizations, eq(xAuthorizations.workspaceId, owner.workspaceId))).toBe(0)
  })
})

describe('GET and POST /x/webhook/{xAppId}', () => {
  const sign = (secret: string, text: string) => `sha256=${createHmac('sha256', secret).update(text).digest('base64')}`
  const post = (url: string, body: string, secret: string) =>
    fetch(url, { method: 'POST', headers: { 'x-twitter-webhooks-signature': sign(secret, body) }, body })

  it('answer with the consumer secret of that app, and 404 for unknown ids', async () => {
    const own = await registerApp()
    const { webhookUrl } = (await save(own)).body
    const check = await (await fetch(`${webhookUrl}?crc_token=abc`)).json()
    expect(check).toEqual({ response_token: sign(own.consumerSecret, 'abc') })
    expect((await post(webhookUrl, '{"data":{}}', own.consumerSecret)).status).toBe(200)
    expect((await post(webhookUrl, '{"data":{}}', app.x.consumerSecret)).status).toBe(403)
    for (const id of [OPERATOR_APP_ID, crypto.randomUUID(), 'nonsense'])
      for (const method of ['GET', 'POST'])
        expect((await fetch(`${app.url}/x/webhook/${id}?crc_token=a`, { method })).status).toBe(404)
  })

  it('change nothing in another workspace, whose events the owner of an app can sign', async () => {
    const victim = await makePerson(app)
    const account = await connectX(app, victim)
    const { handles } = await makeList(app, victim, openHandles(1))
    const message = {
      type: 'message_create',
      id: '1',
      created_timestamp: String(Date.now()),
      message_create: {
        target: { recipient_id: idOfHandle(account.handle) },
        sender_id: idOfHandle(handles[0]!),
        message_data: { text: 'stop' },
      },
    }
    const body = JSON.stringify({
      data: {
        event_uuid: '1',
        filter: { user_id: idOfHandle(account.handle) },
        event_type: 'dm.received',
        payload: { direct_message_events: [message], users: {} },
      },
    })
    const own = await registerApp()
    const { webhookUrl } = (await save(own)).body
    const accountXUserId = idOfHandle(account.handle)
    const stored = async () =>
      (await app.db.execute(sql`select from x_deliveries where account_x_user_id = ${accountXUserId}`)).rowCount
    expect((await post(webhookUrl, body, own.consumerSecret)).status).toBe(200)
    expect(await stored()).toBe(0)
    expect((await post(`${app.url}/x/webhook`, body, app.x.consumerSecret)).status).toBe(200)
    expect(await stored()).toBe(1)
  })
})

describe('DELETE /x-app', () => {
  it('returns 404 without an own app', async () => {
    expect((await owner.call('DELETE', '/x-app', {})).body).toMatchObject({ code: 'X_APP_NOT_FOUND' })
  })

  it('returns 409 with the handles, then returns to the app of this server', async () => {
    const own = await registerApp()
    await save(own)
    const { handle } = await connectX(app, owner)
    const refused = await owner.call('DELETE', '/x-app', {})
    expect([refused.status, refused.body.code, refused.body.details]).toEqual([
      409,
      'X_APP_IN_USE',
      { handles: [handle] },
    ])
    expect((await owner.call('DELETE', '/x-app', { disconnectsAccounts: true })).status).toBe(204)
    expect((await owner.call('GET', '/x-app')).body.app).toBeNull()
    expect((await accountsOf(owner))[0]).toMatchObject({ status: 'disconnected', xAppId: OPERATOR_APP_ID })
    expect((await webhooksOf(own)).data).toEqual([])
    await connectX(app, owner, handle)
    expect((await accountsOf(owner))[0]).toMatchObject({ status: 'connected', xAppId: OPERATOR_APP_ID })
  })

  it('leaves the app of another workspace alone', async () => {
    const other = await makePerson(app)
    const own = await registerApp()
    await save(own, {}, other)
    expect((await owner.call('DELETE', '/x-app', { disconnectsAccounts: true })).status).toBe(404)
    expect((await owner.call('GET', '/x-app')).body.app).toBeNull()
    expect((await other.call('GET', '/x-app')).body.app.clientId).toBe(own.id)
  })
})
