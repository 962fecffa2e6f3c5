import type { FastifyBaseLogger } from 'fastify'
import { pino } from 'pino'

/**
 * JSON log without personal data. Level `error` means a fault of ours. Errors keep their type, stack
 * frames, code and constraint. Messages of queries and mail servers are left out: they contain what
 * people wrote.
 */
export function openLog(level: string): FastifyBaseLogger {
  return pino({ level, serializers: { err: describeError } })
}

/** Describes an error without personal data. Exported for its test. */
export function describeError(error: unknown): Record<string, unknown> {
  if (!(error instanceof Error)) return { type: typeof error }
  const { code, constraint, table } = error as { code?: unknown; constraint?: unknown; table?: unknown }
  const frames = (error.stack ?? '').split('\n').filter((line) => /^\s+at /.test(line))
  return {
    type: error.name,
    ...(hasSafeMessage(error) ? { message: error.message } : {}),
    ...(code === undefined ? {} : { code }),
    ...(constraint === undefined ? {} : { constraint, table }),
    at: frames.slice(0, 8).map((line) => line.trim()),
    ...(error.cause === undefined ? {} : { cause: describeError(error.cause) }),
  }
}

/** Whether an error's message can be logged. Messages of databases and mail servers contain personal data. */
function hasSafeMessage(error: Error): boolean {
  return (
    ['Error', 'TypeError', 'RangeError', 'SyntaxError', 'ReferenceError', 'Refusal', 'XError'].includes(error.name) &&
    !('severity' in error) &&
    !('query' in error) &&
    !('response' in error)
  )
}
