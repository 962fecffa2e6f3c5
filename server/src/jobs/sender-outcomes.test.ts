import { once } from 'node:events'
import { createServer } from 'node:net'
import { eq, sql } from 'drizzle-orm'
import { beforeAll, describe, expect, it } from 'vitest'
import { pauseNow } from '../../test/campaigns.ts'
import { startProcess } from '../../test/jobs.ts'
import { connectX } from '../../test/makers.ts'
import { backdateClaims, endLeases, markClaimed, rewrite } from '../../test/messages.ts'
import { openApp, type TestApp } from '../../test/open-app.ts'
import {
  completed,
  dmsOf,
  eventually,
  launch,
  letPass,
  makeList,
  openHandles,
  openSenders,
  READS,
  SENDS,
  setFaults,
  waitForBlockedStatement,
} from '../../test/outreach.ts'
import { leaveIdle, letSend, rest } from '../../test/x-accounts.ts'
import type { Claimed } from '../core/messages/claim.ts'
import { claimDue, releaseLostClaims } from '../core/messages/claim-due.ts'
import { send, TIMING } from '../core/messages/deliver.ts'
import { queueDirect } from '../core/messages/direct.ts'
import { record } from '../core/messages/record.ts'
import { takeOver } from '../core/messages/settle.ts'
import { campaigns } from '../core/tables/campaigns.ts'
import { dms } from '../core/tables/messages.ts'
import { xAccounts } from '../domains/platform/x-account/tables.ts'
import { createXApi } from '../outside/x.ts'

let app: TestApp
beforeAll(async () => {
  app = await openApp({ x: true })
})
const { start, withInterval, connected, arrivedFrom, countClaimed } = openSenders(() => app)

describe('an unknown outcome', () => {
  it.each([
    ['the connection breaks after X took the message', { dropAfter: true }],
    ['the connection breaks before X took the message', { dropBefore: true }],
    ['X answers 500', { status: 500 }],
    ['X answers 503', { status: 503 }],
  ])('is settled by reading the conversation: %s', async (_, fault) => {
    const { person, account } = await connected()
    const list = await makeList(app, person, openHandles(6))
    await setFaults(app, { ...SENDS, ...fault, times: 4 })
    await start()
    const campaign = await launch(person, list)
    expect(await completed(person, campaign.id)).toMatchObject({ dmsSentCount: 6, dmsFailedCount: 0 })
    expect((await arrivedFrom(account.handle)).map(({ to }) => to).sort()).toEqual([...list.handles].sort())
  })

  it('is not settled as unsent while the message may still take effect', async () => {
    const { person, account } = await connected()
    const list = await makeList(app, person, openHandles(3))
    // X accepts the messages long after our call timed out.
    await setFaults(app, { ...SENDS, delayMs: 500, times: 3 })
    const x = createXApi({
      apiUrl: app.x.url,
      clientId: app.x.clientId,
      clientSecret: app.x.clientSecret,
      timeoutMs: 100,
    })
    await start({ x }, { absentAfterMs: 600, absentAgainMs: 600 })
    const campaign = await launch(person, list)
    await completed(person, campaign.id)
    expect((await arrivedFrom(account.handle)).map(({ to }) => to).sort()).toEqual([...list.handles].sort())
  })

  it('waits while the conversation cannot be read', async () => {
    const { person, account } = await connected()
    const list = await makeList(app, person, openHandles(1))
    await setFaults(app, { ...SENDS, dropAfter: true, times: 1 }, { ...READS, status: 429, resetSeconds: 1, times: 1 })
    await start()
    const campaign = await launch(person, list)
    await completed(person, campaign.id)
    expect(await arrivedFrom(account.handle)).toHaveLength(1)
  })

  it('is not assumed if a process died between claim and hand-over: the message is released', async () => {
    const { person, account } = await connected()
    const list = await makeList(app, person, openHandles(2))
    const campaign = await launch(person, list)
    await claimAndDie()
    await setFaults(app, { ...READS, status: 403 })
    const since = performance.now()
    await start()
    await completed(person, campaign.id)
    // The outcome is settled long before the lease expires.
    expect(performance.now() - since).toBeLessThan(15_000)
    expect((await arrivedFrom(account.handle)).map(({ to }) => to).sort()).toEqual([...list.handles].sort())
  })

  it('stays unknown if X may no longer list the message', async () => {
    const { person, account } = await connected()
    const campaign = await launch(person, await makeList(app, person, openHandles(1)))
    const { id } = await handOverAndDie()
    const long = sql`now() - interval '31 days'`
    await markClaimed(app, { id }, long, { triedAt: long })
    await start()
    expect(await completed(person, campaign.id)).toMatchObject({ dmsFailedCount: 1 })
    expect(await dmsOf(person, campaign.id)).toMatchObject([{ status: 'failed', outcomeUnknown: true }])
    expect(await arrivedFrom(account.handle)).toEqual([])
  })

  it('is settled immediately after a process died between send and record', async () => {
    const { person, account } = await connected()
    const list = await makeList(app, person, openHandles(2))
    const campaign = await launch(person, list)
    const claimed = await handOverAndDie()
    const [row] = await app.db.select().from(xAccounts).where(eq(xAccounts.id, account.id))
    const token = app.services.sealer.open(row!.sealedAccessToken!)
    await app.services.x!.sendMessage(token, claimed.lead!.xUserId!, claimed.message)
    await start()
    expect(await completed(person, campaign.id)).toMatchObject({ dmsSentCount: 2 })
    expect((await arrivedFrom(account.handle)).map(({ to }) => to).sort()).toEqual([...list.handles].sort())
  })

  it('is not confused with the same text of an earlier campaign', async () => {
    const { person, account } = await connected()
    const list = await makeList(app, person, openHandles(1))
    await start()
    const { id } = await launch(person, list)
    await completed(person, id)
    await letPass(app, id, 24)
    await setFaults(app, { ...SENDS, dropBefore: true, times: 1 })
    await completed(person, (await launch(person, list, { allowRepeat: true })).id)
    expect(await arrivedFrom(account.handle)).toHaveLength(2)
  })

  it('stays unknown if its lead was deleted, so that a person can check it', async () => {
    const { person } = await connected()
    const list = await makeList(app, person, openHandles(1))
    const campaign = await launch(person, list)
    await handOverAndDie()
    await person.client.leads.remove({ id: list.leadIds[0]! })
    await start()
    await completed(person, campaign.id)
    expect((await dmsOf(person, campaign.id))[0]).toMatchObject({
      status: 'failed',
      errorMessage: 'Outcome unknown: check the conversation before sending again',
    })
  })
})

it.each([
  ['is recent', 60_000],
  ['is old', 0],
])('sends nothing of a paused campaign if the claim %s', async (_, handOverMs) => {
  const { person, account } = await connected()
  const { id } = await launch(person, await makeList(app, person, openHandles(1)))
  const claimed = await claimAndDie()
  await pauseNow(app, { id })
  await new Promise((resolve) => setTimeout(resolve, 2))
  const verdict = await send(app.services, claimed, { ...TIMING, handOverMs })
  expect(verdict).toEqual({ kind: 'paused' })
  expect(await arrivedFrom(account.handle)).toEqual([])
  await record(app.db, [{ claimed, verdict, failures: 0 }])
  const [dm] = await app.db.select().from(dms).where(eq(dms.campaignId, id))
  expect(dm).toMatchObject({ status: 'queued', lease: null, leaseExpiresAt: null, claimedAt: null, triedAt: null })
})

it('releases messages claimed while the connection broke, unless they may have been sent', async () => {
  const { person, account } = await connected()
  await launch(person, await makeList(app, person, openHandles(2)))
  const [handedOver, lost] = [await claimAndDie(), await claimAndDie()]
  const rows = () => app.db.select().from(dms).where(eq(dms.workspaceId, person.workspaceId)).orderBy(dms.claimedAt)
  const [first] = await rows()
  await rewrite(app, { id: lost.id }, { holder: first!.holder })
  await leaveIdle(app, { id: account.id })
  await releaseLostClaims(app.db, Number(first!.holder!.replace('worker:', '')), [handedOver.id])
  const after = await rows()
  expect(after.find(({ id }) => id === handedOver.id)).toEqual(first)
  expect(after.find(({ id }) => id === lost.id)).toMatchObject({
    status: 'queued',
    lease: null,
    leaseExpiresAt: null,
    claimedAt: null,
    triedAt: null,
    attempts: 0,
  })
  const [woken] = await app.db.select().from(xAccounts).where(eq(xAccounts.id, account.id))
  expect(woken!.nextSendAt).not.toBeNull()
})

describe('an old claim', () => {
  /** Simulates a process that paused for `seconds` seconds after its claim. */
  async function age(claimed: Claimed, seconds: number): Promise<void> {
    claimed.claimedAt -= seconds * 1_000
    await backdateClaims(app, { id: claimed.id }, seconds)
  }

  it('is released if another message was claimed meanwhile, because of the interval', async () => {
    const { person, account } = await connected()
    await launch(person, await makeList(app, person, openHandles(2)))
    const needs = { ...app.services, ...withInterval(60) }
    const first = await claimAndDie(needs.env)
    await age(first, 61)
    await letSend(app, { id: account.id })
    const second = await claimAndDie(needs.env)
    expect(second.id).not.toBe(first.id)
    const verdict = await send(needs, first, TIMING)
    expect(verdict).toMatchObject({ kind: 'late', until: expect.any(Date) })
    expect(await send(needs, second, TIMING)).toMatchObject({ kind: 'sent' })
    expect(await arrivedFrom(account.handle)).toHaveLength(1)
    // In the meantime, a sender found nothing else to send.
    await leaveIdle(app, { id: account.id })
    await record(app.db, [{ claimed: first, verdict, failures: 0 }])
    const [dm] = await app.db.select().from(dms).where(eq(dms.id, first.id))
    expect(dm).toMatchObject({ status: 'queued', lease: null, claimedAt: null, triedAt: null })
    const [woken] = await app.db.select().from(xAccounts).where(eq(xAccounts.id, account.id))
    expect(woken!.nextSendAt).not.toBeNull()
  })

  it('is released if storing the hand-over takes longer than the interval', async () => {
    // Accounts of other tests have nothing to send here.
    await leaveIdle(app)
    const { person, account } = await connected()
    await launch(person, await makeList(app, person, openHandles(2)))
    const needs = { ...app.services, ...withInterval(1) }
    const first = await claimAndDie(needs.env)
    const { sending, second } = await app.db.transaction(async (tx) => {
      await tx.execute(sql`select from dms where id = ${first.id} for update`)
      const sending = send(needs, first, TIMING)
      await waitForBlockedStatement(app)
      const second = await eventually(() => claimAndDie(needs.env), 'the next message is claimed')
      return { sending, second }
    })
    expect(await send(needs, second, TIMING)).toMatchObject({ kind: 'sent' })
    expect(await sending).toMatchObject({ kind: 'late' })
    expect((await arrivedFrom(account.handle)).map(({ to }) => to)).toEqual([second.lead!.handle])
    await leaveIdle(app)
  })

  it('is not sent to a lead that is suppressed while the hand-over is stored', async () => {
    const { person, account } = await connected()
    const list = await makeList(app, person, openHandles(1))
    await launch(person, list)
    const needs = { ...app.services, ...withInterval(60) }
    const claimed = await claimAndDie(needs.env)
    const { sending } = await app.db.transaction(async (tx) => {
      await tx.execute(sql`select from dms where id = ${claimed.id} for update`)
      const sending = send(needs, claimed, TIMING)
      await waitForBlockedStatement(app)
      await person.client.suppressions.create({ handles: list.handles })
      return { sending }
    })
    expect(await sending).toMatchObject({ kind: 'skipped' })
    expect(await arrivedFrom(account.handle)).toEqual([])
  })

  it('starts the interval when its message is sent', async () => {
    const { person, account } = await connected()
    await launch(person, await makeList(app, person, openHandles(2)))
    const needs = { ...app.services, ...withInterval(60) }
    const claimed = await claimAndDie(needs.env)
    await age(claimed, 50)
    await letSend(app, { id: account.id })
    expect(await send(needs, claimed, TIMING)).toMatchObject({ kind: 'sent' })
    const [next] = await app.db.select().from(xAccounts).where(eq(xAccounts.id, account.id))
    expect(next!.nextSendAt!.getTime()).toBeGreaterThan(Date.now() + 55_000)
  })

  it('is not sent after its lease has expired', async () => {
    const { person, account } = await connected()
    await launch(person, await makeList(app, person, openHandles(1)))
    const claimed = await claimAndDie()
    await age(claimed, 130)
    await endLeases(app, { id: claimed.id })
    expect(await send(app.services, claimed, TIMING)).toEqual({ kind: 'lost' })
    expect(await arrivedFrom(account.handle)).toEqual([])
  })
})

it('skips a locked message without waiting, and claims it once its account is woken', async () => {
  const { person, account } = await connected()
  await launch(person, await makeList(app, person, openHandles(1)))
  await app.db.transaction(async (tx) => {
    await tx.execute(sql`select from dms where workspace_id = ${person.workspaceId} for update`)
    expect(await claimAndDie()).toBeNull()
    await letSend({ db: tx }, { id: account.id })
  })
  expect(await claimAndDie()).toMatchObject({ accountId: account.id })
})

describe('a campaign archived after a process died with a message that X may have', () => {
  it('blocks its lead for other campaigns until the message is settled', async () => {
    const { person, account } = await connected()
    const list = await makeList(app, person, openHandles(1))
    const { id } = await launch(person, list)
    const claimed = await handOverAndDie()
    await takeOver(app.db)
    await person.client.campaigns.update({ id, status: 'archived' })
    const next = await launch(person, list)
    expect(next).toMatchObject({ status: 'completed', dmsFailedCount: 1 })
    expect(await dmsOf(person, next.id)).toMatchObject([
      { errorMessage: 'Skipped: this person is in the campaign “Spring”.' },
    ])
    expect(await person.client.leads.queue({ leadIds: list.leadIds })).toMatchObject({ queued: 0 })
    // The message never arrived, so the archived campaign keeps it.
    await start()
    await eventually(async () => (await countClaimed(id)) === 0, 'it is settled')
    expect((await person.client.leads.find({ id: list.leadIds[0]! })).dmStatus).toBe('not_sent')
    expect(await completed(person, (await launch(person, list)).id)).toMatchObject({ dmsSentCount: 1 })
    expect(await arrivedFrom(account.handle)).toHaveLength(1)
    expect(claimed.campaignId).toBe(id)
  })
})

/** Claims a message like a process that is then killed. */
async function claimAndDie(env = app.services.env) {
  const worker = await startProcess(app)
  for (;;) {
    const { claimed, isIdle } = await claimDue(app.db, worker, env)
    if (claimed || isIdle) return claimed as Claimed
  }
}

/** Hands a message over to X like a process that is killed before X responds. */
async function handOverAndDie() {
  const claimed = await claimAndDie()
  await rewrite(app, { id: claimed.id }, { isHandedOver: true, handedOverAt: sql`now()` })
  return claimed
}

describe('a send that X rejects', () => {
  it('waits for the reset of a rate limit', async () => {
    const { person, account } = await connected()
    const list = await makeList(app, person, openHandles(3))
    await setFaults(app, { ...SENDS, status: 429, resetSeconds: 1, times: 2 })
    await start()
    const campaign = await launch(person, list)
    await eventually(async () => {
      const [row] = await app.db.select().from(xAccounts).where(eq(xAccounts.id, account.id))
      return row!.nextSendAt && row!.nextSendAt.getTime() > Date.now() + 300
    }, 'the account waits')
    expect(await completed(person, campaign.id)).toMatchObject({ dmsSentCount: 3, dmsFailedCount: 0 })
    expect(await arrivedFrom(account.handle)).toHaveLength(3)
  })

  it('renews an expired token', async () => {
    const { person, account } = await connected()
    await setFaults(app, { ...SENDS, status: 401, times: 1 })
    await start()
    const campaign = await launch(person, await makeList(app, person, openHandles(2)))
    expect(await completed(person, campaign.id)).toMatchObject({ dmsSentCount: 2 })
    expect(await arrivedFrom(account.handle)).toHaveLength(2)
  })

  it('pauses the campaign with the reason if the connection is lost, and resumes once it is restored', async () => {
    const { person, account } = await connected()
    await setFaults(app, { ...SENDS, status: 401 })
    await start()
    const { id } = await launch(person, await makeList(app, person, openHandles(3)))
    const paused = await eventually(async () => {
      const campaign = await person.client.campaigns.find({ id })
      return campaign.status === 'paused' ? campaign : null
    }, 'the campaign pauses')
    expect(paused).toMatchObject({
      pauseReason: 'This X account is disconnected. Connect it again, then resume.',
      reason: { code: 'x_disconnected', params: {} },
    })
    await eventually(async () => (await countClaimed(id)) === 0, 'no message is claimed')
    expect(await person.client.campaigns.find({ id })).toMatchObject({ dmsQueuedCount: 3, dmsFailedCount: 0 })
    await expect(person.client.campaigns.update({ id, status: 'active' })).rejects.toMatchObject({
      code: 'X_NOT_CONNECTED',
    })

    await setFaults(app)
    await connectX(app, person, account.handle)
    await person.client.campaigns.update({ id, status: 'active' })
    expect(await completed(person, id)).toMatchObject({ dmsSentCount: 3, pauseReason: null, reason: null })
    expect(await arrivedFrom(account.handle)).toHaveLength(3)
  })

  it.each([
    [226, "X flagged this account's activity as automated. Wait a while, then refresh its status under Connect X."],
    [326, 'X has locked this account. Unlock it on x.com, then refresh its status under Connect X.'],
  ])('pauses the campaign with the reason on error %i', async (code, reason) => {
    const { person, account } = await connected()
    await setFaults(app, { ...SENDS, status: 403, code })
    await start()
    const { id } = await launch(person, await makeList(app, person, openHandles(2)))
    await eventually(
      async () => (await person.client.campaigns.find({ id })).pauseReason === reason,
      'the campaign pauses',
    )
    await eventually(async () => (await countClaimed(id)) === 0, 'no message is claimed')
    expect(await person.client.campaigns.find({ id })).toMatchObject({
      status: 'paused',
      dmsQueuedCount: 2,
      reason: { code: 'x_locked', params: {} },
    })
    expect(await person.client.xAccount.status()).toMatchObject({ connected: false, reason })
    await setFaults(app)
    expect(await person.client.xAccount.check({ id: account.id })).toMatchObject({ status: 'connected', reason: null })
    await person.client.campaigns.update({ id, status: 'active' })
    await completed(person, id)
    expect(await arrivedFrom(account.handle)).toHaveLength(2)
  })

  it('pauses the campaign after X forbade 5 messages, and each of these has failed', async () => {
    const { person } = await connected()
    await setFaults(app, { ...SENDS, status: 403 })
    await start(withInterval(0.05))
    const { id } = await launch(person, await makeList(app, person, openHandles(8)))
    await eventually(
      async () => (await person.client.campaigns.find({ id })).status === 'paused',
      'the campaign pauses',
    )
    await eventually(async () => (await countClaimed(id)) === 0, 'no message is claimed')
    const { dmsFailedCount, dmsQueuedCount, ...campaign } = await person.client.campaigns.find({ id })
    expect(campaign).toMatchObject({
      pauseReason: 'X does not allow it: Forbidden',
      reason: { code: 'refusals', params: { refused: 5, of: 5 } },
    })
    // One or two may have been claimed before the pause.
    expect(dmsFailedCount).toBeGreaterThanOrEqual(5)
    expect(dmsFailedCount + dmsQueuedCount).toBe(8)
    expect(dmsQueuedCount).toBeGreaterThan(0)
  })

  it('is retried later if X cannot be reached', async () => {
    const { person, account } = await connected()
    const x = createXApi({ apiUrl: await closedPortUrl(), clientId: 'a', clientSecret: null })
    const close = await start({ x })
    const { id } = await launch(person, await makeList(app, person, openHandles(2)))
    await eventually(async () => {
      const [row] = await app.db.select().from(xAccounts).where(eq(xAccounts.id, account.id))
      return row!.nextSendAt && row!.nextSendAt.getTime() > Date.now() + 3_000
    }, 'the account waits')
    await close()
    const rows = await app.db.select().from(dms).where(eq(dms.campaignId, id))
    expect(rows.every((dm) => dm.status === 'queued' && !dm.leaseExpiresAt && !dm.claimedAt && !dm.triedAt)).toBe(true)
    await rest(app, { id: account.id }, null)
    await letSend(app, { id: account.id })
    await start()
    await completed(person, id)
    expect(await arrivedFrom(account.handle)).toHaveLength(2)
  })

  it('resumes direct messages once the account is connected again', async () => {
    const { person, account } = await connected()
    const list = await makeList(app, person, openHandles(2))
    await setFaults(app, { ...SENDS, status: 401 })
    await start()
    await queueDirect(app.db, person.actor, { leadIds: list.leadIds })
    const direct = () =>
      app.db.select().from(campaigns).where(sql`kind = 'direct' and workspace_id = ${person.workspaceId}`)
    await eventually(async () => (await direct())[0]?.status === 'paused', 'direct messages pause')
    await setFaults(app)
    await connectX(app, person, account.handle)
    await eventually(async () => (await arrivedFrom(account.handle)).length === 2, 'both arrive')
  })
})

/** Returns the URL of a port that nothing listens on. */
async function closedPortUrl(): Promise<string> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  server.close()
  await once(server, 'close')
  return `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`
}
