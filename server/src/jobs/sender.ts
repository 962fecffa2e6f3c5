import { openLiveness } from '../db/liveness.ts'
import { retryWhileUnavailable } from '../db/unavailable.ts'
import { type Claimed, claimDue, releaseLostClaims } from '../domains/outreach/sending/claim.ts'
import { nextDueInMs, resetSchedules } from '../domains/outreach/sending/limits.ts'
import { type Done, record, type Verdict } from '../domains/outreach/sending/record.ts'
import { send, TIMING, type Timing } from '../domains/outreach/sending/send.ts'
import { expireLeases, SENDING_CHANNEL } from '../domains/outreach/sending/service.ts'
import { settle, takeOver } from '../domains/outreach/sending/settle.ts'
import { queueFollowUps } from '../domains/outreach/sequences/engine.ts'
import type { Services } from '../services.ts'

export interface SenderOptions {
  /** Maximum messages in flight, over all accounts. */
  concurrency?: number
  timing?: Partial<Timing>
}

/** Parallel claims while messages are due. */
const PARALLEL_CLAIMS = 4
/** Fallback for a missed wake-up. */
const POLL_MS = 2_000
const SWEEP_MS = 3_000
const MAX_RECORD_ATTEMPTS = 8
/** After this many consecutive refusals by X, the account is at fault rather than the leads. */
const MAX_CONSECUTIVE_FORBIDDEN = 3

/**
 * Sends queued messages of channel 'api' within each account's limits, queues follow-ups, and settles
 * unknown outcomes. Any number of processes may run it; sending/send.ts describes how they coordinate.
 */
export async function startSender(
  services: Services,
  { concurrency = 8, timing: given = {} }: SenderOptions = {},
): Promise<{ close(): Promise<void> }> {
  const { database, channels, env, log } = services
  const timing = { ...TIMING, ...given }
  const liveness = await retryWhileUnavailable(() => openLiveness(database))
  await retryWhileUnavailable(() => resetSchedules(database.db))
  /** Running deliveries by message id. */
  const inFlight = new Map<string, Promise<void>>()
  /** Messages whose outcome could not be recorded. Their leases expire and they are settled. */
  const unrecorded = new Set<string>()
  /** Consecutive failures by account id. */
  const failures = new Map<string, number>()
  const work = createSignal()
  const unsettled = createSignal()
  const due = createSignal()
  const stopListening = channels.subscribe(SENDING_CHANNEL, work.notify)
  let closing = false

  /** Claims while fewer than `concurrency` messages are claimed. */
  async function claim(): Promise<void> {
    let width = 1
    let contended = 0
    let mayHaveLostClaims = false
    while (!closing) {
      const free = concurrency - inFlight.size
      if (free <= 0) {
        await work.wait(POLL_MS)
        continue
      }
      try {
        if (mayHaveLostClaims)
          await releaseLostClaims(database.db, liveness.workerId, [...inFlight.keys(), ...unrecorded])
        mayHaveLostClaims = false
        const isIdle = await claimSome(Math.min(width, free))
        // Doubles, because each connection that ever claims keeps megabytes of plans.
        width = isIdle ? 1 : Math.min(PARALLEL_CLAIMS, width * 2)
        if (!isIdle) {
          contended = 0
          continue
        }
        const dueMs = await nextDueInMs(database.db)
        // Due, but another process has it locked, usually for a moment.
        contended = dueMs !== null && dueMs <= 0 ? contended + 1 : 0
        await work.wait(contended > 0 ? Math.min(100, 4 * contended) : Math.min(POLL_MS, Math.ceil(dueMs ?? POLL_MS)))
      } catch (error) {
        log.warn({ err: error }, 'sending interrupted, retrying')
        mayHaveLostClaims = true
        await work.wait(1_000)
      }
    }
  }

  /** Claims in parallel and starts deliveries. @returns whether no account was due */
  async function claimSome(count: number): Promise<boolean> {
    const claims = await Promise.allSettled(
      Array.from({ length: count }, async () => {
        const { claimed, isIdle } = await claimDue(database.db, liveness.workerId, env)
        if (!claimed) return isIdle
        const task = deliver(claimed).finally(() => {
          inFlight.delete(claimed.id)
          work.notify()
        })
        inFlight.set(claimed.id, task)
        return false
      }),
    )
    for (const one of claims) if (one.status === 'rejected') throw one.reason
    return claims.every((one) => one.status === 'fulfilled' && one.value)
  }

  async function deliver(claimed: Claimed): Promise<void> {
    services.events.touch(claimed.workspaceId, 'campaign', claimed.campaignId)
    const outcome = await send(services, claimed, timing).catch((error): Verdict => {
      log.error({ err: error, dmId: claimed.id }, 'message not sent because of an internal error')
      return { kind: 'later' }
    })
    const isFailure = outcome.kind === 'later' || (outcome.kind === 'failed' && outcome.forbidden === true)
    const consecutiveFailures = isFailure ? (failures.get(claimed.accountId) ?? 0) + 1 : 0
    failures.set(claimed.accountId, consecutiveFailures)
    const verdict: Verdict =
      outcome.kind === 'failed' && isFailure && consecutiveFailures >= MAX_CONSECUTIVE_FORBIDDEN
        ? { kind: 'stop', reason: { code: 'refusals', params: {} }, xMessage: outcome.errorMessage ?? null }
        : outcome
    await queueRecord({ claimed, verdict, failures: consecutiveFailures }).catch((error) => {
      unrecorded.add(claimed.id)
      log.warn({ err: error, dmId: claimed.id }, 'outcome not recorded: it will be settled')
    })
    services.events.touch(claimed.workspaceId, 'campaign', claimed.campaignId)
    if (verdict.kind === 'sent') services.events.touch(claimed.workspaceId, 'conversation')
    if (verdict.kind === 'unknown') unsettled.notify()
    if (verdict.kind === 'stop')
      log.warn({ accountId: claimed.accountId }, 'campaigns paused because X rejected the account')
  }

  /** Outcomes of one campaign lock one row: those that arrive during a write are batched. */
  const writing = new Map<string, { waiting: Done[]; next: Promise<void> }>()
  function queueRecord(done: Done): Promise<void> {
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
        return retry(() => record(database.db, batch))
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
        log.warn({ err: error }, 'settling interrupted, retrying')
      }
      await unsettled.wait(nextMs)
    }
  }

  /** Queues follow-ups that are due. */
  async function followUp(): Promise<void> {
    while (!closing) {
      let isMore = false
      try {
        isMore = await queueFollowUps(database.db, env)
      } catch (error) {
        log.warn({ err: error }, 'queueing follow-ups interrupted, retrying')
      }
      await due.wait(isMore ? 0 : POLL_MS)
    }
  }

  const loops = [sweep(), followUp(), ...(services.x ? [claim()] : [])]
  return {
    async close() {
      closing = true
      work.notify()
      unsettled.notify()
      due.notify()
      await Promise.all(loops)
      await Promise.all(inFlight.values())
      stopListening()
      await liveness.close()
    },
  }
}

/** Retries a write with backoff, because a known outcome must survive a short database outage. */
async function retry(write: () => Promise<void>): Promise<void> {
  for (let tries = 1; ; tries += 1) {
    try {
      await write()
      return
    } catch (error) {
      if (tries === MAX_RECORD_ATTEMPTS) throw error
      await new Promise((resolve) => setTimeout(resolve, Math.min(5_000, 50 * 2 ** tries)))
    }
  }
}

/** A wake-up signal. If nothing is waiting, the next wait returns immediately. */
function createSignal() {
  let isNotified = false
  let wake: (() => void) | null = null
  return {
    notify() {
      isNotified = true
      wake?.()
    },
    async wait(ms: number): Promise<void> {
      if (!isNotified && ms > 0) {
        await new Promise<void>((resolve) => {
          const timer = setTimeout(resolve, ms)
          wake = () => {
            clearTimeout(timer)
            resolve()
          }
        })
      }
      isNotified = false
      wake = null
    },
  }
}
