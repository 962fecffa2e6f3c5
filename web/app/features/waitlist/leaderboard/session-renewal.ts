import { ORPCError } from '@orpc/client'

/** The number of retries of a load, and the delay before each. */
export const RETRY_CAP = 3
const RETRY_DELAY_MS = 1000

/** The session could not be renewed. */
export class SessionExpired extends Error {}

/** Whether it is a session error. Some are recognized only by their message: 'Session expired' or 'JWT'. */
export function isSessionError(error: unknown): boolean {
  if (!(error instanceof ORPCError)) return false
  return error.code === 'UNAUTHORIZED' || /Session expired|JWT/.test(error.message)
}

interface Renewal {
  /** A new token, or null if the session can't be renewed. */
  renew: () => Promise<string | null>
  wait: (ms: number) => Promise<void>
  /** Called before each retry. */
  onRetry: () => void
}

/** Loads, and after session errors renews and retries. @throws SessionExpired, or the last error */
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
