import type { Claim } from '@x-automated/contract/campaigns'
import { errorCode } from '../../api'

type Answer = { status: 200; body: Claim } | { status: 204; headers?: Record<string, string> }

/** In which a first asking that is still under way ends. */
const UNDER_WAY_SECONDS = 2

/**
 * Takes messages, one at a call. Where an answer was lost the next call asks for the same one again, so that it is not left lying under a lease that nobody knows.
 * @param ask the server, under a key that names the asking
 * @returns the next message; else in how many seconds one is due, null where none is left
 */
export function createClaims(ask: (key: string) => Promise<Answer>) {
  let key: string | null = null
  return async (): Promise<{ claim: Claim } | { inSeconds: number | null }> => {
    key ??= crypto.randomUUID()
    try {
      const answer = await ask(key)
      key = null
      if (answer.status === 200) return { claim: answer.body }
      const seconds = Number(answer.headers?.['retry-after'])
      return { inSeconds: seconds > 0 ? seconds : null }
    } catch (error) {
      if (errorCode(error) === 'IDEMPOTENCY_UNDER_WAY') return { inSeconds: UNDER_WAY_SECONDS }
      if (!(error instanceof TypeError)) key = null
      throw error
    }
  }
}
