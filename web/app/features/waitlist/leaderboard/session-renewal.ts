import { ORPCError } from '@orpc/client'

/** How often a load is retried. */
export const RETRY_CAP = 3
const RETRY_DELAY_MS = 1000

/** The session could not be renewed. */
export class SessionExpired extends Error {}

/** Whether an error is about the session. Some can only be recognized by their message: 'Session expired' or 'JWT'. */
export function isSessionError(error: unknown): boolean {
  if (!(error instanceof ORPCError)) return false
  return error.code === 'UNAUTHORIZED' || /Session expired|JWT/.test(error.message)
}

interface Renewal {
  /** A new token, or null if the session cannot be renewed. */
  renew: () => Promise<string | null>
  wait: (ms: number) => Promise<void>
  /** Called before each retry. */
  onRetry: () => void
}

/** Calls `load`. After a session error, renews the session and retries. @throws SessionExpired or the last error */
export async function loadWithRenewal<T>(load: () => Promise<T>, { renew, wait, onRetry }: Renewal): Promise<T> {
  for (let retries = 0; ; retries += 1) {
    try {
      return await load()
    } catch (error) {
      if (!isSessionError(error) || retries === RETRY_CAP) throw error
      onRetry()
      if ((await renew()) === null) throw new SessionExpired()
      await wait(RETRY_DELAY_MS)
    }
  }
}
