import { randomBytes } from 'node:crypto'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { z } from 'zod'
import type { App, Apps } from '../apps.ts'
import { appOf, type Network } from '../network.ts'
import { invalidRequest, rejected } from '../problems.ts'
import { readId } from '../queries.ts'
import { signatureOf } from './deliveries.ts'

export type Webhook = { id: string; clientId: string; url: string; valid: boolean; createdAt: number }

/** Stored on disk, so that webhooks survive a restart. */
export type WebhookEntry = ({ type: 'webhook' } & Webhook) | { type: 'webhookGone'; id: string }

const WEBHOOKS_MAX = 5
const ANSWER_WITHIN_MS = 10_000
const DAY = 24 * 60 * 60 * 1000

/** A minute in UTC as `yyyymmddhhmm`, converted to milliseconds since 1970. */
const Minute = z
  .string()
  .regex(/^\d{12}$/)
  .transform((text) => Date.parse(text.replace(/^(....)(..)(..)(..)(..)$/, '$1-$2-$3T$4:$5:00Z')))
  .refine((at) => !Number.isNaN(at), 'There is no such minute')
const Replay = z.object({ webhook_id: z.string(), from_date: Minute, to_date: Minute })

/** Manages the webhooks of all apps (docs.x.com/x-api/webhooks). `write` must store before returning. */
export function createWebhooks(apps: Apps, nextId: () => string, write: (entry: WebhookEntry) => void) {
  const webhooks = new Map<string, Webhook>()

  function replay(entry: WebhookEntry) {
    // Entries of older versions belong to the first app.
    if (entry.type === 'webhook') webhooks.set(entry.id, { ...entry, clientId: entry.clientId ?? apps.first.id })
    else webhooks.delete(entry.id)
  }
  function record(entry: WebhookEntry) {
    write(entry)
    replay(entry)
  }
  const ofApp = (app: App) => [...webhooks.values()].filter(({ clientId }) => clientId === app.id)

  function addRoutes(
    fastify: FastifyInstance,
    network: Network,
    replayEvents: (webhook: Webhook, from: number, to: number) => void,
  ) {
    function webhookOf(app: App, id: string): Webhook {
      const webhook = webhooks.get(readId('webhook_id', id))
      if (webhook?.clientId === app.id) return webhook
      throw rejected('WebhookIdInvalid', 'The webhook does not belong to this app.')
    }
    const webhookIn = (request: FastifyRequest) =>
      webhookOf(appOf(network, request), (request.params as { webhook_id: string }).webhook_id)

    fastify.get('/2/webhooks', async (request) => {
      const data = ofApp(appOf(network, request)).map(webhookJson)
      return { data, meta: { result_count: data.length } }
    })

    fastify.post('/2/webhooks', async (request) => {
      const app = appOf(network, request)
      const { url } = request.body as { url: string }
      if (!isAllowedUrl(url))
        throw rejected('UrlValidationFailed', 'The URL must be https, public, and without a port.')
      if (ofApp(app).some((webhook) => webhook.url === url))
        throw rejected('DuplicateUrlFailed', 'This URL is already registered.')
      if (ofApp(app).length >= WEBHOOKS_MAX) throw rejected('WebhookLimitExceeded', 'The webhook limit is reached.')
      if (!(await passesCheck(url, app.consumerSecret)))
        throw rejected('CrcValidationFailed', 'The URL did not pass the challenge.')
      const webhook = { id: nextId(), clientId: app.id, url, valid: true, createdAt: network.now() }
      record({ type: 'webhook', ...webhook })
      return { data: webhookJson(webhook) }
    })

    // X responds before the events arrive.
    fastify.post('/2/webhooks/replay', async (request) => {
      const app = appOf(network, request)
      const { data, error } = Replay.safeParse(request.body)
      if (error) throw invalidRequest(String(error.issues[0]?.path[0] ?? 'body'), '', z.prettifyError(error))
      const webhook = webhookOf(app, data.webhook_id)
      if (data.from_date > data.to_date) throw invalidRequest('from_date', '', 'from_date is after to_date')
      if (data.from_date < network.now() - DAY - 60_000)
        throw invalidRequest('from_date', '', 'from_date is more than 24 hours ago')
      // Includes the entire last minute.
      replayEvents(webhook, data.from_date, data.to_date + 59_999)
      return { data: { job_id: nextId(), created_at: new Date(network.now()).toISOString() } }
    })

    fastify.put('/2/webhooks/:webhook_id', async (request) => {
      const webhook = webhookIn(request)
      const valid = await passesCheck(webhook.url, appOf(network, request).consumerSecret)
      record({ type: 'webhook', ...webhook, valid })
      if (!valid) throw rejected('CrcValidationFailed', 'The URL did not pass the challenge.')
      return { data: { valid } }
    })

    fastify.delete('/2/webhooks/:webhook_id', async (request) => {
      record({ type: 'webhookGone', id: webhookIn(request).id })
      return { data: { deleted: true } }
    })
  }

  return {
    replay,
    addRoutes,
    find: (id: string): Webhook | undefined => webhooks.get(id),
    /** Returns the URL and the secret for deliveries. Undefined if the webhook was deleted or is invalid. */
    targetOf(id: string): { url: string; secret: string } | undefined {
      const webhook = webhooks.get(id)
      const app = webhook?.valid ? apps.find(webhook.clientId) : undefined
      return webhook && app && { url: webhook.url, secret: app.consumerSecret }
    },
  }
}

export type Webhooks = ReturnType<typeof createWebhooks>

/** Sends the webhook a challenge, and checks its response. */
async function passesCheck(url: string, secret: string): Promise<boolean> {
  const token = randomBytes(18).toString('base64url')
  const challenge = new URL(url)
  challenge.searchParams.set('crc_token', token)
  challenge.searchParams.set('nonce', randomBytes(12).toString('base64url'))
  try {
    const response = await fetch(challenge, { signal: AbortSignal.timeout(ANSWER_WITHIN_MS), redirect: 'error' })
    const body = (await response.json()) as { response_token?: string }
    return response.ok && body.response_token === signatureOf(secret, token)
  } catch {
    return false
  }
}

/** Whether X would allow a URL: https without a port. The stand-in also allows loopback addresses. */
function isAllowedUrl(text: string): boolean {
  if (!URL.canParse(text)) return false
  const url = new URL(text)
  if (['localhost', '127.0.0.1', '[::1]'].includes(url.hostname)) return url.protocol.startsWith('http')
  return url.protocol === 'https:' && url.port === ''
}

function webhookJson({ id, url, valid, createdAt }: Webhook) {
  return { id, url, valid, created_at: new Date(createdAt).toISOString() }
}
