import { ERROR_STATUS, ERROR_TEXT, type ErrorCode, type ErrorEnvelope } from '@x-automated/contract/errors'
import type { FastifyError, FastifyInstance, FastifyReply } from 'fastify'
import type { Services } from '../app.ts'
import { asRefusal } from '../operations.ts'
import type { Refusal } from '../refusal.ts'

/** Answers with the error envelope, on any route. */
export function sendRefusal(
  reply: FastifyReply,
  refusal: Pick<Refusal, 'code' | 'message' | 'details' | 'retryAfterSeconds'>,
): FastifyReply {
  if (refusal.retryAfterSeconds !== undefined) reply.header('retry-after', String(refusal.retryAfterSeconds))
  const body: ErrorEnvelope = {
    success: false,
    code: refusal.code,
    error: refusal.message,
    ...(refusal.details === undefined ? {} : { details: refusal.details }),
  }
  return reply.status(ERROR_STATUS[refusal.code]).type('application/json').send(body)
}

/** What Fastify itself refuses (unreadable or oversized bodies), and faults, in the envelope too. */
export function useEnvelope(app: FastifyInstance, services: Pick<Services, 'onFault'>): void {
  app.setErrorHandler((error: FastifyError, request, reply) => {
    const refusal = asRefusal(error)
    if (refusal) return sendRefusal(reply, refusal)
    const code = codeOf(error.statusCode)
    if (code === 'INTERNAL') {
      request.log.error({ err: error }, 'request failed')
      services.onFault(error)
    }
    return sendRefusal(reply, {
      code,
      message:
        code === 'INVALID_INPUT'
          ? 'The body could not be read: it must be a JSON object, sent as application/json.'
          : ERROR_TEXT[code],
    })
  })
}

function codeOf(status: number | undefined): ErrorCode {
  if (status === 413) return 'BODY_TOO_LARGE'
  if (status === 404) return 'NOT_FOUND'
  if (status === 429) return 'RATE_LIMITED'
  return status !== undefined && status >= 400 && status < 500 ? 'INVALID_INPUT' : 'INTERNAL'
}
