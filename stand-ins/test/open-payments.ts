import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { onTestFinished } from 'vitest'
import { visitPayments } from '../src/payments/visit.ts'
import { type PaymentsOptions, startPayments } from '../src/payments.ts'

/** Starts a payments stand-in until the end of the test. @returns a client for it */
export async function openPayments(options: PaymentsOptions = {}) {
  const payments = await startPayments(options)
  onTestFinished(() => payments.close())
  return visitPayments(payments)
}

/** Starts a webhook receiver until the end of the test. */
export async function openReceiver(nextStatus: () => number = () => 200) {
  const received: { body: string; signature: string }[] = []
  const server = createServer(async (request, response) => {
    let body = ''
    for await (const piece of request) body += piece
    received.push({ body, signature: String(request.headers['stripe-signature']) })
    response.writeHead(nextStatus()).end()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`, received }
}
