import { request } from 'node:http'
import { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { setTimeout } from 'node:timers/promises'
import { parentPort, workerData } from 'node:worker_threads'
import { formatNumber } from '../../contract/src/format.ts'
import { bytesOf, SHAPES } from './shapes.ts'

/* A client in its own thread, because the server uses the main one. Sends files or makes cheap calls. */

const { url, authorization } = workerData as { url: string; authorization: string }

/** Imports a file of this shape, and cancels the import after `secondsMax`. */
async function send({ shape, size, secondsMax }: { shape: string; size: number; secondsMax: number }): Promise<string> {
  const definition = SHAPES[shape]
  if (!definition) throw new Error(`no shape ${shape}`)
  const answered = Promise.withResolvers<string>()
  const headers = { authorization, 'content-type': 'text/csv' }
  const sending = request(`${url}/api${definition.to ?? '/leads/import'}`, { method: 'POST', headers })
  sending.on('response', (response) => answered.resolve(text(response)))
  sending.on('error', answered.reject)
  Readable.from(bytesOf(definition, size)).pipe(sending)
  const deadline = Date.now() + secondsMax * 1_000
  // Retry until it works, because the import does not exist before the upload starts.
  const canceling = setInterval(() => {
    if (Date.now() > deadline) cancelAll().catch(() => {})
  }, 1_000)
  try {
    return outcomeOf(JSON.parse(await answered.promise))
  } finally {
    clearInterval(canceling)
  }
}

async function cancelAll(): Promise<void> {
  const response = await fetch(`${url}/api/imports`, { headers: { authorization } })
  const { imports } = (await response.json()) as { imports: { id: string; status: string }[] }
  for (const { id, status } of imports)
    if (status === 'running')
      await fetch(`${url}/api/imports/${id}/cancel`, { method: 'POST', headers: { authorization } })
}

function outcomeOf(result: { error?: string; imported?: number; updated?: number; rejectedCount?: number }): string {
  if (result.error !== undefined) return result.error
  const count = (value = 0) => formatNumber(value)
  return `${count(result.imported)} imported, ${count(result.updated)} updated, ${count(result.rejectedCount)} rejected`
}

const ROUTES = ['/healthz', '/api/waitlist/count', '/api/me', '/api/lists', '/api/leads', '/api/imports']

let isCalling = false
let calls: { route: string; ms: number }[] = []

/** Makes cheap calls in a loop until stopped. */
async function call(): Promise<void> {
  isCalling = true
  calls = []
  for (let n = 0; isCalling; n += 1) {
    const route = ROUTES[n % ROUTES.length] as string
    const began = performance.now()
    const response = await fetch(`${url}${route}`, { headers: { authorization } })
    await response.arrayBuffer()
    calls.push({ route, ms: performance.now() - began })
    if (!response.ok) throw new Error(`${route} answered ${response.status}`)
    await setTimeout(2)
  }
}

let calling = Promise.resolve()
parentPort?.on('message', async (order: { send: Parameters<typeof send>[0] } | 'call' | 'stop') => {
  if (order === 'call') {
    calling = call()
  } else if (order === 'stop') {
    isCalling = false
    await calling
    parentPort?.postMessage(calls)
  } else {
    parentPort?.postMessage(await send(order.send))
  }
})
