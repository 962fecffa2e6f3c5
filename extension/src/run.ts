import {
  endOf,
  isUnclear,
  REFUSALS_IN_A_ROW,
  type SendDmReply,
  skipCodeOf,
} from '@x-automated/contract/outreach/extension'
import type { Journal } from './journal.ts'
import { type Claim, type Outcome, type Product, ProductError } from './product.ts'

/** A claim, and its outcome if known but not reported yet. */
export interface PendingClaim {
  claim: Claim
  /** `later`: released, and due again in hours. */
  outcome?: Outcome | 'release' | 'later'
}

/** A claim request without a response yet. */
export interface ClaimRequest {
  /** Idempotency key: the product repeats its response. */
  key: string
  /** Local time in milliseconds. */
  since: number
  /** The account given in the first request. A repeated request needs the same body. */
  signedInAs?: string | undefined
}

/** Dependencies of a run. */
export interface RunNeeds {
  product: Pick<Product, 'claim'> & {
    record(claim: Claim, outcome: Outcome): Promise<unknown>
    release(claim: Claim, inboxUnclear: boolean): Promise<unknown>
  }
  /** Our id as the claim's holder, and the account last seen signed in to X. */
  holder: string
  signedInAs?: string | undefined
  journal: Pick<Journal, 'find'>
  /** Presses send at most once per lease. */
  send(claim: Claim, claimedAt: number): Promise<SendDmReply>
  pendingClaim: { read(): Promise<PendingClaim | null>; write(pending: PendingClaim | null): Promise<void> }
  /** Stored like the claim, to repeat a request after the worker died. */
  claimRequest: { read(): Promise<ClaimRequest | null>; write(claimRequest: ClaimRequest | null): Promise<void> }
  /** Number of consecutive refusals by X. Stored like the claim. */
  refusals: { read(): Promise<number | null>; write(inARow: number): Promise<void> }
  now(): number
}

/**
 * When the next step is due: immediately, in some milliseconds, or after a change. `idle`: nothing
 * is queued; `unpaired`: the token is invalid; `stopped`: the user must fix something.
 */
export type Step =
  | { next: 'again' }
  | { next: 'wait'; ms: number }
  | { next: 'idle' }
  | { next: 'unpaired' }
  | { next: 'stopped'; error: string }

/** Retry interval for an unreachable product. */
const UNREACHABLE_MS = 30_000
/**
 * How long a claim request is repeated after a lost response. Well within the lease it may contain.
 */
const REPEAT_FOR_MS = 60_000

/**
 * Sends in the background, one claim per step. Claims are stored first, because the worker may die.
 * A leftover claim is never sent: the journal knows if it was, and otherwise it is released.
 */
export function createRun(needs: RunNeeds) {
  async function step(): Promise<Step> {
    try {
      const pending = await needs.pendingClaim.read()
      if (pending) {
        await settle(pending.outcome ? pending : { ...pending, outcome: await outcomeAfterCrash(pending.claim) })
        return { next: 'again' }
      }
      const unanswered = await needs.claimRequest.read()
      const isFresh = unanswered !== null && needs.now() - unanswered.since < REPEAT_FOR_MS
      const claimRequest = isFresh ? unanswered : newClaimRequest()
      await needs.claimRequest.write(claimRequest)
      const due = await needs.product.claim(needs.holder, claimRequest.key, claimRequest.signedInAs)
      if ('claim' in due) await needs.pendingClaim.write({ claim: due.claim })
      await needs.claimRequest.write(null)
      if (!('claim' in due))
        return due.inSeconds === null ? { next: 'idle' } : { next: 'wait', ms: due.inSeconds * 1000 }
      const { claim } = due
      return await finish(claim, await needs.send(claim, claimRequest.since))
    } catch (error) {
      if (!(error instanceof ProductError)) throw error
      // After any other refusal, repeating the request would not return the lost response.
      if (error.status >= 400 && error.status < 500 && error.code !== 'IDEMPOTENCY_UNDER_WAY')
        await needs.claimRequest.write(null)
      if (error.status === 401) return { next: 'unpaired' }
      return { next: 'wait', ms: UNREACHABLE_MS }
    }
  }

  function newClaimRequest(): ClaimRequest {
    return { key: crypto.randomUUID(), since: needs.now(), signedInAs: needs.signedInAs }
  }

  async function finish(claim: Claim, reply: SendDmReply): Promise<Step> {
    const end = reply.success ? 'sent' : endOf(reply.code)
    const refusals = !reply.success && reply.code === 'X_REFUSED' ? ((await needs.refusals.read()) ?? 0) + 1 : 0
    const isTooMany = refusals >= REFUSALS_IN_A_ROW
    await needs.refusals.write(isTooMany ? 0 : refusals)
    if (end === 'called-back') {
      await needs.pendingClaim.write(null)
      return { next: 'again' }
    }
    const isLater = !reply.success && isUnclear(reply.code)
    await settle({ claim, outcome: isLater ? 'later' : end === 'stop' ? 'release' : outcomeOf(reply) })
    if (!reply.success && (end === 'stop' || isTooMany)) return { next: 'stopped', error: reply.error }
    return { next: 'again' }
  }

  /** The outcome of a claim that a dead worker left. */
  async function outcomeAfterCrash({ lease }: Claim): Promise<Outcome | 'release'> {
    const known = await needs.journal.find(lease)
    if (!known) return 'release'
    return known.state === 'sent' ? { wasSent: true } : { wasSent: false, outcomeUnknown: true }
  }

  /** Reports the outcome. 404 and 409 mean that the product has settled it already. */
  async function settle(pending: PendingClaim): Promise<void> {
    await needs.pendingClaim.write(pending)
    const { claim, outcome } = pending
    try {
      if (outcome === 'release' || outcome === 'later') await needs.product.release(claim, outcome === 'later')
      else if (outcome) await needs.product.record(claim, outcome)
    } catch (error) {
      if (!(error instanceof ProductError) || ![404, 409].includes(error.status)) throw error
    }
    await needs.pendingClaim.write(null)
  }

  return { step }
}

/** The outcome that the product records for a reply. */
export function outcomeOf(reply: SendDmReply): Outcome {
  if (reply.success) return { wasSent: true }
  const code = skipCodeOf(reply.code)
  if (code) return { wasSent: false, reason: { code, params: {} } }
  return { wasSent: false, errorMessage: reply.error, outcomeUnknown: endOf(reply.code) === 'unknown' }
}
