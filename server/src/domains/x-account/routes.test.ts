import { eq, sql } from 'drizzle-orm'
import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { connectX, makePerson, type Person } from '../../../test/makers.ts'
import { openApp, type TestApp } from '../../../test/open-app.ts'
import { someoneWaits } from '../../../test/outreach.ts'
import { XError } from '../../outside/x.ts'
import { createSealer } from '../../sealing.ts'
import { accessTokenOf, disconnect, withAccount } from './service.ts'
import { xAccounts } from './tables.ts'

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
const rowOf = async (by: Person) =>
  (await app.db.select().from(xAccounts).where(eq(xAccounts.workspaceId, by.workspaceId)))[0]!

describe('GET /session/status', () => {
  it('200: not connected, never was', async () => {
    expect((await person.call('GET', '/session/status')).body).toEqual({
      connected: false,
      lastConnected: null,
      handle: null,
      methods: ['password', 'oauth'],
      reason: null,
    })
  })

  it('200: connected, since when and as whom', async () => {
    await connect({ username: 'Founder_Ann', password: 'long enough' })
    const { body } = await person.call('GET', '/session/status')
    expect(body).toMatchObject({ connected: true, handle: expect.stringMatching(/^founder_ann$/i), reason: null })
    expect(Date.now() - new Date(body.lastConnected).getTime()).toBeLessThan(5_000)
  })

  it('200: says nothing of the accounts of another workspace', async () => {
    await connectX(app, await makePerson(app))
    expect((await person.call('GET', '/session/status')).body.connected).toBe(false)
  })
})

describe('POST /session/connect', () => {
  it('200: connects, and keeps neither the password nor a readable token', async () => {
    const { status, body } = await connect({ username: 'founder_bob', password: 'my X password' })
    expect([status, body]).toEqual([200, { success: true, message: 'Twitter account connected successfully!' }])
    const row = await rowOf(person)
    expect(JSON.stringify(row)).not.toContain('my X password')
    const token = app.services.sealer.open(row.sealedAccessToken!)
    expect(JSON.stringify(row)).not.toContain(token)
  })

  it('200: again is the same account, with new tokens', async () => {
    await connect({ username: 'founder_bob', password: 'long enough' })
    const first = await rowOf(person)
    await connect({ username: 'founder_bob', password: 'long enough' })
    const second = await rowOf(person)
    expect(second.id).toBe(first.id)
    expect(second.sealedAccessToken).not.toBe(first.sealedAccessToken)
  })

  it('400: a wrong password, with the text of the screen', async () => {
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
  ])('400: %j', async (body, error) => {
    const answer = await connect(body)
    expect([answer.status, answer.body.code, answer.body.error]).toEqual([400, 'INVALID_INPUT', error])
  })

  it.each([[{ status: 503 }], [{ dropBefore: true }]])(
    '503: X is in trouble (%j), and nothing changes',
    async (fault) => {
      await setFaults([{ path: '/2/oauth2/token', times: 1, ...fault }])
      const answer = await connect({ username: 'founder_bob', password: 'long enough' })
      expect([answer.status, answer.body.code]).toEqual([503, 'X_UNAVAILABLE'])
      expect((await person.call('GET', '/session/status')).body.connected).toBe(false)
    },
  )
})

describe('POST /scrapes with credentials', () => {
  it('503: X is in trouble, and nothing is connected nor scraped', async () => {
    await setFaults([{ path: '/2/oauth2/token', status: 503, times: 1 }])
    const credentials = { username: 'founder_bob', password: 'long enough' }
    const answer = await person.call('POST', '/scrapes', { twitterHandle: 'f10_x', type: 'followers', credentials })
    expect([answer.status, answer.body.code]).toEqual([503, 'X_UNAVAILABLE'])
    expect((await person.call('GET', '/session/status')).body.connected).toBe(false)
    expect((await person.call('GET', '/scrapes')).body.total).toBe(0)
  })
})

describe('POST /session/disconnect', () => {
  it('200: ends the connection here and at X', async () => {
    await connect({ username: 'founder_bob', password: 'long enough' })
    const token = app.services.sealer.open((await rowOf(person)).sealedAccessToken!)
    const { body } = await person.call('POST', '/session/disconnect')
    expect(body).toEqual({ success: true, message: 'Twitter account disconnected successfully!' })
    expect((await person.call('GET', '/session/status')).body).toMatchObject({ connected: false, handle: null })
    expect(await rowOf(person)).toMatchObject({ sealedAccessToken: null, sealedRefreshToken: null })
    await expect(app.services.x!.findMe(token)).rejects.toMatchObject({ kind: 'unauthorized' })
  })

  it('200: ends every connection of the workspace, and none of another', async () => {
    const stranger = await makePerson(app)
    await connectX(app, stranger)
    await connect({ username: 'founder_cat', password: 'long enough' })
    await connect({ username: 'founder_dan', password: 'long enough' })
    const rows = await app.db.select().from(xAccounts).where(eq(xAccounts.workspaceId, person.workspaceId))
    const tokens = rows.map((row) => app.services.sealer.open(row.sealedAccessToken!))
    expect(tokens).toHaveLength(2)
    expect((await person.call('POST', '/session/disconnect')).status).toBe(200)
    expect((await person.call('GET', '/session/status')).body).toMatchObject({ connected: false, handle: null })
    for (const token of tokens)
      await expect(app.services.x!.findMe(token)).rejects.toMatchObject({ kind: 'unauthorized' })
    expect((await stranger.call('GET', '/session/status')).body.connected).toBe(true)
  })

  it('200: revokes what a renewal that was under way has brought', async () => {
    await connect({ username: 'founder_eve', password: 'long enough' })
    const { id } = await rowOf(person)
    const { sealer, x } = app.services
    const renewal = await app.db.transaction(async (tx) => {
      await tx.execute(sql`select from x_accounts where id = ${id} for update`)
      const answer = person.call('POST', '/session/disconnect')
      await someoneWaits(app)
      const tokens = await x!.signInWithPassword('founder_eve', 'long enough')
      await tx
        .update(xAccounts)
        .set({
          sealedAccessToken: sealer.seal(tokens.accessToken),
          sealedRefreshToken: sealer.seal(tokens.refreshToken!),
        })
        .where(eq(xAccounts.id, id))
      return { answer, tokens }
    })
    expect((await renewal.answer).status).toBe(200)
    await expect(x!.findMe(renewal.tokens.accessToken)).rejects.toMatchObject({ kind: 'unauthorized' })
    await expect(x!.refreshTokens(renewal.tokens.refreshToken!)).rejects.toThrow(XError)
  })

  it('200: also where the tokens were sealed under another AUTH_SECRET', async () => {
    await connect({ username: 'founder_fay', password: 'long enough' })
    const other = { ...app.services, sealer: createSealer('another secret', 'X tokens') }
    expect(await disconnect(other, person.actor)).toMatchObject({ success: true })
    expect((await person.call('GET', '/session/status')).body).toMatchObject({ connected: false, handle: null })
  })

  it('200: also where nothing is connected', async () => {
    expect((await person.call('POST', '/session/disconnect')).status).toBe(200)
  })
})

describe('access tokens of X', () => {
  const expireToken = (id: string) =>
    app.db
      .update(xAccounts)
      .set({ accessTokenExpiresAt: new Date(Date.now() - 1_000) })
      .where(eq(xAccounts.id, id))

  it('are renewed once however many ask at the same time, as a refresh token works once', async () => {
    const { id } = await connectX(app, person)
    await expireToken(id)
    const another = await app.startAnother()
    const tokens = await Promise.all(
      [app.services, another.services, app.services, another.services].map((services) => accessTokenOf(services, id)),
    )
    expect(new Set(tokens).size).toBe(1)
    expect((await app.services.x!.findMe(tokens[0]!)).handle).toBeTruthy()
    // The refresh token that came with it is good too.
    await expireToken(id)
    expect(await accessTokenOf(app.services, id)).not.toBe(tokens[0])
  })

  it('are renewed when X refuses one early', async () => {
    const { id } = await connectX(app, person)
    await setFaults([{ path: '/2/users/me', status: 401, times: 1 }])
    expect((await withAccount(app.services, id, (x, token) => x.findMe(token))).handle).toBeTruthy()
  })

  it('once they cannot be renewed, the connection is shown as lost, with its reason', async () => {
    const { id } = await connectX(app, person)
    const refreshToken = app.services.sealer.open((await rowOf(person)).sealedRefreshToken!)
    await app.services.x!.refreshTokens(refreshToken)
    await expireToken(id)
    await expect(accessTokenOf(app.services, id)).rejects.toThrow(XError)
    expect((await person.call('GET', '/session/status')).body).toMatchObject({
      connected: false,
      reason: 'X does not accept this connection any more. Connect the account again.',
    })
  })

  it('are as good as lost where they were sealed under another AUTH_SECRET', async () => {
    const { id } = await connectX(app, person)
    const other = { ...app.services, sealer: createSealer('another secret', 'X tokens') }
    await expect(accessTokenOf(other, id)).rejects.toMatchObject({ kind: 'unauthorized' })
    expect((await person.call('GET', '/session/status')).body).toMatchObject({
      connected: false,
      reason: 'X does not accept this connection any more. Connect the account again.',
    })
  })

  it('are not thrown away because X is in trouble', async () => {
    const { id } = await connectX(app, person)
    await expireToken(id)
    await setFaults([{ path: '/2/oauth2/token', status: 503, times: 1 }])
    await expect(accessTokenOf(app.services, id)).rejects.toThrow(XError)
    expect((await person.call('GET', '/session/status')).body.connected).toBe(true)
    expect(await accessTokenOf(app.services, id)).toBeTruthy()
  })
})
