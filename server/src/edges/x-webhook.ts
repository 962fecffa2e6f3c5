import type { FastifyInstance } from 'fastify'
import { receive, WEBHOOK_PATH } from '../domains/outreach/replies/service.ts'
import { readDelivery } from '../outside/x-activity.ts'
import { Refusal } from '../refusal.ts'
import type { Services } from '../services.ts'

/** X waits 10 seconds for an answer and retries failed deliveries. */
const ANSWER_WITHIN_MS = 8_000

/**
 * Characters of X's challenge tokens. Anyone can have one signed, so it must never be a valid
 * delivery, which is JSON and starts with a brace.
 */
const CHALLENGE = /^[A-Za-z0-9._~+/=-]{1,256}$/

/** GET and POST /api/x/webhook: X's challenge and its deliveries (outside/x-activity.ts). */
export async function serveXWebhook(app: FastifyInstance, services: Services): Promise<void> {
  const { xActivity, database } = services
  await app.register(async (raw) => {
    raw.removeAllContentTypeParsers()
    raw.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body))

    raw.get<{ Querystring: { crc_token?: unknown } }>(WEBHOOK_PATH, async (request) => {
      if (!xActivity) throw new Refusal('NOT_FOUND')
      const token = request.query.crc_token
      if (typeof token !== 'string' || !CHALLENGE.test(token))
        throw new Refusal('INVALID_INPUT', 'crc_token is missing or invalid.')
      return { response_token: xActivity.answerCheck(token) }
    })

    raw.post(WEBHOOK_PATH, async (request) => {
      if (!xActivity) throw new Refusal('NOT_FOUND')
      const body = Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0)
      const signature = request.headers['x-twitter-webhooks-signature']
      if (typeof signature !== 'string' || !xActivity.isSigned(body, signature))
        throw new Refusal('FORBIDDEN', 'The signature is invalid.')
      const happenings = readDelivery(parse(body))
      const kept = receive(database.db, happenings)
      if (!(await inTime(kept))) {
        // The work continues. If it fails, X delivers again.
        kept.catch((error) => request.log.warn({ err: error }, 'X delivery failed after the response'))
        throw new Refusal('UNAVAILABLE')
      }
      return { success: true }
    })
  })
}

function parse(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString('utf8'))
  } catch {
    throw new Refusal('INVALID_INPUT', "The body isn't JSON.")
  }
}

async function inTime(work: Promise<void>): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<false>((resolve) => {
    timer = setTimeout(() => resolve(false), ANSWER_WITHIN_MS)
  })
  try {
    return await Promise.race([work.then(() => true as const), late])
  } finally {
    clearTimeout(timer)
  }
}
