import { setTimeout as sleep } from 'node:timers/promises'
import { type SQL, sql } from 'drizzle-orm'
import { allowLongStatements } from '../../../db/long-statements.ts'
import type { Db } from '../../../db/open.ts'
import { countInFlight } from './tables.ts'

/**
 * Queues one batch at a time per workspace: each must see what the previous one queued, or both
 * could message the same lead.
 */
export async function lockQueueing(tx: Db, workspaceId: string): Promise<void> {
  await tx.execute(sql`select pg_advisory_xact_lock(hashtextextended('queueing:' || ${workspaceId}::text, 0))`)
}

/** Locks leads in id order, so that two transactions never deadlock. */
export async function lockLeads(tx: Db, ids: SQL): Promise<void> {
  await allowLongStatements(tx)
  await tx.execute(sql`
    select count(*) from (select from leads where id in (${ids}) order by id for no key update) locked`)
}

/**
 * Locks the leads of a campaign's queued messages. Call it before locking the campaign, as
 * recording an outcome does.
 */
export async function lockQueuedLeads(tx: Db, campaignId: string): Promise<void> {
  await lockLeads(tx, sql`select lead_id from dms where campaign_id = ${campaignId} and status = 'queued'`)
}

/**
 * Lock key for an X account's limits, which all workspaces that connected it share. Taken after the
 * account's row. Workers only try to take it (engine.ts), so it cannot cause a deadlock.
 */
export function xUserLock(xUserId: string): SQL {
  return sql`hashtextextended('x user:' || ${xUserId}::text, 0)`
}

// Pausing

/** Lock key that each claim of a worker holds, shared, until its transaction ends. */
export function campaignGate(id: SQL): SQL {
  return sql`hashtextextended('gate of campaign:' || ${id}, 0)`
}

/**
 * A claim takes milliseconds. A hung worker is not waited for: it checks the campaign again before
 * it sends.
 */
const GATE_SECONDS = 2

/**
 * Keeps workers from claiming messages of this campaign until the transaction ends. Claimed
 * messages are not affected.
 */
export async function blockNewClaims(tx: Db, campaignId: string): Promise<void> {
  try {
    await tx.transaction(async (nested) => {
      await nested.execute(sql.raw(`set local lock_timeout = '${GATE_SECONDS}s'`))
      await nested.execute(sql`select pg_advisory_xact_lock(${campaignGate(sql`${campaignId}::text`)})`)
      await nested.execute(sql`set local lock_timeout = 0`)
    })
  } catch (error) {
    const { code, cause } = error as { code?: string; cause?: { code?: string } }
    if ((cause?.code ?? code) !== LOCK_NOT_AVAILABLE) throw error
  }
}

const LOCK_NOT_AVAILABLE = '55P03'

const IN_FLIGHT_CHECK_MS = 100

/**
 * Waits until no sender owns a message of the campaign. @param deadline by performance.now()
 * @param db a pool, never a transaction: no lock may be held while waiting
 */
export async function waitForInFlight(
  db: Db,
  campaignId: string,
  deadline: number,
  signal?: AbortSignal,
): Promise<void> {
  while (performance.now() < deadline && !signal?.aborted) {
    const { rows } = await db.execute<{ count: number }>(
      sql`select ${countInFlight(sql`${campaignId}::uuid`)} as count`,
    )
    if (rows[0]?.count === 0) return
    await sleep(IN_FLIGHT_CHECK_MS, undefined, { signal }).catch(() => {})
  }
}
