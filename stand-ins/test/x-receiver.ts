import { createHmac } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { onTestFinished } from 'vitest'
import type { openX } from './open-x.ts'

type OpenX = Awaited<ReturnType<typeof openX>>

// biome-ignore lint/suspicious/noExplicitAny: tests read any delivery
type Delivery = { body: any; signature: string | undefined; raw: string }

/**
 * Opens a webhook of the first app until the end of the test, with a way to subscribe to events. The
 * webhook responds to an event only once `until` resolves.
 */
export async function openReceiver(
  x: OpenX,
  { answer: nextStatus = () => 200, until }: { answer?: () => number; until?: Promise<void> } = {},
) {
  const received: Delivery[] = []
  let running = 0
  let mostRunning = 0
  const server = createServer(async (request, response) => {
    const token = new URL(request.url ?? '', 'http://receiver').searchParams.get('crc_token')
    if (token !== null) {
      const digest = createHmac('sha256', x.x.consumerSecret).update(token).digest('base64')
      return response.end(JSON.stringify({ response_token: `sha256=${digest}` }))
    }
    mostRunning = Math.max(mostRunning, ++running)
    const raw = await text(request)
    await until
    running--
    received.push({ body: JSON.parse(raw), signature: String(request.headers['x-twitter-webhooks-signature']), raw })
    return response.writeHead(nextStatus()).end()
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  const app = x.as(x.x.bearerToken)
  const { body } = await app.post('/2/webhooks', {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`,
  })
  const webhookId: string = body.data.id
  return {
    received,
    app,
    webhookId,
    mostRunning: () => mostRunning,
    /** Returns the payloads of one type that have been delivered so far. */
    payloads: (type: string) =>
      received
        .map(({ body }) => body.data)
        .filter((data) => data?.event_type === type)
        .map((data) => data.payload),
    async subscribe(me: Awaited<ReturnType<OpenX['signIn']>>, ...types: string[]) {
      const { id } = (await me.get('/2/users/me')).body.data
      const responses = []
      for (const event_type of types) {
        responses.push(
          await me.post('/2/activity/subscriptions', { event_type, filter: { user_id: id }, webhook_id: webhookId }),
        )
      }
      return responses
    },
  }
}
