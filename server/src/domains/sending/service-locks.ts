import { setTimeout as sleep } from 'node:timers/promises'
import { type SQL, sql } from 'drizzle-orm'
import { allowLongStatements } from '../../db/long-statements.ts'
import type { Db } from '../../db/open.ts'
import { livingWorkers } from '../../jobs/liveness.ts'

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

/** A worker holds it, shared, while it has a message of the campaign in hand (engine.ts); pausing takes it alone. */
export function campaignLock(id: SQL): SQL {
  return sql`hashtextextended('campaign:' || ${id}, 0)`
}

/**
 * What a claim passes through: held, shared, for the claim's transaction only. Who has messages in hand already would get the campaign's lock again
 * however long a pause waits for it; the gate it does not.
 */
export function campaignGate(id: SQL): SQL {
  return sql`hashtextextended('gate of campaign:' || ${id}, 0)`
}

/** Longer than a message can be in a living worker's hands. */
const HOLD_SECONDS = 25

/**
 * Keeps workers from taking a message of this campaign until the transaction ends, and waits until none has one in its hands: what pausing and archiving begin with.
 * A process that hangs is not waited for longer than any send may take; when it wakes it finds its claim old, and the campaign paused.
 */
export async function holdCampaign(tx: Db, campaignId: string): Promise<void> {
  const id = sql`${campaignId}::text`
  const end = performance.now() + HOLD_SECONDS * 1000
  if (!(await lockInTime(tx, campaignGate(id))) || !(await lockInTime(tx, campaignLock(id)))) return
  // Where the connection that held the lock broke, a living worker may still have messages in hand: then their rows tell.
  while ((await isInHand(tx, campaignId)) && performance.now() < end) await sleep(LOOK_MS)
}

const LOOK_MS = 50

/** Keeps workers from taking a message of this campaign until the transaction ends; what they have in hand goes on. */
export async function shutGate(tx: Db, campaignId: string): Promise<void> {
  await lockInTime(tx, campaignGate(sql`${campaignId}::text`))
}

/** Whether a worker that lives has a message of the campaign in its hands. */
async function isInHand(tx: Db, campaignId: string): Promise<boolean> {
  const { rows } = await tx.execute(sql`
    select from dms where lease_expires_at is not null and campaign_id = ${campaignId} and status = 'queued' and not outcome_unknown
      and holder like 'worker:%' and substr(holder, 8)::bigint in (${livingWorkers}) limit 1`)
  return rows.length > 0
}

/** Takes a lock until the transaction ends. False: it was not to be had in HOLD_SECONDS. */
async function lockInTime(tx: Db, lock: SQL): Promise<boolean> {
  try {
    await tx.transaction(async (nested) => {
      await allowLongStatements(nested)
      await nested.execute(sql.raw(`set local lock_timeout = '${HOLD_SECONDS}s'`))
      await nested.execute(sql`select pg_advisory_xact_lock(${lock})`)
      await nested.execute(sql`set local lock_timeout = 0`)
    })
    return true
  } catch (error) {
    const { code, cause } = error as { code?: string; cause?: { code?: string } }
    if ((cause?.code ?? code) !== LOCK_NOT_AVAILABLE) throw error
    return false
  }
}

const LOCK_NOT_AVAILABLE = '55P03'
