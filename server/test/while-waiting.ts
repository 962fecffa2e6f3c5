import { sql } from 'drizzle-orm'
import { expect } from 'vitest'
import type { TestApp } from './open-app.ts'

const PATIENCE_MS = 60_000

/**
 * Starts `work`, waits until it is blocked by the statement `lock`, and checks that `others` still
 * finish. @param end how the lock's transaction ends @returns the result of `work`
 */
export async function whileWaiting<T>(
  app: TestApp,
  {
    lock,
    work,
    others = async () => {},
    end = 'rollback',
  }: { lock: string; work: () => Promise<T>; others?: () => Promise<unknown>; end?: 'commit' | 'rollback' },
): Promise<T> {
  const holder = await app.services.database.connect()
  let working: Promise<T> | null = null
  try {
    await holder.query('begin')
    expect((await holder.query(lock)).rowCount, 'locked rows').toBeGreaterThan(0)
    working = work()
    const waiting = sql`select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`
    await expect
      .poll(async () => (await app.db.execute(waiting)).rows.length, { timeout: PATIENCE_MS })
      .toBeGreaterThan(0)
    await Promise.race([
      others(),
      new Promise((_, reject) => setTimeout(reject, PATIENCE_MS, new Error('other statements wait for it'))),
    ])
  } finally {
    await holder.query(end)
    await holder.end()
  }
  return working
}

/** The statement that deletes a row, for `lock`. */
export const deletionOf = (table: 'auth_identities' | 'campaigns' | 'leads', id: string) =>
  `delete from ${table} where id = '${id}'`
