import { setTimeout as sleep } from 'node:timers/promises'
import { eq, sql } from 'drizzle-orm'
import type { Actor } from '../../../actor.ts'
import { campaignLock } from '../../../core/messages/account-lock.ts'
import { claimSimulated, type SimulatedClaim } from '../../../core/messages/claim-campaign.ts'
import { recordOutcome } from '../../../core/messages/record.ts'
import { endHolds, release } from '../../../core/messages/release.ts'
import { expireLeases } from '../../../core/messages/settle.ts'
import { skipMessage } from '../../../core/messages/stop.ts'
import { campaigns } from '../../../core/tables/campaigns.ts'
import type { Db } from '../../../db/open.ts'
import { transact } from '../../../db/transact.ts'
import { Refusal } from '../../../refusal.ts'
import type { SignedInContext } from '../../../requests/context.ts'

/*
 * The simulated queue, which exists only with the stand-in X. It claims messages under a lease,
 * like any sender. It respects the cap and the sending window, but not the interval. Outcomes are
 * random.
 */

/** Randomness and time; tests replace both. */
interface Chance {
  /** From 0 to 1. */
  random(): number
  wait(ms: number): Promise<unknown>
}

const SENT_SHARE = 0.8
const SHORTEST_MS = 500
const LONGEST_MS = 1_000
const FAILURE = 'Simulated send failure'
const LIMITED = "This X account's sending limits allow no message right now."
const OLDER_FIRST = 'An older campaign on this X account sends first, and another sender has claimed its messages.'
/** The error of a message whose campaign was archived while the message was claimed. */
const NO_CAMPAIGN = 'Missing campaign relation'
/** The longest wait for a message to become due. */
const MAX_WAIT_MS = 5_000
/** Maximum duration of one call. */
const RUN_MS = 25_000

/** Whether the simulated queue is available: only with the stand-in X. */
export function isOffered({ env, x }: Pick<SignedInContext, 'env' | 'x'>): boolean {
  return env.standIns && x !== null && x.sendPriceCents === 0
}

/**
 * Simulates sending the queued messages, oldest campaign first. @throws Refusal NOT_FOUND: real X;
 * RATE_LIMITED: the cap, the sending window or an older campaign blocks all messages
 */
export async function processQueue(
  context: Pick<SignedInContext, 'db' | 'env' | 'x' | 'log'>,
  actor: Actor,
  { batchSize }: { batchSize: number },
  chance: Chance = { random: Math.random, wait: sleep },
) {
  if (!isOffered(context)) throw new Refusal('NOT_FOUND')
  const { db } = context
  const end = performance.now() + RUN_MS
  const done = {
    success: true as const,
    processed: 0,
    sent: 0,
    failed: 0,
    campaignsCompleted: 0,
    problems: [] as string[],
  }
  await expireLeases(db)
  await transact(db, (tx) => endHolds(tx, sql`c.workspace_id = ${actor.workspaceId} and c.status = 'active'`))
  while (done.processed + done.problems.length < batchSize && performance.now() < end) {
    const next = await claimSimulated(db, context.env, actor)
    if (next === null) break
    if ('waitSeconds' in next) {
      if (next.waitSeconds * 1000 <= Math.min(MAX_WAIT_MS, end - performance.now())) {
        await chance.wait(next.waitSeconds * 1000)
        continue
      }
      if (done.processed + done.problems.length > 0) break
      throw new Refusal('RATE_LIMITED', next.isTurn ? OLDER_FIRST : LIMITED, {
        retryAfterSeconds: next.waitSeconds,
      })
    }
    try {
      await chance.wait(SHORTEST_MS + (LONGEST_MS - SHORTEST_MS) * chance.random())
      const wasSent = chance.random() < SENT_SHARE
      const recorded = await record(db, next, wasSent)
      if (recorded === 'paused') continue
      if (recorded === 'lost') {
        done.problems.push(`Failed to record outcome for @${next.handle}: Another sender has claimed this message.`)
        continue
      }
      done.processed += 1
      if (recorded.wasSent) done.sent += 1
      else done.failed += 1
      if (recorded.campaignCompleted) done.campaignsCompleted += 1
    } catch (error) {
      // The message goes back to the queue when its lease expires.
      context.log.error({ err: error, dmId: next.dmId }, 'simulated message failed')
      done.problems.push(`Error processing DM for @${next.handle}: ${error instanceof Error ? error.message : error}`)
    }
  }
  return done
}

/**
 * Records the outcome, unless the campaign is no longer active: a pause also applies to claimed
 * messages.
 */
async function record(
  db: Db,
  claim: SimulatedClaim,
  wasSent: boolean,
): Promise<{ wasSent: boolean; campaignCompleted: boolean } | 'paused' | 'lost'> {
  return transact(db, async (tx) => {
    // A pause that is running ends first, so the next statement sees it. A later one waits for this
    // transaction.
    await tx.execute(sql`select pg_advisory_xact_lock_shared(${campaignLock(sql`${claim.campaignId}::text`)})`)
    const [campaign] = await tx
      .select({ status: campaigns.status })
      .from(campaigns)
      .where(eq(campaigns.id, claim.campaignId))
    if (campaign?.status === 'active') {
      const recorded = await recordOutcome(
        tx,
        { id: claim.dmId, lease: claim.lease },
        wasSent ? { wasSent } : { wasSent, errorMessage: FAILURE },
      )
      return recorded ? { wasSent, ...recorded } : 'lost'
    }
    const isPaused = campaign?.status === 'paused'
    const released = await release(tx, sql`id = ${claim.dmId} and lease = ${claim.lease}`, async (isReleased) => {
      if (isReleased && !isPaused) await skipMessage(tx, claim.dmId, { errorMessage: NO_CAMPAIGN })
    })
    if (released.length === 0) return 'lost'
    if (isPaused) return 'paused'
    return { wasSent: false, campaignCompleted: false }
  })
}
