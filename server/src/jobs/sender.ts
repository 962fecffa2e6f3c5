import { type Claimed, claimDue, releaseLostClaims } from '../core/messages/claim.ts'
import { send, TIMING, type Timing } from '../core/messages/deliver.ts'
import { type Done, record, type Verdict } from '../core/messages/record.ts'
import { nextDueInMs, requestRead, resetSchedules, SENDING_CHANNEL } from '../core/messages/schedule.ts'
import { expireLeases, settle, takeOver } from '../core/messages/settle.ts'
import { queueFollowUps } from '../core/sequences/advance.ts'
import { openLiveness } from '../db/liveness.ts'
import type { Db } from '../db/open.ts'
import { retryWhileUnavailable } from '../db/unavailable.ts'
import type { Services } from '../services.ts'

interface SenderOptions {
  /** Maximum messages in flight, over all accounts. */
  concurrency?: number
  timing?: Partial<Timing>
}

/** Parallel claims while messages are due. */
const PARALLEL_CLAIMS = 4
/** How often to check for messages, in case a wake-up was missed. */
const POLL_MS = 2_000
const SWEEP_MS = 3_000
const MAX_RECORD_ATTEMPTS = 8

/**
 * Sends queued messages of channel 'api' within each account's limits, queues follow-ups, and settles
 * unknown outcomes. Any number of processes may run it; core/messages/deliver.ts describes how they coordinate.
 */
export async function startSender(
  services: Services,
  { concurrency = 8, timing: overrides = {} }: SenderOptions = {},
): Promise<{ close(): Promise<void> }> {
  const { database, channels, env, jobs, log } = services
  const { db } = database
  const timing = { ...TIMING, ...overrides }
  const { workerId, close: endLiveness } = await retryWhileUnavailable(() => openLiveness(database))
  await retryWhileUnavailable(() => resetSchedules(db))
  /** Running deliveries by message id. */
  const inFlight = new Map<string, Promise<void>>()
  const [work, unsettled, due] = [createSignal(), createSignal(), createSignal()]
  const { deliver, unrecorded } = createDelivery(services, timing, unsettled.notify)
  const stopListening = channels.subscribe(SENDING_CHANNEL, work.notify)
  let closing = false

  /** Repeats a step, which returns the milliseconds until the next one. */
  async function repeat(name: string, signal: Signal, retryMs: number, step: () => Promise<number>): Promise<void> {
    while (!closing) {
      const ms = await step().catch((error) => {
        log.warn({ err: error }, `${name} interrupted, retrying`)
        return retryMs
      })
      await signal.wait(ms)
    }
  }

  let width = 1
  let contended = 0
  let mayHaveLostClaims = false
  /** Claims messages, up to `concurrency` at a time. @returns milliseconds until the next claim */
  async function claim(): Promise<number> {
    const free = concurrency - inFlight.size
    if (free <= 0) return POLL_MS
    if (mayHaveLostClaims) await releaseLostClaims(db, workerId, [...inFlight.keys(), ...unrecorded])
    mayHaveLostClaims = true
    const isIdle = await claimSome(Math.min(width, free))
    mayHaveLostClaims = false
    // Increase slowly, because each connection that ever claims keeps megabytes of plans.
    width = isIdle ? 1 : Math.min(PARALLEL_CLAIMS, width * 2)
    const dueMs = isIdle ? await nextDueInMs(db) : null
    // An account is due, but another process has locked it, usually for a moment.
    contended = dueMs !== null && dueMs <= 0 ? contended + 1 : 0
    if (!isIdle) return 0
    return contended > 0 ? Math.min(100, 4 * contended) : Math.min(POLL_MS, Math.ceil(dueMs ?? POLL_MS))
  }

  /** Claims in parallel and starts deliveries. @returns whether no account was due */
  async function claimSome(count: number): Promise<boolean> {
    const claims = await Promise.allSettled(
      Array.from({ length: count }, async () => {
        const { claimed, isIdle, unread } = await claimDue(db, workerId, env)
        if (unread) await requestRead({ db, jobs }, unread)
        if (!claimed) return isIdle
        const task = deliver(claimed).finally(() => {
          inFlight.delete(claimed.id)
          work.notify()
        })
        inFlight.set(claimed.id, task)
        return false
      }),
    )
    for (const settled of claims) if (settled.status === 'rejected') throw settled.reason
    return claims.every((settled) => settled.status === 'fulfilled' && settled.value)
  }

  async function sweep(): Promise<number> {
    await expireLeases(db)
    if (!services.x) return SWEEP_MS
    await takeOver(db)
    return Math.min(SWEEP_MS, Math.max(20, (await settle(services, timing)) ?? SWEEP_MS))
  }

  const loops = [
    repeat('settling', unsettled, SWEEP_MS, sweep),
    repeat('queueing follow-ups', due, POLL_MS, async () => ((await queueFollowUps(db, env)) ? 0 : POLL_MS)),
    ...(services.x ? [repeat('sending', work, 1_000, claim)] : []),
  ]
  return {
    async close() {
      closing = true
      for (const signal of [work, unsettled, due]) signal.notify()
      await Promise.all(loops)
      await Promise.all(inFlight.values())
      stopListening()
      await endLiveness()
    },
  }
}

/** Sends claimed messages and records their outcomes. */
function createDelivery(services: Services, timing: Timing, onUnsettled: () => void) {
  const { database, events, log } = services
  /** Messages whose outcome could not be recorded. Their leases expire and they are settled. */
  const unrecorded = new Set<string>()
  /** Consecutive failures by account id. */
  const failures = new Map<string, number>()
  const recordSoon = createRecorder(database.db)

  async function deliver(claimed: Claimed): Promise<void> {
    const { workspaceId, campaignId, accountId, id: dmId } = claimed
    events.touch(workspaceId, 'campaign', campaignId)
    const verdict = await send(services, claimed, timing).catch((error): Verdict => {
      log.error({ err: error, dmId }, 'message not sent because of an internal error')
      return { kind: 'later' }
    })
    const count = verdict.kind === 'later' ? (failures.get(accountId) ?? 0) + 1 : 0
    failures.set(accountId, count)
    await recordSoon({ claimed, verdict, failures: count }).catch((error) => {
      unrecorded.add(dmId)
      log.warn({ err: error, dmId }, 'outcome not recorded: it will be settled')
    })
    events.touch(workspaceId, 'campaign', campaignId)
    if (verdict.kind === 'sent') events.touch(workspaceId, 'conversation')
    if (verdict.kind === 'unknown') onUnsettled()
    if (verdict.kind === 'stop') log.warn({ accountId }, 'campaigns paused because X rejected the account')
  }

  return { deliver, unrecorded }
}

/** Records outcomes. Outcomes of one campaign lock the same row, so those that arrive during a write are batched. */
function createRecorder(db: Db): (done: Done) => Promise<void> {
  const writing = new Map<string, { waiting: Done[]; next: Promise<void> }>()
  return (done) => {
    const { campaignId } = done.claimed
    const queue = writing.get(campaignId)
    if (queue && queue.waiting.length > 0) {
      queue.waiting.push(done)
      return queue.next
    }
    const waiting = [done]
    const next = (queue?.next ?? Promise.resolve())
      .catch(() => {})
      .then(() => {
        const batch = waiting.splice(0)
        return retry(() => record(db, batch))
      })
      .finally(() => {
        if (writing.get(campaignId)?.next === next) writing.delete(campaignId)
      })
    writing.set(campaignId, { waiting, next })
    return next
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

type Signal = ReturnType<typeof createSignal>

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
