import type { FastifyBaseLogger } from 'fastify'
import { pino } from 'pino'

const ERROR = 50

/** A log that writes nothing. @param onOutcome gets each operation with its outcome */
export function openTestLog(
  onFault: (error: unknown) => void,
  onOutcome: (outcome: string) => void = () => {},
): FastifyBaseLogger {
  return pino({
    level: 'info',
    hooks: {
      logMethod([line], _write, level) {
        const { err, route, outcome } = line as { err?: unknown; route?: string; outcome?: string }
        if (level >= ERROR) onFault(err ?? line)
        else if (outcome) onOutcome(`${route} ${outcome}`)
      },
    },
  })
}
