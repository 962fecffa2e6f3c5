import type { FastifyBaseLogger } from 'fastify'
import type { Services } from '../app.ts'
import { retryWhileUnavailable } from '../db/unavailable.ts'
import {
  type Claimed,
  claimDue,
  lookAnew,
  nextDueInMs,
  releaseLostClaims,
  TIMING,
  type Timing,
} from '../domains/sending/engine.ts'
import { type Done, record, send, type Verdict } from '../domains/sending/engine-sending.ts'
import { settle, takeOver } from '../domains/sending/engine-settling.ts'
import { expireLeases, SENDING_CHANNEL } from '../domains/sending/service.ts'
import { openLiveness } from './liveness.ts'

export interface SenderOptions {
  /** Messages in hand at a time, over all accounts. */
  concurrency?: number
  timing?: Partial<Timing>
}

/** Claims that run side by side while there is much to send. */
const CLAIMS_AT_ONCE = 4
/** Work is told by a notice; whoever misses one looks after this time. */
const POLL_MS = 2_000
const SWEEP_MS = 3_000
const RECORD_TRIES = 8
/** So many leads in a row that X forbids to write to, and it is the account that may not write. */
const FORBIDDEN_IN_A_ROW = 3

/**
 * Sends what campaigns of channel 'api' have queued, at each account's pace, and settles what nobody knows the outcome of.
 * Any number of processes may do so; sending/engine.ts says how they keep out of each other's way.
 */
export async function startSender(
  services: Services,
  log: FastifyBaseLogger,
  { concurrency = 8, timing: given = {} }: SenderOptions = {},
): Promise<{ close(): Promise<void> }> {
  const { database, channels, env } = services
  const timing = { ...TIMING, ...given }
  const liveness = await retryWhileUnavailable(() => openLiveness(database))
  await retryWhileUnavailable(() => lookAnew(database.db))
  /** What is being sent, by the id of its message. */
  const inHand = new Map<string, Promise<void>>()
  /** Messages whose outcome could not be recorded: they may have been sent, so their leases run out, and their conversations tell. */
  const unrecorded = new Set<string>()
  /** How many messages in a row X did not take from an account. */
  const failures = new Map<string, number>()
  const work = createBell()
  const unsettled = createBell()
  const stopListening = channels.subscribe(SENDING_CHANNEL, work.ring)
  let closing = false

  /** Claims while fewer than `concurrency` messages are claimed. */
  async function claim(): Promise<void> {
    let width = 1
    let contended = 0
    let mayHaveLostClaims = false
    while (!closing) {
      const free = concurrency - inHand.size
      if (free <= 0) {
        await work.wait(POLL_MS)
        continue
      }
      try {
        if (mayHaveLostClaims)
          await releaseLostClaims(database.db, liveness.workerId, [...inHand.keys(), ...unrecorded])
        mayHaveLostClaims = false
        const isIdle = await claimSome(Math.min(width, free))
        width = isIdle ? 1 : CLAIMS_AT_ONCE
        if (!isIdle) {
          contended = 0
          continue
        }
        const dueMs = await nextDueInMs(database.db)
        // Due, and yet not ours: another process has it, for a moment mostly.
        contended = dueMs !== null && dueMs <= 0 ? contended + 1 : 0
        await work.wait(contended > 0 ? Math.min(100, 4 * contended) : Math.min(POLL_MS, Math.ceil(dueMs ?? POLL_MS)))
      } catch (error) {
        log.warn({ err: error }, 'sending is interrupted')
        mayHaveLostClaims = true
        await work.wait(1_000)
      }
    }
  }

  /** Runs so many claims side by side and sends what they bring. @returns whether none of them found an account that is due */
  async function claimSome(count: number): Promise<boolean> {
    const claims = await Promise.allSettled(
      Array.from({ length: count }, async () => {
        const { claimed, isIdle } = await claimDue(database.db, liveness.workerId, env)
        if (!claimed) return isIdle
        const task = deliver(claimed).finally(() => {
          inHand.delete(claimed.id)
          work.ring()
        })
        inHand.set(claimed.id, task)
        return false
      }),
    )
    for (const one of claims) if (one.status === 'rejected') throw one.reason
    return claims.every((one) => one.status === 'fulfilled' && one.value)
  }

  async function deliver(claimed: Claimed): Promise<void> {
    const outcome = await send(services, claimed, timing).catch((error): Verdict => {
      log.error({ err: error, dmId: claimed.id }, 'a message could not be sent by a fault of ours')
      services.onFault(error)
      return { kind: 'later' }
    })
    const isFailure = outcome.kind === 'later' || (outcome.kind === 'failed' && outcome.forbidden === true)
    const inARow = isFailure ? (failures.get(claimed.accountId) ?? 0) + 1 : 0
    failures.set(claimed.accountId, inARow)
    const verdict: Verdict =
      outcome.kind === 'failed' && isFailure && inARow >= FORBIDDEN_IN_A_ROW
        ? { kind: 'stop', reason: outcome.reason }
        : outcome
    await writeDown({ claimed, verdict, failures: inARow }).catch((error) => {
      unrecorded.add(claimed.id)
      log.error({ err: error, dmId: claimed.id }, 'an outcome could not be recorded')
    })
    if (verdict.kind === 'unknown') unsettled.ring()
    if (verdict.kind === 'stop')
      log.warn({ accountId: claimed.accountId }, 'X has shut an account out: its campaigns pause')
  }

  /** Outcomes of one campaign wait for each other in the database, so those that come while one is written go together, in the next transaction. */
  const writing = new Map<string, { waiting: Done[]; next: Promise<void> }>()
  function writeDown(done: Done): Promise<void> {
    const { campaignId } = done.claimed
    const known = writing.get(campaignId)
    if (known && known.waiting.length > 0) {
      known.waiting.push(done)
      return known.next
    }
    const waiting = [done]
    const next = (known?.next ?? Promise.resolve())
      .catch(() => {})
      .then(() => {
        const batch = waiting.splice(0)
        return keepTrying(() => record(database.db, batch))
      })
      .finally(() => {
        if (writing.get(campaignId)?.next === next) writing.delete(campaignId)
      })
    writing.set(campaignId, { waiting, next })
    return next
  }

  async function sweep(): Promise<void> {
    while (!closing) {
      let nextMs = SWEEP_MS
      try {
        await expireLeases(database.db)
        if (services.x) {
          await takeOver(database.db)
          nextMs = Math.min(SWEEP_MS, Math.max(20, (await settle(services, timing)) ?? SWEEP_MS))
        }
      } catch (error) {
        log.warn({ err: error }, 'settling is interrupted')
      }
      await unsettled.wait(nextMs)
    }
  }

  const loops = [sweep(), ...(services.x ? [claim()] : [])]
  return {
    async close() {
      closing = true
      work.ring()
      unsettled.ring()
      await Promise.all(loops)
      await Promise.all(inHand.values())
      stopListening()
      await liveness.close()
    },
  }
}

/** An outcome is known and has to be written down: a database that is away for a moment is waited for. */
async function keepTrying(write: () => Promise<void>): Promise<void> {
  for (let tries = 1; ; tries += 1) {
    try {
      await write()
      return
    } catch (error) {
      if (tries === RECORD_TRIES) throw error
      await new Promise((resolve) => setTimeout(resolve, Math.min(5_000, 50 * 2 ** tries)))
    }
  }
}

/** Wakes whoever waits; rung while nobody waits, the next to wait does not. */
function createBell() {
  let rung = false
  let wake: (() => void) | null = null
  return {
    ring() {
      rung = true
      wake?.()
    },
    async wait(ms: number): Promise<void> {
      if (!rung && ms > 0) {
        await new Promise<void>((resolve) => {
          const timer = setTimeout(resolve, ms)
          wake = () => {
            clearTimeout(timer)
            resolve()
          }
        })
      }
      rung = false
      wake = null
    },
  }
}
