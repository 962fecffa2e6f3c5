import type { SendDmReply } from '@x-automated/contract/outreach/extension'
import { createRun, type Step, type Transport, verdictOf } from '@x-automated/contract/outreach/sending-run'
import type { Journal } from './journal.ts'
import { type Claim, ProductError } from './product.ts'

type Stores = Pick<Transport<Claim>, 'signedInAs' | 'pendingClaim' | 'claimRequest' | 'refusals' | 'now'>

/** Dependencies of a background run. Its state is stored, because the worker may be killed. */
export interface RunNeeds extends Stores {
  product: Pick<Transport<Claim>, 'claim' | 'record' | 'release'>
  journal: Pick<Journal, 'find'>
  /** Presses send at most once per lease. */
  send(claim: Claim, requestedAt: number): Promise<SendDmReply>
}

/** Retry interval for an unreachable product. */
const UNREACHABLE_MS = 30_000

/** Takes the next step of background sending. @returns `unpaired` if the token is invalid */
export async function takeStep({ product, journal, send, ...stores }: RunNeeds): Promise<Step | { next: 'unpaired' }> {
  const run = createRun<Claim>({
    ...stores,
    claim: product.claim,
    send: async (claim, requestedAt) => verdictOf(await send(claim, requestedAt)),
    record: (claim, outcome) => product.record(claim, outcome).catch(unlessSettled),
    release: (claim, inboxUnclear) => product.release(claim, inboxUnclear).catch(unlessSettled),
    async outcomeAfterCrash({ lease }) {
      const entry = await journal.find(lease)
      if (!entry) return 'release'
      return entry.state === 'sent' ? { wasSent: true } : { wasSent: false, outcomeUnknown: true }
    },
  })
  try {
    return await run.step()
  } catch (error) {
    if (!(error instanceof ProductError)) throw error
    // After a refusal other than IDEMPOTENCY_UNDER_WAY, repeating the request would not return the lost response.
    if (error.status >= 400 && error.status < 500 && error.code !== 'IDEMPOTENCY_UNDER_WAY')
      await stores.claimRequest.write(null)
    return error.status === 401 ? { next: 'unpaired' } : { next: 'wait', ms: UNREACHABLE_MS }
  }
}

/** Ignores 404 and 409, which mean that the product has already settled the claim. @throws other errors */
function unlessSettled(error: unknown): void {
  if (!(error instanceof ProductError) || ![404, 409].includes(error.status)) throw error
}
