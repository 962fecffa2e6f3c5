import type { Db } from './open.ts'

/*
 * The order in which transactions lock rows, so that they do not wait for each other in a circle:
 *
 *   message (dms) → list → scrape → lead → place in a list → tag → a scrape's count of its finds → campaign → X account → a month's count
 *
 * and rows of one table in the order of their ids, which the triggers that count tags and finds keep by themselves. Of the advisory locks, a campaign's gate comes before all rows; 'queueing' stands before leads.
 * Recording an outcome goes that way, and happens most. What departs from it does so without waiting, or where nobody can be on the way back:
 * - Claims lock campaign or account before the message, and skip a message that is locked. Changing the queued text of a campaign takes its gate, so that none of it is claimed meanwhile.
 * - Queueing a list locks the campaign before its leads; it has no messages yet whose outcomes could be recorded.
 * - Suppressing people locks their leads and then their campaigns before the messages, of which it skips those that are locked.
 * - Restoring leads locks the campaigns of their messages before them: nobody else can hold a lead that is not there yet.
 * - What comes back unsent to a campaign that was archived meanwhile gives the month's count its own back before the account is looked at again: seldom.
 * - Renaming, merging and deleting tags lock them before the smart lists that ask for them, which hold no places, and lock no leads.
 * A circle that comes about all the same is cut by PostgreSQL, and whoever was cut tries again here.
 */

/**
 * A deadlock that was lost, a transaction that PostgreSQL could not bring into an order, and a row to be referred to that
 * was deleted after it was read: begun anew, it is not found any more.
 */
const RACE_LOST = new Set(['40P01', '40001', '23503'])
const TRIES = 3

/**
 * A transaction that begins anew, twice at most, where it lost a race against another one. `work` therefore does nothing but change the database.
 * @param db a pool, or a transaction: then what is undone and begun anew is this part of it
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
