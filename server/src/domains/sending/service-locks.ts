import { setTimeout as sleep } from 'node:timers/promises'
import { type SQL, sql } from 'drizzle-orm'
import { allowLongStatements } from '../../db/long-statements.ts'
import type { Db } from '../../db/open.ts'
import { countInFlight } from './tables.ts'

/** One queueing at a time in a workspace: each must see what the one before has queued, or both would write to one lead. */
export async function lockQueueing(tx: Db, workspaceId: string): Promise<void> {
  await tx.execute(sql`select pg_advisory_xact_lock(hashtextextended('queueing:' || ${workspaceId}::text, 0))`)
}

/** Whoever changes many leads locks them in the order of their ids, so that two who do never wait for each other. */
export async function lockLeads(tx: Db, ids: SQL): Promise<void> {
  await allowLongStatements(tx)
  await tx.execute(sql`
    select count(*) from (select from leads where id in (${ids}) order by id for no key update) locked`)
}

/** Before the campaign's own row, as whoever records an outcome does. */
export async function lockQueuedLeads(tx: Db, campaignId: string): Promise<void> {
  await lockLeads(tx, sql`select lead_id from dms where campaign_id = ${campaignId} and status = 'queued'`)
}

/**
 * Taken for a claim, behind the row of the account: the pace and cap of an account of X are one for all workspaces that have connected it.
 * Senders only try for it (engine.ts), so nobody waits for them in a circle.
 */
export function xUserLock(xUserId: string): SQL {
  return sql`hashtextextended('x user:' || ${xUserId}::text, 0)`
}

// Pausing

/** Every claim of a worker passes through it: held, shared, until the claim's transaction ends. */
export function campaignGate(id: SQL): SQL {
  return sql`hashtextextended('gate of campaign:' || ${id}, 0)`
}

/** A claim takes milliseconds. One whose process hangs is not waited for: before it sends, it checks its campaign again. */
const GATE_SECONDS = 2

/** Keeps workers from claiming messages of this campaign until the transaction ends. What they own already is still sent. */
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
 * Waits until no sender owns a message of the campaign: what pausing and archiving end with.
 * @param db a pool, never a transaction: nothing may be held meanwhile
 * @param deadline by performance.now(): then it waits no longer
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
