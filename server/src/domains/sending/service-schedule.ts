import { eq, sql } from 'drizzle-orm'
import type { Db } from '../../db/open.ts'
import { xAccounts } from '../x-account/tables.ts'

/** NOTIFY channel that tells senders to look for work at once. */
export const SENDING_CHANNEL = 'sending'

/**
 * Puts the account on the senders' schedule, where it is not, and tells them when the transaction commits.
 * A pause that the account is in the middle of stays: work that was overdue is paced like any other.
 */
export async function wakeAccount(tx: Db, accountId: string): Promise<void> {
  // Unconditional, so that the row is locked: a sender that is just taking the account off the schedule comes before or after, never between.
  await tx
    .update(xAccounts)
    .set({ nextSendAt: sql`coalesce(${xAccounts.nextSendAt}, now())` })
    .where(eq(xAccounts.id, accountId))
  await tellSenders(tx)
}

/** Where it is another campaign's turn on the account, one looks again after this time: whoever ends a turn mostly says so (`endTurn`). In seconds. */
export const TURN_SECONDS = 15

/**
 * A campaign on the account sends no more, so the next one has its turn: senders look at once.
 * Nobody is waited for: an account that somebody holds at this moment is looked at in TURN_SECONDS.
 */
export async function endTurn(tx: Db, accountId: string | null): Promise<void> {
  if (accountId === null) return
  const { rowCount } = await tx.execute(sql`
    update x_accounts set next_send_at = now()
    where id = (select id from x_accounts where id = ${accountId} for update skip locked) and next_send_at > now()`)
  if (rowCount) await tellSenders(tx)
}

export async function tellSenders(tx: Db): Promise<void> {
  await tx.execute(sql`select pg_notify(${SENDING_CHANNEL}, '')`)
}
