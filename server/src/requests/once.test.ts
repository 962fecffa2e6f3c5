import { createHash, randomUUID } from 'node:crypto'
import { eq, sql } from 'drizzle-orm'
import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { ageKey } from '../../test/jobs.ts'
import { insertList } from '../../test/lists.ts'
import { call, connectX, makePerson, type Person } from '../../test/makers.ts'
import { openApp, type TestApp } from '../../test/open-app.ts'
import { leadLists } from '../domains/leads/lists/tables.ts'
import { xAccounts } from '../domains/platform/x-account/tables.ts'
import { Refusal } from '../refusal.ts'
import { keyedRequest, once, onceOutside, purgeIdempotencyKeys } from './once.ts'
import { idempotencyKeys } from './tables.ts'

const SECRET = 'a secret'

let app: TestApp
let person: Person
let key: string
beforeAll(async () => {
  app = await openApp({ x: true })
})
beforeEach(async () => {
  person = await makePerson(app)
  key = randomUUID()
})

const create = (body: unknown, by = person, withKey = key) =>
  by.call('POST', '/lists', body, { 'idempotency-key': withKey })
const listsOf = (by: Person) => app.db.select().from(leadLists).where(eq(leadLists.workspaceId, by.workspaceId))

describe('an Idempotency-Key', () => {
  it('repeats the first answer and takes effect once', async () => {
    const first = await create({ name: 'One' })
    const second = await create({ name: 'One' })
    expect(second.body).toEqual(first.body)
    expect([first.status, second.status]).toEqual([200, 200])
    expect(await listsOf(person)).toHaveLength(1)
  })

  it('returns 409 for another body', async () => {
    await create({ name: 'One' })
    const other = await create({ name: 'Two' })
    expect([other.status, other.body.code]).toEqual([409, 'IDEMPOTENCY_KEY_REUSED'])
    expect(await listsOf(person)).toHaveLength(1)
  })

  it('takes effect once for concurrent requests, which get 409 meanwhile', async () => {
    const responses = await Promise.all(Array.from({ length: 12 }, () => create({ name: 'One' })))
    for (const response of responses) {
      if (response.status === 409) expect(response.body.code).toBe('IDEMPOTENCY_UNDER_WAY')
      else expect([response.status, response.body.name]).toEqual([200, 'One'])
    }
    expect(new Set(responses.filter((a) => a.status === 200).map((a) => a.body.id)).size).toBe(1)
    expect(await listsOf(person)).toHaveLength(1)
  })

  it('repeats an error even if its cause is gone', async () => {
    const list = await create({ name: 'One' }, person, randomUUID())
    const missing = '01900000-0000-7000-8000-000000000000'
    const update = (id: string) => person.call('PATCH', `/lists/${id}`, { name: 'Two' }, { 'idempotency-key': key })
    const first = await update(missing)
    expect(first.status).toBe(404)
    expect((await update(missing)).body).toEqual(first.body)
    expect((await update(list.body.id)).body.code).toBe('IDEMPOTENCY_KEY_REUSED')
  })

  it('repeats an answer without a body', async () => {
    const list = await create({ name: 'One' }, person, randomUUID())
    const remove = () => person.call('DELETE', `/lists/${list.body.id}`, undefined, { 'idempotency-key': key })
    expect([(await remove()).status, (await remove()).status]).toEqual([204, 204])
  })

  it('is scoped to its user', async () => {
    const other = await makePerson(app)
    const [mine, theirs] = [await create({ name: 'One' }), await create({ name: 'Two' }, other)]
    expect([mine.status, theirs.status]).toEqual([200, 200])
    expect(theirs.body.name).toBe('Two')
  })

  it('expires after 24 hours', async () => {
    const first = await create({ name: 'One' })
    await ageKey(app, key, 25)
    expect((await create({ name: 'One' })).body.id).not.toBe(first.body.id)
    await ageKey(app, key, 25)
    await purgeIdempotencyKeys(app.db)
    expect(await app.db.select().from(idempotencyKeys).where(eq(idempotencyKeys.key, key))).toEqual([])
  })

  it('returns 400 if it is too long', async () => {
    expect((await create({ name: 'One' }, person, 'k'.repeat(256))).status).toBe(400)
  })

  it('is honored by calls that talk to another service', async () => {
    const connect = (password: string) =>
      person.call('POST', '/session/connect', { username: 'founder', password }, { 'idempotency-key': key })
    const first = await connect('long enough')
    expect((await connect('long enough')).body).toEqual(first.body)
    expect((await connect('another one')).body.code).toBe('IDEMPOTENCY_KEY_REUSED')
  })

  it('stores passwords only as a keyed hash', async () => {
    const body = { username: 'founder', password: 'long enough' }
    await person.call('POST', '/session/connect', body, { 'idempotency-key': key })
    const [row] = await app.db.select().from(idempotencyKeys).where(eq(idempotencyKeys.key, key))
    const request = { method: 'POST', path: `${person.workspaceId} /api/session/connect`, body }
    const hashOf = (secret: string) => keyedRequest(secret, row!.scope, key, request).hash
    expect(row!.requestHash).toBe(hashOf(app.env.authSecret))
    expect(row!.requestHash).not.toBe(hashOf('another secret'))
    const bare = JSON.stringify(Object.values(request))
    expect(row!.requestHash).not.toBe(createHash('sha256').update(bare).digest('base64url'))
    expect(JSON.stringify(row)).not.toContain('long enough')
  })
})

describe('once', () => {
  const request = () => keyedRequest(SECRET, `user:${person.id}`, key, { method: 'POST', path: '/x', body: {} })

  it('stores neither 429 nor unexpected errors', async () => {
    const { db } = app
    await expect(
      once(db, request(), async () => {
        throw new Refusal('RATE_LIMITED', undefined, { retryAfterSeconds: 1 })
      }),
    ).rejects.toThrow()
    await expect(
      once(db, request(), async () => {
        throw new Error('a fault')
      }),
    ).rejects.toThrow('a fault')
    expect(await once(db, request(), async () => 'done')).toBe('done')
  })

  it('rolls back an effect that throws a refusal', async () => {
    await expect(
      once(app.db, request(), async (tx) => {
        await insertList({ db: tx }, person, 'half')
        throw new Refusal('LEAD_LIST_NOT_FOUND')
      }),
    ).rejects.toMatchObject({ code: 'LEAD_LIST_NOT_FOUND' })
    expect(await listsOf(person)).toEqual([])
  })
})

describe('onceOutside', () => {
  const request = () => keyedRequest(SECRET, `user:${person.id}`, key, { method: 'POST', path: '/x', body: {} })
  const run = (effect: Parameters<typeof onceOutside>[2]) => onceOutside(app.services.database, request(), effect)

  it('returns the answer stored by an effect that failed afterwards', async () => {
    const effect = run(async ({ remember }) => {
      await app.db.transaction((tx) => remember(tx, { success: true }))
      throw new Error('died after its transaction')
    })
    await expect(effect).rejects.toThrow('died')
    expect(await run(async () => 'again')).toEqual({ success: true })
  })

  it('stores refusals, except those with a temporary cause', async () => {
    for (const code of ['X_UNAVAILABLE', 'RATE_LIMITED', 'UNAUTHORIZED'] as const) {
      const passing = run(async () => {
        throw new Refusal(code)
      })
      await expect(passing).rejects.toMatchObject({ code })
    }
    const refused = run(async () => {
      throw new Refusal('X_SESSION_EXPIRED', 'Not now', { details: [1] })
    })
    await expect(refused).rejects.toMatchObject({ code: 'X_SESSION_EXPIRED' })
    await expect(run(async () => 'again')).rejects.toMatchObject({
      code: 'X_SESSION_EXPIRED',
      message: 'Not now',
      details: [1],
    })
  })

  it('passes the stored progress to a retry until there is an answer', async () => {
    const died = run(async ({ progress }) => {
      expect(progress.begun).toBeUndefined()
      await app.db.transaction((tx) => progress.keep(tx, 'first'))
      throw new Error('died')
    })
    await expect(died).rejects.toThrow('died')
    expect(await run(async ({ progress }) => `went on with ${progress.begun}`)).toBe('went on with first')
    expect(await run(async () => 'again')).toBe('went on with first')
  })

  it('rolls back a transaction whose key was answered meanwhile, because its lock was lost', async () => {
    const { db } = app
    const withoutLock = (effect: Parameters<typeof onceOutside>[2]) =>
      onceOutside({ db, locks: { tryTake: async () => async () => {} } }, request(), effect)
    const createList = ({ remember }: Parameters<Parameters<typeof onceOutside>[2]>[0], name: string) =>
      db.transaction(async (tx) => {
        await insertList({ db: tx }, person, name)
        await remember(tx, name)
        return name
      })
    const late = withoutLock(async (keeping) => {
      await withoutLock((other) => createList(other, 'first'))
      return createList(keeping, 'second')
    })
    await expect(late).rejects.toMatchObject({ code: 'IDEMPOTENCY_UNDER_WAY' })
    expect((await listsOf(person)).map(({ name }) => name)).toEqual(['first'])
    expect(await run(async () => 'again')).toBe('first')
  })

  it('stores the answer of connecting X in the transaction that stores the account', async () => {
    const connect = () =>
      person.call(
        'POST',
        '/session/connect',
        { username: 'founder', password: 'long enough' },
        { 'idempotency-key': key },
      )
    await connect()
    const [account] = await app.db
      .select({ tx: sql<string>`xmin::text` })
      .from(xAccounts)
      .where(eq(xAccounts.workspaceId, person.workspaceId))
    const [stored] = await app.db
      .select({ tx: sql<string>`xmin::text` })
      .from(idempotencyKeys)
      .where(eq(idempotencyKeys.key, key))
    expect(stored?.tx).toBe(account?.tx)
  })

  it('repeats a refusal of the API even if its cause is gone', async () => {
    const create = () =>
      person.call('POST', '/scrapes', { twitterHandle: 'ana', type: 'followers' }, { 'idempotency-key': key })
    const first = await create()
    expect([first.status, first.body.code]).toEqual([409, 'X_SESSION_EXPIRED'])
    await connectX(app, person)
    expect((await create()).body).toEqual(first.body)
  })
})

describe('keyed calls', () => {
  const reads = () => makePerson(app).then((other) => other.call('GET', '/lists'))

  it('hold no database connection while waiting for another service', async () => {
    const { promise, resolve } = Promise.withResolvers<void>()
    let begun = 0
    const waiting = Array.from({ length: 40 }, (_, n) =>
      onceOutside(
        app.services.database,
        keyedRequest(SECRET, `user:${person.id}`, `${key}${n}`, { method: 'POST', path: '/x', body: {} }),
        () => {
          begun += 1
          return promise
        },
      ),
    )
    const { pool } = app.services.database
    await expect.poll(() => [begun, pool.totalCount - pool.idleCount]).toEqual([40, 0])
    expect((await reads()).status).toBe(200)
    resolve()
    expect(await Promise.all(waiting)).toHaveLength(40)
  })

  it('do not deadlock on connections when they count against a rate limit', async () => {
    const joins = Array.from({ length: 25 }, (_, n) =>
      call(app, 'POST', '/waitlist/join', { email: `${n}-${key}@example.com` }, { 'idempotency-key': `${key}${n}` }),
    )
    expect((await Promise.all(joins)).map((response) => response.status)).toEqual(joins.map(() => 200))
  })
})
