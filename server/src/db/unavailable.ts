import pg from 'pg'

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
  if (cause instanceof pg.DatabaseError) return CLASSES.test(cause.code ?? '') || CODES.has(cause.code ?? '')
  const { code, syscall, message } = (cause ?? {}) as NodeJS.ErrnoException
  // A socket's file is missing (ENOENT) as long as its server does not run.
  return SOCKET_CODES.has(code ?? '') || syscall === 'connect' || LOST.test(String(message))
}
