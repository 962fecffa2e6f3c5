import { ERROR_TEXT, type ErrorCode } from '@x-automated/contract/errors'
import { fieldProblem } from '@x-automated/contract/input-problems'

/**
 * An outcome that the contract declares; any other error becomes INTERNAL. `message` can be shown
 * to users; `retryAfterSeconds` becomes the Retry-After header.
 */
export class Refusal extends Error {
  readonly code: ErrorCode
  readonly details?: unknown
  readonly retryAfterSeconds?: number

  constructor(
    code: ErrorCode,
    message?: string,
    extra: { details?: unknown; retryAfterSeconds?: number; cause?: unknown } = {},
  ) {
    super(message ?? ERROR_TEXT[code], { cause: extra.cause })
    this.name = 'Refusal'
    this.code = code
    this.details = extra.details
    this.retryAfterSeconds = extra.retryAfterSeconds
  }
}

/** Rejects one field. @param problem a sentence, or a predicate such as 'is required' */
export function invalidField(field: string, problem: string): Refusal {
  const details = [fieldProblem(field, problem)]
  return new Refusal('INVALID_INPUT', details[0]?.problem, { details })
}
