import type { Socket } from 'node:net'
import { ERROR_STATUS, ERROR_TEXT, type ErrorCode, type ErrorEnvelope } from '@x-automated/contract/errors'
import type { FastifyError, FastifyInstance, FastifyReply } from 'fastify'
import { asRefusal } from '../operations.ts'
import type { Refusal } from '../refusal.ts'

/** Sends the error envelope. */
export function sendRefusal(
  reply: FastifyReply,
  refusal: Pick<Refusal, 'code' | 'message' | 'details' | 'retryAfterSeconds'>,
): FastifyReply {
  if (refusal.retryAfterSeconds !== undefined) reply.header('retry-after', String(refusal.retryAfterSeconds))
  return reply.status(ERROR_STATUS[refusal.code]).type('application/json').send(envelopeOf(refusal))
}

/** The body of a refusal. */
export function envelopeOf({ code, message, details }: Pick<Refusal, 'code' | 'message' | 'details'>): ErrorEnvelope {
  return { success: false, code, error: message, ...(details === undefined ? {} : { details }) }
}

/** Sends Fastify's own errors and unexpected errors in the envelope, too. */
export function useEnvelope(app: FastifyInstance): void {
  app.setErrorHandler((error: FastifyError, request, reply) => {
    const refusal = asRefusal(error)
    if (refusal) return sendRefusal(reply, refusal)
    const code = codeOf(error.statusCode)
    if (code === 'INTERNAL') request.log.error({ err: error }, 'request failed')
    return sendRefusal(reply, {
      code,
      message:
        code === 'INVALID_INPUT' ? 'The body must be a JSON object, sent as application/json.' : ERROR_TEXT[code],
    })
  })
}

/** Rejects a URL that Fastify cannot decode. */
export function refuseMalformed(reply: FastifyReply): void {
  reply.header('cache-control', 'no-store')
  sendRefusal(reply, { code: 'INVALID_INPUT', message: 'The URL is malformed.' })
}

type Unreadable = [status: string, code: ErrorCode, text: string]
const UNREADABLE: Record<string, Unreadable> & { OTHER: Unreadable } = {
  HPE_HEADER_OVERFLOW: ['413 Payload Too Large', 'BODY_TOO_LARGE', ERROR_TEXT.BODY_TOO_LARGE],
  ERR_HTTP_REQUEST_TIMEOUT: [
    '400 Bad Request',
    'INVALID_INPUT',
    'The request arrived too slowly. Check your connection and try again.',
  ],
  OTHER: ['400 Bad Request', 'INVALID_INPUT', 'The request is malformed.'],
}

/** Rejects malformed, oversized and slow requests on the raw socket, then closes it. */
export function refuseUnreadable(error: NodeJS.ErrnoException, socket: Socket): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy()
    return
  }
  const [status, code, text] = UNREADABLE[error.code ?? ''] ?? UNREADABLE.OTHER
  const envelope: ErrorEnvelope = { success: false, code, error: text }
  const body = JSON.stringify(envelope)
  socket.end(
    `HTTP/1.1 ${status}\r\ncontent-type: application/json\r\ncontent-length: ${Buffer.byteLength(body)}\r\nconnection: close\r\n\r\n${body}`,
  )
}

function codeOf(status: number | undefined): ErrorCode {
  if (status === 413) return 'BODY_TOO_LARGE'
  if (status === 404) return 'NOT_FOUND'
  if (status === 429) return 'RATE_LIMITED'
  return status !== undefined && status >= 400 && status < 500 ? 'INVALID_INPUT' : 'INTERNAL'
}
