import type { Db } from './open.ts'

/*
 * To avoid deadlocks, transactions lock rows in this order, and rows of one table by ascending id:
 *
 *   message (dms) → list → scrape → lead → list entry → tag → scrape count → campaign → X account → monthly usage
 *
 * The triggers that count tags and finds follow it too. Among advisory locks, a campaign's lock comes before all
 * rows, and 'queueing' before leads. Exceptions skip locked rows or cannot meet anyone on the way back:
 * - Claims lock the campaign or account before the message, and skip locked messages. Editing the queued text of a
 *   campaign blocks new claims first.
 * - Queueing a list locks the campaign before its leads: it has no messages whose outcome could be recorded yet.
 * - Suppressing people locks their leads and campaigns before the messages, and skips locked messages.
 * - Restoring leads locks the campaigns of their messages first: nobody else can lock a lead that does not exist yet.
 * - A message returned unsent to an archived campaign refunds the monthly usage before the account. This is rare.
 * - Renaming, merging and deleting tags lock tags before the smart lists that use them; these have no list entries.
 * PostgreSQL resolves any remaining deadlock, and `transact` retries the losing transaction.
 */

/** Deadlock, serialization failure, and a referenced row that was deleted after it was read. */
const RACE_LOST = new Set(['40P01', '40001', '23503'])
const TRIES = 3

/**
 * Runs a transaction and retries it twice if it loses a race, so `work` must only change the database.
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
