import { setTimeout as sleep } from 'node:timers/promises'

/** PostgreSQL's classes of "connection exception", "insufficient resources" and "operator intervention". */
const CLASSES = /^(08|53|57)/
/** A lost race of two transactions, a lock that was not to be had, a transaction left open too long, an error of the disk. */
const CODES = new Set(['40001', '40P01', '55P03', '25P03', '58030'])
const SOCKET_CODES = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'ENOTFOUND',
  'EPIPE',
  'ETIMEDOUT',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
])
/** What pg and pg-pool say of a connection that is gone or was not to be had. */
const LOST = /timeout exceeded when trying to connect|timeout expired|Connection terminated|is not queryable/

/** Whether an error says that the database cannot serve at the moment, and the same call may succeed soon. */
export function isUnavailable(error: unknown): boolean {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error
  const { code = '', syscall, message } = (cause ?? {}) as NodeJS.ErrnoException
  if (CLASSES.test(code) || CODES.has(code) || SOCKET_CODES.has(code)) return true
  // A socket's file is missing (ENOENT) as long as its server does not run.
  return syscall === 'connect' || LOST.test(String(message))
}

const RETRY_FOR_MS = 60_000
const RETRY_MS_MAX = 2_000

/**
 * For steps of the start, which may come before the database is there: runs `work` again until it can be served.
 * @throws after a minute what the last try threw; immediately whatever else `work` throws
 */
export async function retryWhileUnavailable<T>(
  work: () => Promise<T>,
  onWait: (error: unknown) => void = () => {},
): Promise<T> {
  const end = Date.now() + RETRY_FOR_MS
  for (let tries = 1; ; tries += 1) {
    try {
      return await work()
    } catch (error) {
      if (!isUnavailable(error) || Date.now() > end) throw error
      if (tries === 1) onWait(error)
      await sleep(Math.min(RETRY_MS_MAX, 100 * 2 ** tries))
    }
  }
}
