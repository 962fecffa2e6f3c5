import { drizzle } from 'drizzle-orm/node-postgres'
import type { FastifyBaseLogger } from 'fastify'
import type { Services } from '../app.ts'
import type { Database, Db } from '../db/open.ts'
import { retryWhileUnavailable } from '../db/unavailable.ts'
import {
  type Claimed,
  claimDue,
  letGoOf,
  lookAnew,
  nextDueInMs,
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
  const { database, notices, env } = services
  const timing = { ...TIMING, ...given }
  const liveness = await retryWhileUnavailable(() => openLiveness(database))
  await retryWhileUnavailable(() => lookAnew(database.db))
  const inHand = new Set<Promise<void>>()
  /** How many messages in a row X did not take from an account. */
  const failures = new Map<string, number>()
  const work = createBell()
  const unsettled = createBell()
  const stopListening = notices.listen(SENDING_CHANNEL, work.ring)
  let closing = false

  /** Claims one message after the other, while there are hands for them. */
  async function claimOn(session: Db, holds: () => boolean): Promise<void> {
    // Campaigns of messages that are out of hand again: one connection does one thing at a time, so this loop unlocks them.
    const done: string[] = []
    let contended = 0
    while (!closing) {
      if (done.length > 0) await letGoOf(session, done.splice(0))
      if (inHand.size >= concurrency) {
        await work.wait(POLL_MS)
        continue
      }
      const { claimed, isIdle } = await claimDue(session, liveness.workerId, env, concurrency - inHand.size)
      for (const one of claimed) {
        const task = deliver(one, holds).finally(() => {
          inHand.delete(task)
          done.push(one.campaignId)
          work.ring()
        })
        inHand.add(task)
      }
      if (!isIdle || claimed.length > 0) {
        contended = 0
        continue
      }
      const dueMs = await nextDueInMs(session)
      // Due, and yet not ours: another process has it, for a moment mostly.
      contended = dueMs !== null && dueMs <= 0 ? contended + 1 : 0
      await work.wait(contended > 0 ? Math.min(100, 4 * contended) : Math.min(POLL_MS, Math.ceil(dueMs ?? POLL_MS)))
    }
  }

  async function deliver(claimed: Claimed, holds: () => boolean): Promise<void> {
    const outcome = await send(services, claimed, timing, holds).catch((error): Verdict => {
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
    await writeDown({ claimed, verdict, failures: inARow }).catch((error) =>
      // Its lease runs out, and then its conversation tells what became of it.
      log.error({ err: error, dmId: claimed.id }, 'an outcome could not be recorded'),
    )
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

  async function claim(): Promise<void> {
    while (!closing) {
      let session: Awaited<ReturnType<typeof openSession>> | null = null
      try {
        session = await openSession(database)
        await claimOn(session.db, session.stands)
      } catch (error) {
        log.warn({ err: error }, 'sending is interrupted')
        await work.wait(1_000)
      } finally {
        // Its locks are let go of only with the last message.
        if (session?.stands()) await Promise.all(inHand)
        await session?.end().catch(() => {})
      }
    }
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
      await Promise.all(inHand)
      stopListening()
      await liveness.close()
    },
  }
}

/** The connection that claims and carries the locks of campaigns whose messages are in hand. */
async function openSession(database: Database) {
  const client = await database.connect()
  let isBroken = false
  const onBreak = () => {
    isBroken = true
  }
  client.on('error', onBreak).on('end', onBreak)
  return { db: drizzle(client) as unknown as Db, stands: () => !isBroken, end: () => client.end() }
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
