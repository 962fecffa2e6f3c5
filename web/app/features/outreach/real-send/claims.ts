import type { Claim } from '@x-automated/contract/outreach/sending'
import { errorCode } from '../../../api'

type Answer = { status: 200; body: Claim } | { status: 204; headers?: Record<string, string> }

/** Retry delay while the first request with this key is still running. */
const RETRY_SECONDS = 2

/** Claims a message; repeats lost requests. @returns it, or seconds until one is due; null: none */
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
      if (errorCode(error) === 'IDEMPOTENCY_UNDER_WAY') return { inSeconds: RETRY_SECONDS }
      if (!(error instanceof TypeError)) key = null
      throw error
    }
  }
}
