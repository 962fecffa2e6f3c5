import { type ExtensionEnd, type ExtensionErrorCode, endOf } from './extension.ts'

/** The outcome of a claim, as reported to the product. */
export interface Outcome {
  wasSent: boolean
  /** Replaces `errorMessage`. */
  reason?: { code: 'lead_missing' | 'identity' | 'replied'; params: Record<string, never> }
  errorMessage?: string
  outcomeUnknown?: boolean
}

/** The consequences of an attempt for its claim and for the run. */
export interface Verdict {
  /** `later`: the message is released and due again hours later. Null if the product already knows the outcome. */
  outcome: Outcome | 'release' | 'later' | null
  /** Why the next messages would fail, too. */
  stop?: string
  /** X's own words, if X refused the message. */
  refused?: string
}

/** A claim, with its outcome if that is known but not reported yet. */
export interface PendingClaim<Claim> {
  claim: Claim
  outcome?: Exclude<Verdict['outcome'], null>
}

/** A claim request that has no response yet. */
export interface ClaimRequest {
  /** Idempotency key: the product repeats its response to the same key. */
  key: string
  /** Local time in milliseconds. */
  since: number
  /** The account named in the first request, because a repeated request needs the same body. */
  signedInAs?: string | undefined
}

/** A value that is stored so that another run can continue from it. */
export interface Stored<Value> {
  read(): Promise<Value | null>
  write(value: Value | null): Promise<void>
}

/** A run's access to the product and X. */
export interface Transport<Claim> {
  /** Claims the next message, or returns the seconds until one is due; null if nothing is queued. */
  claim(request: ClaimRequest): Promise<{ claim: Claim } | { inSeconds: number | null }>
  /**
   * Sends at most once per lease.
   * @param requestedAt when the claim was requested, in milliseconds since 1970
   */
  send(claim: Claim, requestedAt: number): Promise<Verdict>
  record(claim: Claim, outcome: Outcome): Promise<unknown>
  /** @param inboxUnclear X did not show whether the person can be messaged, so the message is due again hours later */
  release(claim: Claim, inboxUnclear: boolean): Promise<unknown>
  /** Returns the outcome of a claim whose worker died. Without this function, such claims are released. */
  outcomeAfterCrash?(claim: Claim): Promise<Outcome | 'release'>
  signedInAs?: string | undefined
  pendingClaim: Stored<PendingClaim<Claim>>
  claimRequest: Stored<ClaimRequest>
  /** Number of consecutive refusals by X. */
  refusals: Stored<number>
  now(): number
}

/** When the next step is due. `idle`: nothing is queued. `stopped`: the user must fix something. */
export type Step =
  | { next: 'again' }
  | { next: 'wait'; ms: number }
  | { next: 'idle' }
  | { next: 'stopped'; error: string }

/**
 * How long a claim request is repeated if its response was lost. Must be far shorter than a lease,
 * because the lost response might have granted one.
 */
const REPEAT_FOR_MS = 60_000
/** After this many refusals in a row, X is refusing the account rather than the leads. */
const REFUSALS_IN_A_ROW = 3
/** Failures for which the product skips the message with a reason instead of storing a text. */
const SKIP_CODES: Partial<Record<ExtensionErrorCode, 'identity' | 'replied'>> = {
  WRONG_PERSON: 'identity',
  MESSAGE_REQUEST: 'replied',
}

/**
 * Sends queued messages for a page or the extension, one claim per step. Each step stores what it
 * is about to do. A claim left by an earlier step is settled, never sent. A step rejects if the
 * transport does; the next one then continues.
 */
export function createRun<Claim>(transport: Transport<Claim>) {
  const { pendingClaim, claimRequest, refusals, now } = transport

  async function step(): Promise<Step> {
    const pending = await pendingClaim.read()
    if (pending) {
      const { claim, outcome = (await transport.outcomeAfterCrash?.(claim)) ?? 'release' } = pending
      await settle(claim, outcome)
      return { next: 'again' }
    }
    const unanswered = await claimRequest.read()
    const isFresh = unanswered !== null && now() - unanswered.since < REPEAT_FOR_MS
    const request = isFresh ? unanswered : { key: crypto.randomUUID(), since: now(), signedInAs: transport.signedInAs }
    await claimRequest.write(request)
    const due = await transport.claim(request)
    if ('claim' in due) await pendingClaim.write({ claim: due.claim })
    await claimRequest.write(null)
    if ('claim' in due) return finish(due.claim, await transport.send(due.claim, request.since))
    return due.inSeconds === null ? { next: 'idle' } : { next: 'wait', ms: due.inSeconds * 1000 }
  }

  async function finish(claim: Claim, { outcome, stop, refused }: Verdict): Promise<Step> {
    const inARow = refused ? ((await refusals.read()) ?? 0) + 1 : 0
    const isTooMany = inARow >= REFUSALS_IN_A_ROW
    await refusals.write(isTooMany ? 0 : inARow)
    if (outcome === null) await pendingClaim.write(null)
    else await settle(claim, outcome)
    const error = stop || (isTooMany && refused)
    return error ? { next: 'stopped', error } : { next: 'again' }
  }

  async function settle(claim: Claim, outcome: Exclude<Verdict['outcome'], null>): Promise<void> {
    await pendingClaim.write({ claim, outcome })
    if (outcome === 'release' || outcome === 'later') await transport.release(claim, outcome === 'later')
    else await transport.record(claim, outcome)
    await pendingClaim.write(null)
  }

  return { step }
}

/** Returns what the extension's reply means. If the reply has no `end`, its code decides. */
export function verdictOf(
  reply: { success: true } | { success: false; error: string; code?: ExtensionErrorCode; end?: ExtensionEnd },
): Verdict {
  if (reply.success) return { outcome: { wasSent: true } }
  const { error, code, end = endOf(code) } = reply
  if (end === 'called-back') return { outcome: null }
  if (end === 'later') return { outcome: 'later' }
  if (end === 'stop') return { outcome: code === 'CANNOT_TELL_IN_A_ROW' ? 'later' : 'release', stop: error }
  const skipCode = code && SKIP_CODES[code]
  if (skipCode) return { outcome: { wasSent: false, reason: { code: skipCode, params: {} } } }
  const outcome = { wasSent: false, errorMessage: error, outcomeUnknown: end === 'unknown' }
  return code === 'X_REFUSED' ? { outcome, refused: error } : { outcome }
}

/**
 * Returns the seconds until a message is due; null if nothing is queued.
 * @param retryAfter the Retry-After header of a response without a message
 */
export function secondsUntilDue(retryAfter: string | null | undefined): number | null {
  const seconds = Number(retryAfter)
  return seconds > 0 ? seconds : null
}

/** Returns storage for a value that is lost when the page closes. */
export function inMemory<Value>(): Stored<Value> {
  let value: Value | null = null
  return {
    read: async () => value,
    async write(next) {
      value = next
    },
  }
}
