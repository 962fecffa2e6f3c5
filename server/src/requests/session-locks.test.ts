import { sql } from 'drizzle-orm'
import { beforeAll, beforeEach, expect, it } from 'vitest'
import { openApp, type TestApp } from '../../test/open-app.ts'
import { openDatabase } from '../db/open.ts'

let app: TestApp
beforeAll(async () => {
  app = await openApp()
})
let lock = ''
beforeEach(() => {
  lock = String(Math.floor(Math.random() * 2 ** 48))
})
const locksHeld = async () => {
  const { rows } = await app.db.execute<{ pid: number }>(
    sql`select pid from pg_locks where locktype = 'advisory' and (classid::bigint << 32) + objid::bigint = ${lock}::bigint and granted`,
  )
  return rows
}
const until = async (isTrue: () => Promise<boolean>) => {
  for (const end = Date.now() + 60_000; !(await isTrue()); ) {
    if (Date.now() > end) throw new Error('not within 10 seconds')
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
}

it('grants a lock to one holder at a time, across processes', async () => {
  const here = app.services.database.locks
  const other = openDatabase(app.databaseUrl)
  const attempts = await Promise.all([here.tryTake(lock), here.tryTake(lock), other.locks.tryTake(lock)])
  const winners = attempts.filter((release) => release !== null)
  expect(winners).toHaveLength(1)
  expect(await here.tryTake(lock)).toBeNull()
  expect(await other.locks.tryTake(lock)).toBeNull()
  await winners[0]?.()
  const next = await other.locks.tryTake(lock)
  expect(next).not.toBeNull()
  expect(await here.tryTake(lock)).toBeNull()
  // As if its process had died.
  await other.close()
  await until(async () => (await locksHeld()).length === 0)
  expect(await here.tryTake(lock)).not.toBeNull()
})

it('holds many locks on one connection and takes them again after a reconnect', async () => {
  const { locks } = app.services.database
  const releases = await Promise.all(
    [lock, ...Array.from({ length: 30 }, () => crypto.getRandomValues(new Uint32Array(1)).join())].map(locks.tryTake),
  )
  expect(releases.every((release) => release !== null)).toBe(true)
  const [before] = await locksHeld()
  await app.db.execute(sql`select pg_terminate_backend(${before?.pid})`)
  await until(async () => (await locksHeld()).some((now) => now.pid !== before?.pid))
  expect(await locks.tryTake(lock)).toBeNull()
  for (const release of releases) await release?.()
  expect(await locksHeld()).toEqual([])
  expect(await locks.tryTake(lock)).not.toBeNull()
})
