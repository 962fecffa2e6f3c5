import { createHash } from 'node:crypto'
import { Id } from '@x-automated/contract/fields'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { createDeliveryStore } from '../core/replies/deliveries.ts'
import { PAYMENTS_WEBHOOK_PATH, receivePayment } from '../domains/platform/billing/engine.ts'
import { appOfWebhook, WEBHOOK_PATH } from '../domains/platform/x-apps/x-apps.ts'
import { notesOf, readDelivery, type XDelivery } from '../outside/x-delivery.ts'
import { deliveryOf } from '../outside/x-prices.ts'
import type { XMeters } from '../ports.ts'
import { Refusal } from '../refusal.ts'
import type { Services } from '../services.ts'

/** How soon we respond to X, which waits 10 seconds and retries failed deliveries. */
const ANSWER_WITHIN_MS = 8_000

/**
 * Characters of X's challenge tokens. Anyone can have a token signed, so it must never be a valid
 * delivery, which is JSON and starts with a brace.
 */
const CHALLENGE = /^[A-Za-z0-9._~+/=-]{1,256}$/

/**
 * Receives events that other services post, signed over their exact bytes: POST
 * /api/billing/webhook, GET and POST /api/x/webhook (X's challenge and deliveries to the operator's
 * app), and the same at /api/x/webhook/{xAppId} for a workspace's own app. Events are stored first,
 * and processed afterwards.
 */
export async function serveWebhooks(app: FastifyInstance, services: Services): Promise<void> {
  const { db } = services.database.for('public')
  const store = createDeliveryStore(services)
  await app.register(async (raw) => {
    raw.removeAllContentTypeParsers()
    raw.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body))

    raw.post(PAYMENTS_WEBHOOK_PATH, async (request) => {
      if (!services.payments) throw new Refusal('NOT_FOUND')
      const { body, signature } = signedBody(request, 'stripe-signature')
      if (!(await receivePayment(services, body, signature)))
        throw new Refusal('FORBIDDEN', 'The signature is invalid or too old.')
      return { success: true }
    })

    type FromX = { Params: { xAppId?: string }; Querystring: { crc_token?: unknown } }
    /** The app's activity API. @throws Refusal NOT_FOUND: the app is unknown, or X cannot notify it */
    const findActivity = async ({ params: { xAppId } }: FastifyRequest<FromX>) => {
      const own = xAppId === undefined ? null : await services.xApps.findOwn(db, Id.parse(xAppId))
      const activity = xAppId === undefined ? services.xActivity : own?.activity
      if (!activity) throw new Refusal('NOT_FOUND')
      return activity
    }

    const answerCheck = async (request: FastifyRequest<FromX>) => {
      const activity = await findActivity(request)
      const token = request.query.crc_token
      if (typeof token !== 'string' || !CHALLENGE.test(token))
        throw new Refusal('INVALID_INPUT', 'crc_token is missing or invalid.')
      return { response_token: activity.answerCheck(token) }
    }

    const takeDelivery = async (request: FastifyRequest<FromX>) => {
      const activity = await findActivity(request)
      const { body, signature } = signedBody(request, 'x-twitter-webhooks-signature')
      if (!activity.isSigned(body, signature)) throw new Refusal('FORBIDDEN', 'The signature is invalid.')
      const parsed = parse(body)
      const delivery = readDelivery(parsed)
      for (const note of notesOf(delivery)) services.unreadables.report(note)
      if (typeof parsed !== 'object' || parsed === null || Array.isArray(parsed))
        throw new Refusal('INVALID_INPUT', 'The body must be a JSON object.')
      const appId = appOfWebhook(request.params.xAppId)
      countDelivery(services.xMeters, appId, body, delivery)
      if (delivery.happenings.length === 0 && !delivery.unreadable?.mayBeMessage) return { success: true }
      const stored = store({ appId, body, delivery })
      const late = new Promise<'late'>((resolve) => setTimeout(resolve, ANSWER_WITHIN_MS, 'late').unref())
      if ((await Promise.race([stored, late])) === 'late') {
        // If the delivery is stored after all, it is stored twice, because X delivers it again.
        stored.catch((error) => request.log.warn({ err: error }, 'X delivery failed after the response'))
        throw new Refusal('UNAVAILABLE')
      }
      return { success: true }
    }

    for (const path of [WEBHOOK_PATH, `${WEBHOOK_PATH}/:xAppId`]) {
      raw.get<FromX>(path, answerCheck)
      raw.post<FromX>(path, takeDelivery)
    }
  })
}

/** Counts what X charges for a delivery. If X names no event, the body identifies repeated deliveries. */
function countDelivery(xMeters: XMeters, appId: string, body: Buffer, delivery: XDelivery): void {
  const { eventType, eventUuid, accountXUserId } = delivery
  const resource = eventType === null ? null : deliveryOf(eventType)
  if (resource === null || accountXUserId === null) return
  const id = eventUuid ?? createHash('sha256').update(body).digest('hex')
  xMeters.count({ appId, accountXUserId, purpose: 'events', resource, id })
}

function signedBody({ body, headers }: FastifyRequest, header: string) {
  return { body: Buffer.isBuffer(body) ? body : Buffer.alloc(0), signature: String(headers[header] ?? '') }
}

/** Parses a body; null if it is not JSON. */
function parse(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString('utf8'))
  } catch {
    return null
  }
}
