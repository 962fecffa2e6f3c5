import type { FastifyBaseLogger } from 'fastify'
import { pino } from 'pino'

const ERROR = 50

interface Line {
  err?: unknown
  method?: string
  route?: string
  status?: number
  outcome?: string
}

/** Opens a log that writes nothing. @param onOutcome gets operations with their outcome and routes with their status */
export function openTestLog(
  onFault: (error: unknown) => void,
  onOutcome: (outcome: string) => void = () => {},
): FastifyBaseLogger {
  return pino({
    level: 'info',
    hooks: {
      logMethod([line], _write, level) {
        const { err, method, route, status, outcome } = line as Line
        if (level >= ERROR) onFault(err ?? line)
        else if (status) {
          if (outcome) onOutcome(`${route} ${outcome}`)
          onOutcome(`${method} ${route} ${status}`)
        }
      },
    },
  })
}
