import { ORPCError } from '@orpc/client'

/** Retries of one load, and the pause before each (specification §9). */
export const RETRY_CAP = 3
export const RETRY_DELAY_MS = 1000

/** The session could not be renewed. */
export class SessionGone extends Error {}

/** Did the server refuse because of the session (specification §8: a message with 'Session expired' or 'JWT')? */
export function isSessionTrouble(error: unknown): boolean {
  if (!(error instanceof ORPCError)) return false
  return error.code === 'UNAUTHORIZED' || /Session expired|JWT/.test(error.message)
}

export interface Renewal {
  /** A fresh token, or null where there is none to be had. */
  renew: () => Promise<string | null>
  wait: (ms: number) => Promise<void>
  /** Called before each retry. */
  onRetry: () => void
}

/**
 * Loads; where the session is what stands in the way, renews it and tries again, at most RETRY_CAP times.
 * @throws SessionGone, or what the last try threw
 */
export async function loadWithRenewal<T>(load: () => Promise<T>, { renew, wait, onRetry }: Renewal): Promise<T> {
  for (let retries = 0; ; retries += 1) {
    try {
      return await load()
    } catch (error) {
      if (!isSessionTrouble(error) || retries === RETRY_CAP) throw error
      onRetry()
      if ((await renew()) === null) throw new SessionGone()
      await wait(RETRY_DELAY_MS)
    }
  }
}
