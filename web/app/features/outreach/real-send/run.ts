import { SEND_WITHIN_MS } from '@x-automated/contract/outreach/extension'
import type { Claim } from '@x-automated/contract/outreach/sending'
import {
  createRun,
  inMemory,
  type Outcome,
  type Step,
  type Transport,
  type Verdict,
  verdictOf,
} from '@x-automated/contract/outreach/sending-run'
import type { ExtensionReply } from './extension-link'

export interface RunProgress {
  /** The number of the current message, from 1. `total` is how many were queued at the start. */
  index: number
  total: number
  handle: string
  message: string
}

/** What a run needs from the page. Calls to the server reject like the client's. */
export interface RunDeps {
  queued: number
  /** @param key repeats the response to a lost request */
  claim(key: string): ReturnType<Transport<Claim>['claim']>
  ask(claim: Claim, notAfter: number): Promise<ExtensionReply<object>>
  record(claim: Claim, outcome: Outcome): Promise<{ campaignCompleted: boolean }>
  release: Transport<Claim>['release']
  wait(ms: number): Promise<void>
  /** Waits until this time (milliseconds since 1970), or until there is a reason to claim earlier. */
  waitUntil(until: number): Promise<void>
  onProgress(progress: RunProgress): void
  /** Called with the time of the next message, in milliseconds since 1970. */
  onWait(until: number): void
  /** Shows an error to the user. */
  onError(text: string): void
  /** Shows that a message was postponed. */
  onPutOff(text: string): void
  /** Whether the claim was refused because the campaign was paused or has ended. */
  isOver(error: unknown): boolean
  /** Whether an earlier request with this key is still being processed. */
  isUnderWay(error: unknown): boolean
  textOf(error: unknown): string
  now(): number
}

/** `nothing`: nothing was queued. `stopped`: by an error that was shown. `over`: paused or ended elsewhere. */
export type RunEnd = 'finished' | 'completed' | 'nothing' | 'stopped' | 'over'

/** Maximum number of attempts for a server call that fails with network errors. */
const TRIES = 4
const RETRY_MS = 2_000

/** Claims, sends and records messages when they are due. A claim is sent at most once. */
export async function runCampaign(deps: RunDeps): Promise<RunEnd> {
  let index = 0
  let isCompleted = false
  const run = createRun<Claim>({
    claim: ({ key }) => withRetries(deps, () => deps.claim(key)),
    send(claim) {
      index += 1
      const { twitterHandle: handle, message } = claim
      deps.onProgress({ index, total: Math.max(deps.queued, index), handle, message })
      return attempt(deps, claim)
    },
    async record(claim, outcome) {
      const recorded = await report(deps, claim, () => deps.record(claim, outcome))
      isCompleted = recorded?.campaignCompleted ?? false
    },
    release: (claim, inboxUnclear) => report(deps, claim, () => deps.release(claim, inboxUnclear)),
    pendingClaim: inMemory(),
    claimRequest: inMemory(),
    refusals: inMemory(),
    now: deps.now,
  })
  for (;;) {
    let step: Step
    try {
      step = await run.step()
    } catch (error) {
      if (deps.isOver(error)) return 'over'
      if (deps.isUnderWay(error)) step = { next: 'wait', ms: RETRY_MS }
      else step = { next: 'stopped', error: deps.textOf(error) }
    }
    if (isCompleted) return 'completed'
    if (step.next === 'idle') return index === 0 ? 'nothing' : 'finished'
    if (step.next === 'stopped') {
      deps.onError(step.error)
      return 'stopped'
    }
    if (step.next === 'wait') {
      const until = deps.now() + step.ms
      deps.onWait(until)
      await deps.waitUntil(until)
    }
  }
}

async function attempt(deps: RunDeps, claim: Claim): Promise<Verdict> {
  if (claim.twitterHandle.replace('@', '').trim() === '')
    return { outcome: { wasSent: false, reason: { code: 'lead_missing', params: {} } } }
  try {
    const notAfter = deps.now() + SEND_WITHIN_MS
    let reply = await deps.ask(claim, notAfter)
    if (!reply.success && reply.end === 'unclear') {
      // Repeating the request returns the first outcome: the extension never sends twice under one
      // lease.
      await deps.wait(RETRY_MS)
      reply = await deps.ask(claim, notAfter)
    }
    if (reply.success) return verdictOf(reply)
    const { end, error } = reply
    if (end === 'unclear') return { ...verdictOf({ ...reply, end: 'unknown' }), stop: error }
    if (end === 'later') deps.onPutOff(error)
    return verdictOf({ ...reply, end })
  } catch (error) {
    const text = error instanceof Error ? error.message : String(error)
    deps.onError(`Error processing DM for @${claim.twitterHandle}: ${text}`)
    return verdictOf({ success: false, error: `Critical error during DM attempt: ${text}`, end: 'unknown' })
  }
}

/** Reports an outcome. If that fails, shows the error and continues the run. */
async function report<Value>(deps: RunDeps, claim: Claim, call: () => Promise<Value>): Promise<Value | undefined> {
  try {
    return await withRetries(deps, call)
  } catch (error) {
    deps.onError(`Failed to record outcome for @${claim.twitterHandle}: ${deps.textOf(error)}`)
  }
}

/** Retries, but only after network errors. */
async function withRetries<Value>(deps: RunDeps, call: () => Promise<Value>): Promise<Value> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await call()
    } catch (error) {
      if (tries === TRIES || !(error instanceof TypeError)) throw error
      await deps.wait(RETRY_MS * tries)
    }
  }
}
