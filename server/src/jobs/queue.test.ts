import { sql } from 'drizzle-orm'
import { beforeAll, expect, it } from 'vitest'
import { openApp, type TestApp } from '../../test/open-app.ts'

let app: TestApp
beforeAll(async () => {
  app = await openApp()
})

it('gives a queue that an earlier version created its options and its policy', async () => {
  const read = async () =>
    (await app.db.execute(sql`select policy, retry_limit, retry_backoff from pgboss.queue where name = 'payment'`)).rows
  const options = await read()
  expect(options).toEqual([{ policy: 'short', retry_limit: 20, retry_backoff: true }])
  await app.db.execute(
    sql`update pgboss.queue set policy = 'standard', retry_limit = 1, retry_backoff = false where name = 'payment'`,
  )
  await app.startAnother({ workers: false })
  expect(await read()).toEqual(options)
})
