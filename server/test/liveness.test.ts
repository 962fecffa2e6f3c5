import { sql } from 'drizzle-orm'
import { beforeAll, expect, it } from 'vitest'
import { livingWorkers, openLiveness } from '../src/db/liveness.ts'
import { workers } from '../src/db/tables.ts'
import { openApp, type TestApp } from './open-app.ts'

let app: TestApp
beforeAll(async () => {
  app = await openApp()
})

async function isAlive(id: number): Promise<boolean> {
  const { rows } = await app.db.execute(sql`select 1 where ${id}::bigint in (${livingWorkers})`)
  return rows.length > 0
}

it('reports workers of any process as alive until they close', async () => {
  const { database } = app.services
  const [first, second] = await Promise.all([openLiveness(database), openLiveness(database)])
  expect(first.workerId).not.toBe(second.workerId)
  expect(await Promise.all([isAlive(first.workerId), isAlive(second.workerId)])).toEqual([true, true])
  await first.close()
  expect(await isAlive(first.workerId)).toBe(false)
  expect(await isAlive(999_999)).toBe(false)
  expect((await app.db.select().from(workers)).map((row) => row.id)).toEqual([second.workerId])
  await second.close()
})

it('stays alive under the same id when its connection breaks', async () => {
  const liveness = await openLiveness(app.services.database)
  // Other test databases of the cluster have workers with the same ids.
  const { rows } = await app.services.database.pool.query(
    `select pg_terminate_backend(pid, 5000) from pg_locks where locktype = 'advisory' and objid = $1
      and database = (select oid from pg_database where datname = current_database())`,
    [liveness.workerId],
  )
  expect(rows).toHaveLength(1)
  for (let tries = 0; !(await isAlive(liveness.workerId)); tries++) {
    if (tries > 100) throw new Error('still considered dead')
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
  await liveness.close()
  expect(await isAlive(liveness.workerId)).toBe(false)
})
