import { type SQL, sql } from 'drizzle-orm'
import type { Db } from './open.ts'

// Transactions lock rows in one order, to avoid deadlocks: see core/README.md.

/** Deadlock, serialization failure, and a referenced row that was deleted after it was read. */
const RACE_LOST = new Set(['40P01', '40001', '23503'])
const TRIES = 3

/**
 * Runs a transaction; retries it twice if it loses a race, so `work` must only change the database.
 * @param db a pool, or a transaction: then only the nested part is rolled back and retried
 */
export async function transact<T>(db: Db, work: (tx: Db) => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await db.transaction(work)
    } catch (error) {
      const { code, cause } = error as { code?: string; cause?: { code?: string } }
      if (tries === TRIES || !RACE_LOST.has(cause?.code ?? code ?? '')) throw error
    }
  }
}

const LOCKS = { update: sql`update`, 'no key update': sql`no key update`, 'key share': sql`key share` }

/** Locks rows of a table by ascending id. @param which a condition */
export async function lockRows(
  tx: Db,
  table: string,
  which: SQL,
  strength: keyof typeof LOCKS = 'no key update',
): Promise<void> {
  const rows = sql`select from ${sql.identifier(table)} where ${which} order by id for ${LOCKS[strength]}`
  await tx.execute(sql`select count(*) from (${rows}) locked`)
}
