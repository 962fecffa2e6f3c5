import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'drizzle-orm'
import type { Db } from '../../db/open.ts'
import { transact } from '../../db/transact.ts'
import { type Claimed, claimedFrom, unreadAccountOf } from './claim.ts'
import { release } from './release.ts'
import { workerOf } from './sender.ts'
import type { SendingEnv } from './sending-state.ts'
import { claimSendable } from './unsendable.ts'

// By workers

/** How long this process delays its next claim while replies arrive faster than they are stored. */
const YIELD_MS = 50
/** When the delay ends, in the time of `performance.now()`. */
let yieldsUntil = 0

/**
 * Claims the next message of the account that has been due longest. Delays claims in a burst of
 * replies, because each reply may stop a message. @returns `claimed`: null if nothing was claimed.
 * `isIdle`: no due account is free to claim. `unread`: the X id to call `requestRead` for, or null
 */
export async function claimDue(
  db: Db,
  workerId: number,
  env: SendingEnv,
): Promise<{ claimed: Claimed | null; isIdle: boolean; unread: string | null }> {
  const yieldMs = yieldsUntil - performance.now()
  if (yieldMs > 0) await sleep(yieldMs)
  const claimedAt = performance.now()
  const result = await db.transaction((tx) => claimSendable(tx, env, workerOf(workerId), 'due'))
  if (result.kind !== 'idle' && result.locked?.areRepliesBehind) yieldsUntil = performance.now() + YIELD_MS
  const [isIdle, unread] = [result.kind === 'idle', unreadAccountOf(result)]
  if (result.kind !== 'claimed') return { claimed: null, isIdle, unread }
  return { claimed: { ...claimedFrom(result), claimedAt, visibleAt: performance.now() }, isIdle, unread }
}

/**
 * Releases claims that committed after the worker lost its connection. Call it only while the
 * worker is not claiming. @param knownIds messages that the worker may have handed over to X
 */
export async function releaseLostClaims(db: Db, workerId: number, knownIds: readonly string[]): Promise<void> {
  const isLost = sql`lease_expires_at is not null and holder = ${workerOf(workerId).holder} and not outcome_unknown
    and id <> all(${sql.param([...knownIds])}::uuid[])`
  await transact(db, (tx) => release(tx, isLost))
}
