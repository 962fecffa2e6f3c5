import { isUnclear, REFUSALS_IN_A_ROW, SEND_WITHIN_MS, skipCodeOf } from '@x-automated/contract/outreach/extension'
import type { Claim } from '@x-automated/contract/outreach/sending'
import type { ExtensionReply } from './extension-link'

interface RecordedOutcome {
  wasSent: boolean
  reason?: { code: 'lead_missing' | 'identity' | 'replied'; params: Record<string, never> }
  errorMessage?: string
  outcomeUnknown?: boolean
}

export interface RunProgress {
  /** The current message, from 1, of `total` queued at the start. */
  index: number
  total: number
  handle: string
  message: string
}

/** What a run needs from the page. Server calls reject as the client does. */
export interface RunDeps {
  queued: number
  /** The next message, or the seconds until one is due, null if nothing is left. */
  claim(): Promise<{ claim: Claim } | { inSeconds: number | null }>
  ask(claim: Claim, notAfter: number): Promise<ExtensionReply<object>>
  record(claim: Claim, outcome: RecordedOutcome): Promise<{ campaignCompleted: boolean }>
  /** @param inboxUnclear X did not show whether the person can be messaged: due again in hours */
  release(claim: Claim, inboxUnclear: boolean): Promise<unknown>
  wait(ms: number): Promise<void>
  /** Waits until then (milliseconds since 1970), or until there is a reason to claim earlier. */
  waitUntil(until: number): Promise<void>
  onProgress(progress: RunProgress): void
  /** Called with the time of the next message, in milliseconds since 1970. */
  onWait(until: number): void
  /** Shows an error to the user. */
  onError(text: string): void
  /** Tells the user that a message was put off. */
  onPutOff(text: string): void
  /** Whether the claim was refused because the campaign was paused or has ended. */
  isOver(error: unknown): boolean
  textOf(error: unknown): string
  now(): number
}

/** `nothing` was queued; `stopped` by an error it showed; `over`: paused or ended elsewhere. */
export type RunEnd = 'finished' | 'completed' | 'nothing' | 'stopped' | 'over'

/** Attempts at a server call after network errors. */
const TRIES = 4
const RETRY_MS = 2_000

/** Claims, sends and records messages as they are due. A claim is sent at most once. */
export async function runCampaign(deps: RunDeps): Promise<RunEnd> {
  let index = 0
  let refusals = 0
  for (;;) {
    let due: Awaited<ReturnType<RunDeps['claim']>>
    try {
      due = await withRetries(deps, () => deps.claim())
    } catch (error) {
      if (deps.isOver(error)) return 'over'
      deps.onError(deps.textOf(error))
      return 'stopped'
    }
    if (!('claim' in due)) {
      if (due.inSeconds === null) return index === 0 ? 'nothing' : 'finished'
      const until = deps.now() + due.inSeconds * 1000
      deps.onWait(until)
      await deps.waitUntil(until)
      continue
    }
    const { claim } = due
    index += 1
    const { twitterHandle: handle, message } = claim
    deps.onProgress({ index, total: Math.max(deps.queued, index), handle, message })
    const { outcome, stop, refused } = await attempt(deps, claim)
    refusals = refused ? refusals + 1 : 0
    const completed = outcome ? await settle(deps, claim, outcome) : false
    if (completed) return 'completed'
    if (stop !== null || refusals >= REFUSALS_IN_A_ROW) {
      deps.onError(stop ?? refused ?? '')
      return 'stopped'
    }
  }
}

interface AttemptResult {
  /** Null if the server knows the outcome already; `later`: released, and due again in hours. */
  outcome: RecordedOutcome | 'release' | 'later' | null
  /** Why later messages would fail too. */
  stop: string | null
  /** The text of X's refusal. */
  refused: string | null
}

async function attempt(deps: RunDeps, claim: Claim): Promise<AttemptResult> {
  const noProblem = { stop: null, refused: null }
  if (claim.twitterHandle.replace('@', '').trim() === '')
    return { ...noProblem, outcome: { wasSent: false, reason: { code: 'lead_missing', params: {} } } }
  try {
    const notAfter = deps.now() + SEND_WITHIN_MS
    let reply = await deps.ask(claim, notAfter)
    if (!reply.success && reply.end === 'unclear') {
      // A repeated request returns the first outcome; the extension never sends twice under one
      // lease.
      await deps.wait(RETRY_MS)
      reply = await deps.ask(claim, notAfter)
    }
    if (reply.success) return { ...noProblem, outcome: { wasSent: true } }
    const { error, end, code } = reply
    switch (end) {
      case 'called-back':
        return { ...noProblem, outcome: null }
      case 'later':
        deps.onPutOff(error)
        return { ...noProblem, outcome: 'later' }
      case 'down':
      case 'stop':
        return { ...noProblem, outcome: isUnclear(code) ? 'later' : 'release', stop: error }
      case 'unclear':
        return { ...noProblem, outcome: { wasSent: false, errorMessage: error, outcomeUnknown: true }, stop: error }
      case 'unknown':
        return { ...noProblem, outcome: { wasSent: false, errorMessage: error, outcomeUnknown: true } }
      case 'failed': {
        const skipCode = skipCodeOf(code)
        const why = skipCode ? { reason: { code: skipCode, params: {} } } : { errorMessage: error }
        return { ...noProblem, outcome: { wasSent: false, ...why }, refused: code === 'X_REFUSED' ? error : null }
      }
    }
  } catch (error) {
    const text = error instanceof Error ? error.message : String(error)
    deps.onError(`Error processing DM for @${claim.twitterHandle}: ${text}`)
    const errorMessage = `Critical error during DM attempt: ${text}`
    return { ...noProblem, outcome: { wasSent: false, errorMessage, outcomeUnknown: true } }
  }
}

/** @returns whether the campaign is now complete */
async function settle(deps: RunDeps, claim: Claim, outcome: NonNullable<AttemptResult['outcome']>): Promise<boolean> {
  try {
    if (outcome === 'release' || outcome === 'later') {
      await withRetries(deps, () => deps.release(claim, outcome === 'later'))
      return false
    }
    return (await withRetries(deps, () => deps.record(claim, outcome))).campaignCompleted
  } catch (error) {
    deps.onError(`Failed to record outcome for @${claim.twitterHandle}: ${deps.textOf(error)}`)
    return false
  }
}

/** Retries after network errors only. */
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
