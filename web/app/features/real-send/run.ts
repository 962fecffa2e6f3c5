import type { Claim } from '@x-automated/contract/campaigns'
import { REFUSALS_IN_A_ROW, SEND_WITHIN_MS } from '@x-automated/contract/extension'
import type { ExtensionReply } from './extension-link'

export interface RecordedOutcome {
  wasSent: boolean
  errorMessage?: string
  outcomeUnknown?: boolean
}

/** How far a run is. */
export interface RunProgress {
  /** The message it is at, from 1, and how many were queued when it began. */
  index: number
  total: number
  handle: string
  message: string
}

/** What a run needs of the page. What talks to the server rejects as it does. */
export interface RunDeps {
  queued: number
  /** The next message; else in how many seconds one is due, null where none is left. */
  claim(): Promise<{ claim: Claim } | { inSeconds: number | null }>
  ask(claim: Claim, notAfter: number): Promise<ExtensionReply<object>>
  record(claim: Claim, outcome: RecordedOutcome): Promise<{ campaignCompleted: boolean }>
  release(claim: Claim): Promise<unknown>
  wait(ms: number): Promise<void>
  /** Waits for that moment, or for a reason to ask for a message before it, in milliseconds since 1970. */
  rest(until: number): Promise<void>
  onProgress(progress: RunProgress): void
  /** Until when it waits before the next one, in milliseconds since 1970. */
  onWait(until: number): void
  /** Something that a person should read. */
  onError(words: string): void
  /** Has the campaign been paused or ended since, so that a claim was refused? */
  isOver(error: unknown): boolean
  wordsOf(error: unknown): string
  now(): number
}

/** How a run ended. `nothing`: there was nothing to send. `stopped`: it cannot go on, and has said why. `over`: the campaign was paused or ended. */
export type RunEnd = 'finished' | 'completed' | 'nothing' | 'stopped' | 'over'

const SKIPPED = 'Skipped: Lead data or Twitter handle missing during processing.'
/** What could not be told to the server, or asked of it, is tried again so often. */
const TRIES = 4
const RETRY_MS = 2_000

/**
 * The specification's loop of real sending (§4): one message after the other, each asked of the extension and recorded, at the pace
 * that the server sets by when it hands out the next. A claim is sent at most once, whatever happens.
 */
export async function runCampaign(needs: RunDeps): Promise<RunEnd> {
  let index = 0
  let refusals = 0
  for (;;) {
    let due: Awaited<ReturnType<RunDeps['claim']>>
    try {
      due = await again(needs, () => needs.claim())
    } catch (error) {
      if (needs.isOver(error)) return 'over'
      needs.onError(needs.wordsOf(error))
      return 'stopped'
    }
    if (!('claim' in due)) {
      if (due.inSeconds === null) return index === 0 ? 'nothing' : 'finished'
      const until = needs.now() + due.inSeconds * 1000
      needs.onWait(until)
      await needs.rest(until)
      continue
    }
    const { claim } = due
    index += 1
    const { twitterHandle: handle, message } = claim
    needs.onProgress({ index, total: Math.max(needs.queued, index), handle, message })
    const { outcome, stop, refused } = await attempt(needs, claim)
    refusals = refused ? refusals + 1 : 0
    const completed = outcome ? await settle(needs, claim, outcome) : false
    if (completed) return 'completed'
    if (stop !== null || refusals >= REFUSALS_IN_A_ROW) {
      needs.onError(stop ?? refused ?? '')
      return 'stopped'
    }
  }
}

interface Attempted {
  /** Null where the server knows by itself what became of it. */
  outcome: RecordedOutcome | 'give back' | null
  /** Why the next one would fare no better. */
  stop: string | null
  /** X's refusal. */
  refused: string | null
}

async function attempt(needs: RunDeps, claim: Claim): Promise<Attempted> {
  const fine = { stop: null, refused: null }
  if (claim.twitterHandle.replace('@', '').trim() === '')
    return { ...fine, outcome: { wasSent: false, errorMessage: SKIPPED } }
  try {
    const notAfter = needs.now() + SEND_WITHIN_MS
    let reply = await needs.ask(claim, notAfter)
    if (!reply.success && reply.end === 'unclear') {
      // Asked again under its lease, the extension says how the first time ended; it does not send again.
      await needs.wait(RETRY_MS)
      reply = await needs.ask(claim, notAfter)
    }
    if (reply.success) return { ...fine, outcome: { wasSent: true } }
    const { error, end, code } = reply
    switch (end) {
      case 'called-back':
        return { ...fine, outcome: null }
      case 'down':
      case 'stop':
        return { ...fine, outcome: 'give back', stop: error }
      case 'unclear':
        return { ...fine, outcome: { wasSent: false, errorMessage: error, outcomeUnknown: true }, stop: error }
      case 'unknown':
        return { ...fine, outcome: { wasSent: false, errorMessage: error, outcomeUnknown: true } }
      case 'failed':
        return {
          ...fine,
          outcome: { wasSent: false, errorMessage: error },
          refused: code === 'X_REFUSED' ? error : null,
        }
    }
  } catch (error) {
    const words = error instanceof Error ? error.message : String(error)
    needs.onError(`Error processing DM for @${claim.twitterHandle}: ${words}`)
    const errorMessage = `Critical error during DM attempt: ${words}`
    return { ...fine, outcome: { wasSent: false, errorMessage, outcomeUnknown: true } }
  }
}

/** @returns is the campaign complete with it? */
async function settle(needs: RunDeps, claim: Claim, outcome: RecordedOutcome | 'give back'): Promise<boolean> {
  try {
    if (outcome === 'give back') {
      await again(needs, () => needs.release(claim))
      return false
    }
    return (await again(needs, () => needs.record(claim, outcome))).campaignCompleted
  } catch (error) {
    needs.onError(`Failed to record outcome for @${claim.twitterHandle}: ${needs.wordsOf(error)}`)
    return false
  }
}

/** Asks a server that does not answer a few times more. What it refuses stays refused. */
async function again<Value>(needs: RunDeps, call: () => Promise<Value>): Promise<Value> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await call()
    } catch (error) {
      if (tries === TRIES || !(error instanceof TypeError)) throw error
      await needs.wait(RETRY_MS * tries)
    }
  }
}
