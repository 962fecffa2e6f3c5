import { readFileSync } from 'node:fs'
import { PAIRINGS_MAX } from '@x-automated/contract/outreach/extension-pairings'
import { UNCLEAR_HOURS } from '@x-automated/contract/outreach/sending'
import { eq, sql } from 'drizzle-orm'
import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { expirePairingCode, linkIdentity } from '../../../../test/credentials.ts'
import { call, makePerson, type Person } from '../../../../test/makers.ts'
import { backdateClaims, endLeases, makeDue, rewrite } from '../../../../test/messages.ts'
import { openApp, type TestApp } from '../../../../test/open-app.ts'
import { operations, pathWith } from '../../../../test/operations.ts'
import { ALL_DAY, dmsOf, expectCountsRight, launch, makeList, openHandles, stopNow } from '../../../../test/outreach.ts'
import { beginBySso, expireSessions, pairMany } from '../../../../test/sessions.ts'
import { changeRole, leaveWorkspace } from '../../../../test/team.ts'
import { deletionOf, whileWaiting } from '../../../../test/while-waiting.ts'
import { leaveIdle } from '../../../../test/x-accounts.ts'
import { dms } from '../../../core/tables/messages.ts'
import { authSessions } from '../../identity/auth/tables.ts'
import { extensionPairings } from '../../identity/workspaces/tables.ts'

let app: TestApp
let person: Person
beforeAll(async () => {
  app = await openApp()
})
beforeEach(async () => {
  person = await makePerson(app)
})

const REPORT = { version: '1.2.3', signedInAs: 'ada', paused: false, pageChanged: null, sendsInBackground: true }

/** Pairs an extension with a person, using the calls of the real one. */
async function pairWith(owner: Person) {
  const { code } = await owner.client.extension.createCode()
  const { body } = await call(app, 'POST', '/extension/pair', { code, version: '1.0.0' })
  const authorization = `Bearer ${body.token}`
  return {
    token: body.token as string,
    call: (method: string, path: string, sent?: unknown) => call(app, method, path, sent, { authorization }),
  }
}

describe('pairing', () => {
  it('exchanges a typed code once for a token that is stored hashed', async () => {
    const { code, expiresAt } = await person.client.extension.createCode()
    expect(code).toMatch(/^[B-Z2-9]{4}-[B-Z2-9]{4}$/)
    expect(Date.parse(expiresAt) - Date.now()).toBeLessThanOrEqual(600_000)
    const typed = { code: ` ${code.toLowerCase().replace('-', ' ')} `, version: '1.0.0' }
    const first = await call(app, 'POST', '/extension/pair', typed, { 'user-agent': CHROME })
    expect(first.body).toEqual({
      token: expect.stringMatching(/^xae_[\w-]{43}$/),
      email: person.email,
      workspaceName: expect.any(String),
    })
    expect(await call(app, 'POST', '/extension/pair', typed)).toMatchObject({
      status: 400,
      body: { code: 'INVALID_CODE' },
    })
    const stored = JSON.stringify([
      await app.db.select().from(extensionPairings),
      await app.db.select().from(authSessions),
    ])
    expect(stored).not.toContain(first.body.token.slice(4))
    expect(await person.client.extension.list()).toEqual({
      latestVersion: app.services.extensionVersion,
      pairings: [
        {
          id: expect.any(String),
          device: 'Chrome on Linux',
          version: '1.0.0',
          signedInAs: null,
          paused: false,
          pageChanged: null,
          sendsInBackground: false,
          createdAt: expect.any(String),
          lastSeenAt: expect.any(String),
        },
      ],
    })
    const { sessions } = await person.client.account.listSessions()
    expect(sessions.map(({ deviceKind }) => deviceKind)).toContain('extension')
  })

  it('rejects wrong, expired and replaced codes, and too many extensions', async () => {
    const pair = (code: string) => call(app, 'POST', '/extension/pair', { code, version: '1' })
    const { code: replaced } = await person.client.extension.createCode()
    const { code: expired } = await person.client.extension.createCode()
    await expirePairingCode(app, person.id)
    for (const code of [replaced, expired, 'WRNG-CODE', ''])
      expect(await pair(code)).toMatchObject({ status: 400, body: { code: 'INVALID_CODE' } })
    await pairMany(app, person, PAIRINGS_MAX)
    expect(await person.call('POST', '/extension/codes')).toMatchObject({ status: 409, body: { code: 'TOO_MANY' } })
  })

  // The two transactions deadlock, and PostgreSQL may end either. The test passes only if it ends the pairing.
  it('rejects a code whose single sign-on ends at the same moment', { retry: 3 }, async () => {
    const { id: userId } = person
    const identity = await linkIdentity(app, userId, 'sso:x')
    const { code } = await person.client.extension.createCode()
    const { sessionId } = person.actor
    await beginBySso(app, { id: sessionId }, identity)
    const pairing = await whileWaiting(app, {
      lock: deletionOf('auth_identities', identity),
      work: () => call(app, 'POST', '/extension/pair', { code, version: '1' }),
      end: 'commit',
    })
    expect(pairing).toMatchObject({ status: 400, body: { code: 'INVALID_CODE' } })
  })

  it('gives access to extension calls and nothing else', async () => {
    const extension = await pairWith(person)
    const forbidden = operations.filter(
      ({ access, byExtension }) => access !== 'public' && access !== 'operator' && !byExtension,
    )
    expect(
      operations
        .filter(({ byExtension }) => byExtension)
        .map(({ name }) => name)
        .sort(),
    ).toEqual([
      'campaigns.claim',
      'campaigns.claimAny',
      'campaigns.confirm',
      'campaigns.recordOutcome',
      'campaigns.release',
      'extension.report',
      'extension.unpair',
    ])
    for (const operation of forbidden) {
      const { status } = await extension.call(
        operation.method,
        pathWith(operation, person.id),
        operation.takesInput && operation.method !== 'GET' ? {} : undefined,
      )
      expect([operation.name, status]).toEqual([operation.name, 403])
    }
    for (const path of ['/leads/export', '/account/archive'])
      expect((await extension.call('GET', path)).status, path).not.toBe(200)
  })

  it('accepts sendsAlone from the previous version, and requires one of the two fields', async () => {
    const extension = await pairWith(person)
    const { sendsInBackground, ...rest } = REPORT
    const former = { ...rest, sendsAlone: sendsInBackground }
    expect((await extension.call('POST', '/extension/state', former)).status).toBe(200)
    expect((await person.client.extension.list()).pairings).toMatchObject([{ sendsInBackground: true }])
    expect((await extension.call('POST', '/extension/state', rest)).status).toBe(400)
  })

  it('reports its state, and reads its account and queue', async () => {
    const extension = await pairWith(person)
    expect((await extension.call('POST', '/extension/state', REPORT)).body).toEqual({
      account: { email: person.email, workspaceName: expect.any(String) },
      sentToday: 0,
      dailyCap: 500,
      campaigns: 0,
      queued: 0,
      latestVersion: app.services.extensionVersion,
    })
    await launch(person, await makeList(app, person, openHandles(3)), { channel: 'extension' })
    expect((await extension.call('POST', '/claim', { holder: 'a' })).status).toBe(200)
    expect((await extension.call('POST', '/extension/state', REPORT)).body).toMatchObject({
      sentToday: 1,
      campaigns: 1,
      queued: 3,
    })
    const [account] = (await person.client.sendingSettings.find()).accounts
    await person.client.sendingSettings.saveLimits({ ...ALL_DAY, xAccountId: account!.xAccountId, warmUp: true })
    expect((await extension.call('POST', '/extension/state', REPORT)).body).toMatchObject({ dailyCap: 20 })
    expect((await person.client.extension.list()).pairings).toMatchObject([REPORT])
    // A signed-in user is not an extension.
    for (const [path, body] of [
      ['/extension/state', REPORT],
      ['/extension/unpair', {}],
    ] as const)
      expect(await person.call('POST', path, body)).toMatchObject({ status: 404, body: { code: 'PAIRING_NOT_FOUND' } })
  })

  it.each<[string, (owner: Person, extension: Awaited<ReturnType<typeof pairWith>>) => Promise<unknown>]>([
    ['it unpairs itself', (_owner, extension) => extension.call('POST', '/extension/unpair', {})],
    [
      'its owner ends it',
      async ({ client }) => client.extension.remove({ id: (await client.extension.list()).pairings[0]!.id }),
    ],
    [
      'its session has ended',
      async ({ client }) => client.account.endSession({ id: (await client.extension.list()).pairings[0]!.id }),
    ],
    ['every other device is signed out', ({ client }) => client.auth.signOut({ scope: 'others' })],
    ['its owner leaves the workspace', (owner) => leaveWorkspace(app, { userId: owner.id })],
    [
      'it has not been seen for a month',
      () => expireSessions(app, sql`id in (select session_id from extension_pairings)`),
    ],
  ])('rejects its token once %s', async (_what, end) => {
    const extension = await pairWith(person)
    await end(person, extension)
    expect(await extension.call('POST', '/extension/state', REPORT)).toMatchObject({
      status: 401,
      body: { code: 'UNAUTHORIZED' },
    })
  })

  it("sends nothing for a viewer, and lets no one end another user's pairing", async () => {
    const viewer = await makePerson(app, { in: person, role: 'viewer' })
    const extension = await pairWith(person)
    const [pairing] = (await person.client.extension.list()).pairings
    expect(await viewer.call('DELETE', `/extension/pairings/${pairing!.id}`)).toMatchObject({
      status: 404,
      body: { code: 'PAIRING_NOT_FOUND' },
    })
    await changeRole(app, { userId: person.id }, 'viewer')
    expect((await extension.call('POST', '/claim', { holder: 'a' })).status).toBe(403)
    expect((await extension.call('POST', '/extension/state', REPORT)).status).toBe(200)
  })
})

describe('page data', () => {
  it('is served to anyone as it was signed, and never cached', async () => {
    const { status, body, headers } = await call(app, 'GET', '/extension/pages')
    expect({ status, body, cache: headers.get('cache-control') }).toEqual({
      status: 200,
      body: JSON.parse(readFileSync(new URL('../../../../../extension/pages.json', import.meta.url), 'utf8')),
      cache: 'no-store',
    })
  })

  it('returns 404 if the server has none', async () => {
    const { extensionPages } = app.services
    try {
      app.services.extensionPages = null
      expect(await call(app, 'GET', '/extension/pages')).toMatchObject({ status: 404, body: { code: 'NOT_FOUND' } })
    } finally {
      app.services.extensionPages = extensionPages
    }
  })
})

describe('claimed messages', () => {
  /** Creates a campaign with two leads and claims its first message, by default by a paired extension. */
  async function claimed(by?: Pick<Person, 'call'>) {
    const list = await makeList(app, person, openHandles(2))
    const campaign = await launch(person, list, { channel: 'extension' })
    const extension = by ?? (await pairWith(person))
    const claim = (await extension.call('POST', '/claim', { holder: 'a' })).body as {
      dmId: string
      lease: string
      leadId: string
    }
    const ask = (what: 'confirm' | 'release' | 'outcome', body: object = {}) =>
      extension.call('POST', `/dms/${claim.dmId}/${what}`, { lease: claim.lease, ...body })
    const message = async () => (await dmsOf(person, campaign.id)).find(({ id }) => id === claim.dmId)
    return { campaign, list, extension, claim, ask, message }
  }

  it('can be sent while the campaign is active, with a renewed lease', async () => {
    const { ask, claim } = await claimed()
    await endLeases(app, { id: claim.dmId }, 5)
    const { body } = await ask('confirm')
    expect(body).toEqual({ success: true, maySend: true, leaseExpiresAt: expect.any(String) })
    expect(Date.parse(body.leaseExpiresAt) - Date.now()).toBeGreaterThan(100_000)
    expect((await ask('outcome', { wasSent: true })).body).toMatchObject({ success: true })
  })

  it('wait if another message was claimed meanwhile, because of the interval', async () => {
    const { ask, extension, claim, message } = await claimed()
    const { accounts } = await person.client.sendingSettings.find()
    await person.client.sendingSettings.saveLimits({
      ...ALL_DAY,
      xAccountId: accounts[0]!.xAccountId,
      pauseSeconds: 60,
    })
    // Backdates the claim by a minute, so that the pause is over.
    await backdateClaims(app, { id: claim.dmId }, 61)
    await leaveIdle(app)
    const other = (await extension.call('POST', '/claim', { holder: 'b' })).body
    expect((await ask('confirm')).body).toMatchObject({ maySend: false })
    expect(await message()).toMatchObject({ status: 'queued', errorMessage: null })
    const { status, body } = await extension.call('POST', `/dms/${other.dmId}/confirm`, { lease: other.lease })
    expect({ status, body }).toMatchObject({ status: 200, body: { maySend: true } })
  })

  it.each(['paused', 'archived'] as const)('stay queued if their campaign was %s meanwhile', async (status) => {
    const { ask, campaign, message } = await claimed()
    await stopNow(person, campaign.id, status)
    expect((await ask('confirm')).body).toEqual({ success: true, maySend: false, leaseExpiresAt: null })
    expect(await message()).toMatchObject({ status: 'queued', errorMessage: null })
    expect(await ask('outcome', { wasSent: true })).toMatchObject({ status: 409, body: { code: 'LEASE_LOST' } })
    expect(
      await app.db.$count(dms, sql`campaign_id = ${campaign.id} and (claimed_at is not null or tried_at is not null)`),
    ).toBe(0)
  })

  it('fail with a reason if the lead was suppressed or deleted meanwhile', async () => {
    const { ask, list, message, extension } = await claimed()
    await person.client.suppressions.create({ handles: list.handles })
    expect((await ask('confirm')).body).toMatchObject({ maySend: false })
    expect(await message()).toMatchObject({ status: 'failed', reason: { code: 'suppressed' } })
    await launch(person, await makeList(app, person, openHandles(1)), { channel: 'extension' })
    const { dmId, lease, leadId } = (await extension.call('POST', '/claim', { holder: 'a' })).body
    await rewrite(app, { leadId }, { leadId: null })
    expect((await extension.call('POST', `/dms/${dmId}/confirm`, { lease })).body).toMatchObject({ maySend: false })
    await expectCountsRight(app)
  })

  it('can be released and claimed again, without counting against the cap', async () => {
    const { ask, extension, claim } = await claimed()
    expect((await ask('release')).body).toEqual({ success: true })
    expect((await extension.call('POST', '/extension/state', REPORT)).body).toMatchObject({ sentToday: 0, queued: 2 })
    const next = (await extension.call('POST', '/claim', { holder: 'b' })).body
    expect(next.dmId).toBe(claim.dmId)
    expect(next.lease).not.toBe(claim.lease)
    for (const what of ['confirm', 'release'] as const)
      expect(await ask(what)).toMatchObject({ status: 409, body: { code: 'LEASE_LOST' } })
  })

  it('let the others go first if X did not show whether the person can be messaged', async () => {
    const { ask, extension, claim, campaign, message } = await claimed(person)
    expect((await ask('release', { inboxUnclear: true })).body).toEqual({ success: true })
    const { status, dueAt, errorMessage, reason } = (await message())!
    expect({ status, errorMessage, reason }).toEqual({
      status: 'queued',
      errorMessage: null,
      reason: { code: 'inbox_unclear', params: {} },
    })
    expect(Date.parse(dueAt!) - Date.now()).toBeGreaterThan((UNCLEAR_HOURS - 0.1) * 3_600_000)
    const next = (await extension.call('POST', '/claim', { holder: 'b' })).body
    expect(next.dmId).not.toBe(claim.dmId)
    await extension.call('POST', `/dms/${next.dmId}/outcome`, { lease: next.lease, wasSent: true })
    const none = await extension.call('POST', '/claim', { holder: 'b' })
    expect(none.status).toBe(204)
    expect(Number(none.headers.get('retry-after'))).toBeGreaterThan((UNCLEAR_HOURS - 0.1) * 3_600)
    const { waitingFor } = await person.client.campaigns.find({ id: campaign.id })
    expect(waitingFor).toEqual({ reason: 'inbox_unclear', until: dueAt })
    await expectCountsRight(app)
  })

  it('are skipped like a reply if a message request of the person waits on X, once', async () => {
    const { ask, claim, campaign, message } = await claimed(person)
    const report = { wasSent: false, reason: { code: 'replied', params: { how: 'made up' } } }
    for (let n = 0; n < 2; n += 1)
      expect(await ask('outcome', report)).toMatchObject({ status: 200, body: { campaignCompleted: false } })
    expect(await message()).toMatchObject({ status: 'failed', reason: { code: 'replied', params: { how: 'request' } } })
    const { rows } = await app.db.execute(
      sql`select state from enrollments where campaign_id = ${campaign.id} and lead_id = ${claim.leadId}`,
    )
    expect(rows).toEqual([{ state: 'replied' }])
    // The message was not sent, so it counts toward no limit.
    expect(await app.db.$count(dms, sql`campaign_id = ${campaign.id} and claimed_at is not null`)).toBe(0)
    expect(await ask('outcome', { wasSent: true })).toMatchObject({ status: 409, body: { code: 'LEASE_LOST' } })
    await expectCountsRight(app)
  })

  it('complete their campaign if the last one is skipped', async () => {
    const campaign = await launch(person, await makeList(app, person, openHandles(1)), { channel: 'extension' })
    const { dmId, lease } = (await person.call('POST', '/claim', { holder: 'a' })).body
    const report = { lease, wasSent: false, reason: { code: 'replied', params: {} } }
    expect((await person.call('POST', `/dms/${dmId}/outcome`, report)).body).toMatchObject({
      campaignCompleted: true,
    })
    expect((await person.client.campaigns.find({ id: campaign.id })).status).toBe('completed')
  })

  it('use the current text after they were released, however often', async () => {
    const { ask, extension, claim, campaign, message } = await claimed()
    await ask('release')
    const again = (await extension.call('POST', '/claim', { holder: 'b' })).body
    await extension.call('POST', `/dms/${again.dmId}/release`, { lease: again.lease })
    await person.client.campaigns.update({ id: campaign.id, messageTemplate: 'New text' })
    expect(await message()).toMatchObject({ message: 'New text' })
    // An earlier attempt that may have gone through stays recorded.
    const unsure = (await extension.call('POST', '/claim', { holder: 'a' })).body
    await extension.call('POST', `/dms/${claim.dmId}/outcome`, {
      lease: unsure.lease,
      wasSent: false,
      outcomeUnknown: true,
    })
    const [before] = await app.db.select().from(dms).where(eq(dms.id, claim.dmId))
    await person.client.campaigns.requeue({ id: claim.dmId })
    await makeDue(app, { id: claim.dmId }, new Date(0))
    for (const holder of ['a', 'b']) {
      const { dmId, lease } = (await extension.call('POST', '/claim', { holder })).body
      expect(dmId).toBe(claim.dmId)
      await extension.call('POST', `/dms/${dmId}/release`, { lease })
    }
    const [after] = await app.db.select().from(dms).where(eq(dms.id, claim.dmId))
    expect(after!.triedAt).toEqual(before!.triedAt)
    expect(before!.triedAt).not.toBeNull()
  })

  it('block other messages to the lead while their outcome is unknown', async () => {
    const { ask, claim, message, list } = await claimed()
    expect((await ask('outcome', { wasSent: false, outcomeUnknown: true })).status).toBe(200)
    expect(await message()).toMatchObject({
      status: 'failed',
      errorMessage: 'Outcome unknown: check the conversation before sending again',
    })
    const again = await launch(person, list, { channel: 'extension', name: 'Again' })
    expect((await dmsOf(person, again.id)).find(({ lead }) => lead?.id === claim.leadId)).toMatchObject({
      status: 'failed',
    })
  })

  it('can be neither sent nor released after their lease has expired', async () => {
    const { ask, claim } = await claimed()
    await endLeases(app, { id: claim.dmId })
    for (const what of ['confirm', 'release'] as const)
      expect(await ask(what)).toMatchObject({ status: 409, body: { code: 'LEASE_LOST' } })
  })
})

const CHROME = 'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36'
