import { endOf, REFUSALS_IN_A_ROW, type SendDmReply } from '@x-automated/contract/extension'
import type { Journal } from './journal.ts'
import { type Claim, type Outcome, type Product, ProductError } from './product.ts'

/** A claim in hand, and what came of it once that is known but not yet told to the product. */
export interface InHand {
  claim: Claim
  outcome?: Outcome | 'give back'
}

/** A claim that was asked for and is not answered yet. */
export interface Asking {
  /** Asked again under it, the product answers the same. */
  key: string
  /** By this computer's clock, in milliseconds. */
  since: number
  /** Who was said to be signed in to X: asked again, it is said once more, as another body would be another request. */
  signedInAs?: string | undefined
}

/** What the run needs of the world. */
export interface RunNeeds {
  product: Pick<Product, 'claim'> & {
    record(claim: Claim, outcome: Outcome): Promise<unknown>
    release(claim: Claim): Promise<unknown>
  }
  /** Who we say we are when we claim, and who was last seen signed in to X here. */
  holder: string
  signedInAs?: string | undefined
  journal: Pick<Journal, 'find'>
  /** Presses send at most once for the claim's lease. */
  send(claim: Claim, claimedAt: number): Promise<SendDmReply>
  inHand: { read(): Promise<InHand | null>; write(held: InHand | null): Promise<void> }
  /** Like what is in hand, it outlives the worker: an answer that was lost is asked for again. */
  asking: { read(): Promise<Asking | null>; write(asking: Asking | null): Promise<void> }
  /** How many messages in a row X has refused; like what is in hand, it outlives the worker. */
  refusals: { read(): Promise<number>; write(inARow: number): Promise<void> }
  now(): number
}

/**
 * How a step ended: `again` at once; in some milliseconds; `idle`: nothing waits; `unpaired`: the token is good no more;
 * `stopped`: something has to be seen to first.
 */
export type Step =
  | { next: 'again' }
  | { next: 'wait'; ms: number }
  | { next: 'idle' }
  | { next: 'unpaired' }
  | { next: 'stopped'; error: string }

/** A product that cannot be reached is asked again after this long. */
const UNREACHABLE_MS = 30_000
/** For so long a lost answer is asked for again: well within the lease of what may be in it. */
const ASK_AGAIN_MS = 60_000

/**
 * Sends without a page, one claim a step. The worker may die at any moment: what is in hand is written down first, and a step
 * that finds something in hand settles that before it claims. It never sends it: what pressed send in a life before is told from
 * the journal, and the rest is given back.
 */
export function createRun(needs: RunNeeds) {
  async function step(): Promise<Step> {
    try {
      const left = await needs.inHand.read()
      if (left) {
        await settle(left.outcome ? left : { ...left, outcome: await outcomeOfLeft(left.claim) })
        return { next: 'again' }
      }
      const asked = await needs.asking.read()
      const isFresh = asked !== null && needs.now() - asked.since < ASK_AGAIN_MS
      const asking = isFresh ? asked : newAsking()
      await needs.asking.write(asking)
      const due = await needs.product.claim(needs.holder, asking.key, asking.signedInAs)
      if ('claim' in due) await needs.inHand.write({ claim: due.claim })
      await needs.asking.write(null)
      if (!('claim' in due))
        return due.inSeconds === null ? { next: 'idle' } : { next: 'wait', ms: due.inSeconds * 1000 }
      const { claim } = due
      return await finish(claim, await needs.send(claim, asking.since))
    } catch (error) {
      if (!(error instanceof ProductError)) throw error
      // Refused: another answer than that would be to another asking.
      if (error.status >= 400 && error.status < 500 && error.code !== 'IDEMPOTENCY_UNDER_WAY')
        await needs.asking.write(null)
      if (error.status === 401) return { next: 'unpaired' }
      return { next: 'wait', ms: UNREACHABLE_MS }
    }
  }

  function newAsking(): Asking {
    return { key: crypto.randomUUID(), since: needs.now(), signedInAs: needs.signedInAs }
  }

  async function finish(claim: Claim, reply: SendDmReply): Promise<Step> {
    const end = reply.success ? 'sent' : endOf(reply.code)
    const refusals = !reply.success && reply.code === 'X_REFUSED' ? (await needs.refusals.read()) + 1 : 0
    const isTooMany = refusals >= REFUSALS_IN_A_ROW
    await needs.refusals.write(isTooMany ? 0 : refusals)
    if (end === 'called-back') {
      await needs.inHand.write(null)
      return { next: 'again' }
    }
    await settle({ claim, outcome: end === 'stop' ? 'give back' : outcomeOf(reply) })
    if (!reply.success && (end === 'stop' || isTooMany)) return { next: 'stopped', error: reply.error }
    return { next: 'again' }
  }

  /** What became of a claim that a worker held when it died. */
  async function outcomeOfLeft({ lease }: Claim): Promise<Outcome | 'give back'> {
    const known = await needs.journal.find(lease)
    if (!known) return 'give back'
    return known.state === 'sent' ? { wasSent: true } : { wasSent: false, outcomeUnknown: true }
  }

  /** Tells the product. What it knows better by now (409, 404) is its own. */
  async function settle(held: InHand): Promise<void> {
    await needs.inHand.write(held)
    const { claim, outcome } = held
    try {
      if (outcome === 'give back') await needs.product.release(claim)
      else if (outcome) await needs.product.record(claim, outcome)
    } catch (error) {
      if (!(error instanceof ProductError) || ![404, 409].includes(error.status)) throw error
    }
    await needs.inHand.write(null)
  }

  return { step }
}

/** What the product keeps of a reply. */
export function outcomeOf(reply: SendDmReply): Outcome {
  if (reply.success) return { wasSent: true }
  return { wasSent: false, errorMessage: reply.error, outcomeUnknown: endOf(reply.code) === 'unknown' }
}
