import { setTimeout as sleep } from 'node:timers/promises'

/** PostgreSQL's error classes: connection exception, insufficient resources, operator intervention. */
const CLASSES = /^(08|53|57)/
/** PostgreSQL's errors: serialization failure, deadlock, lock not available, idle transaction, disk I/O error. */
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
/** Messages of pg and pg-pool for connections that are lost or could not be opened. */
const LOST = /timeout exceeded when trying to connect|timeout expired|Connection terminated|is not queryable/

/** Whether the database is temporarily unavailable, so that a retry may succeed. */
export function isUnavailable(error: unknown): boolean {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error
  const { code = '', syscall, message } = (cause ?? {}) as NodeJS.ErrnoException
  if (CLASSES.test(code) || CODES.has(code) || SOCKET_CODES.has(code)) return true
  // A socket file is missing (ENOENT) while its server is down.
  return syscall === 'connect' || LOST.test(String(message))
}

const RETRY_FOR_MS = 60_000
const RETRY_MS_MAX = 2_000

/** Runs `work` again while the database is unavailable. @throws the last error after a minute */
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
