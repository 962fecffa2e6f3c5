import { eq, sql } from 'drizzle-orm'
import type { Db } from '../../../db/open.ts'
import { xAccounts } from '../../platform/x-account/tables.ts'

/** NOTIFY channel that makes workers look for due messages. */
export const SENDING_CHANNEL = 'sending'

/**
 * Schedules the account if it is not scheduled yet, and notifies workers when the transaction
 * commits. An existing time stays, so overdue messages keep the interval.
 */
export async function wakeAccount(tx: Db, accountId: string): Promise<void> {
  // Always update, to lock the row: a worker that unschedules the account runs before or after,
  // never in between.
  await tx
    .update(xAccounts)
    .set({ nextSendAt: sql`coalesce(${xAccounts.nextSendAt}, now())` })
    .where(eq(xAccounts.id, accountId))
  await notifySenders(tx)
}

/**
 * Seconds until a campaign that waits for its turn is checked again. Usually `endTurn` wakes it
 * earlier.
 */
export const TURN_SECONDS = 15

/**
 * Makes the account due now, because a campaign on it stopped and the next one may send.
 * Never waits: an account that is locked right now is checked after TURN_SECONDS.
 */
export async function endTurn(tx: Db, accountId: string | null): Promise<void> {
  if (accountId === null) return
  const { rowCount } = await tx.execute(sql`
    update x_accounts set next_send_at = now()
    where id = (select id from x_accounts where id = ${accountId} for update skip locked) and next_send_at > now()`)
  if (rowCount) await notifySenders(tx)
}

export async function notifySenders(tx: Db): Promise<void> {
  await tx.execute(sql`select pg_notify(${SENDING_CHANNEL}, '')`)
}
