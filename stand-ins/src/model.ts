import { setTimeout as sleep } from 'node:timers/promises'
import type { FastifyReply } from 'fastify'
import { listenOnLoopback, loopbackServer } from './loopback.ts'
import { writeElement } from './model/answers.ts'
import { Call, HABITS, type Habit } from './model/calls.ts'

type ModelOptions = {
  /** Defaults to any free port. */
  port?: number
}

export type ModelStandIn = Awaited<ReturnType<typeof startModel>>

const KEY = 'stand-in-key'
const CALLS_KEPT = 1_000

/** Starts a stand-in for a model server that speaks OpenAI's chat completions. `url` ends in /v1. */
export async function startModel({ port = 0 }: ModelOptions = {}) {
  const app = loopbackServer()
  const stopping = new AbortController()
  app.addHook('preClose', async () => stopping.abort())
  const calls: Call[] = []

  app.get('/v1/models', async () => ({
    object: 'list',
    data: ['stand-in', ...HABITS.map((habit) => `stand-in-${habit}`)].map((id) => ({ id, object: 'model' })),
  }))

  app.post('/v1/chat/completions', async (request, reply) => {
    if (request.headers.authorization !== `Bearer ${KEY}`)
      return problem(reply, 401, 'Incorrect API key provided.', 'invalid_request_error')
    const parsed = Call.safeParse(request.body)
    if (!parsed.success) return problem(reply, 400, 'The request is malformed.', 'invalid_request_error')
    const call = parsed.data
    const habit = HABITS.find((name) => call.model === `stand-in-${name}`)
    if (!habit && call.model !== 'stand-in')
      return problem(reply, 404, `The model '${call.model}' does not exist.`, 'invalid_request_error')
    calls.push(call)
    if (calls.length > CALLS_KEPT) calls.shift()
    if (habit === '429')
      return problem(reply.header('retry-after', '20'), 429, 'Rate limit reached.', 'rate_limit_error')
    if (habit === '500') return problem(reply, 500, 'The server had an error.', 'server_error')
    if (habit === 'schemaless' && call.response_format?.json_schema)
      return problem(reply, 400, 'response_format json_schema is not supported.', 'invalid_request_error')
    if (habit === 'slow') await sleep(600_000, undefined, { signal: stopping.signal }).catch(() => {})
    return answer(reply, call, habit)
  })

  /** The newest calls, for tests. */
  app.get('/_log/calls', async () => calls)
  app.delete('/_log/calls', async () => {
    calls.length = 0
    return {}
  })

  const address = await listenOnLoopback(app, port)
  return { ...address, url: `${address.url}/v1`, key: KEY, calls, close: () => app.close() }
}

function problem(reply: FastifyReply, status: number, message: string, type: string) {
  return reply.code(status).send({ error: { message, type, param: null, code: null } })
}

const tokensOf = (text: string) => Math.ceil(text.length / 4)

async function answer(reply: FastifyReply, call: Call, habit: Habit | undefined) {
  const content = contentOf(call, habit)
  const prompt = tokensOf(call.messages.map((message) => message.content).join(''))
  const usage = {
    prompt_tokens: prompt,
    completion_tokens: tokensOf(content),
    total_tokens: prompt + tokensOf(content),
  }
  const about = { id: `chatcmpl-${Date.now()}`, created: Math.floor(Date.now() / 1000), model: call.model }
  if (!call.stream) {
    const choice = { index: 0, message: { role: 'assistant', content }, finish_reason: 'stop' }
    return reply.send({ ...about, object: 'chat.completion', choices: [choice], usage })
  }
  reply.hijack()
  reply.raw.writeHead(200, { 'content-type': 'text/event-stream' })
  const send = (data: unknown) =>
    reply.raw.write(`data: ${JSON.stringify({ ...about, object: 'chat.completion.chunk', ...(data as object) })}\n\n`)
  const size = Math.max(40, Math.ceil(content.length / 20))
  const parts = content.match(new RegExp(`[\\s\\S]{1,${size}}`, 'g')) ?? []
  const sentParts = habit === 'cut' ? parts.slice(0, Math.ceil(parts.length / 2)) : parts
  for (const part of sentParts) {
    send({ choices: [{ index: 0, delta: { role: 'assistant', content: part }, finish_reason: null }] })
    await sleep(1)
  }
  if (habit === 'cut') return void reply.raw.destroy()
  send({ choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] })
  send({ choices: [], usage })
  reply.raw.end('data: [DONE]\n\n')
}

function contentOf(call: Call, habit: Habit | undefined): string {
  if (habit === 'refusal') return 'I\u2019m sorry, but I can\u2019t help with that.'
  const prompt = call.messages.map((message) => message.content).join('\n')
  const count = Number(/\bWrite (\d+) elements?\b/.exec(prompt)?.[1] ?? 1)
  const elements = Array.from({ length: count }, (_, index) => writeElement(call, index, habit))
  const json = JSON.stringify({ elements })
  return habit === 'malformed' ? json.slice(0, -3).replaceAll('"text":', 'text=') : json
}
